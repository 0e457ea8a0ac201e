//===- AutoTile.cpp - tiles that do not fit, in parts that do -------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "AxisTags.h"
#include "PartUnits.h"
#include "SizeChoice.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "spine-triton/Analysis/Residency.h"
#include "spine-triton/Analysis/TargetSpec.h"
#include "spine-triton/Transforms/Passes.h"
#include "spine-triton/Transforms/RebaseTensorPtr.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::spine {
#define GEN_PASS_DEF_SPINEAUTOTILE
#include "spine-triton/Transforms/Passes.h.inc"
} // namespace mlir::spine

using namespace mlir;
using namespace mlir::spine;

namespace {

using Function = OwningOpRef<FunctionOpInterface>;

/// Makes copies of one function with its axes split in different ways.
class Trials {
public:
  Trials(FunctionOpInterface function, const FrozenRewritePatternSet &patterns,
         const PartUnits &units);

  /// The axes that can be split, whole; parallel ones first, so that loops over
  /// reduced ones are inside.
  SmallVector<AxisChoice> getCandidates() const { return candidates; }
  const TileAxes &getAxes() const { return *axes; }
  FunctionOpInterface getFunction() { return *rebased; }
  /// Why other axes cannot.
  const std::vector<std::pair<unsigned, TileAxes::Obstacle>> &
  getObstacles() const {
    return obstacles;
  }

  /// A copy with the axes split as told; null if that turns out not to work.
  Function make(ArrayRef<AxisChoice> choice);

  unsigned getNumLoops() const { return numLoops; }
  ArrayRef<OverlapCondition> getConditions() const { return conditions; }

private:
  bool split(Operation *function, const AxisChoice &choice);
  void simplify(Operation *function);
  void removeDuplicates(Operation *function);

  const FrozenRewritePatternSet &patterns;
  Function rebased;
  std::optional<TileAxes> axes;
  SmallVector<AxisChoice> candidates;
  std::vector<std::pair<unsigned, TileAxes::Obstacle>> obstacles;
  unsigned numLoops = 0;
  std::vector<OverlapCondition> conditions;
};

struct AutoTilePass : spine::impl::SpineAutoTileBase<AutoTilePass> {
  using SpineAutoTileBase::SpineAutoTileBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(owned);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(owned, context);
    patterns = FrozenRewritePatternSet(std::move(owned));
    std::string wrong;
    if (succeeded(units.setMatrixUnits(matrixUnits, wrong)))
      return success();
    return emitError(UnknownLoc::get(context))
           << "spine-auto-tile: '" << wrong
           << "' is no matrix unit: expected an element type, and M, K and N, "
              "powers of two, as in i8:8x16x8";
  }

  void runOnOperation() override {
    SmallVector<FunctionOpInterface> functions;
    limits = getScratchpadLimits(getOperation(),
                                 {capacity, reserve, alignment, granule});
    units.setVectorBits(
        getTargetNumber(getOperation(), "vector_bits", vectorBits, 0));
    getOperation()->walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        functions.push_back(function);
    });
    llvm::for_each(functions, [&](auto function) { tile(function); });
  }

private:
  void tile(FunctionOpInterface function);
  void report(FunctionOpInterface function, const Trials &trials,
              ArrayRef<AxisChoice> choice, int64_t before, int64_t after);
  void giveUp(FunctionOpInterface function, const Trials &trials);
  int64_t getAvailable() const { return limits.getAvailable(); }
  ResidencyReport analyze(Operation *function) const;
  /// What depends on strides known at the launch only is checked there.
  bool fits(const ResidencyReport &report) const {
    return report.fits(getAvailable()) ||
           report.dependsOnArguments(getAvailable());
  }

  FrozenRewritePatternSet patterns;
  ScratchpadLimits limits;
  PartUnits units;
};

} // namespace

//===----------------------------------------------------------------------===//
// Trials
//===----------------------------------------------------------------------===//

