//===- PerProcess.h - objects that a fork does not share --------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_PERPROCESS_H
#define SPINE_RUNTIME_PERPROCESS_H

#include <atomic>
#include <pthread.h>

namespace spine::rt {

/// The `T` of this process. The one of the parent process is left alone in a
/// child: its threads are gone and its locks may be held by them. Never
/// destroyed, so that it outlives every thread that may launch while the
/// process exits.
template <typename T> class PerProcess {
public:
  static T &get() {
    if (T *object = current.load(std::memory_order_acquire))
      return *object;
    static const bool handlerInstalled = [] {
      pthread_atfork(nullptr, nullptr, [] { current.store(nullptr); });
      return true;
    }();
    (void)handlerInstalled;
    auto *fresh = new T();
    T *expected = nullptr;
    if (current.compare_exchange_strong(expected, fresh))
      return *fresh;
    delete fresh;
    return *expected;
  }

private:
  static inline std::atomic<T *> current{nullptr};
};

} // namespace spine::rt

#endif // SPINE_RUNTIME_PERPROCESS_H
