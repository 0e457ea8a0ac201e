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
#include <vector>

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

/// A position in a source file; the file is empty if it is unknown.
struct Position {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
};

/// One tile that occupies scratchpad memory.
struct TileResidency {
  std::string name;
  std::string role;
  std::vector<int64_t> shape;
  std::string elementType;
  int64_t bytes = 0;
  bool liveAtPeak = false;
  Position position;
};

/// What the tiles of one kernel need.
struct KernelResidency {
  std::string kernel;
  /// False also if the need cannot be bounded.
  bool fits = false;
  int64_t bytes = 0;
  int64_t capacity = 0;
  int64_t reserve = 0;
  /// Why there is no bound; empty if there is one.
  std::string unbounded;
  Position position;
  std::vector<TileResidency> tiles;
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

  /// What the tiles of each kernel of a TTIR module need, against the target's
  /// scratchpad or, if given, one of `capacity` bytes without a reserve.
  std::optional<std::vector<KernelResidency>>
  checkResidency(std::string_view targetJSON, std::optional<int64_t> capacity,
                 Messages &messages);

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
