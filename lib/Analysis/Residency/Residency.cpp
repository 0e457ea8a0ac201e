//===- Residency.cpp - which tiles live when, and their bytes -------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/Residency.h"
#include "Coalescing.h"
#include "PlanLayout.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "spine-triton/Analysis/ArgumentExpression.h"
#include "spine-triton/Analysis/Divisibility.h"
#include "spine-triton/Analysis/Footprint.h"
#include "spine-triton/Analysis/IncomingValues.h"
#include "spine-triton/Analysis/TensorPointer.h"
#include "spine-triton/Analysis/TileDimensions.h"
#include "spine-triton/Analysis/VariableName.h"

using namespace mlir;
using namespace mlir::spine;

using llvm::BitVector;

namespace {

using Reports = llvm::DenseMap<Operation *, std::unique_ptr<ResidencyReport>>;

/// Makes the report of one function; those of the functions it calls first.
class Analyzer {
public:
  Analyzer(Operation *function, const ResidencyOptions &options,
           Reports &reports)
      : function(function), options(options), reports(reports),
        pointers(function), divisibility(pointers), dimensions(function),
        graph(function, options.policy), liveness(function, graph),
        coalescing(function, graph, liveness), report(function, options),
        found(coalescing.getNumClasses()), numMembersHere(found.size(), 0),
        tilesHere(graph.size()), classesHere(found.size()) {}

  ResidencyReport run();

private:
  void visit(Operation *op);
  void enterPoint(unsigned point, const BitVector &tiles);
  void addDestinations(Operation *op, BitVector &tiles) const;
  BitVector getTilesAt(Operation *op) const;
  const ResidencyReport *analyzeCallee(Operation *op);
  void describeClasses();
  void describeClass(ResidentTile &tile, ArrayRef<unsigned> members);
  void describeAccess(ResidentTile &tile, Value pointer);
  ResidentTile makeTile(unsigned number) const;
  int64_t getCopies(Value tile) const;
  void noteRuntimeTile(const ResidentTile &tile);
  void addToReport(const BitVector &atPeak);

  Operation *function;
  const ResidencyOptions &options;
  Reports &reports;
  TensorPointerAnalysis pointers;
  Divisibility divisibility;
  TileDimensions dimensions;
  TileGraph graph;
  TileLiveness liveness;
  Coalescing coalescing;
  ResidencyReport report;
  /// Per class of tiles.
  std::vector<std::optional<ResidentTile>> found;
  /// At the last operation that was visited: how many values of each class are
  /// live, which values, which classes, and the bytes of these.
  SmallVector<unsigned> numMembersHere;
  BitVector tilesHere, classesHere;
  int64_t bytesHere = 0;
  Operation *lastVisited = nullptr;
  BitVector liveAtPeak;
};

} // namespace

ResidencyReport::ResidencyReport(Operation *function,
                                 const ResidencyOptions &options)
    : operation(function), loc(function->getLoc()),
      alignment(options.alignment), granule(options.granule),
      peakLoc(function->getLoc()) {
  if (auto symbol = dyn_cast<SymbolOpInterface>(function))
    this->function = symbol.getName().str();
}

//===----------------------------------------------------------------------===//
// Description of tiles
//===----------------------------------------------------------------------===//

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

/// What is known of a stride when compiling.
static TileStride getStride(FieldSource source, MLIRContext *context) {
  if (source.kind == FieldSource::Kind::Constant)
    return getAffineConstantExpr(source.constant, context);
  if (source.kind == FieldSource::Kind::Operand)
    return getArgumentExpression(source.value);
  return {};
}

