//===- VerifyScratchpad.cpp - spine-verify-scratchpad ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "ArenaReferences.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "spine-triton/Codegen/Passes.h"
#include "spine-triton/Support/Attributes.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::spine {
#define GEN_PASS_DEF_SPINEVERIFYSCRATCHPAD
#include "spine-triton/Codegen/Passes.h.inc"
} // namespace mlir::spine

using namespace mlir;
using namespace mlir::spine;

static SmallVector<PlannedTile> getPlan(ArrayAttr plan) {
  SmallVector<PlannedTile> tiles;
  for (auto tile : plan.getAsRange<DictionaryAttr>()) {
    auto name = tile.getAs<StringAttr>("name");
    tiles.push_back({getNumber(tile, "id"), getNumber(tile, "offset"),
                     getNumber(tile, "bytes"),
                     name ? name.getValue() : StringRef(),
                     findNumber(tile, "tile_id"), tile.contains("temporary"),
                     tile.contains("kept")});
  }
  return tiles;
}

/// Where the plan of tiles has each tile, by number.
static DenseMap<int64_t, StringRef> getPlacements(ArrayAttr tiles) {
  DenseMap<int64_t, StringRef> placements;
  for (auto tile : tiles.getAsRange<DictionaryAttr>())
    if (auto placement = tile.getAs<StringAttr>("placement"))
      placements[getNumber(tile, "id")] = placement.getValue();
  return placements;
}

/// Names of functions that make memory of their own.
static bool isAllocation(StringRef name) {
  static const llvm::StringSet<> names = {
      "malloc", "calloc",        "realloc",        "free",
      "alloca", "aligned_alloc", "posix_memalign", "memrefCopy"};
  return names.contains(name);
}

static StringRef getCallee(Operation *op) {
  auto call = dyn_cast<CallOpInterface>(op);
  auto name = call ? dyn_cast<SymbolRefAttr>(call.getCallableForCallee())
                   : SymbolRefAttr();
  return name ? name.getLeafReference().getValue() : StringRef();
}

namespace {

struct VerifyScratchpad
    : spine::impl::SpineVerifyScratchpadBase<VerifyScratchpad> {
  using SpineVerifyScratchpadBase::SpineVerifyScratchpadBase;

  void runOnOperation() override {
    DataFlowSolver solver;
    // Ranges know all constants, and with them more code that is not reached.
    solver.load<dataflow::DeadCodeAnalysis>();
    if (useRanges)
      solver.load<dataflow::IntegerRangeAnalysis>();
    else
      solver.load<dataflow::SparseConstantPropagation>();
    if (failed(solver.initializeAndRun(getOperation()))) {
      getOperation().emitError("the analysis of integer ranges and of code "
                               "that is never reached failed");
      return signalPassFailure();
    }
    bool isGood = true;
    getOperation().walk([&](FunctionOpInterface function) {
      if (!function.isExternal() && function->hasAttr("spine.arena_bytes"))
        isGood &= verify(function, solver);
    });
    if (!isGood)
      signalPassFailure();
  }

private:
  bool verify(FunctionOpInterface function, DataFlowSolver &solver);
  bool verifyMemory(FunctionOpInterface function);
  bool verifyPlan(FunctionOpInterface function, ArrayRef<PlannedTile> plan);
  bool verifyTiles(FunctionOpInterface function, ArrayRef<PlannedTile> plan,
                   ArrayAttr tiles);
};

} // namespace

/// Nothing but the arena: no allocation, and a small stack.
bool VerifyScratchpad::verifyMemory(FunctionOpInterface function) {
  DataLayout layout = DataLayout::closest(function);
  bool isGood = true;
  int64_t stack = 0;
  function->walk([&](Operation *op) {
    if (isAllocation(getCallee(op))) {
      op->emitError() << "calls '" << getCallee(op)
                      << "': every scratch byte has to come from the arena";
      isGood = false;
    }
    auto alloca = dyn_cast<LLVM::AllocaOp>(op);
    if (!alloca)
      return;
    IntegerAttr count;
    if (!matchPattern(alloca.getArraySize(), m_Constant(&count))) {
      op->emitError("takes stack memory of a size that is not known");
      isGood = false;
      return;
    }
    stack += count.getInt() *
             static_cast<int64_t>(layout.getTypeSize(alloca.getElemType()));
  });
  stackBytes += stack;
  if (stack <= maxStackBytes)
    return isGood;
  function->emitError() << "takes " << stack << " bytes of the stack: at most "
                        << maxStackBytes.getValue() << " are allowed";
  return false;
}

/// Each tile lies inside of the arena, and each one that is kept behind it.
bool VerifyScratchpad::verifyPlan(FunctionOpInterface function,
                                  ArrayRef<PlannedTile> plan) {
  auto number = [&](StringRef name) {
    auto attribute = function->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  int64_t arena = number("spine.arena_bytes"), keptAt = number("spine.kept_at");
  int64_t keptEnd = keptAt + number("spine.kept_bytes");
  for (const PlannedTile &tile : plan) {
    int64_t begin = tile.isKept ? std::max(arena, keptAt) : 0;
    if (begin <= tile.offset && tile.end() <= (tile.isKept ? keptEnd : arena))
      continue;
    function->emitError() << tile.describe() << ", lies outside of the "
                          << (tile.isKept ? "kept memory" : "arena");
    return false;
  }
  return true;
}

/// Each buffer is there for a tile of the plan, and holds only what is planned
/// to be in the scratchpad.
bool VerifyScratchpad::verifyTiles(FunctionOpInterface function,
                                   ArrayRef<PlannedTile> plan,
                                   ArrayAttr tiles) {
  DenseMap<int64_t, StringRef> placements = getPlacements(tiles);
  bool isGood = true;
  for (const PlannedTile &buffer : plan) {
    auto it = buffer.tile ? placements.find(*buffer.tile) : placements.end();
    if (it == placements.end()) {
      function->emitError()
          << buffer.describe() << ", is there for no tile of the plan";
      isGood = false;
    } else if (!buffer.isTemporary && it->second != "packed") {
      function->emitError()
          << buffer.describe() << ", holds tile #" << *buffer.tile
          << " of the plan, which is to be '" << it->second << "'";
      isGood = false;
    }
  }
  return isGood;
}

bool VerifyScratchpad::verify(FunctionOpInterface function,
                              DataFlowSolver &solver) {
  ++numKernels;
  if (!verifyMemory(function))
    return false;
  // Without buffers there is no plan.
  SmallVector<PlannedTile> plan;
  if (auto attribute = function->getAttrOfType<ArrayAttr>("spine.plan"))
    plan = getPlan(attribute);
  auto tiles = function->getAttrOfType<ArrayAttr>("spine.tiles");
  if (!verifyPlan(function, plan) ||
      (tiles && !verifyTiles(function, plan, tiles)))
    return false;
  if (function.getNumArguments() == 0 ||
      !isa<LLVM::LLVMPointerType>(function.getArgumentTypes().back()))
    return true;
  ArenaReferences references(function, plan, solver);
  auto error = [](Operation *op) { return op->emitError(); };
  auto remark = [](Operation *op) { return op->emitRemark(); };
  bool isGood = remarkUnproved ? references.check(error, remark)
                               : references.check(error);
  numReferences += references.numReferences;
  numProved += references.numProved;
  numUnproved += references.numUnproved;
  numUnreachable += references.numUnreachable;
  return isGood;
}
