//===- Arena.cpp - scratch memory of one worker ---------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Arena.h"
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

using namespace spine::rt;

void Arena::lend(void *memory, size_t bytes) {
  lent = memory;
  lentBytes = memory ? bytes : 0;
  usesLent = false;
}

bool Arena::reserve(size_t bytes) {
  usesLent = lent && bytes <= lentBytes;
  if (usesLent || bytes <= capacity)
    return true;
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (page < kAlignment)
    page = kAlignment;
  if (bytes > SIZE_MAX / 2)
    return false;
  size_t rounded = (bytes + page - 1) / page * page;
  void *memory = mmap(nullptr, rounded + page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  // The guard page is a help, not a need: go on if it cannot be had.
  (void)mprotect(static_cast<char *>(memory) + rounded, page, PROT_NONE);
  release();
  base = memory;
  capacity = rounded;
  mapped = rounded + page;
  return true;
}

void Arena::release() {
  if (base)
    munmap(base, mapped);
  base = nullptr;
  capacity = mapped = 0;
}
