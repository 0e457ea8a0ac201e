//===- Residency.h - which tiles live when, and their bytes -----*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_RESIDENCY_H
#define SPINE_TRITON_ANALYSIS_RESIDENCY_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "spine-triton/Analysis/TilePlacement.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::spine {

/// Why a policy gives a tile memory of its own.
enum class TileRole {
  None, ///< it has none: registers, or computed where it is used
  Loaded,
  Accumulated, ///< result of a dot or a reduction
  Stored,
  Carried, ///< handed on by a loop, a branch or a call
  Kept,    ///< computed elementwise, and used after a later tile came in
};
StringRef stringifyTileRole(TileRole role);

/// What a policy says of a tensor value.
struct TileDecision {
  TileDecision(TileRole role)
      : role(role), placement(role == TileRole::None ? TilePlacement::Registers
                                                     : TilePlacement::Packed) {}
  TileDecision(TileRole role, TilePlacement placement)
      : role(role), placement(placement) {}

  TileRole role;
  TilePlacement placement;
};

/// A policy is the one function in which compilers differ here: the role in
/// which a tensor value occupies scratchpad memory, and how it lies there.
using ResidencyPolicy = llvm::function_ref<TileDecision(Value)>;

/// Every loaded, stored and accumulated tile is packed into scratchpad memory
/// of its own, as by a compiler that materialises each tile. What else is
/// computed elementwise from tiles is fused into its users, unless it has to
/// outlive the arrival of another tile.
TileDecision placeStageAll(Value tile);

/// The same, except that what is loaded through a block pointer is mirrored, as
/// by a compiler whose transfers move whole granules.
TileDecision placeStageMirrored(Value tile);

/// The policies by their names.
enum class ResidencyPolicyKind { StageAll, StageMirrored };
StringRef stringifyResidencyPolicy(ResidencyPolicyKind kind);
std::optional<ResidencyPolicyKind> parseResidencyPolicy(StringRef name);
ResidencyPolicy getResidencyPolicy(ResidencyPolicyKind kind);

/// What a plan is made for.
struct ResidencyOptions {
  ResidencyPolicy policy = placeStageAll;
  /// Packed tiles are rounded up to a multiple of it, and begin at one.
  int64_t alignment = 1;
  int64_t granule = 64;
  /// Copies of a tile that is loaded in a loop, of which the next ones are
  /// fetched ahead. A loop's own `tt.num_stages` comes first.
  int64_t numStages = 1;
};

/// A stride of an access in elements: a constant, an expression of the kernel's
/// arguments (symbol i is argument i), or null if it is neither.
using TileStride = AffineExpr;

/// Points of the program, from the first to the last one.
struct LiveRange {
  unsigned first, last;
};

/// One piece of scratchpad memory, which may hold several SSA values in turn:
/// an accumulator's in all its iterations, for one.
struct ResidentTile {
  std::string name; ///< the kernel's variable, or the operation
  bool isVariable;  ///< which of them
  TileRole role;
  TilePlacement placement;
  Location loc;
  Location lastUse;
  RankedTensorType type;
  int64_t copies = 1;
  /// What it occupies, with all its copies, rounded up. None if that depends on
  /// strides which are known at run time only.
  std::optional<int64_t> bytes = std::nullopt;
  int64_t denseBytes = 0;
  /// Of the access that loads or stores the tile, if it is through a block
  /// pointer: its strides, a power of two that divides the address of its first
  /// element, and, if all strides are constants, the span and the most granule
  /// bytes.
  bool isAccessed = false;
  SmallVector<TileStride> strides = {};
  int64_t accessAlignment = 1;
  std::optional<int64_t> spanBytes = std::nullopt;
  std::optional<int64_t> granuleBytes = std::nullopt;
  /// Where it is live, as operations counted in program order: in that order,
  /// and none in code that is never reached.
  SmallVector<LiveRange, 1> liveRanges = {};
  int64_t offset = 0;                ///< place in the arena
  SmallVector<unsigned> groups = {}; ///< of TileDimensions, one per dimension

  unsigned getFirstPoint() const { return liveRanges.front().first; }
  unsigned getLastPoint() const { return liveRanges.back().last; }
  bool isLiveAt(unsigned point) const;
};

/// Something that makes the bytes of a function impossible to bound.
struct UnboundedResidency {
  Location loc;
  std::string reason;
};

