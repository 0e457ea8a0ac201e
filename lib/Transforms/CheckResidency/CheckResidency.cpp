//===- CheckResidency.cpp - do the tiles fit the scratchpad ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "BaseNumel.h"
#include "Notes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "spine-triton/Analysis/Residency.h"
#include "spine-triton/Analysis/TargetSpec.h"
#include "spine-triton/Transforms/Passes.h"

namespace mlir::spine {
#define GEN_PASS_DEF_SPINECHECKRESIDENCY
#include "spine-triton/Transforms/Passes.h.inc"
} // namespace mlir::spine

using namespace mlir;
using namespace mlir::spine;

using triton::MakeTensorPtrOp;

namespace {

struct CheckResidencyPass
    : spine::impl::SpineCheckResidencyBase<CheckResidencyPass> {
  using SpineCheckResidencyBase::SpineCheckResidencyBase;

  void runOnOperation() override {
    if (rule == ResidencyRule::BaseNumel)
      return checkBases();
    limits = getScratchpadLimits(getOperation(),
                                 {capacity, reserve, alignment, granule});
    if (failed(checkOptions()))
      return signalPassFailure();
    for (const ResidencyReport &report :
         analyzeKernelResidency(getOperation(), getAnalysisOptions()))
      check(report);
  }

private:
  // rule=tile
  LogicalResult checkOptions();
  ResidencyOptions getAnalysisOptions() const;
  void check(const ResidencyReport &report);
  void count(const ResidencyReport &report);
  void attach(const ResidencyReport &report);
  void explain(const ResidencyReport &report);
  void explainUnknown(InFlightDiagnostic &message,
                      const ResidencyReport &report);
  void noteObstacles(Diagnostic &message, const ResidencyReport &report);
  int64_t getAvailable() const { return limits.getAvailable(); }
  std::string nameTarget() {
    return target.empty() ? getTargetName(getOperation()).str() : target;
  }
  std::string getPlace() {
    std::string name = nameTarget();
    return name.empty() ? name : " on " + name;
  }

  // rule=base-numel
  void checkBases();
  bool checkBase(MakeTensorPtrOp op, const BaseNumelAnalysis &bases);

  InFlightDiagnostic emit(Location loc);

  ScratchpadLimits limits;
};

} // namespace

