//===- RebaseTensorPtr.h - block pointers made at their uses ----*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_REBASETENSORPTR_H
#define SPINE_TRITON_TRANSFORMS_REBASETENSORPTR_H

#include "mlir/IR/Operation.h"

namespace mlir::spine {

struct RebaseCounts {
  unsigned rebased = 0;   ///< tt.make_tensor_ptr ops
  unsigned leftAlone = 0; ///< of these, ones that cannot be followed
  unsigned carried = 0;   ///< pointers that control flow no longer hands on
};

/// What spine-rebase-tensor-ptr does to one function. With `remarks` it says
/// which block pointers are left alone.
RebaseCounts rebaseTensorPointers(Operation *function, bool remarks = true);

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_REBASETENSORPTR_H
