//===- Traffic.cpp - bytes that a split function moves --------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Traffic.h"
#include "LoopPlan.h"
#include "SizeChoice.h"
#include "mlir/IR/Matchers.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::spine;

static Value getAccessedTile(Operation *op) {
  if (auto load = dyn_cast<triton::LoadOp>(op))
    return load.getResult();
  if (auto store = dyn_cast<triton::StoreOp>(op))
    return store.getValue();
  return Value();
}

static std::optional<unsigned> getContiguousDim(Operation *op) {
  auto maker = op->getOperand(0).getDefiningOp<triton::MakeTensorPtrOp>();
  if (!maker)
    return std::nullopt;
  for (auto [dim, stride] : llvm::enumerate(maker.getStrides()))
    if (matchPattern(stride, m_One()))
      return dim;
  return std::nullopt;
}

static double getElementBytes(RankedTensorType type) {
  Type element = type.getElementType();
  if (!element.isIntOrFloat())
    return 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8U);
}

Traffic::Traffic(Operation *function, const TileAxes &axes,
                 ArrayRef<unsigned> candidates) {
  std::vector<std::pair<unsigned, LoopPlan>> plans;
  for (unsigned axis : candidates) {
    LoopPlan plan(function, axes, axis);
    if (!plan.find())
      plans.emplace_back(axis, std::move(plan));
  }
  for (auto &[axis, plan] : plans)
    for (Operation *reducer : axes.getAxes()[axis].reducers)
      if (auto dot = dyn_cast<triton::DotOp>(reducer)) {
        auto type = cast<RankedTensorType>(dot.getType());
        accumulated[axis] +=
            getElementBytes(type) * static_cast<double>(type.getNumElements());
      }
  auto isExecuted = [](const LoopPlan &plan, Operation *op) {
    return llvm::count_if(plan.getLoops(), [&](const TileLoop &loop) {
      return llvm::any_of(loop.slice, [&](Operation *member) {
        return member->isAncestor(op);
      });
    });
  };
  for (size_t inner = 0; inner < plans.size(); ++inner)
    for (size_t outer = 0; outer < inner; ++outer)
      for (const TileLoop &loop : plans[inner].second.getLoops())
        if (llvm::any_of(loop.ends, [&](Operation *end) {
              return isExecuted(plans[outer].second, end) != 0;
            }))
          nested.insert({plans[inner].first, plans[outer].first});
  function->walk([&](Operation *op) {
    Value tile = getAccessedTile(op);
    auto type = tile ? dyn_cast<RankedTensorType>(tile.getType()) : nullptr;
    if (!type)
      return;
    Access access{type, getContiguousDim(op), {}};
    for (auto &[axis, plan] : plans) {
      auto loops = static_cast<unsigned>(isExecuted(plan, op));
      int dim = axes.getDims(op->getOpOperand(0), axis).find_first();
      if (loops != 0)
        access.effects.push_back(
            {axis, loops,
             dim < 0 ? std::nullopt : std::optional<unsigned>(dim)});
    }
    accesses.push_back(std::move(access));
  });
}

double Traffic::getBytes(const Access &access, ArrayRef<AxisChoice> choice,
                         bool expectMore) const {
  SmallVector<double> sizes(access.type.getShape());
  double times = 1;
  for (const AxisChoice &axis : choice) {
    if (axis.size == axis.total)
      continue;
    auto parts = static_cast<double>(llvm::divideCeil(axis.total, axis.size));
    const Effect *own = llvm::find_if(
        access.effects, [&](const Effect &it) { return it.axis == axis.axis; });
    if (own != access.effects.end()) {
      times *= own->loops * parts;
      if (own->dim)
        sizes[*own->dim] = static_cast<double>(axis.total) / parts;
      continue;
    }
    bool isInside = llvm::any_of(choice, [&](const AxisChoice &inner) {
      return (expectMore || inner.size != inner.total) &&
             nested.contains({inner.axis, axis.axis}) &&
             llvm::any_of(access.effects, [&](const Effect &it) {
               return it.axis == inner.axis;
             });
    });
    if (isInside)
      times *= parts;
  }
  double bytes = getElementBytes(access.type);
  if (access.contiguous) {
    double &row = sizes[*access.contiguous];
    row = std::max(row, 64 / bytes);
  }
  for (double size : sizes)
    bytes *= size;
  return bytes * times;
}

double Traffic::getBytes(ArrayRef<AxisChoice> choice, bool expectMore) const {
  double all = 0;
  for (const Access &access : accesses)
    all += getBytes(access, choice, expectMore);
  // Read and written, at a quarter of what memory costs.
  for (const AxisChoice &axis : choice)
    if (auto it = accumulated.find(axis.axis); it != accumulated.end())
      all += it->second * 2 / 4 *
             static_cast<double>(llvm::divideCeil(axis.total, axis.size) - 1);
  return all;
}
