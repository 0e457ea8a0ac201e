//===- Tcm.h - blocks of a board's fast memory ------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_TCM_H
#define SPINE_RUNTIME_TCM_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace spine::rt {

/// SpacemiT's library for the tightly coupled memory of AI cores, opened at run
/// time: a machine without it is no problem.
class Tcm {
public:
  /// Null, with the reason, if the library or the memory is not there.
  static std::unique_ptr<Tcm> open(const std::string &library,
                                   std::string &problem);
  ~Tcm();
  Tcm(const Tcm &) = delete;
  Tcm &operator=(const Tcm &) = delete;

  size_t getNumBlocks() const { return numBlocks; }
  size_t getBlockBytes() const { return blockBytes; }
  std::string getVersion() const;

  /// Whether a core may use a block: those of another cluster are far away.
  bool isNear(unsigned block, unsigned core) const;
  /// The block's memory for this process alone, or null.
  void *acquire(unsigned block);
  void release(unsigned block);

private:
  struct Functions;
  Tcm();

  void *library = nullptr;
  std::unique_ptr<Functions> functions;
  size_t numBlocks = 0;
  size_t blockBytes = 0;
};

} // namespace spine::rt

#endif // SPINE_RUNTIME_TCM_H