InFlightDiagnostic CheckResidencyPass::emit(Location loc) {
  ++numMisfits;
  switch (severity) {
  case ResidencySeverity::Error:
    signalPassFailure();
    return emitError(loc);
  case ResidencySeverity::Warning:
    return emitWarning(loc);
  case ResidencySeverity::Remark:
    return emitRemark(loc);
  }
  llvm_unreachable("all severities are above");
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

LogicalResult CheckResidencyPass::checkOptions() {
  auto isPowerOf2 = [](int64_t n) { return n > 0 && llvm::isPowerOf2_64(n); };
  if (isPowerOf2(limits.alignment) && isPowerOf2(limits.granule) &&
      numStages > 0)
    return success();
  return emitError(getOperation().getLoc())
         << "spine-check-residency expects powers of two as alignment and "
            "granule and a positive number of stages, got "
         << limits.alignment << ", " << limits.granule << " and "
         << numStages.getValue();
}

ResidencyOptions CheckResidencyPass::getAnalysisOptions() const {
  ResidencyOptions options;
  options.policy = getResidencyPolicy(policy);
  options.alignment = limits.alignment;
  options.granule = limits.granule;
  options.numStages = numStages;
  return options;
}

void CheckResidencyPass::count(const ResidencyReport &report) {
  ++numKernels;
  numTiles += report.tiles.size();
  arenaBytes += report.arenaBytes;
  for (const ResidentTile &tile : report.tiles) {
    numPacked += tile.placement == TilePlacement::Packed;
    numMirrored += tile.placement == TilePlacement::Mirrored;
    numCopied += tile.copies > 1;
  }
}

void CheckResidencyPass::check(const ResidencyReport &report) {
  count(report);
  bool isLeftToLaunch =
      deferToLaunch && report.dependsOnArguments(getAvailable());
  if (!report.fits(getAvailable()) && !isLeftToLaunch)
    explain(report);
  if (!report.unbounded)
    attach(report);
}

void CheckResidencyPass::attach(const ResidencyReport &report) {
  Builder builder(&getContext());
  SmallVector<NamedAttribute> facts;
  auto add = [&](StringRef name, Attribute value) {
    facts.push_back(builder.getNamedAttr(name, value));
  };
  add("arena_bytes", builder.getI64IntegerAttr(report.arenaBytes));
  add("capacity_bytes", builder.getI64IntegerAttr(limits.capacity));
  add("fits", builder.getBoolAttr(report.fits(getAvailable())));
  add("peak_bytes", builder.getI64IntegerAttr(report.peakBytes));
  add("policy", builder.getStringAttr(stringifyResidencyPolicy(policy)));
  add("reserve_bytes", builder.getI64IntegerAttr(limits.reserve));
  if (std::string name = nameTarget(); !name.empty())
    add("target", builder.getStringAttr(name));
  if (!report.runtimeTiles.empty())
    add("contract",
        builder.getStringAttr(makeLaunchContract(report, getAvailable())));
  report.operation->setAttr("spine.residency",
                            builder.getDictionaryAttr(facts));
}

void CheckResidencyPass::explainUnknown(InFlightDiagnostic &message,
                                        const ResidencyReport &report) {
  message << "may not fit the scratchpad" << getPlace()
          << ": the bytes that it needs ";
  if (report.unbounded) {
    message << "cannot be bounded";
    message.attachNote(report.unbounded->loc) << report.unbounded->reason;
    message.attachNote(report.loc)
        << "inline the function, or give it a body that calls nothing again; "
           "strides have to be arguments or constants";
    return;
  }
  message << "depend on the arguments of a launch";
  noteRuntimeTiles(*message.getUnderlyingDiagnostic(), report, getAvailable());
}

void CheckResidencyPass::explain(const ResidencyReport &report) {
  InFlightDiagnostic message = emit(report.loc);
  message << "kernel '" << report.function << "' ";
  if (report.unbounded || report.dependsOnArguments(getAvailable()))
    return explainUnknown(message, report);
  message << "does not fit the scratchpad: it needs " << report.arenaBytes
          << " bytes, " << getAvailable() << " are available" << getPlace();
  if (limits.reserve != 0)
    message << " (" << limits.capacity << " less " << limits.reserve
            << " in reserve)";
  Diagnostic &diagnostic = *message.getUnderlyingDiagnostic();
  notePeak(diagnostic, report);
  noteRemedy(diagnostic, report, getAvailable(), constexprs, autoTileHint);
  noteObstacles(diagnostic, report);
}

/// What spine-auto-tile left word of: why it did not split the tiles.
void CheckResidencyPass::noteObstacles(Diagnostic &message,
                                       const ResidencyReport &report) {
  Operation *function =
      SymbolTable::lookupSymbolIn(getOperation(), report.function);
  auto obstacles = function ? function->getAttrOfType<ArrayAttr>(kNotSplitAttr)
                            : ArrayAttr();
  if (!obstacles)
    return;
  for (auto obstacle : obstacles.getAsRange<DictionaryAttr>()) {
    auto loc = obstacle.getAs<LocationAttr>("loc");
    auto reason = obstacle.getAs<StringAttr>("reason");
    if (loc && reason)
      message.attachNote(Location(loc)) << reason.getValue();
  }
  function->removeAttr(kNotSplitAttr);
}

//===----------------------------------------------------------------------===//
// Base tensors
//===----------------------------------------------------------------------===//

void CheckResidencyPass::checkBases() {
  auto bases = BaseNumelAnalysis::create(getOperation());
  if (failed(bases)) {
    emitError(getOperation().getLoc(), "integer range analysis failed");
    return signalPassFailure();
  }
  getOperation().walk([&](FunctionOpInterface function) {
    ++numKernels;
    // One message per kernel, as from a compiler that stops at the first.
    function->walk([&](MakeTensorPtrOp op) {
      return checkBase(op, **bases) ? WalkResult::advance()
                                    : WalkResult::interrupt();
    });
  });
}

bool CheckResidencyPass::checkBase(MakeTensorPtrOp op,
                                   const BaseNumelAnalysis &bases) {
  int64_t numel = bases.getNumelBound(op);
  std::optional<unsigned> unboundedDim = bases.getUnboundedDim(op);
  if (!unboundedDim && numel <= maxNumel)
    return true;
  InFlightDiagnostic message = emit(op.getLoc());
  message << "make_block_ptr cannot be used on tensors with numel > "
          << maxNumel.getValue();
  if (unboundedDim)
    message.attachNote(op.getLoc())
        << "no upper bound is known for the extent of dimension "
        << *unboundedDim;
  else
    message.attachNote(op.getLoc())
        << "the shape operands allow for " << numel << " elements";
  return false;
}
