//===- ImageBindings.cpp - linking for a runner ---------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "spine-triton/Target/ImageLinker.h"
#include <map>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using mlir::spine::ImageFunction;
using mlir::spine::ImageSegment;
using mlir::spine::LinkedImage;

static LinkedImage linkKernel(nb::bytes object, const std::string &name,
                              uint64_t address,
                              const std::map<std::string, uint64_t> &symbols) {
  LinkedImage image;
  std::string problem;
  {
    nb::gil_scoped_release release;
    llvm::StringMap<uint64_t> table;
    for (const auto &[symbol, where] : symbols)
      table[symbol] = where;
    llvm::StringRef bytes(static_cast<const char *>(object.data()),
                          object.size());
    if (llvm::Error error =
            mlir::spine::linkImage(bytes, name, address, table).moveInto(image))
      problem = llvm::toString(std::move(error));
  }
  if (!problem.empty())
    spine::python::raise(problem);
  return image;
}

/// As `PROT_READ | PROT_WRITE | PROT_EXEC`.
static unsigned getProtection(const ImageSegment &segment) {
  return (segment.readable ? 1u : 0u) | (segment.writable ? 2u : 0u) |
         (segment.executable ? 4u : 0u);
}

static nb::list getSegments(const LinkedImage &image) {
  nb::list result;
  for (const ImageSegment &segment : image.segments)
    result.append(nb::make_tuple(
        segment.address,
        nb::bytes(segment.contents.data(), segment.contents.size()),
        segment.memoryBytes, getProtection(segment)));
  return result;
}

static nb::list getFunctions(const LinkedImage &image) {
  nb::list result;
  for (const ImageFunction &function : image.functions)
    result.append(
        nb::make_tuple(function.name, function.address, function.bytes));
  return result;
}

void spine::python::addImageLinker(nb::module_ &module) {
  nb::class_<LinkedImage>(module, "LinkedImage",
                          "Machine code linked for another process.")
      .def_prop_ro("segments", &getSegments)
      .def_prop_ro("functions", &getFunctions)
      .def_ro("bytes", &LinkedImage::bytes)
      .def_ro("function", &LinkedImage::function)
      .def_ro("may_alias_function", &LinkedImage::mayAliasFunction)
      .def_ro("arena_bytes", &LinkedImage::arenaBytes)
      .def_ro("kept_at", &LinkedImage::keptAt);
  module.def("link", &linkKernel, "obj"_a, "kernel_name"_a, "address"_a,
             "symbols"_a,
             "Links an object as if it lay at an address of another process.");
}
