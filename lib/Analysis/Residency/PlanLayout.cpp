//===- PlanLayout.cpp - bytes and places of tiles -------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "PlanLayout.h"
#include "spine-triton/Analysis/ArenaLayout.h"
#include "spine-triton/Analysis/ArgumentExpression.h"
#include "spine-triton/Analysis/Footprint.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::spine;

using Bytes = SmallVector<std::optional<int64_t>>;

static int64_t getElementBytes(const ResidentTile &tile) {
  return getDenseBytes(RankedTensorType::get({}, tile.type.getElementType()));
}

/// The strides as numbers, if they all are.
static std::optional<SmallVector<int64_t>>
getConstantStrides(const ResidentTile &tile) {
  SmallVector<int64_t> numbers;
  for (TileStride stride : tile.strides) {
    auto constant = dyn_cast_or_null<AffineConstantExpr>(stride);
    if (!constant)
      return std::nullopt;
    numbers.push_back(constant.getValue());
  }
  return tile.isAccessed ? std::optional(numbers) : std::nullopt;
}

std::optional<int64_t> spine::getResidentBytes(const ResidencyReport &report,
                                               const ResidentTile &tile,
                                               ArrayRef<int64_t> shape) {
  int64_t elementBytes = getElementBytes(tile);
  std::optional<int64_t> bytes = getDenseBytes(shape, elementBytes);
  if (tile.placement == TilePlacement::Mirrored) {
    auto strides = getConstantStrides(tile);
    if (!strides)
      return std::nullopt;
    bytes = getMostGranuleBytes({shape, *strides, elementBytes}, report.granule,
                                std::max(tile.accessAlignment, elementBytes));
  }
  // Sums of what is smaller do not overflow, however many tiles there are.
  if (!bytes || *bytes > kMostTileBytes / tile.copies)
    return std::nullopt;
  return static_cast<int64_t>(llvm::alignTo(*bytes, report.alignment)) *
         tile.copies;
}

bool ResidentTile::isLiveAt(unsigned point) const {
  const LiveRange *range = llvm::partition_point(
      liveRanges, [&](LiveRange range) { return range.last < point; });
  return range != liveRanges.end() && range->first <= point;
}

/// Whether two tiles are live at one point.
static bool areLiveTogether(ArrayRef<LiveRange> a, ArrayRef<LiveRange> b) {
  while (!a.empty() && !b.empty()) {
    if (a.front().last < b.front().first)
      a = a.drop_front();
    else if (b.front().last < a.front().first)
      b = b.drop_front();
    else
      return true;
  }
  return false;
}

static ArenaLayout layOut(const ResidencyReport &report,
                          ArrayRef<std::optional<int64_t>> bytes) {
  SmallVector<ArenaBuffer> buffers;
  for (const std::optional<int64_t> &number : bytes)
    buffers.push_back({number.value_or(0), report.alignment});
  for (auto [point, number] : report.calls)
    buffers.push_back({number, report.alignment});
  // Every tile is held against every other one: what decides most of these
  // lies close together.
  size_t numTiles = bytes.size();
  SmallVector<LiveRange> extents;
  for (const ResidentTile &tile : report.tiles)
    extents.push_back({tile.getFirstPoint(), tile.getLastPoint()});
  auto overlap = [&](unsigned a, unsigned b) {
    if (a > b)
      std::swap(a, b);
    if (a >= numTiles)
      return false; // one call ends before the next one
    if (b >= numTiles)
      return report.tiles[a].isLiveAt(report.calls[b - numTiles].first);
    return areLiveTogether(extents[a], extents[b]) &&
           areLiveTogether(report.tiles[a].liveRanges,
                           report.tiles[b].liveRanges);
  };
  return layOutArena(buffers, overlap, report.peakBytes);
}

static Bytes getBytes(const ResidencyReport &report) {
  return llvm::map_to_vector(
      report.tiles, [](const ResidentTile &tile) { return tile.bytes; });
}

void spine::layOutTiles(ResidencyReport &report) {
  ArenaLayout layout = layOut(report, getBytes(report));
  report.arenaBytes = layout.bytes;
  for (auto [tile, offset] : llvm::zip_first(report.tiles, layout.offsets))
    tile.offset = offset;
}

//===----------------------------------------------------------------------===//
// Smaller blocks
//===----------------------------------------------------------------------===//

/// Whether the kernel fits with one block size replaced. `bytes` are those of
/// its tiles as they are.
static bool fitsWith(const ResidencyReport &report, Bytes bytes, unsigned group,
                     const SmallerBlock &block, int64_t size,
                     int64_t available) {
  int64_t peak = report.peakBytes;
  for (auto [number, dim] : block.places) {
    const ResidentTile &tile = report.tiles[number];
    SmallVector<int64_t> shape(tile.type.getShape());
    for (auto [dim, other] : llvm::enumerate(tile.groups))
      if (other == group)
        shape[dim] = size;
    if (tile.isLiveAt(report.peakPoint))
      peak -= bytes[number].value_or(0);
    bytes[number] = getResidentBytes(report, tile, shape);
    if (tile.isLiveAt(report.peakPoint))
      peak += bytes[number].value_or(0);
  }
  // No layout is needed where not even what is live at one point has room.
  return peak <= available && layOut(report, bytes).bytes <= available;
}