void Analyzer::describeAccess(ResidentTile &tile, Value pointer) {
  PointerFields numbers(pointer);
  SmallVector<int64_t> constants;
  for (unsigned dim : llvm::seq(numbers.rank)) {
    TileStride stride = getStride(
        pointers.getField(pointer, numbers.stride(dim)), pointer.getContext());
    tile.strides.push_back(stride);
    if (auto constant = dyn_cast_or_null<AffineConstantExpr>(stride))
      constants.push_back(constant.getValue());
  }
  tile.isAccessed = true;
  tile.accessAlignment = divisibility.getOfTile(pointer);
  if (constants.size() != numbers.rank)
    return;
  int64_t elementBytes =
      getDenseBytes(RankedTensorType::get({}, tile.type.getElementType()));
  StridedTile access{tile.type.getShape(), constants, elementBytes};
  tile.spanBytes = getSpanBytes(access);
  tile.granuleBytes = getMostGranuleBytes(
      access, options.granule, std::max(tile.accessAlignment, elementBytes));
}

/// A tile that is loaded in a loop may be fetched ahead.
int64_t Analyzer::getCopies(Value tile) const {
  Operation *load = tile.getDefiningOp();
  if (!isa_and_nonnull<triton::LoadOp, triton::DescriptorLoadOp,
                       triton::DescriptorGatherOp>(load))
    return 1;
  auto loop = load->getParentOfType<scf::ForOp>();
  if (!loop)
    return 1;
  auto stages = loop->getAttrOfType<IntegerAttr>("tt.num_stages");
  return std::max<int64_t>(stages ? stages.getInt() : options.numStages, 1);
}

/// A class goes by the role that says most about it, and by a variable's name
/// where there is one: that of a value that is computed (the result of a dot)
/// rather than that of one that a loop hands on.
void Analyzer::describeClass(ResidentTile &tile, ArrayRef<unsigned> members) {
  bool isComputed = false;
  for (unsigned member : members) {
    Value value = graph.getTile(member);
    tile.role = std::min(tile.role, graph.getRole(member));
    tile.copies = std::max(tile.copies, getCopies(value));
    if (Value pointer = getAccessedPointer(value); pointer && !tile.isAccessed)
      describeAccess(tile, pointer);
    auto name = getVariableName(value);
    if (!name || isComputed)
      continue;
    isComputed = !getIncomingValues(value);
    if (tile.isVariable && !isComputed)
      continue;
    tile.name = name->str();
    tile.loc = value.getLoc();
    tile.isVariable = true;
  }
}

void Analyzer::describeClasses() {
  std::vector<SmallVector<unsigned>> members(found.size());
  for (unsigned tile : llvm::seq(graph.size()))
    members[coalescing.getClass(tile)].push_back(tile);
  for (auto [number, tiles] : llvm::enumerate(members)) {
    ResidentTile tile = makeTile(tiles.front());
    describeClass(tile, tiles);
    tile.bytes = getResidentBytes(report, tile, tile.type.getShape());
    found[number] = std::move(tile);
  }
}

ResidentTile Analyzer::makeTile(unsigned number) const {
  Value value = graph.getTile(number);
  auto type = cast<RankedTensorType>(value.getType());
  ResidentTile tile{getOperationName(value),
                    /*isVariable=*/false,
                    graph.getRole(number),
                    graph.getPlacement(number),
                    value.getLoc(),
                    value.getLoc(),
                    type};
  tile.denseBytes = getDenseBytes(type);
  for (unsigned dim : llvm::seq(type.getRank()))
    tile.groups.push_back(dimensions.getGroup(value, dim));
  return tile;
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

/// From here on these tiles are live. Only what changes is looked at: most of
/// many tiles do not from one operation to the next.
void Analyzer::enterPoint(unsigned point, const BitVector &tiles) {
  BitVector born = tiles, dead = tilesHere;
  born.reset(tilesHere);
  dead.reset(tiles);
  tilesHere = tiles;
  for (unsigned member : born.set_bits()) {
    unsigned number = coalescing.getClass(member);
    if (numMembersHere[number]++ != 0)
      continue;
    ResidentTile &tile = *found[number];
    tile.liveRanges.push_back({point, point});
    classesHere.set(number);
    bytesHere += tile.bytes.value_or(0);
  }
  for (unsigned member : dead.set_bits()) {
    unsigned number = coalescing.getClass(member);
    if (--numMembersHere[number] != 0)
      continue;
    ResidentTile &tile = *found[number];
    tile.liveRanges.back().last = point - 1;
    tile.lastUse = lastVisited->getLoc();
    classesHere.reset(number);
    bytesHere -= tile.bytes.value_or(0);
  }
}

void Analyzer::visit(Operation *op) {
  unsigned point = report.numPoints++;
  enterPoint(point, getTilesAt(op));
  lastVisited = op;
  int64_t bytes = bytesHere;
  const ResidencyReport *callee = analyzeCallee(op);
  if (callee && callee->arenaBytes != 0) {
    bytes += callee->arenaBytes;
    report.calls.push_back({point, callee->arenaBytes});
  }
  if (bytes <= report.peakBytes)
    return;
  report.peakBytes = bytes;
  report.peakLoc = op->getLoc();
  report.peakPoint = point;
  report.calleeBytes = callee ? callee->arenaBytes : 0;
  report.callee = callee ? callee->function : "";
  liveAtPeak = classesHere;
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
        Analyzer(callee, options, reports).run());
    it = reports.find(callee);
    it->second = std::move(made);
  }
  if (!it->second)
    return give("the function that is called here calls itself");
  if (it->second->unbounded && !report.unbounded)
    report.unbounded = it->second->unbounded;
  if (!it->second->runtimeTiles.empty())
    return give("the bytes of a tile in the function that is called here "
                "depend on strides that are not constants");
  return it->second.get();
}

