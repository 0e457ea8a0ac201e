//===- TileGraph.cpp - packed tiles and what is computed from them --------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "TileGraph.h"
#include "spine-triton/Analysis/IncomingValues.h"

using namespace mlir;
using namespace mlir::spine;

using llvm::BitVector;

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

TileGraph::TileGraph(Operation *function, ResidencyPolicy policy) {
  SmallVector<Value> tensors;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(
            tensors, llvm::make_filter_range(block.getArguments(), isTensor));
    llvm::append_range(tensors,
                       llvm::make_filter_range(op->getResults(), isTensor));
  });
  for (Value value : tensors) {
    TileDecision decision = policy(value);
    if (decision.role == TileRole::None)
      continue;
    numbers[value] = tiles.size();
    tiles.push_back(value);
    roles.push_back(decision.role);
    placements.push_back(decision.placement);
  }
  transient.resize(tiles.size());
  for (auto [number, tile] : llvm::enumerate(tiles))
    if (Operation *op = tile.getDefiningOp();
        op && roles[number] == TileRole::Stored &&
        llvm::none_of(op->getOperands(), isTensor))
      transient.set(number);

  // Tensors of pointers that loops carry make this a fixed point.
  for (bool changed = true; changed;) {
    changed = false;
    for (Value value : tensors) {
      if (numbers.contains(value))
        continue;
      changed |= getIncomingValues(value) || !value.getDefiningOp()
                     ? updateMerge(value)
                     : updateResults(value.getDefiningOp());
    }
  }
}

std::optional<unsigned> TileGraph::getNumber(Value value) const {
  auto it = numbers.find(value);
  return it == numbers.end() ? std::nullopt : std::optional(it->second);
}

BitVector TileGraph::getSources(Value value) const {
  BitVector set = empty();
  if (auto it = numbers.find(value); it != numbers.end()) {
    if (!isTransient(it->second))
      set.set(it->second);
    return set;
  }
  auto it = sources.find(value);
  return it == sources.end() ? set : it->second;
}

BitVector TileGraph::getMovedSources(Value value) const {
  auto it = moved.find(value);
  return it == moved.end() ? empty() : it->second;
}

bool TileGraph::update(Value value, const BitVector &all,
                       const BitVector &shifted) {
  auto [it, isNew] = sources.try_emplace(value, empty());
  auto [itMoved, isNewMoved] = moved.try_emplace(value, empty());
  // test(): a bit of the argument that is not in the set.
  bool changed = all.test(it->second) || shifted.test(itMoved->second);
  it->second |= all;
  itMoved->second |= shifted;
  return changed;
}

bool TileGraph::updateResults(Operation *op) {
  BitVector all = empty(), shifted = empty();
  for (Value operand : op->getOperands()) {
    all |= getSources(operand);
    shifted |= getMovedSources(operand);
  }
  bool changed = false;
  for (Value result : op->getResults())
    if (isTensor(result))
      changed |= update(result, all,
                        op->hasTrait<OpTrait::Elementwise>() ? shifted : all);
  return changed;
}

bool TileGraph::updateMerge(Value value) {
  BitVector all = empty();
  if (auto incoming = getIncomingValues(value))
    for (Value source : *incoming)
      all |= getSources(source);
  return update(value, all, all);
}
