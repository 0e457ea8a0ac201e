//===- TileAxesBuilder.h - rules by which axes are found --------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_TILEAXES_TILEAXESBUILDER_H
#define SPINE_TRITON_ANALYSIS_TILEAXES_TILEAXESBUILDER_H

#include "spine-triton/Analysis/TileAxes.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

namespace mlir::spine {

/// Fills in a TileAxes: one rule per kind of operation.
class TileAxesBuilder {
public:
  TileAxesBuilder(TileAxes &axes, Operation *function)
      : result(axes), function(function) {}

  void run();

private:
  /// A tile where it is made, or where it is used.
  struct Place {
    const void *key;
    Value tile;
    Operation *op; ///< the operation that takes or gives the tile here
  };

  Place placeOf(Value value);
  Place placeOf(OpOperand &use);
  unsigned getRank(Place place) const;
  std::optional<unsigned> getNode(Place place, unsigned dim);
  void link(Place a, unsigned dimA, Place b, unsigned dimB);
  void linkAll(Place a, Place b);
  void block(Place place, unsigned dim, const Twine &reason);
  void block(Operation *op, const Twine &reason);

  void visitUses(Operation *op);
  void visitMerges(Operation *op);
  void visit(Operation *op);
  void visitElementwise(Operation *op);
  void visitStore(triton::StoreOp op);
  void visitExpandDims(triton::ExpandDimsOp op);
  void visitTrans(triton::TransOp op);
  void visitBroadcast(triton::BroadcastOp op);
  void visitReshape(triton::ReshapeOp op);
  void visitJoin(triton::JoinOp op);
  void visitSplit(triton::SplitOp op);
  void visitAlongAxis(Operation *op, unsigned axis, bool reduces);
  void visitGather(triton::GatherOp op);
  void visitDot(triton::DotOp op);

  void number();
  void collectFacts(ArrayRef<unsigned> axisOfNode);
  void findRepeated(ArrayRef<unsigned> axisOfNode);

  struct Node {
    Place place;
    unsigned dim;
  };
  struct Note {
    unsigned node;
    Location loc;
    std::string reason;
  };

  TileAxes &result;
  Operation *function;
  std::vector<Node> nodes;
  std::vector<std::pair<unsigned, unsigned>> links;
  std::vector<Note> notes;
  std::vector<std::pair<unsigned, Operation *>> reducers, writers;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_TILEAXES_TILEAXESBUILDER_H
