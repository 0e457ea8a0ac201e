//===- Pointers.cpp - tensors and arrays to kernel arguments --------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include <utility>

namespace nb = nanobind;
using namespace spine::python;

namespace {

/// How the objects of a Python type give their address.
struct TypeTraits {
  enum class Kind { DataPtr, Buffer, ArrayInterface, Unknown };

  Kind kind = Kind::Unknown;
  /// Has `is_cpu`, false for memory that this process cannot read.
  bool hasIsCpu = false;
  /// Has `untyped_storage()`.
  bool hasStorage = false;
};

/// Names that are looked up in every launch, made once.
struct Names {
  nb::object dataPtr = intern("data_ptr");
  nb::object isCpu = intern("is_cpu");
  nb::object untypedStorage = intern("untyped_storage");
  nb::object nbytes = intern("nbytes");
  nb::object base = intern("base");
  nb::object obj = intern("obj");
  nb::object arrayInterface = intern("__array_interface__");

  static nb::object intern(const char *name) {
    return nb::steal(PyUnicode_InternFromString(name));
  }

  static const Names &get() {
    static const Names *names = new Names;
    return *names;
  }
};

} // namespace

static nb::object callMethod(nb::handle object, const nb::object &name) {
  PyObject *arguments[] = {object.ptr()};
  PyObject *result = PyObject_VectorcallMethod(
      name.ptr(), arguments, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  if (!result)
    throw nb::python_error();
  return nb::steal(result);
}

/// The attribute, or an invalid object if there is none.
static nb::object getAttribute(nb::handle object, const nb::object &name) {
  PyObject *result = PyObject_GetAttr(object.ptr(), name.ptr());
  if (!result) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
      throw nb::python_error();
    PyErr_Clear();
  }
  return nb::steal(result);
}

