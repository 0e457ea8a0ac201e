//===- Compiler.h - the compiler as a library -------------------*- C++ -*-===//
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

#include "spine-triton/Target/KernelFacts.h"
#include "spine-triton/Target/Messages.h"
#include <cstdint>
#include <map>
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

/// A position in a source file; the file is empty if it is unknown.
struct Position {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
};

/// One tile that occupies scratchpad memory.
struct TileResidency {
  std::string name;
  bool isVariable = false;
  std::string role;
  std::string placement;
  std::vector<int64_t> shape;
  std::string elementType;
  /// What it occupies with all copies; none if that depends on arguments.
  std::optional<int64_t> bytes;
  int64_t copies = 1;
  int64_t denseBytes = 0;
  std::optional<int64_t> spanBytes;
  std::optional<int64_t> granuleBytes;
  /// Expressions of the kernel's arguments where the numbers are not known.
  std::string spanExpression;
  std::string granuleExpression;
  /// Strides of the tile's access in elements; empty without one. A text is an
  /// expression of arguments, an empty text is unknown.
  std::vector<std::string> strides;
  bool liveAtPeak = false;
  unsigned firstPoint = 0;
  unsigned lastPoint = 0;
  std::optional<int64_t> offset;
  Position position;
  Position lastUse;
};

/// A smaller block with which a kernel would fit.
struct BlockResidency {
  int64_t size = 0;
  int64_t fitting = 0;
  /// Number of a tile and its dimension.
  std::vector<std::pair<unsigned, unsigned>> places;
};

/// The plan of one kernel.
struct KernelResidency {
  std::string kernel;
  std::string policy;
  /// False also if the need cannot be bounded or depends on arguments.
  bool fits = false;
  int64_t peakBytes = 0;
  int64_t arenaBytes = 0;
  int64_t capacity = 0;
  int64_t reserve = 0;
  int64_t granule = 0;
  int64_t alignment = 0;
  /// Why there is no bound; empty if there is one.
  std::string unbounded;
  /// What a launch has to check, as JSON; empty if nothing.
  std::string contract;
  unsigned peakPoint = 0;
  unsigned numPoints = 0;
  Position position;
  Position peakPosition;
  std::vector<TileResidency> tiles;
  /// Only of a kernel that does not fit.
  std::vector<BlockResidency> smallerBlocks;
};

/// What spine-check-residency left at a kernel.
struct ResidencyFacts {
  std::string kernel;
  bool fits = false;
  int64_t peakBytes = 0;
  int64_t arenaBytes = 0;
  std::string contract;
  /// What spine-auto-tile says has to hold at a launch; empty if nothing.
  std::string conditions;
};

/// A tile of the plan that code generation was given.
struct PlacedTile {
  int64_t id = 0;
  std::string name;
  bool isVariable = false;
  std::string placement;
  std::vector<int64_t> shape;
  std::string elementType;
  Position position;
};

/// A buffer of generated code, as spine-plan-scratchpad placed it.
struct ScratchTile {
  int64_t id = 0;
  int64_t tile = -1; ///< of the plan, which it is for
  bool isTemporary = false;
  std::string name;
  bool isVariable = false;
  std::string role; ///< what code generation calls it; empty for a tile
  std::vector<int64_t> shape;
  std::string elementType;
  int64_t bytes = 0;
  int64_t offset = 0;
  int64_t begin = 0;
  int64_t end = 0;
  Position position;
};

/// The arena of one function of generated code.
struct ScratchPlan {
  std::string function;
  int64_t arenaBytes = 0;
  int64_t liveBytes = 0;
  std::vector<ScratchTile> tiles;
  std::vector<PlacedTile> placements;
};

/// How to judge kernels; what is not given is the target's.
struct ResidencyRequest {
  std::string policy = "stage-all";
  /// Scratchpad bytes, without a reserve.
  std::optional<int64_t> capacity;
  std::optional<int64_t> alignment;
  int64_t numStages = 1;
};

/// A tile access as numbers; strides in elements.
struct FootprintBytes {
  int64_t dense = 0;
  /// None if they do not fit 64 bits.
  std::optional<int64_t> span;
  std::optional<int64_t> granule;
};

/// Dense, span and granule bytes of one access. `alignment`, a power of two,
/// divides the address of its first element.
FootprintBytes getFootprint(const std::vector<int64_t> &shape,
                            const std::vector<int64_t> &strides,
                            int64_t elementBytes, int64_t granule,
                            int64_t alignment);

struct PipelineOptions {
  /// After each pass, as is the custom; otherwise at the end only.
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

  /// The plans of the kernels of a TTIR module.
  std::optional<std::vector<KernelResidency>>
  checkResidency(std::string_view targetJSON, const ResidencyRequest &request,
                 Messages &messages);

  /// Of the kernels of a TTIR module that was checked.
  std::optional<std::vector<ResidencyFacts>>
  getResidencyFacts(Messages &messages);

  /// Of the functions of a module that spine-plan-scratchpad has seen.
  std::optional<std::vector<ScratchPlan>> getScratchPlans(Messages &messages);

  std::shared_ptr<CompiledModule>
  translate(std::string_view targetJSON, unsigned optLevel, Messages &messages);

  struct Impl;
  CompilerModule(Context context, std::unique_ptr<Impl> impl);

private:
  Context context;
  std::unique_ptr<Impl> impl;
};

/// Stack bytes of each function of an object; see readStackFrames().
std::optional<std::map<std::string, uint64_t>>
getStackFrames(std::string_view object, Messages &messages);

/// The description of this machine as JSON.
std::string getHostTargetJSON();

/// LLVM's version.
std::string getLLVMVersion();

} // namespace mlir::spine

#endif // SPINE_TRITON_TARGET_COMPILER_H