/// Bytes that depend on strides: arguments can be looked at before a launch,
/// what is computed in the kernel cannot.
void Analyzer::noteRuntimeTile(const ResidentTile &tile) {
  report.runtimeTiles.push_back(report.tiles.size());
  if (tile.denseBytes > kMostTileBytes / tile.copies) {
    if (!report.unbounded)
      report.unbounded = UnboundedResidency{
          tile.loc, "tile '" + tile.name + "' has more than 2^45 bytes"};
    return;
  }
  bool isKnownAtLaunch =
      tile.isAccessed &&
      llvm::all_of(tile.strides, [](TileStride stride) { return !!stride; });
  if (!isKnownAtLaunch && !report.unbounded)
    report.unbounded = UnboundedResidency{
        tile.loc, "the strides of tile '" + tile.name +
                      "' are neither constants nor made of arguments"};
}

void Analyzer::addToReport(const BitVector &atPeak) {
  for (auto [number, tile] : llvm::enumerate(found)) {
    if (tile->liveRanges.empty())
      continue; // in code that is never reached
    if (number < atPeak.size() && atPeak.test(number))
      report.liveAtPeak.push_back(report.tiles.size());
    if (!tile->bytes)
      noteRuntimeTile(*tile);
    report.tiles.push_back(std::move(*tile));
  }
  llvm::sort(report.liveAtPeak, [&](unsigned a, unsigned b) {
    return std::pair(-report.tiles[a].bytes.value_or(0), a) <
           std::pair(-report.tiles[b].bytes.value_or(0), b);
  });
}

ResidencyReport Analyzer::run() {
  describeClasses();
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function)
      visit(op);
  });
  enterPoint(report.numPoints, BitVector(graph.size())); // behind the last one
  addToReport(liveAtPeak);
  report.fixedGroups.resize(dimensions.size());
  for (unsigned group : llvm::seq(dimensions.size()))
    report.fixedGroups[group] = dimensions.isFixed(group);
  layOutTiles(report);
  return std::move(report);
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

ResidencyReport spine::analyzeResidency(Operation *function,
                                        const ResidencyOptions &options) {
  Reports reports;
  reports.try_emplace(function, nullptr);
  return Analyzer(function, options, reports).run();
}

std::vector<ResidencyReport>
spine::analyzeKernelResidency(ModuleOp module,
                              const ResidencyOptions &options) {
  llvm::SmallPtrSet<Operation *, 8> called;
  module.walk([&](CallOpInterface call) {
    if (Operation *callee = call.resolveCallable())
      called.insert(callee);
  });
  std::vector<ResidencyReport> reports;
  module.walk([&](FunctionOpInterface function) {
    if (!function.isExternal() &&
        (function.isPublic() || !called.contains(function)))
      reports.push_back(analyzeResidency(function, options));
  });
  return reports;
}
