//===- PartUnits.h - what parts should be multiples of ----------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_AUTOTILE_PARTUNITS_H
#define SPINE_TRITON_TRANSFORMS_AUTOTILE_PARTUNITS_H

#include "spine-triton/Analysis/TileAxes.h"

namespace mlir::spine {

/// Vectors and matrix units of a target: the numbers of elements that parts of
/// tiles fill them with.
class PartUnits {
public:
  /// 0: not known.
  void setVectorBits(int64_t bits) { vectorBits = bits; }

  /// Each text is a type of elements and M, K and N, such as `i8:8x16x8`. Fails
  /// on any other, which it names in `wrong`.
  LogicalResult setMatrixUnits(ArrayRef<std::string> texts, std::string &wrong);

  /// The elements of a part of the axis that fill a vector with the widest
  /// elements loaded or stored along it, and the matrix unit of each product
  /// that it is a dimension of. A power of two; 1 if nothing is preferred.
  int64_t getUnit(Operation *function, const TileAxes &axes,
                  unsigned axis) const;

private:
  struct MatrixUnit {
    std::string element;
    int64_t m, k, n;
  };

  int64_t getLanes(Operation *op, const TileAxes &axes, unsigned axis) const;
  int64_t getMatrixSize(Operation *op, const TileAxes &axes,
                        unsigned axis) const;

  int64_t vectorBits = 0;
  SmallVector<MatrixUnit> units;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_AUTOTILE_PARTUNITS_H
