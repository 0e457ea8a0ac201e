//===- Interpreter.cpp - executes TTIR, noting its accesses ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::spine::test;

std::optional<std::vector<Access>>
Interpreter::run(FunctionOpInterface function, ArrayRef<int64_t> arguments) {
  cells.clear();
  accesses.clear();
  steps = 0;
  SmallVector<Cell> values;
  for (int64_t argument : arguments)
    values.push_back({argument, {}, {}, {}});
  if (!runRegion(function->getRegion(0), values))
    return std::nullopt;
  return accesses;
}

SmallVector<Interpreter::Cell> Interpreter::getOperands(Operation *op,
                                                        unsigned from) {
  SmallVector<Cell> values;
  for (Value operand : op->getOperands().drop_front(from))
    values.push_back(cells.lookup(operand));
  return values;
}

void Interpreter::setResults(Operation *op, ArrayRef<Cell> values) {
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    cells[result] = value;
}

/// Runs from the first block to a terminator that leaves; `values` are the
/// arguments, and afterwards what the terminator hands out.
bool Interpreter::runRegion(Region &region, SmallVectorImpl<Cell> &values) {
  Block *block = &region.front();
  while (true) {
    for (auto [argument, value] : llvm::zip(block->getArguments(), values))
      cells[argument] = value;
    for (Operation &op : block->without_terminator())
      if (!runOperation(&op))
        return false;
    Operation *end = block->getTerminator();
    values = getOperands(end);
    if (end->getNumSuccessors() == 0)
      return true;
    unsigned taken = 0;
    if (auto branch = dyn_cast<cf::CondBranchOp>(end))
      taken = cells.lookup(branch.getCondition()).number ? 0 : 1;
    values.clear();
    for (Value value : cast<BranchOpInterface>(end)
                           .getSuccessorOperands(taken)
                           .getForwardedOperands())
      values.push_back(cells.lookup(value));
    block = end->getSuccessor(taken);
    if (++steps > 100000)
      return false;
  }
}

bool Interpreter::runLoop(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  int64_t upper = cells.lookup(loop.getUpperBound()).number;
  int64_t step = cells.lookup(loop.getStep()).number;
  SmallVector<Cell> carried = getOperands(op, loop.getNumControlOperands());
  for (int64_t i = cells.lookup(loop.getLowerBound()).number; i < upper;
       i += step) {
    carried.insert(carried.begin(), Cell{i, {}, {}, {}});
    if (!runRegion(loop.getRegion(), carried))
      return false;
  }
  setResults(op, carried);
  return true;
}

bool Interpreter::runWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  SmallVector<Cell> carried = getOperands(op);
  while (true) {
    if (!runRegion(loop.getBefore(), carried))
      return false;
    bool goesOn = carried.front().number;
    carried.erase(carried.begin());
    if (!goesOn)
      break;
    if (!runRegion(loop.getAfter(), carried) || ++steps > 100000)
      return false;
  }
  setResults(op, carried);
  return true;
}

bool Interpreter::runIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  Region &region = cells.lookup(branch.getCondition()).number
                       ? branch.getThenRegion()
                       : branch.getElseRegion();
  SmallVector<Cell> values;
  if (region.empty())
    return true;
  if (!runRegion(region, values))
    return false;
  setResults(op, values);
  return true;
}

