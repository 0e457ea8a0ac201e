//===- TileWindow.h - a block pointer that describes one tile ---*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_TILEWINDOW_H
#define SPINE_TRITON_TRANSFORMS_TILEWINDOW_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::spine {

/// What a block pointer says: per dimension i64 extents, strides and offsets.
struct PointerDescription {
  Value base;
  SmallVector<Value> extents;
  SmallVector<Value> strides;
  SmallVector<Value> offsets;
};

/// Emits the description of the same accesses whose base lies at the tile and
/// whose extents are those of the tile. For a dimension of the tile with size
/// t, offset o, extent e and stride s:
///
///     r = clamp(o, -t, 0)        what of the tile lies before the tensor
///     base += (o - r) * s
///     offset = r
///     extent = clamp(e - max(o, 0), 0, t + r)
///
/// Where `checked` is false no element is ever left out, so r is 0 and the
/// extent t: the address is the same. All of it in 64 bits. The offsets of the
/// result are i32 (they fit).
PointerDescription emitTileWindow(OpBuilder &builder, Location loc,
                                  const PointerDescription &pointer,
                                  ArrayRef<int64_t> tile,
                                  const llvm::SmallBitVector &checked);

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_TILEWINDOW_H
