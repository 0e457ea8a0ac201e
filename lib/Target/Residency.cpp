//===- Residency.cpp - the residency analysis as plain data ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/Residency.h"
#include "CompilerImpl.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "spine-triton/Analysis/ArgumentExpression.h"
#include "spine-triton/Analysis/Footprint.h"
#include "spine-triton/Support/Attributes.h"
#include "spine-triton/Target/TargetDescription.h"
#include "spine-triton/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::spine;

/// The place in the kernel's own text: what a function of a library makes,
/// which was inlined, is at its call.
static Position getPosition(Location location) {
  SmallVector<FileLineColLoc> callers;
  FileLineColLoc position = findPosition(location, callers);
  if (!position)
    return {};
  if (!callers.empty())
    position = callers.back();
  return {position.getFilename().str(), position.getLine(),
          position.getColumn()};
}

static std::vector<std::string> getStrides(const ResidencyReport &report,
                                           const ResidentTile &tile) {
  std::vector<std::string> texts;
  for (TileStride stride : tile.strides)
    texts.push_back(stride ? printArgumentExpression(stride, report.operation)
                           : "");
  return texts;
}

static TileResidency convert(const ResidencyReport &report,
                             const ResidentTile &tile, bool liveAtPeak) {
  TileResidency result;
  result.name = tile.name;
  result.isVariable = tile.isVariable;
  result.role = stringifyTileRole(tile.role).str();
  result.placement = stringifyTilePlacement(tile.placement).str();
  result.shape.assign(tile.type.getShape().begin(), tile.type.getShape().end());
  llvm::raw_string_ostream(result.elementType) << tile.type.getElementType();
  result.bytes = tile.bytes;
  result.copies = tile.copies;
  result.denseBytes = tile.denseBytes;
  result.spanBytes = tile.spanBytes;
  result.granuleBytes = tile.granuleBytes;
  result.spanExpression = printSpanExpression(report, tile);
  result.granuleExpression = printGranuleExpression(report, tile);
  result.strides = getStrides(report, tile);
  result.liveAtPeak = liveAtPeak;
  result.firstPoint = tile.getFirstPoint();
  result.lastPoint = tile.getLastPoint();
  if (tile.bytes)
    result.offset = tile.offset;
  result.position = getPosition(tile.loc);
  result.lastUse = getPosition(tile.lastUse);
  return result;
}

static void addTiles(KernelResidency &result, const ResidencyReport &report) {
  llvm::BitVector liveAtPeak(report.tiles.size());
  for (unsigned number : report.liveAtPeak)
    liveAtPeak.set(number);
  for (auto [number, tile] : llvm::enumerate(report.tiles))
    result.tiles.push_back(convert(report, tile, liveAtPeak.test(number)));
}

static void addSmallerBlocks(KernelResidency &result,
                             const ResidencyReport &report, int64_t available) {
  for (const SmallerBlock &block : report.getSmallerBlocks(available)) {
    BlockResidency found{block.size, block.fitting, {}};
    for (auto [tile, dim] : block.places)
      found.places.emplace_back(tile, dim);
    result.smallerBlocks.push_back(std::move(found));
  }
}

static KernelResidency convert(const ResidencyReport &report, int64_t capacity,
                               int64_t reserve) {
  int64_t available = capacity - reserve;
  KernelResidency result;
  result.kernel = report.function;
  result.capacity = capacity;
  result.reserve = reserve;
  result.granule = report.granule;
  result.alignment = report.alignment;
  result.peakBytes = report.peakBytes;
  result.arenaBytes = report.arenaBytes;
  result.fits = report.fits(available);
  result.position = getPosition(report.loc);
  result.peakPosition = getPosition(report.peakLoc);
  result.peakPoint = report.peakPoint;
  result.numPoints = report.numPoints;
  addTiles(result, report);
  if (report.unbounded) {
    result.unbounded = report.unbounded->reason;
    result.position = getPosition(report.unbounded->loc);
    return result;
  }
  if (!report.runtimeTiles.empty())
    result.contract = makeLaunchContract(report, available);
  if (report.arenaBytes > available)
    addSmallerBlocks(result, report, available);
  return result;
}

static llvm::Expected<ResidencyOptions>
getOptions(const ResidencyRequest &request, const TargetDescription &target) {
  auto policy = parseResidencyPolicy(request.policy);
  if (!policy)
    return llvm::createStringError("unknown residency policy '" +
                                   request.policy + "'");
  ResidencyOptions options;
  options.policy = getResidencyPolicy(*policy);
  options.alignment = request.alignment.value_or(target.alignment);
  options.granule = target.granuleBytes;
  options.numStages = request.numStages;
  if (options.alignment < 1 || !llvm::isPowerOf2_64(options.alignment))
    return llvm::createStringError("the alignment must be a power of two");
  return options;
}

