//===- ArenaLayoutTest.cpp - places of buffers in one arena ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/ArenaLayout.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir::spine;

namespace {

struct Life {
  int begin, end;
  bool overlaps(const Life &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

TEST(ArenaLayout, ReusesWhatIsFree) {
  Life lives[] = {{0, 1}, {0, 3}, {2, 3}};
  auto overlap = [&](unsigned a, unsigned b) {
    return lives[a].overlaps(lives[b]);
  };
  ArenaBuffer buffers[] = {{100, 1}, {50, 1}, {100, 1}};
  ArenaLayout layout = layOutArena(buffers, overlap, 150);
  EXPECT_EQ(layout.bytes, 150);
  EXPECT_EQ(layout.offsets[0], layout.offsets[2]);
  EXPECT_EQ(layOutArena({}, overlap, 0).bytes, 0);
}

/// Largest first leaves a gap here that another order does not.
TEST(ArenaLayout, TriesOtherOrders) {
  Life lives[] = {{0, 1}, {1, 2}, {2, 4}, {4, 4}, {0, 0}};
  auto overlap = [&](unsigned a, unsigned b) {
    return lives[a].overlaps(lives[b]);
  };
  ArenaBuffer buffers[] = {{3, 1}, {4, 1}, {3, 1}, {5, 1}, {5, 1}};
  ArenaLayout layout = layOutArena(buffers, overlap, 8);
  EXPECT_EQ(layout.bytes, 8);
}

TEST(ArenaLayout, RandomBuffers) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<ArenaBuffer> buffers;
    std::vector<Life> lives;
    for (int count = random() % 12; count > 0; --count) {
      buffers.push_back(
          {static_cast<int64_t>(random() % 500), int64_t(1) << random() % 8});
      int begin = random() % 20;
      lives.push_back({begin, begin + static_cast<int>(random() % 6)});
    }
    auto overlap = [&](unsigned a, unsigned b) {
      return lives[a].overlaps(lives[b]);
    };
    ArenaLayout layout = layOutArena(buffers, overlap, 0);
    int64_t end = 0;
    for (unsigned a = 0; a < buffers.size(); ++a) {
      int64_t from = layout.offsets[a], to = from + buffers[a].bytes;
      EXPECT_GE(from, 0);
      EXPECT_EQ(from % buffers[a].alignment, 0);
      end = std::max(end, to);
      for (unsigned b = 0; b < a; ++b) {
        if (overlap(a, b) && buffers[a].bytes != 0 && buffers[b].bytes != 0) {
          EXPECT_TRUE(to <= layout.offsets[b] ||
                      layout.offsets[b] + buffers[b].bytes <= from);
        }
      }
    }
    EXPECT_EQ(layout.bytes, end);
  }
}

} // namespace
