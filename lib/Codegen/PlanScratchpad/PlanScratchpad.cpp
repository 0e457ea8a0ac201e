//===- PlanScratchpad.cpp - spine-plan-scratchpad -------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "spine-triton/Analysis/ArenaLayout.h"
#include "spine-triton/Codegen/Passes.h"
#include "spine-triton/Dialect/Spine/IR/Spine.h"

namespace mlir::spine {
#define GEN_PASS_DEF_SPINEPLANSCRATCHPAD
#include "spine-triton/Codegen/Passes.h.inc"
} // namespace mlir::spine

using namespace mlir;

namespace {

/// A buffer, the positions between which it lives and its place in the arena.
struct Interval {
  mutable spine::ScratchOp op; // Accessors of operations are not const.
  int64_t begin, end;
  int64_t offset = 0;

  int64_t bytes() const {
    return llvm::alignTo(op.getBytes(), op.getAlignment());
  }
  bool overlaps(const Interval &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

/// Numbers the operations of a function in the order they stand in it. An
/// operation with regions ends behind everything inside of it.
class Positions {
public:
  explicit Positions(func::FuncOp function) { number(function); }

  int64_t begin(Operation *op) const { return range.lookup(op).first; }
  int64_t end(Operation *op) const { return range.lookup(op).second; }

private:
  void number(Operation *op) {
    int64_t first = next++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &nested : block)
          number(&nested);
    range[op] = {first, next++};
  }

  int64_t next = 0;
  DenseMap<Operation *, std::pair<int64_t, int64_t>> range;
};

} // namespace

static bool holdsPointer(Type type) {
  return isa<LLVM::LLVMPointerType>(getElementTypeOrSelf(type));
}

/// Operations that make another address of an address, or hand it on.
static bool handsOn(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() || isa<scf::ForOp>(op) ||
         (!isa<LLVM::LoadOp>(op) &&
          llvm::any_of(op->getResultTypes(), holdsPointer));
}

/// Calls `visit` for every operation that uses the buffer's address or one that
/// is derived from it.
static void forEachUser(spine::ScratchOp scratch,
                        function_ref<void(Operation *)> visit) {
  SmallVector<Value> work{scratch.getPointer()};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      visit(user);
      if (auto loop = dyn_cast<scf::ForOp>(user))
        if (BlockArgument argument = loop.getTiedLoopRegionIterArg(&use))
          work.push_back(argument);
      for (Value result : user->getResults())
        if (holdsPointer(result.getType()))
          work.push_back(result);
      if (user->hasTrait<OpTrait::IsTerminator>())
        for (Value result : user->getParentOp()->getResults())
          if (holdsPointer(result.getType()))
            work.push_back(result);
    }
  }
}

/// The end of the last use of the buffer, seen from the block that it is made
/// in.
static int64_t lastUse(spine::ScratchOp scratch, const Positions &positions) {
  int64_t end = positions.end(scratch);
  forEachUser(scratch, [&](Operation *user) {
    if (Operation *ancestor = scratch->getBlock()->findAncestorOpInBlock(*user))
      end = std::max(end, positions.end(ancestor));
  });
  return end;
}

/// Notes the buffer's number on what accesses it: addresses may be folded
/// later, accesses stay.
static void markAccesses(spine::ScratchOp scratch) {
  int64_t id = scratch.getId();
  forEachUser(scratch, [&](Operation *user) {
    if (handsOn(user))
      return;
    auto known = user->getAttrOfType<DenseI64ArrayAttr>("spine.buffers");
    SmallVector<int64_t> ids(known ? known.asArrayRef() : ArrayRef<int64_t>());
    if (llvm::is_contained(ids, id))
      return;
    ids.push_back(id);
    user->setAttr("spine.buffers",
                  DenseI64ArrayAttr::get(user->getContext(), ids));
  });
}

/// The most bytes that live at one position.
static int64_t livePeak(ArrayRef<Interval> intervals) {
  int64_t peak = 0;
  for (const Interval &at : intervals) {
    int64_t live = 0;
    for (const Interval &other : intervals)
      if (other.begin <= at.begin && at.begin <= other.end)
        live += other.bytes();
    peak = std::max(peak, live);
  }
  return peak;
}

/// Gives the buffers their places. Returns the bytes used.
static int64_t place(MutableArrayRef<Interval> intervals, int64_t live) {
  SmallVector<spine::ArenaBuffer> buffers;
  for (const Interval &interval : intervals)
    buffers.push_back(
        {interval.bytes(), static_cast<int64_t>(interval.op.getAlignment())});
  spine::ArenaLayout layout = spine::layOutArena(
      buffers,
      [&](unsigned a, unsigned b) {
        return intervals[a].overlaps(intervals[b]);
      },
      live);
  for (auto [interval, offset] : llvm::zip_equal(intervals, layout.offsets))
    interval.offset = offset;
  return layout.bytes;
}