/// A block size that would make the kernel fit, all others unchanged.
struct SmallerBlock {
  int64_t size;    ///< now
  int64_t fitting; ///< the largest power of two that fits
  /// The dimensions of this size: a tile of the report and its dimension.
  SmallVector<std::pair<unsigned, unsigned>> places;
};

/// The plan of one function: what is where, and what it needs.
struct ResidencyReport {
  ResidencyReport(Operation *function, const ResidencyOptions &options);

  Operation *operation;
  std::string function;
  Location loc;
  int64_t alignment; ///< the options that it was made with
  int64_t granule;
  std::vector<ResidentTile> tiles;
  /// The most bytes that are live at one point. Without those tiles whose bytes
  /// are known at run time only.
  int64_t peakBytes = 0;
  /// Extent of the tiles' layout in one arena, by live range; of a function
  /// that is called, too. Tiles whose bytes are known at run time only follow
  /// behind, each in bytes of its own.
  int64_t arenaBytes = 0;
  Location peakLoc;
  unsigned peakPoint = 0;
  unsigned numPoints = 0;
  std::vector<unsigned> liveAtPeak; ///< tiles, the largest first
  int64_t calleeBytes =
      0; ///< part of the peak that a function called there uses
  std::string callee;
  std::optional<UnboundedResidency> unbounded;
  /// Tiles whose bytes depend on arguments; the launch has to check these.
  std::vector<unsigned> runtimeTiles;

  /// False also where that is not known before a launch.
  bool fits(int64_t availableBytes) const {
    return !unbounded && runtimeTiles.empty() && arenaBytes <= availableBytes;
  }
  /// Whether it depends on the arguments of a launch.
  bool dependsOnArguments(int64_t availableBytes) const {
    return !unbounded && !runtimeTiles.empty() && arenaBytes <= availableBytes;
  }

  /// For each group of dimensions of one size, the largest power of two with
  /// which the kernel fits; nothing for a group that cannot make it fit.
  std::vector<SmallerBlock> getSmallerBlocks(int64_t availableBytes) const;

  /// The most copies of the tiles that loops load with which the kernel fits,
  /// its blocks unchanged; 0 if it does not with a single one either.
  int64_t getFewerCopies(int64_t availableBytes) const;

  /// Bytes and places of calls, by point; for the layout.
  std::vector<std::pair<unsigned, int64_t>> calls;
  /// Groups whose size is not free.
  llvm::BitVector fixedGroups;
};

/// What has more bytes than this is not added up: no scratchpad holds it.
constexpr int64_t kMostTileBytes = int64_t(1) << 45;

/// Dense bytes of a tile: its elements, each of a whole number of bytes. The
/// largest number where there are more.
int64_t getDenseBytes(RankedTensorType type);

/// Finds the tiles of `function` that a policy packs, and the largest number of
/// bytes of them that are live at one point of the program. Values that are
/// computed from a tile and are not packed themselves keep the tile alive: they
/// are computed where they are used. Accumulators are updated in place, loaded
/// tiles are not overwritten. Functions that are called count where they
/// are called.
ResidencyReport analyzeResidency(Operation *function,
                                 const ResidencyOptions &options = {});

/// Reports for the public functions of a module and for those that no function
/// of it calls, in the module's order.
std::vector<ResidencyReport>
analyzeKernelResidency(ModuleOp module, const ResidencyOptions &options = {});

/// Span and granule bytes of a tile's access as expressions over the kernel's
/// arguments; empty if they are known, or if not even an expression is.
std::string printSpanExpression(const ResidencyReport &report,
                                const ResidentTile &tile);
std::string printGranuleExpression(const ResidencyReport &report,
                                   const ResidentTile &tile);

/// What a launcher has to compute where bytes depend on arguments, as JSON:
/// `fixed_bytes`, `available_bytes`, `granule`, `alignment`, and per tile
/// `name`, `shape`, `element_bytes`, `copies`, `access_alignment` and `strides`
/// (see serializeArgumentExpression). The sum of the fixed bytes and, for each
/// tile, of its copies times its granule bytes, rounded up to the alignment,
/// must not exceed what is available.
std::string makeLaunchContract(const ResidencyReport &report,
                               int64_t availableBytes);

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_RESIDENCY_H
