//===- Attributes.h - numbers in dictionary attributes ----------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_SUPPORT_ATTRIBUTES_H
#define SPINE_TRITON_SUPPORT_ATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include <optional>

namespace mlir::spine {

/// The integer that a dictionary, such as a plan's tile, has under `name`.
inline std::optional<int64_t> findNumber(DictionaryAttr facts, StringRef name) {
  auto number = facts.getAs<IntegerAttr>(name);
  return number ? std::optional(number.getInt()) : std::nullopt;
}

/// The same; 0 if there is none.
inline int64_t getNumber(DictionaryAttr facts, StringRef name) {
  return findNumber(facts, name).value_or(0);
}

} // namespace mlir::spine

#endif // SPINE_TRITON_SUPPORT_ATTRIBUTES_H
