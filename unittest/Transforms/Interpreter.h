//===- Interpreter.h - executes TTIR, noting its accesses -------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_UNITTEST_TRANSFORMS_INTERPRETER_H
#define SPINE_TRITON_UNITTEST_TRANSFORMS_INTERPRETER_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include <optional>
#include <vector>

namespace mlir::spine::test {

/// One load or store: the address of each element of the tile, row-major, or
/// nothing where the boundary check leaves the element out.
struct Access {
  bool isStore;
  std::optional<int> padding;
  std::vector<std::optional<uint64_t>> addresses;

  bool operator==(const Access &other) const {
    return isStore == other.isStore && padding == other.padding &&
           addresses == other.addresses;
  }
};

/// Executes a function on integers and block pointers. Tiles have no contents:
/// what counts is which addresses are read and written.
class Interpreter {
public:
  /// Accesses of a run, in order; none if an operation is not known here or the
  /// program does not end.
  std::optional<std::vector<Access>> run(FunctionOpInterface function,
                                         ArrayRef<int64_t> arguments);

private:
  struct Cell {
    int64_t number = 0; ///< an integer, or an address
    std::vector<int64_t> extents, strides, offsets;
  };

  bool runRegion(Region &region, SmallVectorImpl<Cell> &values);
  bool runOperation(Operation *op);
  bool runLoop(Operation *op);
  bool runWhile(Operation *op);
  bool runIf(Operation *op);
  std::optional<int64_t> compute(Operation *op);
  void access(Operation *op, Value pointer, ArrayRef<int32_t> boundaryCheck,
              std::optional<int> padding);

  SmallVector<Cell> getOperands(Operation *op, unsigned from = 0);
  void setResults(Operation *op, ArrayRef<Cell> values);

  llvm::DenseMap<Value, Cell> cells;
  std::vector<Access> accesses;
  unsigned steps = 0;
};

} // namespace mlir::spine::test

#endif // SPINE_TRITON_UNITTEST_TRANSFORMS_INTERPRETER_H
