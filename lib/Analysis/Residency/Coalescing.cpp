//===- Coalescing.cpp - tile values that share memory ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Coalescing.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "spine-triton/Analysis/IncomingValues.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::spine;

using llvm::BitVector;

Coalescing::Coalescing(Operation *function, const TileGraph &graph,
                       const TileLiveness &liveness)
    : graph(graph), liveness(liveness), classes(graph.size()) {
  BitVector none(graph.size());
  interference.assign(graph.size(), none);
  members.assign(graph.size(), none);
  for (unsigned tile : llvm::seq(graph.size()))
    members[tile].set(tile);
  addInterference(function);
  mergeControlFlow();
  mergeUpdates(function);
  classes.compress();
}

void Coalescing::addInterference(unsigned tile, const BitVector &others) {
  interference[tile] |= others;
  interference[tile].reset(tile);
}

/// The accumulator of a dot is read at the places that are written.
static std::optional<unsigned> getUpdatedOperand(Operation *op) {
  if (auto dot = dyn_cast<triton::DotOp>(op))
    return dot.getCMutable().getOperandNumber();
  if (auto dot = dyn_cast<triton::DotScaledOp>(op))
    return dot.getCMutable().getOperandNumber();
  return std::nullopt;
}

void Coalescing::addResults(Operation *op) {
  BitVector others = liveness.getLiveAfter(op);
  for (OpOperand &operand : op->getOpOperands()) {
    // What control flow merges is copied, not computed.
    if (op->getNumRegions() != 0 && getIncomingValues(op->getResult(0)))
      break;
    bool inPlace = op->hasTrait<OpTrait::Elementwise>() ||
                   getUpdatedOperand(op) == operand.getOperandNumber();
    others |= inPlace ? graph.getMovedSources(operand.get())
                      : graph.getSources(operand.get());
  }
  BitVector results(graph.size());
  for (Value result : op->getResults())
    if (auto tile = graph.getNumber(result))
      results.set(*tile);
  others |= results;
  for (unsigned tile : results.set_bits())
    addInterference(tile, others);
}

void Coalescing::addInterference(Operation *function) {
  function->walk([&](Operation *op) {
    if (op->getNumResults() != 0)
      addResults(op);
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        BitVector live = liveness.getLiveIn(&block);
        for (Value argument : block.getArguments())
          if (auto tile = graph.getNumber(argument))
            live.set(*tile);
        for (Value argument : block.getArguments())
          if (auto tile = graph.getNumber(argument))
            addInterference(*tile, live);
      }
    }
  });
}

void Coalescing::tryMerge(unsigned to, unsigned from) {
  unsigned a = classes.findLeader(to), b = classes.findLeader(from);
  if (a == b || interference[a].anyCommon(members[b]) ||
      interference[b].anyCommon(members[a]))
    return;
  // Mirrored tiles have bytes of their own, between granules.
  if (graph.getPlacement(to) != TilePlacement::Packed ||
      graph.getPlacement(from) != TilePlacement::Packed)
    return;
  auto bytes = [&](unsigned tile) {
    return getDenseBytes(cast<RankedTensorType>(graph.getTile(tile).getType()));
  };
  if (bytes(to) != bytes(from))
    return;
  unsigned leader = classes.join(a, b);
  unsigned other = leader == a ? b : a;
  members[leader] |= members[other];
  interference[leader] |= interference[other];
}

void Coalescing::mergeControlFlow() {
  for (unsigned tile : llvm::seq(graph.size())) {
    Value value = graph.getTile(tile);
    // The result of a loop is the last state of what the loop carries.
    if (auto loop = value.getDefiningOp<scf::ForOp>())
      tryMerge(tile, *graph.getNumber(
                         loop.getTiedLoopRegionIterArg(cast<OpResult>(value))));
    for (Value incoming :
         getIncomingValues(value).value_or(SmallVector<Value>()))
      if (auto from = graph.getNumber(incoming))
        tryMerge(tile, *from);
  }
}

/// Accumulators are updated in place: by a dot, or elementwise. A tile that was
/// loaded is not overwritten: it is a copy of its own.
void Coalescing::mergeUpdates(Operation *function) {
  for (unsigned tile : llvm::seq(graph.size())) {
    Operation *op = graph.getTile(tile).getDefiningOp();
    if (!op)
      continue;
    std::optional<unsigned> updated = getUpdatedOperand(op);
    bool isElementwise = op->hasTrait<OpTrait::Elementwise>();
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isElementwise && updated != operand.getOperandNumber())
        continue;
      BitVector sources = graph.getSources(operand.get());
      for (unsigned from : sources.set_bits())
        if (updated || graph.getRole(from) != TileRole::Loaded)
          tryMerge(tile, from);
    }
  }
}
