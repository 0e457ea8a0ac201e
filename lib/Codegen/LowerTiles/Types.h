//===- Types.h - questions about types and constants ------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_LIB_CODEGEN_LOWERTILES_TYPES_H
#define SPINE_TRITON_LIB_CODEGEN_LOWERTILES_TYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::spine {

/// The tile that a block pointer addresses; null for other types.
RankedTensorType blockType(Type type);

/// Bytes of an element in memory. An i1 takes one, an address eight.
unsigned byteWidth(Type type);

/// `element`, or a vector of it with the shape of `like` if that is a vector.
/// Pointers are i64 addresses.
Type withElement(Type like, Type element);

/// The number if the value is a constant integer.
std::optional<int64_t> constantOf(Value value);
bool isConstantValue(Value value, int64_t number);

/// Are all elements of the tile the constant zero?
bool isZeroTile(Value tile);

/// May `user` take over the buffer of `tile`? Nobody else reads the tile, and
/// its bytes are its own: a changed shape is a view of another tile's.
bool mayTakeOver(Value tile, Operation *user);

} // namespace mlir::spine

#endif // SPINE_TRITON_LIB_CODEGEN_LOWERTILES_TYPES_H
