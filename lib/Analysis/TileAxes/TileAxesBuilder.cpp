//===- TileAxesBuilder.cpp - rules by which axes are found ----------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "TileAxesBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "spine-triton/Analysis/IncomingValues.h"
#include "spine-triton/Analysis/VariableName.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::spine;

TileAxes::TileAxes(Operation *function) {
  TileAxesBuilder(*this, function).run();
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

TileAxesBuilder::Place TileAxesBuilder::placeOf(Value value) {
  Operation *op = value.getDefiningOp();
  return {value.getAsOpaquePointer(), value,
          op ? op : value.getParentBlock()->getParentOp()};
}

TileAxesBuilder::Place TileAxesBuilder::placeOf(OpOperand &use) {
  return {&use, use.get(), use.getOwner()};
}

unsigned TileAxesBuilder::getRank(Place place) const {
  RankedTensorType type = getTileType(place.tile.getType());
  return type ? type.getRank() : 0;
}

/// None for dimensions of size one: nothing can be split there.
std::optional<unsigned> TileAxesBuilder::getNode(Place place, unsigned dim) {
  if (getTileType(place.tile.getType()).getDimSize(dim) == 1)
    return std::nullopt;
  auto [it, isNew] = result.nodes.try_emplace({place.key, dim}, nodes.size());
  if (isNew)
    nodes.push_back({place, dim});
  return it->second;
}

void TileAxesBuilder::link(Place a, unsigned dimA, Place b, unsigned dimB) {
  auto nodeA = getNode(a, dimA), nodeB = getNode(b, dimB);
  if (nodeA && nodeB)
    links.emplace_back(*nodeA, *nodeB);
}

void TileAxesBuilder::linkAll(Place a, Place b) {
  for (unsigned dim : llvm::seq(getRank(a)))
    link(a, dim, b, dim);
}

void TileAxesBuilder::block(Place place, unsigned dim, const Twine &reason) {
  if (auto node = getNode(place, dim))
    notes.push_back({*node, place.op->getLoc(), reason.str()});
}

/// No dimension of any tile that the operation takes or gives can be split.
void TileAxesBuilder::block(Operation *op, const Twine &reason) {
  auto blockPlace = [&](Place place) {
    for (unsigned dim : llvm::seq(getRank(place)))
      block(place, dim, reason);
  };
  for (OpOperand &use : op->getOpOperands())
    blockPlace(placeOf(use));
  for (Value value : op->getResults())
    blockPlace(placeOf(value));
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

void TileAxesBuilder::visitUses(Operation *op) {
  for (OpOperand &use : op->getOpOperands())
    if (getTileType(use.get().getType()) && !isMadeOfScalars(use.get()))
      linkAll(placeOf(use), placeOf(use.get()));
}

/// Values that loops and branches hand on.
void TileAxesBuilder::visitMerges(Operation *op) {
  auto visitMerge = [&](Value merge) {
    auto incoming =
        getTileType(merge.getType()) ? getIncomingValues(merge) : std::nullopt;
    for (unsigned dim : llvm::seq(getRank(placeOf(merge))))
      (void)getNode(placeOf(merge), dim);
    for (Value value : incoming.value_or(SmallVector<Value>()))
      if (!isMadeOfScalars(value))
        linkAll(placeOf(merge), placeOf(value));
    if (!isa<scf::ForOp, scf::IfOp>(op))
      for (unsigned dim : llvm::seq(getRank(placeOf(merge))))
        block(placeOf(merge), dim,
              "it is handed on by '" + op->getName().getStringRef() +
                  "', which is not split: use a for loop or an if");
  };
  llvm::for_each(op->getResults(), visitMerge);
  for (Region &region : op->getRegions())
    for (Block &body : region)
      llvm::for_each(body.getArguments(), visitMerge);
}

/// All tiles of the operation have one shape and are needed part for part.
void TileAxesBuilder::visitElementwise(Operation *op) {
  std::optional<Place> first;
  auto visitPlace = [&](Place place) {
    if (getRank(place) == 0)
      return;
    if (first)
      linkAll(*first, place);
    else
      first = place;
    for (unsigned dim : llvm::seq(getRank(place)))
      (void)getNode(place, dim);
  };
  for (Value value : op->getResults())
    visitPlace(placeOf(value));
  for (OpOperand &use : op->getOpOperands())
    visitPlace(placeOf(use));
}

void TileAxesBuilder::visitStore(triton::StoreOp op) {
  visitElementwise(op);
  Place value = placeOf(op.getValueMutable());
  for (unsigned dim : llvm::seq(getRank(value)))
    if (auto node = getNode(value, dim))
      writers.emplace_back(*node, op);
}

void TileAxesBuilder::visitExpandDims(triton::ExpandDimsOp op) {
  Place source = placeOf(op.getSrcMutable());
  for (unsigned dim : llvm::seq(getRank(source)))
    link(source, dim, placeOf(op.getResult()), dim + (dim >= op.getAxis()));
}

void TileAxesBuilder::visitTrans(triton::TransOp op) {
  for (auto [dim, from] : llvm::enumerate(op.getOrder()))
    link(placeOf(op.getSrcMutable()), from, placeOf(op.getResult()), dim);
}

/// A dimension of size one is on no axis, so that what it is broadcast to is
/// not linked to it.
void TileAxesBuilder::visitBroadcast(triton::BroadcastOp op) {
  for (unsigned dim : llvm::seq(getRank(placeOf(op.getResult()))))
    (void)getNode(placeOf(op.getResult()), dim);
  linkAll(placeOf(op.getSrcMutable()), placeOf(op.getResult()));
}

/// A dimension survives if it has the same size and the same number of elements
/// before it on both sides: its elements are the same ones then.
void TileAxesBuilder::visitReshape(triton::ReshapeOp op) {
  Place source = placeOf(op.getSrcMutable()), target = placeOf(op.getResult());
  auto from = op.getSrc().getType().getShape();
  auto to = op.getType().getShape();
  llvm::SmallBitVector keptFrom(from.size()), keptTo(to.size());
  int64_t before = 1;
  for (size_t i = 0; i < from.size(); before *= from[i++]) {
    int64_t beforeTo = 1;
    for (size_t j = 0; j < to.size(); beforeTo *= to[j++]) {
      if (op.getAllowReorder() || before != beforeTo || from[i] != to[j] ||
          from[i] == 1)
        continue;
      link(source, i, target, j);
      keptFrom.set(i);
      keptTo.set(j);
    }
  }
  const char *reason = "a reshape merges it with another dimension or divides "
                       "it";
  for (unsigned dim : llvm::seq<unsigned>(from.size()))
    if (!keptFrom.test(dim))
      block(source, dim, reason);
  for (unsigned dim : llvm::seq<unsigned>(to.size()))
    if (!keptTo.test(dim))
      block(target, dim, reason);
}

void TileAxesBuilder::visitJoin(triton::JoinOp op) {
  Place target = placeOf(op.getResult());
  linkAll(placeOf(op.getLhsMutable()), target);
  linkAll(placeOf(op.getRhsMutable()), target);
  block(target, getRank(target) - 1, "tiles are joined along it");
}

void TileAxesBuilder::visitSplit(triton::SplitOp op) {
  Place source = placeOf(op.getSrcMutable());
  linkAll(placeOf(op.getOutLHS()), source);
  linkAll(placeOf(op.getOutRHS()), source);
  block(source, getRank(source) - 1, "a tile is taken apart along it");
}

/// Reductions and scans: all sources have one shape; the results of a reduction
/// lack the axis.
void TileAxesBuilder::visitAlongAxis(Operation *op, unsigned axis,
                                     bool reduces) {
  Place first = placeOf(op->getOpOperand(0));
  for (OpOperand &use : op->getOpOperands())
    linkAll(first, placeOf(use));
  for (Value value : op->getResults())
    for (unsigned dim : llvm::seq(getRank(placeOf(value))))
      link(first, dim + (reduces && dim >= axis), placeOf(value), dim);
  if (!reduces)
    block(first, axis, "a scan runs along it");
  else if (auto node = getNode(first, axis))
    reducers.emplace_back(*node, op);
}

void TileAxesBuilder::visitGather(triton::GatherOp op) {
  Place source = placeOf(op.getSrcMutable());
  Place indices = placeOf(op.getIndicesMutable());
  linkAll(indices, placeOf(op.getResult()));
  for (unsigned dim : llvm::seq(getRank(source))) {
    if (dim != op.getAxis())
      link(source, dim, indices, dim);
    else
      block(source, dim, "elements are gathered along it");
  }
}

void TileAxesBuilder::visitDot(triton::DotOp op) {
  Place a = placeOf(op.getAMutable()), b = placeOf(op.getBMutable());
  Place c = placeOf(op.getCMutable()), d = placeOf(op.getResult());
  unsigned batch = getRank(d) - 2;
  linkAll(c, d);
  for (unsigned dim : llvm::seq(batch)) {
    link(a, dim, d, dim);
    link(b, dim, d, dim);
  }
  link(a, batch, d, batch);
  link(b, batch + 1, d, batch + 1);
  link(a, batch + 1, b, batch);
  if (auto node = getNode(a, batch + 1))
    reducers.emplace_back(*node, op);
}

void TileAxesBuilder::visit(Operation *op) {
  auto hasTile = [](TypeRange types) {
    return llvm::any_of(types, [](Type type) { return getTileType(type); });
  };
  if (isa<RegionBranchOpInterface>(op))
    return visitMerges(op);
  if (!hasTile(op->getOperandTypes()) && !hasTile(op->getResultTypes()))
    return;
  if (op->getNumResults() == 1 && isMadeOfScalars(op->getResult(0)))
    return;
  visitUses(op);
  if (isa<scf::YieldOp>(op))
    return;
  TypeSwitch<Operation *>(op)
      .Case([&](triton::StoreOp op) { visitStore(op); })
      .Case([&](triton::LoadOp op) {
        visitElementwise(op);
        if (op.getIsVolatile())
          block(op, "it is loaded volatile");
      })
      .Case([&](triton::AdvanceOp op) { visitElementwise(op); })
      .Case([&](triton::ExpandDimsOp op) { visitExpandDims(op); })
      .Case([&](triton::TransOp op) { visitTrans(op); })
      .Case([&](triton::BroadcastOp op) { visitBroadcast(op); })
      .Case([&](triton::ReshapeOp op) { visitReshape(op); })
      .Case([&](triton::JoinOp op) { visitJoin(op); })
      .Case([&](triton::SplitOp op) { visitSplit(op); })
      .Case([&](triton::ReduceOp op) {
        visitAlongAxis(op, op.getAxis(), /*reduces=*/true);
      })
      .Case([&](triton::ScanOp op) {
        visitAlongAxis(op, op.getAxis(), /*reduces=*/false);
      })
      .Case([&](triton::GatherOp op) { visitGather(op); })
      .Case([&](triton::DotOp op) { visitDot(op); })
      .Default([&](Operation *op) {
        if (op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op))
          return visitElementwise(op);
        block(op, "'" + op->getName().getStringRef() +
                      "' works on the whole tile or has side effects");
      });
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

void TileAxesBuilder::collectFacts(ArrayRef<unsigned> axisOfNode) {
  for (auto [node, op] : reducers)
    result.axes[axisOfNode[node]].reducers.push_back(op);
  for (auto [node, op] : writers)
    result.axes[axisOfNode[node]].writers.push_back(op);
  for (const Note &note : notes) {
    TileAxes::Axis &axis = result.axes[axisOfNode[note.node]];
    if (!axis.obstacle)
      axis.obstacle = TileAxes::Obstacle{note.loc, note.reason};
  }
}

/// A tile of which two dimensions lie on one axis (a product with its own
/// transpose, say) would need two different parts at once.
void TileAxesBuilder::findRepeated(ArrayRef<unsigned> axisOfNode) {
  llvm::DenseMap<std::pair<const void *, unsigned>, unsigned> seen;
  for (auto [number, node] : llvm::enumerate(nodes)) {
    unsigned axis = axisOfNode[number];
    auto [it, isNew] = seen.try_emplace({node.place.key, axis}, node.dim);
    TileAxes::Axis &entry = result.axes[axis];
    if (!isNew && !entry.obstacle)
      entry.obstacle = TileAxes::Obstacle{
          node.place.op->getLoc(),
          ("dimensions " + Twine(std::min(it->second, node.dim)) + " and " +
           Twine(std::max(it->second, node.dim)) +
           " of one tile would have to be cut together here")
              .str()};
  }
}

void TileAxesBuilder::number() {
  result.classes.grow(nodes.size());
  for (auto [a, b] : links)
    result.classes.join(a, b);
  result.classes.compress();
  std::vector<unsigned> axisOfNode;
  for (auto [number, node] : llvm::enumerate(nodes)) {
    unsigned axis = result.classes[number];
    axisOfNode.push_back(axis);
    Value tile = node.place.tile;
    if (axis == result.axes.size())
      result.axes.push_back({getTileType(tile.getType()).getDimSize(node.dim),
                             tile,
                             node.dim,
                             {},
                             {},
                             std::nullopt});
    else if (TileAxes::Axis &entry = result.axes[axis];
             !getVariableName(entry.tile) && getVariableName(tile))
      std::tie(entry.tile, entry.dim) = std::pair(tile, node.dim);
  }
  collectFacts(axisOfNode);
  findRepeated(axisOfNode);
}

void TileAxesBuilder::run() {
  for (Region &region : function->getRegions())
    for (Block &body : region)
      for (BlockArgument argument : body.getArguments())
        for (unsigned dim : llvm::seq(getRank(placeOf(argument))))
          block(placeOf(argument), dim,
                "it is an argument of the function or of a branch");
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function)
      visit(op);
  });
  number();
}
