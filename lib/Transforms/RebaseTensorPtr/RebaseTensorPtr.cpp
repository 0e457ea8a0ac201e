//===- RebaseTensorPtr.cpp - one tile per tt.make_tensor_ptr --------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Transforms/RebaseTensorPtr.h"
#include "PointerCarrier.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "spine-triton/Transforms/Passes.h"

namespace mlir::spine {
#define GEN_PASS_DEF_SPINEREBASETENSORPTR
#include "spine-triton/Transforms/Passes.h.inc"
} // namespace mlir::spine

using namespace mlir;
using namespace mlir::spine;

using triton::LoadOp;
using triton::MakeTensorPtrOp;
using triton::StoreOp;

namespace {

/// Puts a pointer to one tile under every load and store of a function.
class FunctionRebaser {
public:
  FunctionRebaser(Operation *function, const TensorPointerAnalysis &pointers,
                  PointerCarrier &carrier)
      : function(function), pointers(pointers), carrier(carrier) {}

  void run() {
    function->walk([&](Operation *op) {
      if (auto load = dyn_cast<LoadOp>(op))
        rewrite(load);
      else if (auto store = dyn_cast<StoreOp>(op))
        rewrite(store);
    });
  }

private:
  template <typename Access> void rewrite(Access access) {
    Value pointer = access.getPtr();
    if (getPointedTile(pointer.getType()) && pointers.isTracked(pointer))
      access.getPtrMutable().assign(
          getRebased(pointer, access.getBoundaryCheck()));
  }

  /// One pointer per set of checked dimensions: a dimension that one access
  /// checks and another does not has two extents.
  Value getRebased(Value pointer, ArrayRef<int32_t> boundaryCheck) {
    llvm::SmallBitVector checked(PointerFields(pointer).rank);
    uint64_t key = 0;
    for (int32_t dim : boundaryCheck) {
      checked.set(dim);
      key |= uint64_t(1) << dim;
    }
    Value &rebased = cache[{pointer, key}];
    if (!rebased)
      rebased = create(pointer, checked);
    return rebased;
  }

  Value create(Value pointer, const llvm::SmallBitVector &checked) {
    PointerDescription whole = carrier.describe(pointer);
    SmallVector<Value> operands{whole.base};
    operands.append(whole.extents);
    operands.append(whole.strides);
    operands.append(whole.offsets);
    OpBuilder builder(function->getContext());
    carrier.setInsertionPoint(builder, pointer, operands);

    RankedTensorType tile = getPointedTile(pointer.getType());
    PointerDescription window = emitTileWindow(builder, pointer.getLoc(), whole,
                                               tile.getShape(), checked);
    return MakeTensorPtrOp::create(builder, pointer.getLoc(), pointer.getType(),
                                   window.base, window.extents, window.strides,
                                   window.offsets,
                                   pointers.getMaker(pointer).getOrderAttr());
  }

  Operation *function;
  const TensorPointerAnalysis &pointers;
  PointerCarrier &carrier;
  llvm::DenseMap<std::pair<Value, uint64_t>, Value> cache;
};

} // namespace

static void warnAbout(MakeTensorPtrOp maker,
                      const TensorPointerAnalysis::Escape &escape) {
  InFlightDiagnostic remark = emitRemark(
      maker.getLoc(), "block pointer is left alone: it, or one that shares "
                      "its loads and stores, cannot be followed");
  remark.attachNote(escape.loc) << escape.reason;
}

RebaseCounts spine::rebaseTensorPointers(Operation *function, bool remarks) {
  RebaseCounts counts;
  // Nothing is known about pointers in code that is never reached.
  IRRewriter rewriter(function->getContext());
  (void)eraseUnreachableBlocks(rewriter, function->getRegions());

  TensorPointerAnalysis pointers(function);
  if (pointers.getPointers().empty())
    return counts;
  for (Value pointer : pointers.getPointers()) {
    auto maker = pointer.getDefiningOp<MakeTensorPtrOp>();
    if (!maker)
      continue;
    const TensorPointerAnalysis::Escape *escape = pointers.getEscape(pointer);
    ++(escape ? counts.leftAlone : counts.rebased);
    if (escape && remarks)
      warnAbout(maker, *escape);
  }
  PointerCarrier carrier(function, pointers);
  FunctionRebaser(function, pointers, carrier).run();
  carrier.finish();
  counts.carried = carrier.getNumCarried();
  return counts;
}

namespace {

struct RebaseTensorPtrPass
    : spine::impl::SpineRebaseTensorPtrBase<RebaseTensorPtrPass> {
  void runOnOperation() override {
    SmallVector<FunctionOpInterface> functions;
    getOperation()->walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        functions.push_back(function);
    });
    for (FunctionOpInterface function : functions) {
      RebaseCounts counts = rebaseTensorPointers(function);
      numRebased += counts.rebased;
      numLeftAlone += counts.leftAlone;
      numCarried += counts.carried;
    }
  }
};

} // namespace
