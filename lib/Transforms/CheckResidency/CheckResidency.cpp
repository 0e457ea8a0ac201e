//===- CheckResidency.cpp - do the tiles fit the scratchpad ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "BaseNumel.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "spine-triton/Analysis/Residency.h"
#include "spine-triton/Transforms/Passes.h"

namespace mlir::spine {
#define GEN_PASS_DEF_SPINECHECKRESIDENCY
#include "spine-triton/Transforms/Passes.h.inc"
} // namespace mlir::spine

using namespace mlir;
using namespace mlir::spine;

using triton::MakeTensorPtrOp;

namespace {

/// A tile's type as people say it: 64x32xf16.
struct TypeText {
  explicit TypeText(RankedTensorType type) {
    llvm::raw_string_ostream os(text);
    for (int64_t size : type.getShape())
      os << size << 'x';
    os << type.getElementType();
  }
  std::string text;
};

struct CheckResidencyPass
    : spine::impl::SpineCheckResidencyBase<CheckResidencyPass> {
  using SpineCheckResidencyBase::SpineCheckResidencyBase;

  void runOnOperation() override {
    if (rule == ResidencyRule::BaseNumel)
      return checkBases();
    for (const ResidencyReport &report : analyzeKernelResidency(getOperation()))
      check(report);
  }

private:
  // rule=tile
  void check(const ResidencyReport &report);
  void attach(const ResidencyReport &report);
  void explain(const ResidencyReport &report);
  void noteTiles(Diagnostic &message, const ResidencyReport &report);
  void noteRemedy(Diagnostic &message, const ResidencyReport &report);
  int64_t getAvailable() const { return capacity - reserve; }
  std::string getPlace() const {
    return target.empty() ? std::string() : " on " + target;
  }

  // rule=base-numel
  void checkBases();
  bool checkBase(MakeTensorPtrOp op, const BaseNumelAnalysis &bases);

  InFlightDiagnostic emit(Location loc);
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

void CheckResidencyPass::check(const ResidencyReport &report) {
  ++numKernels;
  numTiles += report.tiles.size();
  if (!report.fits(getAvailable()))
    explain(report);
  if (!report.unbounded)
    attach(report);
}

void CheckResidencyPass::attach(const ResidencyReport &report) {
  Operation *function =
      SymbolTable::lookupSymbolIn(getOperation(), report.function);
  if (!function)
    return;
  Builder builder(&getContext());
  SmallVector<NamedAttribute> facts = {
      builder.getNamedAttr("capacity_bytes",
                           builder.getI64IntegerAttr(capacity)),
      builder.getNamedAttr("fits",
                           builder.getBoolAttr(report.fits(getAvailable()))),
      builder.getNamedAttr("peak_bytes",
                           builder.getI64IntegerAttr(report.peakBytes)),
      builder.getNamedAttr("policy", builder.getStringAttr("stage-all")),
      builder.getNamedAttr("reserve_bytes",
                           builder.getI64IntegerAttr(reserve))};
  if (!target.empty())
    facts.push_back(
        builder.getNamedAttr("target", builder.getStringAttr(target)));
  function->setAttr("spine.residency", builder.getDictionaryAttr(facts));
}

void CheckResidencyPass::explain(const ResidencyReport &report) {
  InFlightDiagnostic message = emit(report.loc);
  message << "kernel '" << report.function << "' ";
  if (report.unbounded) {
    message << "may not fit the scratchpad" << getPlace()
            << ": the bytes that it needs cannot be bounded";
    message.attachNote(report.unbounded->loc) << report.unbounded->reason;
    message.attachNote(report.loc)
        << "inline the function, or give it a body that calls nothing again";
    return;
  }
  message << "does not fit the scratchpad: it needs " << report.peakBytes
          << " bytes, " << getAvailable() << " are available" << getPlace();
  if (reserve != 0)
    message << " (" << capacity.getValue() << " less " << reserve.getValue()
            << " in reserve)";
  Diagnostic &diagnostic = *message.getUnderlyingDiagnostic();
  diagnostic.attachNote(report.peakLoc) << "most bytes are live here";
  noteTiles(diagnostic, report);
  noteRemedy(diagnostic, report);
}

void CheckResidencyPass::noteTiles(Diagnostic &message,
                                   const ResidencyReport &report) {
  for (unsigned number : report.liveAtPeak) {
    const ResidentTile &tile = report.tiles[number];
    Diagnostic &note = message.attachNote(tile.loc);
    note << (tile.isVariable ? "tile '" : "tile of '") << tile.name
         << "': " << TypeText(tile.type).text << ", " << tile.bytes
         << " bytes, " << stringifyTileRole(tile.role);
    if (tile.spanBytes && tile.granuleBytes)
      note << " (in memory it spans " << *tile.spanBytes
           << " bytes and touches " << *tile.granuleBytes
           << " bytes of cache lines)";
  }
  if (report.calleeBytes != 0)
    message.attachNote(report.peakLoc)
        << "function '" << report.callee << "': " << report.calleeBytes
        << " bytes while it is called here";
}

void CheckResidencyPass::noteRemedy(Diagnostic &message,
                                    const ResidencyReport &report) {
  Diagnostic &note = message.attachNote(report.loc);
  int64_t excess = report.peakBytes - getAvailable();
  if (report.liveAtPeak.empty()) {
    note << "make the blocks of the function that is called smaller";
    return;
  }
  const ResidentTile &largest = report.tiles[report.liveAtPeak.front()];
  ArrayRef<int64_t> shape = largest.type.getShape();
  int64_t size = shape.empty() ? 1 : *llvm::max_element(shape);
  note << excess << " bytes too many: use smaller blocks";
  if (size > 1)
    note << ", to begin with " << size / 2 << " instead of " << size << " in '"
         << largest.name << "', which frees "
         << largest.bytes - largest.bytes / size * (size / 2)
         << " bytes in that tile alone";
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
