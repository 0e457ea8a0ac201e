//===- PointerCarrier.h - block pointers as plain values --------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_REBASETENSORPTR_POINTERCARRIER_H
#define SPINE_TRITON_TRANSFORMS_REBASETENSORPTR_POINTERCARRIER_H

#include "spine-triton/Analysis/TensorPointer.h"
#include "spine-triton/Transforms/TileWindow.h"

namespace mlir::spine {

/// Takes the tracked block pointers out of a function's control flow: loops,
/// branches and conditionals hand on the fields that change (mostly offsets, as
/// i64) in place of pointers.
///
/// Used in this order: construction rewrites the control flow; describe() gives
/// the fields of any pointer as values; finish() deletes the pointers, which
/// must have no loads and stores left. Old operations live until finish(), so
/// that the analysis, which knows the old values, stays valid.
class PointerCarrier {
public:
  PointerCarrier(Operation *function, const TensorPointerAnalysis &pointers);

  /// The pointer's fields, as values that dominate every use of it.
  PointerDescription describe(Value pointer);

  /// Where code belongs that needs `operands` and replaces `pointer`: as early
  /// as both are there.
  void setInsertionPoint(OpBuilder &builder, Value pointer,
                         ArrayRef<Value> operands) const;

  void finish();

  /// How many block pointers control flow no longer carries.
  unsigned getNumCarried() const { return numCarried; }

private:
  using Fields = SmallVector<unsigned, 4>;

  /// One slot of control flow: the pointers that share it, and which of their
  /// fields are handed on in their place.
  struct Slot {
    Value pointer; ///< null: the slot carries something else and is kept
    Fields fields;
  };
  using Slots = SmallVector<Slot>;

  // The old operations' slots.
  Slot makeSlot(ArrayRef<Value> merges) const;
  Slots slotsOfLoop(Operation *op) const;
  Slots slotsOfCondition(Operation *op) const;
  bool carriesPointer(const Slots &slots) const;

  void rewriteOperation(Operation *op);
  void rewriteBlock(Block *block);
  Operation *recreate(Operation *op, ArrayRef<Value> operands,
                      ArrayRef<Type> resultTypes);
  void mapResults(Operation *op, Operation *replacement, const Slots &slots);
  void addArguments(Block *block, const Slots &slots, unsigned first);
  SmallVector<Type> resultTypes(Operation *op, const Slots &slots) const;
  SmallVector<Value> expand(ValueRange values, const Slots &slots);
  void rewriteTerminators();

  Type getFieldType(Value pointer, unsigned field) const;
  Value getField(Value pointer, unsigned field);
  Value compute(Value pointer, unsigned field);
  Value getConstant(int64_t value);
  Value getOperand(Value operand);
  Value getLive(Value value) const;

  Operation *function;
  const TensorPointerAnalysis &pointers;
  llvm::DenseMap<std::pair<Value, unsigned>, Value> known;
  llvm::DenseMap<int64_t, Value> constants;
  llvm::DenseMap<Value, Value> widened;
  llvm::DenseMap<Value, Value> replaced;
  llvm::DenseMap<Operation *, Operation *> recreated;
  SmallVector<Operation *> dead;
  SmallVector<std::pair<Operation *, Slots>> terminators;
  llvm::MapVector<Block *, Slots> branchTargets;
  unsigned numCarried = 0;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_REBASETENSORPTR_POINTERCARRIER_H