/// Whether a load or store has the axis as its last dimension.
static bool isInnermost(Operation *function, const TileAxes &axes,
                        unsigned axis) {
  return function
      ->walk([&](Operation *op) {
        if (!isa<triton::LoadOp, triton::StoreOp>(op))
          return WalkResult::advance();
        RankedTensorType tile = getTileType(op->getOperand(0).getType());
        return tile && tile.getRank() != 0 &&
                       axes.getAxis(op->getOpOperand(0), tile.getRank() - 1) ==
                           axis
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

Trials::Trials(FunctionOpInterface function,
               const FrozenRewritePatternSet &patterns, const PartUnits &units)
    : patterns(patterns), rebased(function.clone()) {
  rebaseTensorPointers(*rebased, /*remarks=*/false);
  simplify(*rebased);
  axes.emplace(*rebased);
  tagAxes(*rebased, *axes);
  for (auto [number, axis] : llvm::enumerate(axes->getAxes())) {
    unsigned index = static_cast<unsigned>(number);
    SplitResult result = canSplitAxis(*rebased, *axes, index);
    if (result.obstacle)
      obstacles.emplace_back(index, *result.obstacle);
    else
      candidates.push_back({index, axis.size, axis.size, axis.isParallel(),
                            isInnermost(*rebased, *axes, index),
                            units.getUnit(*rebased, *axes, index)});
  }
  llvm::stable_sort(candidates, [](const AxisChoice &a, const AxisChoice &b) {
    return a.isParallel && !b.isParallel;
  });
}

void Trials::removeDuplicates(Operation *function) {
  IRRewriter rewriter(function->getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
}

void Trials::simplify(Operation *function) {
  (void)applyPatternsGreedily(function, patterns);
  removeDuplicates(function);
  function->walk([](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });
}

/// All copies of the axis: one in each part of the program that splitting
/// another axis made.
bool Trials::split(Operation *function, const AxisChoice &choice) {
  while (true) {
    TileAxes now(function);
    auto axis = findTaggedAxis(function, now, choice.axis, choice.total);
    if (!axis)
      return true;
    SplitResult result = splitAxis(function, now, *axis, choice.size);
    if (result.obstacle) {
      if (llvm::none_of(obstacles, [&](const auto &known) {
            return known.first == choice.axis;
          }))
        obstacles.emplace_back(choice.axis, *result.obstacle);
      return false;
    }
    // Equal block pointers are told by being made of the same values.
    removeDuplicates(function);
    numLoops += result.numLoops;
    llvm::move(result.conditions, std::back_inserter(conditions));
  }
}

Function Trials::make(ArrayRef<AxisChoice> choice) {
  Function copy(rebased->clone());
  numLoops = 0;
  conditions.clear();
  for (const AxisChoice &axis : choice)
    if (axis.size < axis.total && !split(*copy, axis))
      return {};
  simplify(*copy);
  return copy;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

ResidencyReport AutoTilePass::analyze(Operation *function) const {
  ResidencyOptions options;
  options.policy = getResidencyPolicy(policy);
  options.alignment = limits.alignment;
  options.granule = limits.granule;
  options.numStages = numStages;
  return analyzeResidency(function, options);
}

/// As a JSON array, each one once; empty if there are none.
static std::string serialize(ArrayRef<OverlapCondition> conditions) {
  SmallVector<std::string> texts;
  for (const OverlapCondition &condition : conditions)
    if (std::string text = serialize(condition);
        !llvm::is_contained(texts, text))
      texts.push_back(std::move(text));
  return texts.empty() ? "" : "[" + llvm::join(texts, ",") + "]";
}

static void noteConditions(InFlightDiagnostic &remark, Location loc,
                           ArrayRef<OverlapCondition> conditions) {
  auto isOfOne = [](const OverlapCondition &condition) {
    return condition.store.argument == condition.other.argument;
  };
  if (!llvm::all_of(conditions, isOfOne))
    remark.attachNote(loc)
        << "this is right only if its arguments do not overlap in memory: "
           "parts are stored before others are loaded";
  llvm::MapVector<StringRef, llvm::SetVector<StringRef>> numbers;
  for (const OverlapCondition &condition : conditions)
    for (const AddressVariable &variable : condition.variables)
      if (isOfOne(condition) && !variable.name.empty())
        numbers[condition.storeName].insert(variable.name);
  for (auto &[name, values] : numbers)
    remark.attachNote(loc)
        << "this is right only if elements of different parts have different "
           "addresses in '"
        << name << "', which depends on " << llvm::join(values, ", ");
}

void AutoTilePass::report(FunctionOpInterface function, const Trials &trials,
                          ArrayRef<AxisChoice> choice, int64_t before,
                          int64_t after) {
  InFlightDiagnostic remark = emitRemark(function.getLoc());
  remark << "kernel '" << function.getName() << "' is split: its tiles need "
         << before << " bytes, " << getAvailable() << " are available"
         << (target.empty() ? "" : " on " + target) << "; after splitting "
         << after;
  for (const AxisChoice &axis : choice) {
    if (axis.size == axis.total)
      continue;
    const TileAxes::Axis &entry = trials.getAxes().getAxes()[axis.axis];
    remark.attachNote(entry.tile.getLoc())
        << entry.describe() << ": " << axis.total << " in parts of "
        << axis.size << (axis.isParallel ? "" : ", accumulated");
    ++numAxes;
  }
  noteConditions(remark, function.getLoc(), trials.getConditions());
}

/// Leaves word for the residency check, which says that the kernel does not
/// fit.
void AutoTilePass::giveUp(FunctionOpInterface function, const Trials &trials) {
  Builder builder(&getContext());
  SmallVector<Attribute> notes;
  for (auto &[number, obstacle] : trials.getObstacles()) {
    const TileAxes::Axis &axis = trials.getAxes().getAxes()[number];
    std::string text = axis.describe() + " is not split: " + obstacle.reason;
    notes.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("loc", LocationAttr(obstacle.loc)),
         builder.getNamedAttr("reason", builder.getStringAttr(text))}));
  }
  if (notes.empty())
    notes.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("loc", LocationAttr(function.getLoc())),
         builder.getNamedAttr(
             "reason", builder.getStringAttr(
                           "tiles of single elements would not fit either"))}));
  function->setDiscardableAttr(kNotSplitAttr, builder.getArrayAttr(notes));
}

void AutoTilePass::tile(FunctionOpInterface function) {
  ResidencyReport before = analyze(function);
  if (before.unbounded || fits(before))
    return;
  Trials trials(function, patterns, units);
  SmallVector<unsigned> candidates;
  for (const AxisChoice &axis : trials.getCandidates())
    candidates.push_back(axis.axis);
  Traffic traffic(trials.getFunction(), trials.getAxes(), candidates);
  SizeChoice choice(trials.getCandidates(), traffic);
  bool found = choice.find([&](ArrayRef<AxisChoice> axes) {
    Function trial = trials.make(axes);
    return trial && fits(analyze(*trial));
  });
  if (!found) {
    if (markObstacles)
      giveUp(function, trials);
    return;
  }
  Function result = trials.make(choice.getAxes());
  report(function, trials, choice.getAxes(), before.arenaBytes,
         analyze(*result).arenaBytes);
  ++numKernels;
  numLoops += trials.getNumLoops();
  removeAxisTags(*result);
  function->getRegion(0).takeBody((*result)->getRegion(0));
  if (std::string text = serialize(trials.getConditions());
      markAssumptions && !text.empty())
    function->setDiscardableAttr(kLaunchConditionsAttr,
                                 StringAttr::get(&getContext(), text));
}
