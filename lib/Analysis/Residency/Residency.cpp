//===- Residency.cpp - which tiles live when, and their bytes -------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/Residency.h"
#include "Coalescing.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "spine-triton/Analysis/Footprint.h"
#include "spine-triton/Analysis/IncomingValues.h"
#include "spine-triton/Analysis/TensorPointer.h"

using namespace mlir;
using namespace mlir::spine;

using llvm::BitVector;

namespace {

using Reports = llvm::DenseMap<Operation *, std::unique_ptr<ResidencyReport>>;

/// Makes the report of one function; those of the functions it calls first.
class Analyzer {
public:
  Analyzer(Operation *function, ResidencyPolicy policy, Reports &reports)
      : function(function), policy(policy), reports(reports),
        pointers(function), graph(function, policy), liveness(function, graph),
        coalescing(function, graph, liveness), report(function),
        found(coalescing.getNumClasses()) {}

  ResidencyReport run();

private:
  void visit(Operation *op, unsigned point);
  void addDestinations(Operation *op, BitVector &tiles) const;
  BitVector getTilesAt(Operation *op) const;
  const ResidencyReport *analyzeCallee(Operation *op);
  void describeClasses();
  void describeClass(ResidentTile &tile, ArrayRef<unsigned> members);
  void describeAccess(ResidentTile &tile, Value pointer) const;
  void addToReport(const BitVector &atPeak);

  Operation *function;
  ResidencyPolicy policy;
  Reports &reports;
  TensorPointerAnalysis pointers;
  TileGraph graph;
  TileLiveness liveness;
  Coalescing coalescing;
  ResidencyReport report;
  /// Per class of tiles.
  std::vector<std::optional<ResidentTile>> found;
  BitVector liveAtPeak;
};

} // namespace

ResidencyReport::ResidencyReport(Operation *function)
    : loc(function->getLoc()), peakLoc(function->getLoc()) {
  if (auto symbol = dyn_cast<SymbolOpInterface>(function))
    this->function = symbol.getName().str();
}

//===----------------------------------------------------------------------===//
// Description of tiles
//===----------------------------------------------------------------------===//

/// The variable of the kernel that the frontend noted for a value.
static std::optional<std::string> getVariableName(Value value) {
  auto name = value.getLoc()->findInstanceOf<NameLoc>();
  if (!name || name.getName().empty())
    return std::nullopt;
  return name.getName().str();
}

static std::string getOperationName(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = value.getParentBlock()->getParentOp();
  return op->getName().getStringRef().str();
}

/// The block pointer that a tile is loaded from or stored to.
static Value getAccessedPointer(Value tile) {
  Value pointer;
  if (auto load = tile.getDefiningOp<triton::LoadOp>())
    pointer = load.getPtr();
  for (OpOperand &use : tile.getUses())
    if (auto store = dyn_cast<triton::StoreOp>(use.getOwner());
        store && !pointer && use.getOperandNumber() == 1)
      pointer = store.getPtr();
  return pointer && getPointedTile(pointer.getType()) ? pointer : Value();
}

void Analyzer::describeAccess(ResidentTile &tile, Value pointer) const {
  PointerFields numbers(pointer);
  SmallVector<int64_t> strides;
  for (unsigned dim : llvm::seq(numbers.rank)) {
    FieldSource stride = pointers.getField(pointer, numbers.stride(dim));
    if (stride.kind != FieldSource::Kind::Constant)
      return;
    strides.push_back(stride.constant);
  }
  StridedTile access{
      tile.type.getShape(), strides,
      getDenseBytes(RankedTensorType::get({}, tile.type.getElementType()))};
  tile.spanBytes = getSpanBytes(access);
  tile.granuleBytes = getGranuleBytes(access, 64, /*start=*/std::nullopt);
}

/// A class goes by the role that says most about it, and by a variable's name
/// where there is one: that of a value that is computed (the result of a dot)
/// rather than that of one that a loop hands on.
void Analyzer::describeClass(ResidentTile &tile, ArrayRef<unsigned> members) {
  bool isComputed = false;
  for (unsigned member : members) {
    Value value = graph.getTile(member);
    tile.role = std::min(tile.role, graph.getRole(member));
    if (Value pointer = getAccessedPointer(value); pointer && !tile.spanBytes)
      describeAccess(tile, pointer);
    auto name = getVariableName(value);
    if (!name || isComputed)
      continue;
    isComputed = !getIncomingValues(value);
    if (tile.isVariable && !isComputed)
      continue;
    tile.name = *name;
    tile.loc = value.getLoc();
    tile.isVariable = true;
  }
}

void Analyzer::describeClasses() {
  std::vector<SmallVector<unsigned>> members(found.size());
  for (unsigned tile : llvm::seq(graph.size()))
    members[coalescing.getClass(tile)].push_back(tile);
  for (auto [number, tiles] : llvm::enumerate(members)) {
    unsigned first = tiles.front();
    Value value = graph.getTile(first);
    auto type = cast<RankedTensorType>(value.getType());
    ResidentTile tile{getOperationName(value),
                      /*isVariable=*/false,
                      graph.getRole(first),
                      value.getLoc(),
                      value.getLoc(),
                      type,
                      getDenseBytes(type),
                      /*spanBytes=*/std::nullopt,
                      /*granuleBytes=*/std::nullopt,
                      /*firstPoint=*/~0u,
                      /*lastPoint=*/0};
    describeClass(tile, tiles);
    found[number] = tile;
  }
}

