//===- Numbers.cpp - Python numbers to kernel arguments -------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "spine-runtime/Float16.h"
#include <cstring>

namespace nb = nanobind;
using namespace spine::python;

ArgumentType ArgumentType::parse(const std::string &name) {
  struct Entry {
    const char *name;
    Kind kind;
    unsigned bits;
  };
  static constexpr Entry entries[] = {
      {"i1", Kind::Unsigned, 1}, {"u1", Kind::Unsigned, 1},
      {"i8", Kind::Signed, 8},   {"u8", Kind::Unsigned, 8},
      {"i16", Kind::Signed, 16}, {"u16", Kind::Unsigned, 16},
      {"i32", Kind::Signed, 32}, {"u32", Kind::Unsigned, 32},
      {"i64", Kind::Signed, 64}, {"u64", Kind::Unsigned, 64},
      {"fp16", Kind::Float, 16}, {"bf16", Kind::Float, 16},
      {"fp32", Kind::Float, 32}, {"f32", Kind::Float, 32},
      {"fp64", Kind::Float, 64}, {"f64", Kind::Float, 64},
  };
  ArgumentType type;
  type.name = name;
  if (!name.empty() && name[0] == '*') {
    type.kind = Kind::Pointer;
    type.bits = 64;
    for (const Entry &entry : entries)
      if (name.compare(1, std::string::npos, entry.name) == 0)
        type.elementBytes = (entry.bits + 7) / 8;
    if (name.compare(0, 2, "**") == 0)
      type.elementBytes = 8;
    return type;
  }
  for (const Entry &entry : entries)
    if (name == entry.name) {
      type.kind = entry.kind;
      type.bits = entry.bits;
      type.isBFloat = name == "bf16";
      return type;
    }
  throw nb::value_error(("arguments of type '" + name +
                         "' are not supported; there are pointers (*fp32), i1, "
                         "i8 to i64, u8 to u64, fp16, bf16, fp32 and fp64")
                            .c_str());
}

static std::string describe(const ArgumentType &type, size_t index) {
  return "argument " + std::to_string(index) + " (" + type.name + ")";
}

[[noreturn]] static void raiseOverflow(const ArgumentType &type, size_t index) {
  PyErr_SetString(PyExc_OverflowError,
                  (describe(type, index) + " does not fit its type").c_str());
  throw nb::python_error();
}

/// Turns the error that Python raised into one that names the argument.
[[noreturn]] static void raiseConversion(const ArgumentType &type,
                                         nb::handle value, size_t index,
                                         const char *wanted) {
  if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
    PyErr_Clear();
    raiseOverflow(type, index);
  }
  if (!PyErr_ExceptionMatches(PyExc_TypeError))
    throw nb::python_error();
  PyErr_Clear();
  throw nb::type_error(
      (describe(type, index) + " must be " + wanted + ", not " +
       nb::cast<std::string>(nb::str(value.type().attr("__name__"))))
          .c_str());
}

static uint64_t convertFloat(const ArgumentType &type, nb::handle value,
                             size_t index) {
  double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred())
    raiseConversion(type, value, index, "a number");
  uint64_t slot = 0;
  if (type.bits == 64) {
    std::memcpy(&slot, &number, sizeof(number));
  } else if (type.bits == 32) {
    auto single = static_cast<float>(number);
    std::memcpy(&slot, &single, sizeof(single));
  } else {
    slot = type.isBFloat ? spine::rt::roundToBFloat(number)
                         : spine::rt::roundToHalf(number);
  }
  return slot;
}

static uint64_t convertSigned(const ArgumentType &type, nb::handle value,
                              size_t index) {
  long long number = PyLong_AsLongLong(value.ptr());
  if (number == -1 && PyErr_Occurred())
    raiseConversion(type, value, index, "an integer");
  long long limit = type.bits == 64 ? 0 : 1LL << (type.bits - 1);
  if (limit && (number < -limit || number >= limit))
    raiseOverflow(type, index);
  return static_cast<uint64_t>(number);
}

static uint64_t convertUnsigned(const ArgumentType &type, nb::handle value,
                                size_t index) {
  unsigned long long number = PyLong_AsUnsignedLongLong(value.ptr());
  if (number == static_cast<unsigned long long>(-1) && PyErr_Occurred())
    raiseConversion(type, value, index, "an integer");
  if (type.bits < 64 && number >> type.bits)
    raiseOverflow(type, index);
  return number;
}

/// NumPy's truth values are no integers to Python.
static bool isTruthValue(nb::handle value) {
  auto name = nb::cast<std::string>(nb::str(value.type().attr("__name__")));
  return name == "bool" || name == "bool_";
}

uint64_t spine::python::convertNumber(const ArgumentType &type,
                                      nb::handle value, size_t index) {
  if (type.kind == ArgumentType::Kind::Float)
    return convertFloat(type, value, index);
  nb::object integer;
  // NumPy's integers and others that behave as integers; floats do not.
  if (!PyLong_Check(value.ptr())) {
    integer = nb::steal(type.bits == 1 && isTruthValue(value)
                            ? PyNumber_Long(value.ptr())
                            : PyNumber_Index(value.ptr()));
    if (!integer.is_valid())
      raiseConversion(type, value, index, "an integer");
    value = integer;
  }
  return type.kind == ArgumentType::Kind::Signed
             ? convertSigned(type, value, index)
             : convertUnsigned(type, value, index);
}
