//===- Placement.h - which tiles get a buffer -------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_LIB_CODEGEN_LOWERTILES_PLACEMENT_H
#define SPINE_TRITON_LIB_CODEGEN_LOWERTILES_PLACEMENT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Operation.h"
#include "spine-triton/Analysis/TilePlacement.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::spine {

/// The plan of a function (after convert-triton-to-linalg): decides for every
/// tile whether it is computed where it is used or gets a buffer. Code
/// generation takes memory for a tile of this plan only.
class Placement {
public:
  /// With `assumeDisjoint`, memory behind different kernel arguments is taken
  /// not to overlap.
  Placement(triton::FuncOp function, bool assumeDisjoint,
            bool keepsOperands = false);

  /// True if the tile has to be in memory before its first use.
  bool needsBuffer(Value tile) const { return buffered.contains(tile); }

  /// The pairs of arguments that had to be taken to be disjoint for some load
  /// to be virtual.
  ArrayRef<std::pair<int64_t, int64_t>> disjointArguments() const {
    return disjoint.getArrayRef();
  }

  /// The store that takes the results of `product` (a product, or a loop that
  /// accumulates one) as they are finished, if there is one.
  triton::StoreOp sinkOf(Operation *product) const {
    return sinks.lookup(product);
  }
  /// The result that `store` takes so; null for all other stores.
  OpResult streamedInto(triton::StoreOp store) const {
    return streamed.lookup(store);
  }

  /// The number of a tile in the plan; none for what is made of nothing.
  std::optional<int64_t> idOf(Value tile) const;
  TilePlacement placementOf(Value tile) const;
  /// All tiles in program order: `id`, `loc`, `placement` and `tile`, the type.
  ArrayAttr describe() const;

  /// True if the load, through a block pointer, is of an operand of a product
  /// with many columns, and no program writes what it reads. Found out only if
  /// operands are kept.
  bool isConstant(triton::LoadOp load) const {
    return constantOperands.contains(load);
  }

  unsigned numStreamed() const { return streamed.size(); }

  unsigned numVirtual = 0, numBuffers = 0, numInPlaceLoads = 0,
           numPackedLoads = 0;

private:
  using OpSet = llvm::SmallSetVector<Operation *, 4>;

  /// The operations that make the tile's elements be computed, given the
  /// decisions for its users.
  const OpSet &evaluators(Value tile);
  bool decide(OpResult tile);
  bool loadMustBePacked(triton::LoadOp load);
  bool mayOverwrite(Operation *writer, triton::LoadOp load);
  bool writesBetween(triton::LoadOp load, Operation *evaluator);
  bool isReadByInnerLoop(OpResult tile);
  bool isBroadcast(Value tile);
  void findConstantOperands();
  void computeCosts();

  // TilePlan.cpp
  void numberTiles(Operation *op);

  // Streaming.cpp
  void findSink(OpResult tile);
  triton::StoreOp storeOfChain(OpResult tile);
  bool overwritesOperands(triton::StoreOp store, linalg::LinalgOp product);

  triton::FuncOp function;
  bool assumeDisjoint;
  llvm::SmallSetVector<std::pair<int64_t, int64_t>, 4> disjoint;
  SmallVector<Value> tiles; ///< by their numbers
  DenseMap<Value, int64_t> ids;
  DenseSet<Value> buffered;
  DenseMap<Value, OpSet> evaluatorCache;
  DenseMap<Value, unsigned> cost, size;
  DenseMap<Operation *, triton::StoreOp> sinks;
  DenseMap<Operation *, OpResult> streamed;
  DenseSet<Operation *> constantOperands;
};

/// The kernel arguments from which a pointer, a tile of pointers or a block
/// pointer may be derived. Contains a null value if some origin is unknown.
llvm::SmallSetVector<Value, 2> pointerOrigins(Value pointer);

/// True if the operation, or one inside it, writes memory.
bool writesMemory(Operation *op);

/// True if the operation, or one inside it, writes memory, prints or stops.
bool hasSideEffects(Operation *op);

/// The product if the loop does nothing but accumulate one in the type that is
/// carried.
linalg::LinalgOp accumulatedProduct(scf::ForOp op);

} // namespace mlir::spine

#endif // SPINE_TRITON_LIB_CODEGEN_LOWERTILES_PLACEMENT_H
