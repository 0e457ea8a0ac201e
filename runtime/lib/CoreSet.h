//===- CoreSet.h - cores for a pool's workers -------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_CORESET_H
#define SPINE_RUNTIME_CORESET_H

#include "Arena.h"
#include <string>

namespace spine::rt {

/// Cores that the workers of a pool have to themselves.
class CoreSet {
public:
  virtual ~CoreSet() = default;

  /// Number of cores, and so of workers.
  virtual unsigned size() const = 0;

  /// Called by a worker before anything else. Moves it to core `index` and may
  /// lend its arena memory. Returns what went wrong, or an empty text.
  virtual std::string enter(unsigned index, Arena &arena) = 0;

  /// Called by the worker before it ends, if it has entered.
  virtual void leave(unsigned index, Arena &arena) = 0;
};

} // namespace spine::rt

#endif // SPINE_RUNTIME_CORESET_H