//===----------------------------------------------------------------------===//
// Peak
//===----------------------------------------------------------------------===//

/// What a terminator or a loop writes: the memory of the values it hands on to.
void Analyzer::addDestinations(Operation *op, BitVector &tiles) const {
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (auto number = graph.getNumber(value))
        tiles.set(*number);
  };
  add(op->getResults());
  for (Region &region : op->getRegions())
    if (!region.empty() && isa<RegionBranchOpInterface>(op))
      add(region.front().getArguments());
  if (!op->hasTrait<OpTrait::IsTerminator>())
    return;
  for (Block *successor : op->getSuccessors())
    add(successor->getArguments());
  if (auto parent = dyn_cast<RegionBranchOpInterface>(op->getParentOp()))
    addDestinations(parent, tiles);
}

/// Tiles that are in memory while `op` executes.
BitVector Analyzer::getTilesAt(Operation *op) const {
  BitVector tiles = liveness.getLiveAfter(op);
  addDestinations(op, tiles);
  for (Value operand : op->getOperands()) {
    tiles |= graph.getSources(operand);
    if (auto number = graph.getNumber(operand))
      tiles.set(*number);
  }
  if (op->getNumResults() != 0)
    if (auto number = graph.getNumber(op->getResult(0));
        number && graph.isTransient(*number))
      tiles.reset(*number);
  return tiles;
}

void Analyzer::visit(Operation *op, unsigned point) {
  BitVector here(found.size());
  for (unsigned tile : getTilesAt(op).set_bits())
    here.set(coalescing.getClass(tile));
  int64_t bytes = 0;
  for (unsigned number : here.set_bits()) {
    ResidentTile &tile = *found[number];
    bytes += tile.bytes;
    tile.firstPoint = std::min(tile.firstPoint, point);
    tile.lastPoint = point;
    tile.lastUse = op->getLoc();
  }
  const ResidencyReport *callee = analyzeCallee(op);
  if (callee)
    bytes += callee->peakBytes;
  if (bytes <= report.peakBytes)
    return;
  report.peakBytes = bytes;
  report.peakLoc = op->getLoc();
  report.calleeBytes = callee ? callee->peakBytes : 0;
  report.callee = callee ? callee->function : "";
  liveAtPeak = here;
}

const ResidencyReport *Analyzer::analyzeCallee(Operation *op) {
  auto call = dyn_cast<CallOpInterface>(op);
  if (!call)
    return nullptr;
  auto give = [&](const Twine &reason) {
    if (!report.unbounded)
      report.unbounded = UnboundedResidency{op->getLoc(), reason.str()};
    return nullptr;
  };
  auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
  if (!callee || callee.isExternal())
    return give("the function that is called here has no body");
  auto [it, isNew] = reports.try_emplace(callee, nullptr);
  if (isNew) {
    auto made = std::make_unique<ResidencyReport>(
        Analyzer(callee, policy, reports).run());
    it = reports.find(callee);
    it->second = std::move(made);
  }
  if (!it->second)
    return give("the function that is called here calls itself");
  if (it->second->unbounded && !report.unbounded)
    report.unbounded = it->second->unbounded;
  return it->second.get();
}

void Analyzer::addToReport(const BitVector &atPeak) {
  for (auto [number, tile] : llvm::enumerate(found)) {
    if (tile->firstPoint > tile->lastPoint)
      continue; // in code that is never reached
    if (number < atPeak.size() && atPeak.test(number))
      report.liveAtPeak.push_back(report.tiles.size());
    report.tiles.push_back(std::move(*tile));
  }
  llvm::sort(report.liveAtPeak, [&](unsigned a, unsigned b) {
    return std::pair(-report.tiles[a].bytes, a) <
           std::pair(-report.tiles[b].bytes, b);
  });
}

ResidencyReport Analyzer::run() {
  describeClasses();
  unsigned point = 0;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function)
      visit(op, point++);
  });
  addToReport(liveAtPeak);
  return std::move(report);
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

ResidencyReport spine::analyzeResidency(Operation *function,
                                        ResidencyPolicy policy) {
  Reports reports;
  reports.try_emplace(function, nullptr);
  return Analyzer(function, policy, reports).run();
}

std::vector<ResidencyReport>
spine::analyzeKernelResidency(ModuleOp module, ResidencyPolicy policy) {
  llvm::SmallPtrSet<Operation *, 8> called;
  module.walk([&](CallOpInterface call) {
    if (Operation *callee = call.resolveCallable())
      called.insert(callee);
  });
  std::vector<ResidencyReport> reports;
  module.walk([&](FunctionOpInterface function) {
    if (!function.isExternal() &&
        (function.isPublic() || !called.contains(function)))
      reports.push_back(analyzeResidency(function, policy));
  });
  return reports;
}