std::optional<std::vector<KernelResidency>>
CompilerModule::checkResidency(std::string_view targetJSON,
                               const ResidencyRequest &request,
                               Messages &messages) {
  auto target = take(TargetDescription::parse(toRef(targetJSON)), messages);
  if (!target)
    return std::nullopt;
  auto options = take(getOptions(request, *target), messages);
  if (!options)
    return std::nullopt;
  int64_t reserve = request.capacity ? 0 : target->reserveBytes;
  int64_t capacity = request.capacity.value_or(target->scratchpadBytes);
  std::vector<KernelResidency> results;
  Work work(context, messages);
  if (!work.run(&impl->module, [&] {
        for (const ResidencyReport &report :
             analyzeKernelResidency(*impl->module, *options)) {
          results.push_back(convert(report, capacity, reserve));
          results.back().policy = request.policy;
        }
        return success();
      }))
    return std::nullopt;
  return results;
}

static ResidencyFacts getFacts(FunctionOpInterface function,
                               DictionaryAttr facts) {
  auto fits = facts.getAs<BoolAttr>("fits");
  auto contract = facts.getAs<StringAttr>("contract");
  auto conditions = function->getAttrOfType<StringAttr>(kLaunchConditionsAttr);
  return {function.getName().str(),
          fits && fits.getValue(),
          getNumber(facts, "peak_bytes"),
          getNumber(facts, "arena_bytes"),
          contract ? contract.str() : std::string(),
          conditions ? conditions.str() : std::string()};
}

std::optional<std::vector<ResidencyFacts>>
CompilerModule::getResidencyFacts(Messages &messages) {
  std::vector<ResidencyFacts> results;
  Work work(context, messages);
  if (!work.run(&impl->module, [&] {
        impl->module->walk([&](FunctionOpInterface function) {
          if (auto facts =
                  function->getAttrOfType<DictionaryAttr>("spine.residency"))
            results.push_back(getFacts(function, facts));
        });
        return success();
      }))
    return std::nullopt;
  return results;
}

//===----------------------------------------------------------------------===//
// Generated code
//===----------------------------------------------------------------------===//

/// What PlacedTile and ScratchTile have in common: `name` is what there is
/// without the kernel's own.
template <typename Tile>
static Tile describeTile(DictionaryAttr facts, StringRef name) {
  Tile tile;
  tile.id = getNumber(facts, "id");
  tile.name = name.str();
  if (auto type = facts.getAs<TypeAttr>("tile")) {
    auto tensor = cast<RankedTensorType>(type.getValue());
    tile.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    llvm::raw_string_ostream(tile.elementType) << tensor.getElementType();
  }
  auto loc = dyn_cast_or_null<LocationAttr>(facts.get("loc"));
  if (!loc)
    return tile;
  tile.position = getPosition(loc);
  if (auto variable = loc.findInstanceOf<NameLoc>();
      variable && !variable.getName().empty()) {
    tile.name = variable.getName().str();
    tile.isVariable = true;
  }
  return tile;
}

static ScratchTile getScratchTile(DictionaryAttr facts) {
  auto name = facts.getAs<StringAttr>("name");
  StringRef role = name ? name.getValue() : StringRef();
  auto tile = describeTile<ScratchTile>(facts, role);
  tile.role = role.str();
  tile.bytes = getNumber(facts, "bytes");
  tile.offset = getNumber(facts, "offset");
  tile.begin = getNumber(facts, "begin");
  tile.end = getNumber(facts, "end");
  tile.tile = findNumber(facts, "tile_id").value_or(tile.tile);
  tile.isTemporary = facts.contains("temporary");
  return tile;
}

static PlacedTile getPlacedTile(DictionaryAttr facts) {
  auto tile = describeTile<PlacedTile>(facts, "");
  if (auto placement = facts.getAs<StringAttr>("placement"))
    tile.placement = placement.str();
  return tile;
}

static ScratchPlan getScratchPlan(FunctionOpInterface function) {
  ScratchPlan plan;
  plan.function = function.getName().str();
  DictionaryAttr facts = function->getAttrDictionary();
  plan.arenaBytes = getNumber(facts, "spine.arena_bytes");
  plan.liveBytes = getNumber(facts, "spine.live_bytes");
  if (auto tiles = function->getAttrOfType<ArrayAttr>("spine.plan"))
    for (auto tile : tiles.getAsRange<DictionaryAttr>())
      if (!tile.contains("kept")) // is no scratchpad
        plan.tiles.push_back(getScratchTile(tile));
  if (auto tiles = function->getAttrOfType<ArrayAttr>("spine.tiles"))
    for (auto tile : tiles.getAsRange<DictionaryAttr>())
      plan.placements.push_back(getPlacedTile(tile));
  return plan;
}

std::optional<std::vector<ScratchPlan>>
CompilerModule::getScratchPlans(Messages &messages) {
  std::vector<ScratchPlan> plans;
  Work work(context, messages);
  if (!work.run(&impl->module, [&] {
        impl->module->walk([&](FunctionOpInterface function) {
          if (function->hasAttr("spine.arena_bytes"))
            plans.push_back(getScratchPlan(function));
        });
        return success();
      }))
    return std::nullopt;
  return plans;
}

FootprintBytes spine::getFootprint(const std::vector<int64_t> &shape,
                                   const std::vector<int64_t> &strides,
                                   int64_t elementBytes, int64_t granule,
                                   int64_t alignment) {
  StridedTile tile{shape, strides, elementBytes};
  return {getDenseBytes(shape, elementBytes), getSpanBytes(tile),
          getMostGranuleBytes(tile, granule, alignment)};
}
