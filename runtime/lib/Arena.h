//===- Arena.h - scratch memory of one worker -------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_ARENA_H
#define SPINE_RUNTIME_ARENA_H

#include <cstddef>

namespace spine::rt {

/// Scratch memory that grows and never shrinks. Pages are touched first by the
/// worker that uses them. An inaccessible page behind the last one makes a
/// kernel that leaves its arena fault instead of damaging other memory.
class Arena {
public:
  static constexpr size_t kAlignment = 4096;

  Arena() = default;
  ~Arena() { release(); }
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// Makes room for `bytes`; the contents are lost if it has to grow. Returns
  /// false if there is no memory.
  bool reserve(size_t bytes);

  /// Uses memory of somebody else's, aligned like its own, where that is large
  /// enough; null ends that.
  void lend(void *memory, size_t bytes);

  void *data() const { return usesLent ? lent : base; }
  size_t size() const { return usesLent ? lentBytes : capacity; }

private:
  void release();

  void *lent = nullptr;
  size_t lentBytes = 0;
  bool usesLent = false;
  void *base = nullptr;
  size_t capacity = 0;
  size_t mapped = 0;
};

} // namespace spine::rt

#endif // SPINE_RUNTIME_ARENA_H