/// Buffers that are kept begin at an address as aligned as the arena's own.
static constexpr int64_t kKeptAlignment = 4096;

/// Puts buffers that are kept between programs behind the arena, in the order
/// of their numbers: the first one is cleared when a launch begins. Returns the
/// bytes used.
static int64_t placeKept(MutableArrayRef<Interval> kept, int64_t begin) {
  llvm::sort(kept, [](const Interval &a, const Interval &b) {
    return a.op.getId() < b.op.getId();
  });
  int64_t end = begin;
  for (Interval &interval : kept) {
    interval.offset = llvm::alignTo(end, interval.op.getAlignment());
    end = interval.offset + interval.bytes();
  }
  return end - begin;
}

/// The buffer in words of the plan. Shape and element type are in the location
/// of buffers that spine-lower-tiles makes.
static DictionaryAttr describe(const Interval &interval) {
  Builder builder(interval.op.getContext());
  SmallVector<NamedAttribute> facts;
  auto add = [&](StringRef name, Attribute value) {
    if (value)
      facts.push_back(builder.getNamedAttr(name, value));
  };
  Location loc = interval.op.getLoc();
  add("begin", builder.getI64IntegerAttr(interval.begin));
  add("bytes", interval.op.getBytesAttr());
  add("end", builder.getI64IntegerAttr(interval.end));
  add("id", interval.op.getIdAttr());
  if (!isa<UnknownLoc>(loc))
    add("loc", loc);
  add("name", interval.op.getNameAttr());
  add("offset", builder.getI64IntegerAttr(interval.offset));
  if (interval.op.getTemporary())
    add("temporary", builder.getUnitAttr());
  if (auto fused = dyn_cast<FusedLocWith<TypeAttr>>(LocationAttr(loc)))
    add("tile", fused.getMetadata());
  if (interval.op.getKept())
    add("kept", builder.getUnitAttr());
  add("tile_id", interval.op.getTileAttr());
  return builder.getDictionaryAttr(facts);
}

static ArrayAttr makePlan(MutableArrayRef<Interval> intervals) {
  llvm::sort(intervals, [](const Interval &a, const Interval &b) {
    return a.op.getId() < b.op.getId();
  });
  SmallVector<Attribute> tiles;
  for (const Interval &interval : intervals)
    tiles.push_back(describe(interval));
  return Builder(intervals.front().op.getContext()).getArrayAttr(tiles);
}

namespace {
struct PlanScratchpad : spine::impl::SpinePlanScratchpadBase<PlanScratchpad> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(plan(function)))
        return signalPassFailure();
  }

  LogicalResult plan(func::FuncOp function) {
    Positions positions(function);
    SmallVector<Interval> intervals, kept;
    function.walk([&](spine::ScratchOp op) {
      if (op.getKept())
        kept.push_back(
            {op, positions.begin(function), positions.end(function)});
      else
        intervals.push_back({op, positions.begin(op), lastUse(op, positions)});
    });
    int64_t live = livePeak(intervals), total = place(intervals, live);
    arenaBytes += total;
    liveBytes += live;
    Builder builder(function->getContext());
    function->setAttr("spine.arena_bytes", builder.getI64IntegerAttr(total));
    function->setAttr("spine.live_bytes", builder.getI64IntegerAttr(live));
    if (!kept.empty()) {
      int64_t begin = llvm::alignTo(total, kKeptAlignment);
      function->setAttr("spine.kept_at", builder.getI64IntegerAttr(begin));
      function->setAttr("spine.kept_bytes",
                        builder.getI64IntegerAttr(placeKept(kept, begin)));
      llvm::append_range(intervals, kept);
    }
    if (intervals.empty())
      return success();
    function->setAttr("spine.plan", makePlan(intervals));
    if (function.getNumArguments() == 0 ||
        !isa<LLVM::LLVMPointerType>(function.getArgumentTypes().back()))
      return function.emitError("expects the address of the arena as the last "
                                "argument of a function that uses scratchpad");
    Value arena = function.getArguments().back();
    for (Interval &interval : intervals) {
      markAccesses(interval.op);
      OpBuilder b(interval.op);
      // A constant index of a GEP has 29 bits; an arena may be larger.
      Location loc = interval.op.getLoc();
      LLVM::GEPArg offset(static_cast<int32_t>(interval.offset));
      if (!llvm::isInt<29>(interval.offset))
        offset = LLVM::ConstantOp::create(b, loc,
                                          b.getI64IntegerAttr(interval.offset))
                     .getResult();
      auto address = LLVM::GEPOp::create(b, loc, arena.getType(), b.getI8Type(),
                                         arena, ArrayRef<LLVM::GEPArg>{offset});
      address->setAttr("spine.id", interval.op.getIdAttr());
      interval.op.getPointer().replaceAllUsesWith(address);
      interval.op.erase();
    }
    return success();
  }
};
} // namespace
