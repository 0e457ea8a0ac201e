//===- Arguments.h - Python objects to kernel arguments ---------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_PYTHON_ARGUMENTS_H
#define SPINE_TRITON_PYTHON_ARGUMENTS_H

#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <string>
#include <vector>

namespace spine::python {

/// The type of one argument.
struct ArgumentType {
  enum class Kind { Pointer, Signed, Unsigned, Float };

  Kind kind = Kind::Signed;
  unsigned bits = 0;
  /// A 16-bit float with the exponent of fp32.
  bool isBFloat = false;
  /// As Triton spells it.
  std::string name;
  /// Bytes of an element behind a pointer, 1 if its type is not known.
  unsigned elementBytes = 1;

  /// Raises ValueError if there is no such type.
  static ArgumentType parse(const std::string &name);
};

/// Bytes that an argument's memory may reach, both ends included; the whole
/// address space if that is not known, and nothing for a null pointer.
struct MemoryRange {
  uintptr_t begin = 0;
  uintptr_t end = UINTPTR_MAX;
  bool isEmpty = false;

  static MemoryRange none() { return {0, 0, true}; }

  bool overlaps(const MemoryRange &other) const {
    return !isEmpty && !other.isEmpty && begin <= other.end &&
           other.begin <= end;
  }
};

/// The value of a number, as it lies in an argument's slot. Raises TypeError or
/// OverflowError.
uint64_t convertNumber(const ArgumentType &type, nanobind::handle value,
                       size_t index);

/// The address of a pointer argument. Raises TypeError.
uint64_t convertPointer(const ArgumentType &type, nanobind::handle value,
                        size_t index);

/// The memory of a pointer argument: all of its storage, of which the argument
/// itself may be a part.
MemoryRange getStorage(nanobind::handle value);

} // namespace spine::python

#endif // SPINE_TRITON_PYTHON_ARGUMENTS_H
