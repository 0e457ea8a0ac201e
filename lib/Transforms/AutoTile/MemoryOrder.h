//===- MemoryOrder.h - may loads and stores change places -------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_AUTOTILE_MEMORYORDER_H
#define SPINE_TRITON_TRANSFORMS_AUTOTILE_MEMORYORDER_H

#include "LoopPlan.h"
#include "TileAddress.h"

namespace mlir::spine {

/// Decides whether the loops of a plan may execute loads and stores in another
/// order than the program. Two accesses may touch the same memory if they go
/// through the same argument, or if the origin of an address is not known,
/// unless their addresses show that they do not. What depends on numbers that a
/// launch knows, or on where its arguments lie, becomes a condition for it.
class MemoryOrder {
public:
  MemoryOrder(const LoopPlan &plan, const TileAxes &axes, unsigned axis);

  /// Why the loops would change what the program does; none if they do not.
  std::optional<TileAxes::Obstacle> check();

  /// What has to hold for that at a launch.
  ArrayRef<OverlapCondition> getConditions() const { return conditions; }

private:
  using Roots = llvm::SmallPtrSet<Value, 4>;
  /// Whether a variable has one value for both accesses of a pair.
  using IsShared = llvm::function_ref<bool(Value)>;
  using Axis = std::optional<std::pair<unsigned, unsigned>>;

  std::optional<TileAxes::Obstacle> check(const TileLoop &loop);
  std::optional<TileAxes::Obstacle> checkRereads(const TileLoop &loop,
                                                 Operation *member);
  std::optional<TileAxes::Obstacle>
  checkPair(const TileLoop &loop, Operation *write, Operation *other);
  /// With an axis: whether only elements at one place of it share memory.
  bool areApart(Operation *write, Operation *other, Axis axis,
                IsShared isShared);
  bool areApartIn(Operation *write, Operation *other, Axis axis,
                  IsShared isShared, bool hasArgument);
  void assumeApart(Operation *write, Operation *other, Axis axis,
                   IsShared isShared);
  bool isStoredInOrder(Operation *write, const TileLoop &loop);

  OverlapCondition describePair(Operation *write, Operation *other, Axis axis);
  bool addAddresses(OverlapCondition &condition, Operation *write,
                    Operation *other, IsShared isShared);
  std::string explain(Operation *write, Operation *other);

  Axis getAxis(Operation *write, Operation *other) const;
  const Roots &getRoots(Operation *access);

  const LoopPlan &plan;
  const TileAxes &axes;
  unsigned axis;
  SmallVector<Operation *> writes; ///< all of the function
  llvm::DenseMap<Operation *, Roots> roots;
  TileAddresses addresses;
  std::vector<OverlapCondition> conditions;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_AUTOTILE_MEMORYORDER_H
