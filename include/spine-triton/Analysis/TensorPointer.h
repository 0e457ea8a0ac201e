//===- TensorPointer.h - where block pointers come from ---------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_TENSORPOINTER_H
#define SPINE_TRITON_ANALYSIS_TENSORPOINTER_H

#include "mlir/IR/BuiltinTypes.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::spine {

/// The tile that a block pointer (a pointer to a tensor) addresses; null for
/// every other type.
RankedTensorType getPointedTile(Type type);

/// Numbers the fields of a block pointer's description: its base, and per
/// dimension the extent, the stride and the offset.
struct PointerFields {
  explicit PointerFields(Value pointer)
      : rank(getPointedTile(pointer.getType()).getRank()) {}

  unsigned base() const { return 0; }
  unsigned extent(unsigned dim) const { return 1 + dim; }
  unsigned stride(unsigned dim) const { return 1 + rank + dim; }
  unsigned offset(unsigned dim) const { return 1 + 2 * rank + dim; }
  unsigned count() const { return 1 + 3 * rank; }
  bool isOffset(unsigned field) const { return field >= 1 + 2 * rank; }

  unsigned rank;
};

/// Where one field of one block pointer comes from.
struct FieldSource {
  enum class Kind {
    Unknown,  ///< nothing is known yet
    Constant, ///< `constant`
    Operand,  ///< `value`, an operand of a tt.make_tensor_ptr
    Pointer,  ///< first seen at `value`, a block pointer: an advance computes
              ///< it, or control flow merges different ones there
  };

  static FieldSource getConstant(int64_t constant) {
    return {Kind::Constant, {}, constant};
  }
  static FieldSource getOperand(Value value) {
    return {Kind::Operand, value, 0};
  }
  static FieldSource getPointer(Value value) {
    return {Kind::Pointer, value, 0};
  }

  bool operator==(const FieldSource &other) const {
    return kind == other.kind && value == other.value &&
           constant == other.constant;
  }
  bool operator!=(const FieldSource &other) const { return !(*this == other); }

  Kind kind = Kind::Unknown;
  Value value;
  int64_t constant = 0;
};

/// Follows every block pointer of a function from tt.make_tensor_ptr through
/// tt.advance, arith.select, scf.for, scf.if, scf.while and branches to the
/// loads and stores, and finds for each of them and each field of its
/// description where the field was last changed. A field that a loop hands on
/// unchanged is traced to its origin outside of the loop.
///
/// Pointers that are connected form a family. A family of which a member comes
/// from or goes to something else (a function that is not inlined, an unknown
/// operation) is not tracked as a whole: whoever wants to replace one member
/// would have to replace them all.
class TensorPointerAnalysis {
public:
  struct Escape {
    Location loc;
    std::string reason;
  };

  explicit TensorPointerAnalysis(Operation *function);

  /// All block pointers, in the order of the program's text.
  ArrayRef<Value> getPointers() const { return pointers; }

  /// Why the family of `pointer` is not tracked; null if it is.
  const Escape *getEscape(Value pointer) const;
  bool isTracked(Value pointer) const;

  FieldSource getField(Value pointer, unsigned field) const;

  /// Whether control flow merges different values of this field at `pointer`.
  bool isMerged(Value pointer, unsigned field) const;

  /// A tt.make_tensor_ptr of the family: the source of what is the same for all
  /// of it (or a mere hint, like the order).
  triton::MakeTensorPtrOp getMaker(Value pointer) const;

private:
  void collect(Operation *function);
  void connect(Value pointer);
  void noteEscapes(Value pointer);
  void noteEscape(Value pointer, Location loc, const Twine &reason);
  void solve();
  FieldSource evaluate(Value pointer, unsigned field) const;
  FieldSource evaluateMerge(Value pointer, unsigned field,
                            ArrayRef<Value> incoming) const;

  SmallVector<Value> pointers;
  llvm::DenseMap<Value, SmallVector<FieldSource>> fields;
  llvm::EquivalenceClasses<void *> families;
  llvm::DenseMap<void *, Escape> escapes;
  llvm::DenseMap<void *, triton::MakeTensorPtrOp> makers;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_TENSORPOINTER_H