std::vector<SmallerBlock>
ResidencyReport::getSmallerBlocks(int64_t availableBytes) const {
  llvm::MapVector<unsigned, SmallerBlock> blocks;
  for (auto [number, tile] : llvm::enumerate(tiles))
    for (auto [dim, group] : llvm::enumerate(tile.groups)) {
      int64_t size = tile.type.getDimSize(dim);
      if (size == 1 || fixedGroups.test(group))
        continue;
      auto &block =
          blocks.try_emplace(group, SmallerBlock{size, 0, {}}).first->second;
      block.places.push_back({number, dim});
    }
  std::vector<SmallerBlock> fitting;
  Bytes bytes = getBytes(*this);
  for (auto &[group, block] : blocks) {
    int64_t next = llvm::bit_floor(uint64_t(block.size - 1));
    while (next != 0 &&
           !fitsWith(*this, bytes, group, block, next, availableBytes))
      next /= 2;
    block.fitting = next;
    if (next != 0)
      fitting.push_back(std::move(block));
  }
  return fitting;
}

//===----------------------------------------------------------------------===//
// Fewer copies
//===----------------------------------------------------------------------===//

static bool fitsWithCopies(const ResidencyReport &report, int64_t most,
                           int64_t available) {
  Bytes bytes;
  for (const ResidentTile &tile : report.tiles)
    bytes.push_back(tile.bytes.value_or(0) / tile.copies *
                    std::min(tile.copies, most));
  return layOut(report, bytes).bytes <= available;
}

int64_t ResidencyReport::getFewerCopies(int64_t availableBytes) const {
  int64_t copies = 1;
  for (const ResidentTile &tile : tiles)
    copies = std::max(copies, tile.copies);
  // What fits is less than `copies`, and at least `fitting`.
  int64_t fitting = 0;
  while (copies - fitting > 1) {
    int64_t middle = fitting + (copies - fitting) / 2;
    (fitsWithCopies(*this, middle, availableBytes) ? fitting : copies) = middle;
  }
  return fitting;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// The texts of the strides; none if they are constants, or one is unknown.
static std::optional<SmallVector<std::string>>
getStrideTexts(const ResidencyReport &report, const ResidentTile &tile) {
  if (!tile.isAccessed || getConstantStrides(tile) ||
      !llvm::all_of(tile.strides, [](TileStride stride) { return !!stride; }))
    return std::nullopt;
  SmallVector<std::string> texts;
  for (TileStride stride : tile.strides)
    texts.push_back(printArgumentExpression(stride, report.operation));
  return texts;
}

std::string spine::printSpanExpression(const ResidencyReport &report,
                                       const ResidentTile &tile) {
  auto strides = getStrideTexts(report, tile);
  if (!strides)
    return {};
  int64_t known = 1;
  std::string text;
  for (auto [size, stride, value] :
       llvm::zip(tile.type.getShape(), *strides, tile.strides)) {
    if (auto constant = dyn_cast<AffineConstantExpr>(value))
      known += (size - 1) * std::abs(constant.getValue());
    else if (size > 1)
      text += " + " + std::to_string(size - 1) + " * abs(" + stride + ")";
  }
  return "(" + std::to_string(known) + text + ") * " +
         std::to_string(getElementBytes(tile));
}

std::string spine::printGranuleExpression(const ResidencyReport &report,
                                          const ResidentTile &tile) {
  auto strides = getStrideTexts(report, tile);
  if (!strides)
    return {};
  std::string text = "granule_bytes((";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(tile.type.getShape(), os);
  os << "), (" << llvm::join(*strides, ", ") << "), " << getElementBytes(tile)
     << ")";
  return text;
}

std::string spine::makeLaunchContract(const ResidencyReport &report,
                                      int64_t availableBytes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("fixed_bytes", report.arenaBytes);
    json.attribute("available_bytes", availableBytes);
    json.attribute("alignment", report.alignment);
    json.attribute("granule", report.granule);
    json.attributeArray("tiles", [&] {
      for (unsigned number : report.runtimeTiles) {
        const ResidentTile &tile = report.tiles[number];
        json.object([&] {
          json.attribute("name", tile.name);
          json.attribute("shape", llvm::json::Array(tile.type.getShape()));
          json.attribute("element_bytes", getElementBytes(tile));
          json.attribute("copies", tile.copies);
          json.attribute("access_alignment", tile.accessAlignment);
          json.attributeArray("strides", [&] {
            for (TileStride stride : tile.strides)
              json.rawValue(serializeArgumentExpression(stride));
          });
        });
      }
    });
  });
  return text;
}
