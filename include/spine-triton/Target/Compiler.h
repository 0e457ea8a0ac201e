//===- Compiler.h - the compiler as a library --------------------*- C++
//-*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// What bindings need, without a header of MLIR: nothing here ends the process,
// and every problem comes back as messages.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TARGET_COMPILER_H
#define SPINE_TRITON_TARGET_COMPILER_H

#include "spine-triton/Target/Messages.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mlir::spine {

/// Owns the types and attributes of the modules made in it. Work in one context
/// is done by one thread after the other.
class CompilerContext {
public:
  CompilerContext();
  ~CompilerContext();

  struct Impl;
  std::unique_ptr<Impl> impl;
};

struct KernelFacts {
  std::string name;
  int64_t arenaBytes = 0;
  bool hasMayAlias = false;
};

struct PipelineOptions {
  bool verifyEach = true;
  /// Writes the module to standard error after each pass.
  bool printAfterAll = false;
  /// Writes how long each pass took to standard error.
  bool timing = false;
};

/// LLVM IR for one target.
class CompiledModule {
public:
  ~CompiledModule();

  /// Reads LLVM IR as toString() gives it.
  static std::shared_ptr<CompiledModule>
  parse(std::string_view text, std::string_view targetJSON, Messages &messages);

  std::string toString();
  std::optional<std::string> emitObject(Messages &messages);
  std::optional<std::string> emitAssembly(Messages &messages);

  struct Impl;
  explicit CompiledModule(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// A module of the compiler. Functions that can fail return false, null or
/// nothing, and have then added an error to `messages`.
class CompilerModule {
public:
  using Context = std::shared_ptr<CompilerContext>;

  ~CompilerModule();

  static std::shared_ptr<CompilerModule> parse(Context context,
                                               std::string_view text,
                                               std::string_view name,
                                               Messages &messages);

  const Context &getContext() const { return context; }
  std::shared_ptr<CompilerModule> clone(Messages &messages);
  bool verify(Messages &messages);
  std::optional<std::string> toString(bool debugInfo, bool generic,
                                      Messages &messages);

  /// Warnings and remarks are added to `messages` on success, too. After a
  /// failure the module is in an unspecified state.
  bool runPipeline(std::string_view pipeline, const PipelineOptions &options,
                   Messages &messages);

  std::optional<KernelFacts> getKernelFacts(Messages &messages);

  std::shared_ptr<CompiledModule>
  translate(std::string_view targetJSON, unsigned optLevel, Messages &messages);

  struct Impl;
  CompilerModule(Context context, std::unique_ptr<Impl> impl);

private:
  Context context;
  std::unique_ptr<Impl> impl;
};

/// The description of this machine as JSON.
std::string getHostTargetJSON();

/// LLVM's version.
std::string getLLVMVersion();

} // namespace mlir::spine

#endif // SPINE_TRITON_TARGET_COMPILER_H