static uint64_t toAddress(nb::handle value) {
  unsigned long long address = PyLong_AsUnsignedLongLong(value.ptr());
  if (address == static_cast<unsigned long long>(-1) && PyErr_Occurred())
    throw nb::python_error();
  return address;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static TypeTraits inspect(nb::handle object) {
  TypeTraits traits;
  if (PyObject_HasAttr(object.ptr(), Names::get().dataPtr.ptr())) {
    traits.kind = TypeTraits::Kind::DataPtr;
    traits.hasIsCpu = PyObject_HasAttr(object.ptr(), Names::get().isCpu.ptr());
    traits.hasStorage =
        PyObject_HasAttr(object.ptr(), Names::get().untypedStorage.ptr());
  } else if (PyObject_CheckBuffer(object.ptr())) {
    traits.kind = TypeTraits::Kind::Buffer;
  } else if (PyObject_HasAttr(object.ptr(),
                              Names::get().arrayInterface.ptr())) {
    traits.kind = TypeTraits::Kind::ArrayInterface;
  }
  return traits;
}

/// A program has few types of tensors, and looking for attributes that are not
/// there is slow.
static TypeTraits getTraits(nb::handle object) {
  static auto *known = new std::vector<std::pair<nb::object, TypeTraits>>;
  PyObject *type = object.type().ptr();
  for (auto &[knownType, traits] : *known)
    if (knownType.ptr() == type)
      return traits;
  if (known->size() >= 64)
    known->clear(); // types made at run time would pile up
  known->emplace_back(nb::borrow(type), inspect(object));
  return known->back().second;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

namespace {

/// A view of an object's memory by the buffer protocol.
class Buffer {
public:
  explicit Buffer(nb::handle object) {
    valid = PyObject_GetBuffer(object.ptr(), &view, PyBUF_STRIDES) == 0;
    if (!valid)
      PyErr_Clear();
  }
  ~Buffer() {
    if (valid)
      PyBuffer_Release(&view);
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  bool isValid() const { return valid; }
  uint64_t getAddress() const { return reinterpret_cast<uint64_t>(view.buf); }

  /// The bytes that the elements lie in. Strides may be negative.
  MemoryRange getRange() const {
    uintptr_t begin = getAddress(), end = begin + view.itemsize - 1;
    if (view.len == 0)
      return MemoryRange::none();
    for (int i = 0; view.strides && i < view.ndim; ++i) {
      Py_ssize_t reach = (view.shape[i] - 1) * view.strides[i];
      (reach < 0 ? begin : end) += reach;
    }
    if (!view.strides)
      end = begin + view.len - 1;
    return {begin, end, false};
  }

private:
  Py_buffer view;
  bool valid = false;
};

} // namespace

/// Element types that the buffer protocol has no letter for are described by
/// `__array_interface__` only.
static bool readArrayInterface(nb::handle object, uint64_t &address) {
  nb::object description = getAttribute(object, Names::get().arrayInterface);
  if (!description.is_valid() || !PyDict_Check(description.ptr()))
    return false;
  PyObject *data = PyDict_GetItemString(description.ptr(), "data");
  if (!data || !PyTuple_Check(data) || PyTuple_Size(data) < 1)
    return false;
  address = toAddress(PyTuple_GetItem(data, 0));
  return true;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static std::string describe(const ArgumentType &type, size_t index) {
  return "argument " + std::to_string(index) + " (" + type.name + ")";
}

[[noreturn]] static void raiseType(const ArgumentType &type, nb::handle value,
                                   size_t index) {
  throw nb::type_error(
      (describe(type, index) +
       " must be a tensor, an array, an address or None, not " +
       nb::cast<std::string>(nb::str(value.type().attr("__name__"))))
          .c_str());
}

static uint64_t getDataPtr(const ArgumentType &type, nb::handle value,
                           size_t index, const TypeTraits &traits) {
  if (traits.hasIsCpu) {
    nb::object isCpu = getAttribute(value, Names::get().isCpu);
    if (isCpu.is_valid() && isCpu.ptr() == Py_False)
      throw nb::value_error((describe(type, index) +
                             " is a tensor of another device; kernels of "
                             "this backend read the CPU's memory")
                                .c_str());
  }
  return toAddress(callMethod(value, Names::get().dataPtr));
}

uint64_t spine::python::convertPointer(const ArgumentType &type,
                                       nb::handle value, size_t index) {
  if (value.is_none())
    return 0;
  if (PyLong_Check(value.ptr()))
    return toAddress(value);
  TypeTraits traits = getTraits(value);
  if (traits.kind == TypeTraits::Kind::DataPtr)
    return getDataPtr(type, value, index, traits);
  if (traits.kind == TypeTraits::Kind::Buffer) {
    Buffer buffer(value);
    if (buffer.isValid())
      return buffer.getAddress();
  }
  uint64_t address = 0;
  if (traits.kind == TypeTraits::Kind::Unknown ||
      !readArrayInterface(value, address))
    raiseType(type, value, index);
  return address;
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

/// The object that owns the memory of an array: views refer to what they are a
/// view of.
static nb::object findOwner(nb::handle array) {
  nb::object owner = nb::borrow(array);
  // The limit is for objects that refer to each other.
  for (unsigned i = 0; i < 100; ++i) {
    const nb::object &name =
        PyMemoryView_Check(owner.ptr()) ? Names::get().obj : Names::get().base;
    nb::object next = getAttribute(owner, name);
    if (!next.is_valid() || next.is_none())
      break;
    owner = next;
  }
  return owner;
}

static MemoryRange getTensorStorage(nb::handle tensor) {
  nb::object storage = callMethod(tensor, Names::get().untypedStorage);
  uint64_t begin = toAddress(callMethod(storage, Names::get().dataPtr));
  uint64_t bytes = toAddress(callMethod(storage, Names::get().nbytes));
  if (bytes == 0)
    return MemoryRange::none();
  return {begin, begin + bytes - 1, false};
}

MemoryRange spine::python::getStorage(nb::handle value) {
  if (value.is_none())
    return MemoryRange::none();
  if (PyLong_Check(value.ptr()))
    return {};
  TypeTraits traits = getTraits(value);
  if (traits.hasStorage)
    return getTensorStorage(value);
  if (traits.kind == TypeTraits::Kind::DataPtr) {
    // Triton's own wrapper of a tensor with another element type.
    nb::object base = getAttribute(value, Names::get().base);
    if (base.is_valid() && !base.is_none() && getTraits(base).hasStorage)
      return getTensorStorage(base);
    return {};
  }
  Buffer buffer(findOwner(value));
  return buffer.isValid() ? buffer.getRange() : MemoryRange();
}
