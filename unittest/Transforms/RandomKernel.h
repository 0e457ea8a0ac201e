//===- RandomKernel.h - kernels made of block pointers ----------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_UNITTEST_TRANSFORMS_RANDOMKERNEL_H
#define SPINE_TRITON_UNITTEST_TRANSFORMS_RANDOMKERNEL_H

#include <random>
#include <string>
#include <vector>

namespace mlir::spine::test {

/// Writes the text of a kernel whose block pointers go through loops,
/// conditionals, blocks, selects and advances at random, with loads and stores
/// strewn in. Arguments: two pointers, six i64 (extents and strides), four i32
/// (offsets and steps), an i32 trip count, and two i1.
class RandomKernel {
public:
  static constexpr unsigned numPointers = 2, numLong = 6, numInt = 4,
                            numFlags = 2;

  explicit RandomKernel(unsigned seed) : random(seed) {}
  std::string write();

private:
  using Names = std::vector<std::string>;

  unsigned pick(unsigned bound) { return random() % bound; }
  std::string fresh() { return "%v" + std::to_string(next++); }
  const std::string &any(const Names &names) {
    return names[pick(names.size())];
  }
  std::string list(unsigned count, const Names &names);
  std::string repeat(const std::string &text, unsigned count);

  void line(const std::string &text) {
    code += std::string(2 * depth, ' ') + text + "\n";
  }
  void statements(Names pointers, unsigned count, Names *visible = nullptr);
  void make(Names &pointers);
  void advance(Names &pointers);
  void select(Names &pointers);
  void access(const Names &pointers);
  void loop(Names &pointers);
  void whileLoop(Names &pointers);
  void branch(Names &pointers);
  void blocks(Names pointers);

  std::mt19937 random;
  std::string code, type, tile;
  Names longs, ints, bases;
  unsigned rank = 0, next = 0, depth = 1;
};

} // namespace mlir::spine::test

#endif // SPINE_TRITON_UNITTEST_TRANSFORMS_RANDOMKERNEL_H
