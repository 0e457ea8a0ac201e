//===- Residency.h - which tiles live when, and their bytes -----*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_RESIDENCY_H
#define SPINE_TRITON_ANALYSIS_RESIDENCY_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
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

/// A policy is the one function in which compilers differ here: the role in
/// which a tensor value occupies scratchpad memory.
using ResidencyPolicy = llvm::function_ref<TileRole(Value)>;

/// Every loaded, stored and accumulated tile is packed into scratchpad memory
/// of its own, as by a compiler that materialises each tile. What else is
/// computed elementwise from tiles is fused into its users, unless it has to
/// outlive the arrival of another tile.
TileRole placeStageAll(Value tile);

/// One piece of scratchpad memory, which may hold several SSA values in turn:
/// an accumulator's in all its iterations, for one.
struct ResidentTile {
  std::string name; ///< the kernel's variable, or the operation
  bool isVariable;  ///< which of them
  TileRole role;
  Location loc;
  Location lastUse;
  RankedTensorType type;
  int64_t bytes;
  /// What the access that loads or stores the tile reaches, if it is through a
  /// block pointer whose strides are known: from its first byte to its last
  /// one, and in granules of 64 bytes, with the worst alignment. These bytes
  /// are not counted.
  std::optional<int64_t> spanBytes;
  std::optional<int64_t> granuleBytes;
  unsigned firstPoint; ///< live range, as operations counted in program order
  unsigned lastPoint;
};

/// Something that makes the bytes of a function impossible to bound.
struct UnboundedResidency {
  Location loc;
  std::string reason;
};

/// What one function needs.
struct ResidencyReport {
  explicit ResidencyReport(Operation *function);

  std::string function;
  Location loc;
  std::vector<ResidentTile> tiles;
  int64_t peakBytes = 0;
  Location peakLoc;
  std::vector<unsigned> liveAtPeak; ///< tiles, the largest first
  int64_t calleeBytes =
      0; ///< part of the peak that a function called there uses
  std::string callee;
  std::optional<UnboundedResidency> unbounded;

  bool fits(int64_t availableBytes) const {
    return !unbounded && peakBytes <= availableBytes;
  }
};

/// Dense bytes of a tile: its elements, each of a whole number of bytes.
int64_t getDenseBytes(RankedTensorType type);

/// Finds the tiles of `function` that a policy packs, and the largest number of
/// bytes of them that are live at one point of the program. Values that are
/// computed from a tile and are not packed themselves keep the tile alive: they
/// are computed where they are used. Accumulators are updated in place, loaded
/// tiles are not overwritten. Functions that are called count where they
/// are called.
ResidencyReport analyzeResidency(Operation *function,
                                 ResidencyPolicy policy = placeStageAll);

/// Reports for the public functions of a module and for those that no function
/// of it calls, in the module's order.
std::vector<ResidencyReport>
analyzeKernelResidency(ModuleOp module, ResidencyPolicy policy = placeStageAll);

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_RESIDENCY_H
