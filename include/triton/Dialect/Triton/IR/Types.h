//===- Types.h - types of the tt dialect ------------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_DIALECT_TRITON_IR_TYPES_H_
#define TRITON_DIALECT_TRITON_IR_TYPES_H_

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeSupport.h"
#include "mlir/IR/Types.h"

#define GET_TYPEDEF_CLASSES
#include "triton/Dialect/Triton/IR/Types.h.inc"

namespace mlir::triton {

/// Whether `type` is a pointer to a scalar, to another pointer included.
bool isScalarPointerType(Type type);

/// Whether `type` is a pointer to a tile.
bool isTensorPointerType(Type type);

/// Whether `type` is a tile or a pointer to one.
bool isTensorOrTensorPointerType(Type type);

/// What `type` addresses: the pointee of a pointer, a tile of pointees for a
/// tile of pointers, and `type` itself if it addresses nothing.
Type getPointeeType(Type type);

/// Bits of one element of what `type` addresses; 64 for pointers.
unsigned getPointeeBitWidth(Type type);

/// The element type of the tile that `type` points to.
Type getElementTypeOfTensorPointerType(Type type);

/// The address space of a pointer or of a tile of pointers; 1 for others.
int getAddressSpace(Type type);

/// A pointer to `type`.
Type getPointerType(Type type, int addressSpace = 1);

/// A pointer to the element type of `type`, which may be a scalar.
Type getPointerTypeToElement(Type type);

/// Pointers to the elements of `type`, in the shape of `type`.
Type getPointerTypeSameShape(Type type);

/// i1, or i32, in the shape of `type`.
Type getI1SameShape(Type type);
Type getI32SameShape(Type type);

/// Reports through `emitError` what is wrong with `tile` as the type of a
/// tile, and fails if anything is: dynamic or zero dimensions, or a size
/// that needs more than 63 bits. Powers of two are the frontend's business:
/// with tiles split automatically it asks for none.
LogicalResult verifyTile(function_ref<InFlightDiagnostic()> emitError,
                         RankedTensorType tile);

} // namespace mlir::triton

#endif // TRITON_DIALECT_TRITON_IR_TYPES_H_