std::optional<int64_t> Interpreter::compute(Operation *op) {
  IntegerAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return constant.getValue().getSExtValue();
  SmallVector<int64_t> in;
  for (const Cell &cell : getOperands(op))
    in.push_back(cell.number);
  auto wrap = [](auto a, auto b, auto function) {
    return static_cast<int64_t>(
        function(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  };
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](arith::AddIOp) { return wrap(in[0], in[1], std::plus<>()); })
      .Case([&](arith::SubIOp) { return wrap(in[0], in[1], std::minus<>()); })
      .Case([&](arith::MulIOp) {
        return wrap(in[0], in[1], std::multiplies<>());
      })
      .Case([&](arith::MinSIOp) { return std::min(in[0], in[1]); })
      .Case([&](arith::MaxSIOp) { return std::max(in[0], in[1]); })
      .Case<arith::ExtSIOp, arith::TruncIOp>([&](auto) { return in[0]; })
      .Case([&](arith::CmpIOp compare) {
        return arith::applyCmpPredicate(compare.getPredicate(),
                                        llvm::APInt(64, in[0], true),
                                        llvm::APInt(64, in[1], true));
      })
      .Case([&](triton::AddPtrOp) {
        // Elements are f32 throughout.
        return wrap(in[0], wrap(in[1], 4, std::multiplies<>()), std::plus<>());
      })
      .Default([](Operation *) { return std::nullopt; });
}

void Interpreter::access(Operation *op, Value pointer,
                         ArrayRef<int32_t> boundaryCheck,
                         std::optional<int> padding) {
  Cell cell = cells.lookup(pointer);
  auto tile = cast<RankedTensorType>(
      cast<triton::PointerType>(pointer.getType()).getPointeeType());
  Access access{isa<triton::StoreOp>(op), padding, {}};
  for (int64_t i = 0; i < tile.getNumElements(); ++i) {
    bool isInside = true;
    uint64_t address = cell.number;
    int64_t rest = i;
    for (int dim = tile.getRank() - 1; dim >= 0; --dim) {
      int64_t place = cell.offsets[dim] + rest % tile.getDimSize(dim);
      rest /= tile.getDimSize(dim);
      address += static_cast<uint64_t>(place) * cell.strides[dim] * 4;
      if (llvm::is_contained(boundaryCheck, dim))
        isInside &= place >= 0 && place < cell.extents[dim];
    }
    access.addresses.push_back(isInside ? std::optional(address)
                                        : std::nullopt);
  }
  accesses.push_back(access);
}

bool Interpreter::runOperation(Operation *op) {
  if (isa<scf::ForOp>(op))
    return runLoop(op);
  if (isa<scf::WhileOp>(op))
    return runWhile(op);
  if (isa<scf::IfOp>(op))
    return runIf(op);
  if (auto load = dyn_cast<triton::LoadOp>(op)) {
    std::optional<int> padding;
    if (load.getPadding())
      padding = static_cast<int>(*load.getPadding());
    access(op, load.getPtr(), load.getBoundaryCheck(), padding);
    return true;
  }
  if (auto store = dyn_cast<triton::StoreOp>(op)) {
    access(op, store.getPtr(), store.getBoundaryCheck(), std::nullopt);
    return true;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    bool taken = cells.lookup(select.getCondition()).number;
    setResults(op, cells.lookup(taken ? select.getTrueValue()
                                      : select.getFalseValue()));
    return true;
  }
  Cell cell;
  auto numbers = [&](OperandRange values) {
    std::vector<int64_t> list;
    for (Value value : values)
      list.push_back(cells.lookup(value).number);
    return list;
  };
  if (auto maker = dyn_cast<triton::MakeTensorPtrOp>(op)) {
    cell = {cells.lookup(maker.getBase()).number, numbers(maker.getShape()),
            numbers(maker.getStrides()), numbers(maker.getOffsets())};
  } else if (auto advance = dyn_cast<triton::AdvanceOp>(op)) {
    cell = cells.lookup(advance.getPtr());
    for (auto [offset, step] :
         llvm::zip(cell.offsets, numbers(advance.getOffsets())))
      offset += step;
  } else if (op->getNumResults() == 1 &&
             isa<RankedTensorType>(op->getResult(0).getType())) {
    // The contents of tiles are of no interest.
  } else if (std::optional<int64_t> number = compute(op)) {
    cell.number = *number;
    if (op->getResult(0).getType().isInteger(32))
      cell.number = static_cast<int32_t>(cell.number);
  } else {
    return false;
  }
  setResults(op, cell);
  return true;
}
