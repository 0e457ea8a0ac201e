//===- Residency.cpp - the residency analysis as plain data ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/Residency.h"
#include "CompilerImpl.h"
#include "spine-triton/Target/TargetDescription.h"

using namespace mlir;
using namespace mlir::spine;

static Position getPosition(Location location) {
  SmallVector<FileLineColLoc> callers;
  FileLineColLoc position = findPosition(location, callers);
  if (!position)
    return {};
  return {position.getFilename().str(), position.getLine(),
          position.getColumn()};
}

static TileResidency convert(const ResidentTile &tile, bool liveAtPeak) {
  TileResidency result;
  result.name = tile.name;
  result.role = stringifyTileRole(tile.role).str();
  result.shape.assign(tile.type.getShape().begin(), tile.type.getShape().end());
  llvm::raw_string_ostream(result.elementType) << tile.type.getElementType();
  result.bytes = tile.bytes;
  result.liveAtPeak = liveAtPeak;
  result.position = getPosition(tile.loc);
  return result;
}

static KernelResidency convert(const ResidencyReport &report, int64_t capacity,
                               int64_t reserve) {
  KernelResidency result;
  result.kernel = report.function;
  result.capacity = capacity;
  result.reserve = reserve;
  result.bytes = report.peakBytes;
  result.fits = report.fits(capacity - reserve);
  result.position = getPosition(report.loc);
  if (report.unbounded) {
    result.unbounded = report.unbounded->reason;
    result.position = getPosition(report.unbounded->loc);
  }
  for (auto [index, tile] : llvm::enumerate(report.tiles))
    result.tiles.push_back(
        convert(tile, llvm::is_contained(report.liveAtPeak, index)));
  return result;
}

std::optional<std::vector<KernelResidency>>
CompilerModule::checkResidency(std::string_view targetJSON,
                               std::optional<int64_t> capacity,
                               Messages &messages) {
  auto target = take(TargetDescription::parse(toRef(targetJSON)), messages);
  if (!target)
    return std::nullopt;
  int64_t reserve = capacity ? 0 : target->reserveBytes;
  int64_t available = capacity.value_or(target->scratchpadBytes);
  std::vector<KernelResidency> results;
  Work work(context, messages);
  if (!work.run(&impl->module, [&] {
        for (const ResidencyReport &report :
             analyzeKernelResidency(*impl->module))
          results.push_back(convert(report, available, reserve));
        return success();
      }))
    return std::nullopt;
  return results;
}
