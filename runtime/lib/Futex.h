//===- Futex.h - sleeping until a word changes ------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_FUTEX_H
#define SPINE_RUNTIME_FUTEX_H

#include <atomic>
#include <climits>
#include <cstdint>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace spine::rt {

/// Sleeps while `word` holds `value`; may return early.
inline void futexWait(std::atomic<uint32_t> &word, uint32_t value) {
  static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAIT_PRIVATE,
          value, nullptr, nullptr, 0);
}

/// Wakes up to `count` threads that sleep on `word`.
inline void futexWake(std::atomic<uint32_t> &word, uint32_t count) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAKE_PRIVATE,
          count > INT_MAX ? INT_MAX : static_cast<int>(count), nullptr, nullptr,
          0);
}

/// Tells the core that this is a waiting loop.
inline void spinPause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__riscv)
  // `pause` as a hint that every core can decode.
  __asm__ volatile(".4byte 0x0100000f");
#endif
}

} // namespace spine::rt

#endif // SPINE_RUNTIME_FUTEX_H
