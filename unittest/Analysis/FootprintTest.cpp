//===- FootprintTest.cpp - dense, span and granule bytes ------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/Footprint.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace mlir::spine;

namespace {

int64_t getWidth(llvm::StringRef type) {
  return llvm::StringSwitch<int64_t>(type)
      .Cases({"i1", "i8"}, 1)
      .Cases({"i16", "f16", "bf16"}, 2)
      .Cases({"i32", "f32"}, 4)
      .Cases({"i64", "f64"}, 8);
}

llvm::SmallVector<int64_t> getIntegers(const llvm::json::Array &array) {
  llvm::SmallVector<int64_t> integers;
  for (const llvm::json::Value &value : array)
    integers.push_back(*value.getAsInteger());
  return integers;
}

void checkTile(const llvm::json::Object &tile) {
  int64_t width = getWidth(*tile.getString("dtype"));
  llvm::SmallVector<int64_t> shape = getIntegers(*tile.getArray("tile_shape"));
  EXPECT_EQ(getDenseBytes(shape, width), *tile.getInteger("dense_bytes"));
  const llvm::json::Array *strides = tile.getArray("strides");
  if (!strides)
    return; // not known when compiling
  llvm::SmallVector<int64_t> numbers = getIntegers(*strides);
  StridedTile access{shape, numbers, width};
  EXPECT_EQ(getSpanBytes(access), *tile.getInteger("span_bytes"));
  EXPECT_EQ(getGranuleBytes(access), *tile.getInteger("granule_bytes"));
}

/// The table of cases that the project's kernels are tested with.
TEST(Footprint, ResidencyCases) {
  auto file = llvm::MemoryBuffer::getFile(SPINE_RESIDENCY_CASES);
  ASSERT_TRUE(bool(file));
  auto json = llvm::json::parse((*file)->getBuffer());
  ASSERT_TRUE(bool(json));
  const llvm::json::Array *entries = json->getAsObject()->getArray("entries");
  ASSERT_TRUE(entries);
  EXPECT_GT(entries->size(), 20u);
  for (const llvm::json::Value &entry : *entries) {
    SCOPED_TRACE(entry.getAsObject()->getString("name")->str());
    for (const llvm::json::Value &tile :
         *entry.getAsObject()->getArray("tiles"))
      checkTile(*tile.getAsObject());
  }
}

int64_t enumerateGranules(const StridedTile &tile, int64_t granule,
                          int64_t start) {
  std::set<int64_t> granules;
  int64_t count = 1;
  for (int64_t size : tile.shape)
    count *= size;
  for (int64_t i = 0; i < count; ++i) {
    int64_t address = start, rest = i;
    for (auto [size, stride] : llvm::zip(tile.shape, tile.strides)) {
      address += rest % size * stride * tile.elementBytes;
      rest /= size;
    }
    for (int64_t byte = 0; byte < tile.elementBytes; ++byte)
      granules.insert(llvm::divideFloorSigned(address + byte, granule));
  }
  return granule * granules.size();
}

TEST(Footprint, GranulesByEnumeration) {
  std::mt19937 random(7);
  auto between = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  };
  for (int round = 0; round < 3000; ++round) {
    llvm::SmallVector<int64_t> shape, strides;
    for (int64_t rank = between(0, 4); rank > 0; --rank) {
      shape.push_back(between(1, 6));
      strides.push_back(random() % 3 ? between(-9, 9) : between(-200, 200));
    }
    if (shape.size() == 1) // more neighbours than a granule has places
      shape.front() = between(1, 140);
    StridedTile tile{shape, strides, int64_t(1) << between(0, 3)};
    int64_t granule = int64_t(8) << between(0, 3);
    int64_t most = 0;
    for (int64_t start = 0; start < granule; start += tile.elementBytes) {
      int64_t expected = enumerateGranules(tile, granule, start);
      most = std::max(most, expected);
      ASSERT_EQ(getGranuleBytes(tile, granule, start), expected);
    }
    ASSERT_EQ(getMostGranuleBytes(tile, granule, tile.elementBytes), most);
  }
}

/// What alignment is known narrows the places down.
TEST(Footprint, KnownAlignment) {
  int64_t shape[] = {4, 16}, strides[] = {144, 1};
  StridedTile tile{shape, strides, 4};
  EXPECT_EQ(getMostGranuleBytes(tile, 64, 4), 512);
  EXPECT_EQ(getMostGranuleBytes(tile, 64, 32), 512);
  EXPECT_EQ(getMostGranuleBytes(tile, 64, 64), 256);
  EXPECT_EQ(getMostGranuleBytes(tile, 64, 4096), 256);
}

TEST(Footprint, EdgeTiles) {
  auto valid = [](int64_t size, int64_t offset, int64_t extent) {
    return getValidShape({size}, {offset}, {extent}).front();
  };
  EXPECT_EQ(valid(64, 0, 1000), 64);
  EXPECT_EQ(valid(64, 960, 1000), 40);
  EXPECT_EQ(valid(64, 1000, 1000), 0);
  EXPECT_EQ(valid(64, 2000, 1000), 0);
  EXPECT_EQ(valid(64, -10, 1000), 54);
  EXPECT_EQ(valid(64, -10, 20), 20);
  EXPECT_EQ(valid(64, -64, 1000), 0);
  EXPECT_EQ(valid(64, 0, -5), 0);
  EXPECT_EQ(valid(64, INT64_MIN, INT64_MAX), 0);
  EXPECT_EQ(valid(64, INT64_MAX, INT64_MAX), 0);
  // By enumeration.
  for (int64_t size : {1, 2, 7})
    for (int64_t offset = -9; offset <= 9; ++offset)
      for (int64_t extent = -1; extent <= 12; ++extent) {
        int64_t inside = 0;
        for (int64_t i = 0; i < size; ++i)
          inside += offset + i >= 0 && offset + i < extent;
        EXPECT_EQ(valid(size, offset, extent), inside)
            << size << " " << offset << " " << extent;
      }
}

TEST(Footprint, SpansBeyond64Bits) {
  int64_t shape[] = {2, 2};
  for (int64_t stride : {INT64_MAX, INT64_MIN}) {
    int64_t strides[] = {stride, 1};
    StridedTile tile{shape, strides, 1};
    EXPECT_EQ(getSpanBytes(tile), std::nullopt);
    EXPECT_EQ(getGranuleBytes(tile), std::nullopt);
  }
}

} // namespace
