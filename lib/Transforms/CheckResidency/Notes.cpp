//===- Notes.cpp - what a residency plan has to tell ----------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Notes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::spine;

/// A tile's type as people say it: 64x32xf16.
static std::string getTypeText(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t size : type.getShape())
    os << size << 'x';
  os << type.getElementType();
  return text;
}

static std::string getFootprintText(const ResidencyReport &report,
                                    const ResidentTile &tile) {
  std::string text = "dense " + std::to_string(tile.denseBytes);
  if (!tile.isAccessed)
    return text;
  if (tile.spanBytes && tile.granuleBytes)
    return text + ", span " + std::to_string(*tile.spanBytes) + ", granules " +
           std::to_string(*tile.granuleBytes);
  std::string span = printSpanExpression(report, tile);
  if (span.empty())
    return text + "; its strides are not known";
  return text + ", span " + span + ", granules " +
         printGranuleExpression(report, tile);
}

static void noteTile(Diagnostic &message, const ResidencyReport &report,
                     const ResidentTile &tile) {
  Diagnostic &note = message.attachNote(tile.loc);
  note << (tile.isVariable ? "tile '" : "tile of '") << tile.name
       << "': " << getTypeText(tile.type) << ", ";
  if (tile.bytes)
    note << *tile.bytes << " bytes, ";
  note << stringifyTileRole(tile.role) << ", "
       << stringifyTilePlacement(tile.placement);
  if (tile.copies > 1)
    note << ", " << tile.copies << " copies";
  note << " (" << getFootprintText(report, tile) << ")";
}

void spine::notePeak(Diagnostic &message, const ResidencyReport &report) {
  Diagnostic &peak = message.attachNote(report.peakLoc);
  peak << "most bytes are live here";
  if (report.peakBytes != report.arenaBytes)
    peak << ": " << report.peakBytes << "; their layout takes "
         << report.arenaBytes - report.peakBytes << " more";
  for (unsigned number : report.liveAtPeak)
    noteTile(message, report, report.tiles[number]);
  if (report.calleeBytes != 0)
    message.attachNote(report.peakLoc)
        << "function '" << report.callee << "': " << report.calleeBytes
        << " bytes while it is called here";
}

//===----------------------------------------------------------------------===//
// Remedies
//===----------------------------------------------------------------------===//

/// The names of the constexprs of a value, `A or B`; none if there are none.
static std::string getNames(ArrayRef<std::string> constexprs, int64_t value) {
  SmallVector<StringRef> names;
  for (StringRef text : constexprs) {
    auto [name, number] = text.split('=');
    int64_t parsed;
    if (!number.getAsInteger(10, parsed) && parsed == value)
      names.push_back(name);
  }
  return llvm::join(names, " or ");
}

/// `dimension 0 of 'a' and of 'c', dimension 1 of 'b'`.
static std::string getPlacesText(const ResidencyReport &report,
                                 const SmallerBlock &block) {
  constexpr size_t most = 4;
  llvm::MapVector<unsigned, SmallVector<StringRef>> names;
  for (auto [tile, dim] : ArrayRef(block.places).take_front(most)) {
    SmallVector<StringRef> &known = names[dim];
    if (!llvm::is_contained(known, report.tiles[tile].name))
      known.push_back(report.tiles[tile].name);
  }
  std::string text;
  for (auto &[dim, tiles] : names) {
    text += (text.empty() ? "dimension " : ", dimension ") +
            std::to_string(dim) + " of '" + llvm::join(tiles, "' and of '") +
            "'";
  }
  return text + (block.places.size() > most ? " and others" : "");
}

static std::string getBlockText(const ResidencyReport &report,
                                const SmallerBlock &block,
                                ArrayRef<std::string> constexprs) {
  std::string names = getNames(constexprs, block.size);
  std::string change = std::to_string(block.fitting) + " instead of " +
                       std::to_string(block.size);
  std::string places = getPlacesText(report, block);
  if (names.empty())
    return change + " in " + places;
  return names + "=" + change + " (" + places + ")";
}

void spine::noteRemedy(Diagnostic &message, const ResidencyReport &report,
                       int64_t available, ArrayRef<std::string> constexprs,
                       bool canTileAutomatically) {
  Diagnostic &note = message.attachNote(report.loc);
  if (report.liveAtPeak.empty()) {
    note << "make the blocks of the function that is called smaller";
    return;
  }
  note << report.arenaBytes - available << " bytes too many: ";
  std::vector<SmallerBlock> blocks = report.getSmallerBlocks(available);
  if (blocks.empty())
    note << "use smaller blocks; no single one is enough, even one element "
            "wide with the others unchanged";
  else
    note << "use smaller blocks; each of these would fit with the others "
            "unchanged: ";
  llvm::interleave(
      blocks,
      [&](const SmallerBlock &block) {
        note << getBlockText(report, block, constexprs);
      },
      [&] { note << "; "; });
  if (int64_t copies = report.getFewerCopies(available))
    note << "; or keep fewer copies: num_stages=" << copies;
  if (canTileAutomatically)
    note << "; or let the compiler split the tiles: auto_tile=True";
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void spine::noteRuntimeTiles(Diagnostic &message, const ResidencyReport &report,
                             int64_t available) {
  std::string sum = std::to_string(report.arenaBytes);
  for (unsigned number : report.runtimeTiles) {
    const ResidentTile &tile = report.tiles[number];
    noteTile(message, report, tile);
    sum += " + ";
    if (tile.copies > 1)
      sum += std::to_string(tile.copies) + " * ";
    sum += printGranuleExpression(report, tile);
  }
  message.attachNote(report.loc)
      << "it fits where " << sum << " <= " << available
      << ": make the strides constants, or let the launch check that";
}
