//===- TileLiveness.cpp - which tiles are live where ----------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "TileLiveness.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::spine;

using Set = llvm::BitVector;

TileLiveness::TileLiveness(Operation *function, const TileGraph &graph)
    : graph(graph) {
  for (Region &region : function->getRegions())
    throughRegion(region, Set(graph.size()));
}

Set TileLiveness::without(Set set, ValueRange values) const {
  for (Value value : values)
    if (auto number = graph.getNumber(value))
      set.reset(*number);
  return set;
}

Set TileLiveness::throughRegion(Region &region, const Set &out) {
  if (region.empty())
    return out;
  // Each block's set only grows, from one call to the next as well.
  for (bool changed = true; changed;) {
    changed = false;
    for (Block &block : llvm::reverse(region)) {
      Set blockOut = block.hasNoSuccessors() ? out : Set(graph.size());
      for (Block *successor : block.getSuccessors())
        if (auto it = in.find(successor); it != in.end())
          blockOut |= without(it->second, successor->getArguments());
      Set blockIn = throughBlock(block, blockOut);
      Set &known = in.try_emplace(&block, Set(graph.size())).first->second;
      changed |= !region.hasOneBlock() && known != blockIn;
      known = blockIn;
    }
  }
  Block &entry = region.front();
  return without(in.find(&entry)->second, entry.getArguments());
}

Set TileLiveness::throughBlock(Block &block, const Set &out) {
  Set live = out;
  for (Operation &op : llvm::reverse(block))
    live = throughOperation(&op, live);
  return live;
}

Set TileLiveness::throughOperation(Operation *op, const Set &out) {
  after[op] = out;
  Set live = without(out, op->getResults());
  if (op->getNumRegions() != 0)
    live = throughRegions(op, live);
  for (Value operand : op->getOperands())
    live |= graph.getSources(operand);
  return live;
}

Set TileLiveness::throughRegions(Operation *op, const Set &out) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Set live = throughRegion(branch.getThenRegion(), out);
    live |= throughRegion(branch.getElseRegion(), out);
    return live;
  }
  if (isa<scf::WhileOp>(op))
    return throughWhile(op, out);
  // Any other region may be entered again after its end, as a loop's body is.
  Set live = out;
  while (true) {
    Set next = live;
    for (Region &region : op->getRegions())
      next |= throughRegion(region, live);
    if (next == live)
      return live;
    live = next;
  }
}

Set TileLiveness::throughWhile(Operation *op, const Set &out) {
  auto loop = cast<scf::WhileOp>(op);
  Set live(graph.size());
  while (true) {
    Set atCondition = out;
    atCondition |= throughRegion(loop.getAfter(), live);
    Set next = throughRegion(loop.getBefore(), atCondition);
    if (next == live)
      return live;
    live = next;
  }
}
