//===- ArenaReferences.h - addresses made of the arena's --------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_LIB_CODEGEN_VERIFYSCRATCHPAD_ARENAREFERENCES_H
#define SPINE_TRITON_LIB_CODEGEN_VERIFYSCRATCHPAD_ARENAREFERENCES_H

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <optional>

namespace mlir::spine {

/// A buffer's place in the arena, as spine-plan-scratchpad noted it.
struct PlannedTile {
  int64_t id, offset, bytes;
  StringRef name;
  std::optional<int64_t> tile; ///< of the plan of tiles, which it is for
  bool isTemporary;            ///< does not hold that tile itself
  bool isKept;                 ///< lies behind the arena and outlives a program

  int64_t end() const { return offset + bytes; }
  std::string describe() const;
};

/// Bytes of the arena, from `low` up to `high`, both included.
struct ByteRange {
  int64_t low, high;
  bool operator==(const ByteRange &other) const {
    return low == other.low && high == other.high;
  }
};

/// Follows the address of the arena through a function and says where each
/// address that is made of it can point.
class ArenaReferences {
public:
  /// What an address belongs to. Without `tile` it is the arena's own.
  struct Reference {
    const PlannedTile *tile = nullptr;
    std::optional<ByteRange> range; ///< of the byte it points at, if known
    bool isMixed = false;           ///< several tiles, by control flow
  };

  /// Something to say at an operation.
  using Report = llvm::function_ref<InFlightDiagnostic(Operation *)>;

  /// `solver` knows which code is never reached, and, if it was asked for
  /// integer ranges, between what indices are.
  ArenaReferences(FunctionOpInterface function, ArrayRef<PlannedTile> plan,
                  DataFlowSolver &solver);

  /// Checks all references; code that is never reached is right. Reports what
  /// is certainly wrong, and is false then; `remark`, if it is given, what is
  /// not known to be right.
  bool check(Report report, Report remark = {});

  /// Counts after check(): accesses whose place inside of their tile follows
  /// from constants and ranges, others, and those that are never reached.
  unsigned numProved = 0, numUnproved = 0, numUnreachable = 0,
           numReferences = 0;

private:
  /// What a load or a store moves, or may move if it has a mask.
  struct Access {
    Value address;
    std::optional<int64_t> bytes;
    bool isMasked = false;
  };

  std::optional<Access> getAccess(Operation *op) const;
  void reach(Value value, const Reference &reference);
  void follow(OpOperand &use, const Reference &from);
  void followGEP(LLVM::GEPOp op, const Reference &from);
  bool followControlFlow(OpOperand &use, const Reference &from);
  void followYield(OpOperand &use, const Reference &from);
  bool checkUse(OpOperand &use, const Reference &from, Report report);
  bool checkAccess(Operation *op, const Access &access, Report report);
  void leaveUnproved(Operation *op, const Twine &reason);
  const PlannedTile *findTile(LLVM::GEPOp op, int64_t offset) const;
  const PlannedTile *findAccessed(Operation *access, Reference &at) const;
  std::optional<ByteRange> getIndexBytes(LLVM::GEPOp op) const;
  bool isReached(Operation *op) const;

  Value arena;
  ArrayRef<PlannedTile> plan;
  DataFlowSolver &solver;
  /// Accesses carry the numbers of their buffers, all of them.
  bool areMarked;
  DataLayout layout;
  Report remark;
  llvm::MapVector<Value, Reference> references;
  SmallVector<Value> work;
  SmallVector<LLVM::GEPOp> unplanned;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_LIB_CODEGEN_VERIFYSCRATCHPAD_ARENAREFERENCES_H
