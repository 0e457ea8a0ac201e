//===- Lowering.h - state of spine-lower-tiles ------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// The lowering builds a new function beside the old one. Scalars are mapped one
// to one; a block pointer becomes its parts; a tile is virtual or a buffer (see
// the pass description). The member functions are spread over several files by
// what they lower.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_LIB_CODEGEN_LOWERTILES_LOWERING_H
#define SPINE_TRITON_LIB_CODEGEN_LOWERTILES_LOWERING_H

#include "Placement.h"
#include "Types.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "spine-triton/Dialect/Spine/IR/Spine.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/Support/SaveAndRestore.h"

namespace mlir::spine {

/// What code generation has to know of the target.
struct VectorTarget {
  unsigned vectorBits = 256;
  unsigned vectorRegisters = 16;
  unsigned alignment = 64;
  /// Rows of a product's left operand to prefetch ahead. Walking through
  /// several rows at once defeats the hardware's own prefetching.
  unsigned prefetchRows = 0;
  /// Elements that a strided load moves per cycle; 0 if the target has no such
  /// instruction.
  unsigned stridedLanes = 0;
  /// 16-bit floats that a multiply-add of fp32 vectors takes as they are.
  bool widensF16 = false;
  bool widensBF16 = false;
  /// Products of bf16, and with them those of fp16, are made by tile
  /// instructions: ProductOnTiles.cpp.
  bool tilesBF16 = false;
  /// The most that a group of iterations packs of a product's right operand.
  int64_t packedBytes = 64 * 1024;
  /// The most that a worker keeps of packed operands while it runs programs of
  /// one launch; 0 if all memory is the arena.
  int64_t keptBytes = 0;

  bool widens(Type type) const {
    return (type.isF16() && widensF16) || (type.isBF16() && widensBF16);
  }
  /// Whether a scalar of the left operand is loaded by an instruction of its
  /// own, as on RISC-V, rather than by the multiply-add.
  bool loadsScalars() const { return stridedLanes != 0; }
  /// Whether an instruction is told how many lanes it is for.
  bool hasVectorLength() const { return stridedLanes != 0; }
  /// Elements of `type` in one vector register.
  int64_t lanesOf(Type type) const;
};

/// A block pointer taken apart. All numbers are i64 values of the new function.
struct BlockPointer {
  Value base;
  SmallVector<Value> shape, strides, offsets;
  SmallVector<int64_t> tile;
  Type elementType;
};

/// A tile in the arena, row-major and dense.
struct Buffer {
  Value pointer;
  Type elementType; ///< As stored: i1 as i8, pointers as i64.
  SmallVector<int64_t> shape;
  int64_t pitch = 0; ///< Elements of a row in memory; 0: as the shape says.
  /// If not 0, columns lie in blocks of so many, which are `blockStride`
  /// elements apart.
  int64_t blockColumns = 0, blockStride = 0;
  /// Packed numbers of fp32 in two parts each: ProductInParts.cpp.
  bool inParts = false;

  int64_t numElements() const;
  /// Elements between two neighbours in dimension `dim`.
  int64_t strideOf(int dim) const;
};

/// The elements of a tile that one step of a loop nest works on: the one at
/// `index`, or `lanes` of them side by side in dimension `dim`.
struct Point {
  SmallVector<Value> index; ///< i64, one per dimension.
  int dim = -1;             ///< -1: a single element.
  int64_t lanes = 1;

  bool isVector() const { return dim >= 0; }
};

/// How a tt.load or tt.store through a block pointer reaches memory.
struct BlockAccess {
  Value origin;                 ///< Address of the tile's first element.
  SmallVector<Value> strides;   ///< In elements.
  SmallVector<Value> low, high; ///< Valid coordinates inside the tile:
                                ///< low <= i < high; null if not checked.
  SmallVector<int64_t> tile;
  Type elementType; ///< In memory.
};

/// The lanes of a vector that an access is for: those of `mask` among the first
/// `count`. Null stands for all.
struct ActiveLanes {
  Value mask = {}, count = {};
};

/// Sizes of a product and of the block of its results that is in registers.
struct Blocking {
  int64_t m, n, k;
  int64_t rows;    ///< Rows of the block.
  int64_t vectors; ///< Vectors per row of the block.
  int64_t lanes;   ///< Elements per vector.
  /// Vectors lie along the columns: the block has `lanes` rows, and one vector
  /// for each of its columns.
  bool alongColumns = false;
  /// Sums are in tiles, one in the place of each column of vectors.
  bool onTiles = false;
  /// The same of operands in two parts each: ProductInParts.cpp.
  bool inParts = false;
  /// What is computed.
  Value product = {};
  /// Rows, a power of two, and columns are exchanged before they are stored.
  bool transposed = false;
  /// Columns of the right operand that are packed side by side: those of one
  /// block or of several.
  int64_t packed = 0;
  /// How many of the blocks packed side by side have one column less.
  int64_t narrowBlocks = 0;
  int64_t columns() const { return alongColumns ? vectors : vectors * lanes; }
  /// Values that hold the sums.
  int64_t numSums() const {
    return alongColumns || onTiles ? vectors : rows * vectors;
  }
  int64_t paddedRows() const { return llvm::divideCeil(m, rows) * rows; }
};

/// Rows of a tile of AMX.
inline constexpr int64_t kTileRows = 16;

/// Groups of columns that make a copy of what could be read in place pay. For
/// fewer, waiting for memory to copy takes longer than reading rows again.
inline constexpr int64_t kManyPanels = 8;

/// The number of steps that reducing the columns of `lhs` takes at least, as
/// far as the source says. A check of boundaries may leave none, which is not
/// expected of deep tiles.
int64_t likelySteps(Value lhs);

/// The dimension of a tile that is loaded in which its elements are contiguous,
/// before the load is lowered; -1 if there is none.
int contiguousDim(Value tile);

/// With `mayOverhang`, the last block of rows may stand over the end of m.
Blocking chooseBlocking(const VectorTarget &target, int64_t m, int64_t n,
                        int64_t k, int64_t likelySteps, Type accumulator,
                        bool mayOverhang, bool onTiles);

/// The blocking whose vectors lie along the columns, if it is cheaper than
/// `other`.
std::optional<Blocking> blockAlongColumns(const VectorTarget &target,
                                          const Blocking &other,
                                          Type accumulator);

/// A float or a vector of them in a wider type, by LLVM's own operation: that
/// of arith is expanded for bf16, and a multiply-add no longer sees it.
Value extendFloat(OpBuilder &b, Location loc, Value value, Type type);

/// lhs * rhs + sum, of floats with one rounding. Floats narrower than the sum's
/// are extended, which is exact.
Value multiplyAdd(OpBuilder &b, Location loc, Value lhs, Value rhs, Value sum);

/// Exchanges the rows and columns of each square in n vectors, n a power of two
/// and at most their length.
void transposeSquares(OpBuilder &b, MutableArrayRef<Value> vectors,
                      Location loc);
/// Row `lane` of the squares after that: n elements.
Value rowOfSquares(OpBuilder &b, ArrayRef<Value> vectors, int64_t lane,
                   Location loc);

/// Says that LLVM shall not unroll a loop. Where a loop is around all others it
/// would look at everything inside of it once more, only to decide that.
void forbidUnrolling(scf::ForOp loop);

class Lowering {
public:
  Lowering(triton::FuncOp source, const VectorTarget &target,
           const Placement &placement, StringRef kernelName, StringRef suffix)
      : source(source), target(target), placement(placement),
        kernelName(kernelName.str()), suffix(suffix.str()),
        b(source.getContext()), isCold(!suffix.empty()) {}

  /// Builds the function after `source`. Emits errors for what it cannot do.
  LogicalResult run();

private:
  // Entry.cpp
  /// The ids of the program that is the `number`th to run.
  void identifyProgram(Value number, ArrayRef<Value> sizes);
  LogicalResult lowerArguments(Value args);

  // Operations.cpp: one operation of the source after the other.
  LogicalResult lowerBlock(Block &block);
  LogicalResult lowerOp(Operation *op);
  LogicalResult lowerTileOp(Operation *op);
  LogicalResult lowerScalarOp(Operation *op);
  LogicalResult lowerMakeTensorPtr(triton::MakeTensorPtrOp op);
  LogicalResult lowerAdvance(triton::AdvanceOp op);
  LogicalResult lowerScalarLoad(triton::LoadOp op);
  LogicalResult lowerScalarStore(triton::StoreOp op);
  LogicalResult lowerSelectOfPointers(arith::SelectOp op);

  // ControlFlow.cpp
  LogicalResult lowerFor(scf::ForOp op);
  LogicalResult lowerIf(scf::IfOp op);
  LogicalResult lowerWhile(scf::WhileOp op);
  LogicalResult lowerIndexSwitch(scf::IndexSwitchOp op);
  /// Appends what stands for `value` between regions: nothing for a tile, the
  /// parts of a block pointer, the lowered scalar otherwise.
  LogicalResult appendCarried(Value value, SmallVectorImpl<Value> &parts);
  void appendCarriedTypes(Type type, SmallVectorImpl<Type> &types);
  LogicalResult appendAllCarried(ValueRange values,
                                 SmallVectorImpl<Value> &parts);
  /// Takes as many values from the front of `parts` as `value` needs.
  void bindCarried(Value value, ValueRange &parts);
  void bindAllCarried(ValueRange values, ValueRange parts);
  /// Makes buffers for the tiles among `values` and binds them.
  void bindNewBuffers(ValueRange values, SmallVectorImpl<Buffer> &made);
  /// Writes the tiles among `values` to `destinations` (one per tile), which
  /// the tiles' own expressions may read.
  void collectReads(Value tile, bool samePlace, DenseMap<Value, bool> &reads);
  LogicalResult startCarriedTiles(Operation *loop, ValueRange inits,
                                  ValueRange arguments,
                                  SmallVectorImpl<Buffer> &carried);
  LogicalResult lowerBranch(Region &from, Region &to, ArrayRef<Buffer> results,
                            Location loc);
  LogicalResult updateBuffers(ValueRange values, ArrayRef<Buffer> destinations,
                              Location loc);

  // Access.cpp
  BlockAccess accessOf(const BlockPointer &pointer, ArrayRef<int32_t> checked,
                       Location loc);
  Value emitLoad(triton::LoadOp op, const Point &point);
  Value emitBlockLoad(triton::LoadOp op, const Point &point);
  Value emitPointerLoad(triton::LoadOp op, const Point &point);
  LogicalResult lowerStore(triton::StoreOp op);
  LogicalResult lowerBlockStore(triton::StoreOp op);
  LogicalResult lowerPointerStore(triton::StoreOp op);
  LogicalResult lowerAtomicRMW(triton::AtomicRMWOp op);
  LogicalResult lowerAtomicCAS(triton::AtomicCASOp op);
  LogicalResult lowerAtomic(Operation *op, Value pointer, Value mask,
                            ValueRange values,
                            function_ref<Value(Value, ValueRange)> one);
  Value areContiguous(Value addresses, Type elementType, Location loc);
  void storeBlockElement(const BlockAccess &access, const Point &point,
                         Value value, Location loc);
  /// Address of the element at `point` (of its first lane).
  Value addressOf(const BlockAccess &access, const Point &point, Location loc);
  /// All elements of the box are inside; null if nothing is checked.
  Value insideOf(const BlockAccess &access, ArrayRef<Value> first,
                 ArrayRef<Value> size, Location loc);
  /// The block accesses that computing `tile` makes.
  void collectAccesses(Value tile, SmallVectorImpl<BlockAccess> &found);
  /// Builds `body` twice: for the case that `inside` holds, without checks of
  /// boundaries, and with them. Once if `inside` is null.
  void buildVersions(Value inside, Location loc, function_ref<void()> body);
  Value allInside(ArrayRef<BlockAccess> accesses, Location loc);
  /// Null if nothing is checked outside of the vector dimension.
  Value insideOtherDims(const BlockAccess &access, const Point &point,
                        Location loc);
  /// True if all lanes are inside in the vector dimension; null if that is not
  /// checked.
  Value allLanesInside(const BlockAccess &access, const Point &point,
                       Location loc);
  /// The active lanes from memory, `padding` in the others.
  Value loadLanes(const BlockAccess &access, const Point &point, Value address,
                  const ActiveLanes &active, Value padding, Location loc);
  void storeLanes(const BlockAccess &access, const Point &point, Value address,
                  const ActiveLanes &active, Value value, Location loc);
  Value laneAddresses(Value first, Value stride, Type elementType,
                      int64_t lanes, Location loc);
  /// Lanes `stride` elements apart.
  Value loadStrided(Value address, Value stride, const ActiveLanes &active,
                    Value padding, Location loc);
  void storeStrided(Value value, Value address, Value stride,
                    const ActiveLanes &active, Location loc);
  /// For targets with vector lengths. Without `bytes`, lanes follow each other.
  Value loadCounted(Value address, Value bytes, const ActiveLanes &active,
                    Value padding, Location loc);
  void storeCounted(Value value, Value address, Value bytes,
                    const ActiveLanes &active, Location loc);
  Value maskedLoad(Value address, Value mask, Value passThrough, Location loc);
  Value gather(Value addresses, Value mask, Value passThrough, Location loc);
  /// Which lanes `i` of `point` compare like this: index + i with `bound`.
  Value compareLanes(const Point &point, arith::CmpIPredicate predicate,
                     Value bound, Location loc);
  /// The lanes of `point` that are inside in the vector dimension.
  ActiveLanes activeLanes(const BlockAccess &access, const Point &point,
                          Location loc);

  // Emit.cpp: values of tiles at a point.
  Value emit(Value tile, const Point &point);
  Value emitUncached(Value tile, const Point &point);
  Value emitLinalg(linalg::LinalgOp op, unsigned result, const Point &point);
  Value emitReshape(Value source, ArrayRef<int64_t> from, const Point &point);
  Value emitConstant(arith::ConstantOp op, const Point &point);
  Value emitSlice(tensor::ExtractSliceOp op, const Point &point);
  Value loadBuffer(const Buffer &buffer, const Point &point, Location loc);
  void storeBlocks(const Buffer &buffer, Value vector, Value address,
                   Location loc);
  void storeBuffer(const Buffer &buffer, const Point &point, Value value,
                   Location loc);
  Value bufferAddress(const Buffer &buffer, ArrayRef<Value> index,
                      Location loc);

  // Elementwise.cpp: scalar operations on scalars and vectors.
  void unifyOperands(Operation *op, SmallVectorImpl<Value> &operands,
                     Location loc);
  void guardDivisor(Operation *op, SmallVectorImpl<Value> &operands,
                    Location loc);
  Value emitAddPtr(triton::AddPtrOp op, Value base, Value offset, Location loc);
  Value emitTritonCast(Operation *op, Value operand, Type elementType,
                       Location loc);
  /// The lowered form of an elementwise operation on scalars or vectors.
  Value emitElementwise(Operation *op, ArrayRef<Value> operands,
                        Type elementType, Location loc);
  /// Evaluates a region of scalar operations (the body of a linalg operation,
  /// a combine region) on scalars or vectors. Returns the yielded values.
  SmallVector<Value> emitRegion(Block &body, ValueRange arguments,
                                const Point *point);

  // Nest.cpp: loops.
  using BodyFn = function_ref<void(const Point &)>;
  /// Runs `body` for every point of the box; vectors of `lanes` elements in
  /// `dim` where they fit, single elements for the rest.
  void buildNest(Location loc, ArrayRef<int64_t> shape, int dim, int64_t lanes,
                 BodyFn body);
  /// The same with run-time bounds for some dimensions (null: the whole).
  void buildNest(Location loc, ArrayRef<int64_t> shape, int dim, int64_t lanes,
                 ArrayRef<Value> low, ArrayRef<Value> high, BodyFn body);
  void buildLoop(Location loc, Value low, Value high, int64_t step,
                 function_ref<void(Value)> body, bool mayUnroll = true);
  /// The dimension in which `tile` is cheapest to compute as a vector.
  int preferredDim(Value tile);
  bool unitStrideDim(Value tile, int &dim);
  int64_t lanesFor(ArrayRef<int64_t> shape, int dim, Type elementType);
  /// The memory of a tile.
  Buffer makeBuffer(Value tile, StringRef bufferName = {});
  /// The same with room for more elements.
  Buffer makeBuffer(Value tile, ArrayRef<int64_t> shape, StringRef bufferName);
  /// Memory that computing a tile takes besides that of tiles.
  Buffer makeTemporary(Value tile, ArrayRef<int64_t> shape, Type elementType,
                       Location loc, StringRef bufferName = {});
  Buffer makeScratch(Value tile, bool isTemporary, ArrayRef<int64_t> shape,
                     Type elementType, Location loc, StringRef bufferName,
                     bool isKept = false);
  void materialise(Value tile, const Buffer &into);

  // Matmul.cpp
  LogicalResult lowerContraction(linalg::LinalgOp op);
  /// Addresses of a block's vectors, in the order of its sums, from that of the
  /// first element on. The strides are those of rows and columns.
  SmallVector<Value> addressesOfBlock(Value first, Value rowStride,
                                      Value columnStride, Type element,
                                      const Blocking &blocking, Location loc);
  SmallVector<Value> zeroSums(const Blocking &blocking, Type element,
                              Location loc);
  SmallVector<Value> addressesOfResults(const Buffer &out, Value first,
                                        const Blocking &blocking, Location loc);
  /// The block of results from address `first` on, or zeros if `fromZero`
  /// (null: never).
  SmallVector<Value> loadResults(const Buffer &out, Value first,
                                 const Blocking &blocking, Value fromZero,
                                 Location loc);
  void storeResults(const Buffer &out, Value first, const Blocking &blocking,
                    ArrayRef<Value> sums, Location loc);
  SmallVector<Value> emitBlock(Value tile, ArrayRef<Value> first,
                               const Blocking &blocking, Type element);
  /// Where rows of a product's left operand begin; strides are in elements.
  struct RowAddresses {
    Value address, rowStride, step;
  };
  /// Rows of a product's left operand in memory.
  struct RowPanel : RowAddresses {
    bool mayBeFar = false; ///< May come from memory: worth prefetching.
    /// Elements of a row that are likely to be read at least, or 0.
    int64_t likelySteps = 0;
    /// What is packed next, if these rows are packed, and its element type.
    RowAddresses next = {};
    Type nextType = {};
  };
  Blocking blockingOf(linalg::LinalgOp op, bool mayOverhang);
  /// The type in which the operands of a product are multiplied: that of its
  /// accumulator, unless the target extends them by itself.
  Type operandType(linalg::LinalgOp op);
  /// As `blocking`, but with few rows if `product` streams to contiguous
  /// columns.
  Blocking blockingForStore(Operation *product, Blocking blocking);
  void lowerProduct(linalg::LinalgOp op, Blocking blocking, const Buffer &out,
                    Value batch, bool startFromZero);
  RowPanel chooseRowPanel(Value isInPlace, const RowPanel &inPlace,
                          const RowPanel &packed, function_ref<void()> pack,
                          Location loc);
  Value reductionEnd(Value lhs, Value rhs, int64_t size, Location loc);
  /// Packs the elements [firstRow, ...) x [firstColumn, ...) of a product's
  /// operand, up to `rows` and `columns` of them (null: as many as the panel
  /// has). `byColumns`: the panel's rows are the operand's columns.
  void packOperand(Value operand, const Buffer &panel, Value batch,
                   Value firstRow, Value firstColumn, Value rows, Value columns,
                   Location loc, bool byColumns = false);
  /// How many rows of the block at `row` there are; null if always all.
  Value validRows(const Blocking &blocking, Value row, Location loc);
  RowPanel leftRows(Value lhs, const Buffer &packed, Value batch,
                    Value firstRow, Value validRows, Value reduction,
                    Location loc, bool mayBeInPlace = true);
  /// Runs `body` for each block of the columns that are packed together, with
  /// its place in them and its sizes.
  void forEachBlock(const Blocking &blocking, Location loc,
                    function_ref<void(Value, const Blocking &)> body);
  /// The packed columns from `inPanel` on.
  Buffer columnsFrom(Buffer panel, Value inPanel, Location loc);
  /// Adds the product of rows and packed columns to a block's sums.
  SmallVector<Value> multiplyBlock(const RowPanel &lhs, const Buffer &rhs,
                                   ArrayRef<Value> sums,
                                   const Blocking &blocking, Value reduction,
                                   Location loc);
  /// How many steps a reduction has, if they are few and known.
  std::optional<int64_t> stepsWithoutLoop(Value reduction);
  SmallVector<Value> reduceUnrolled(
      Value reduction, int64_t depth, ArrayRef<int64_t> unroll, ValueRange sums,
      function_ref<void(Value, int64_t, SmallVectorImpl<Value> &)> step,
      function_ref<void(Value, int64_t)> beforeGroup, Location loc);
  SmallVector<Value> rowsAt(const RowPanel &lhs, int64_t rows, Value k,
                            Type element, Location loc);
  SmallVector<Value> multiplyRows(const RowPanel &lhs, const Buffer &rhs,
                                  ArrayRef<Value> sums, int64_t rows,
                                  Value reduction, Location loc);

  // Exchange.cpp
  /// A panel's block that is exchanged in registers, and where it comes from.
  struct Exchange {
    BlockAccess access;
    int64_t rows, columns;
  };
  /// How a panel is packed by blocks if vectors of the operand lie along `dim`
  /// of it, if that is worth it.
  std::optional<Exchange> planExchange(Value operand, const Buffer &panel,
                                       int dim);
  Value holdsBlock(Value size, int64_t block, Location loc);
  void coverByBlocks(Value end, int64_t size, Location loc,
                     function_ref<void(Value)> body);
  void packBlock(const Exchange &exchange, const Buffer &panel, Value row,
                 Value column, function_ref<Value(const Point &)> element,
                 Location loc);
  /// Packs `extent` rows and columns of a panel by blocks if they are `inside`
  /// (null: always) and hold one.
  void packByExchange(const Exchange &exchange, const Buffer &panel,
                      Value inside, ArrayRef<Value> extent,
                      function_ref<Value(const Point &)> element,
                      function_ref<void()> otherwise, Location loc);

  // ProductAlongColumns.cpp
  SmallVector<Value> multiplyAlongColumns(const RowPanel &lhs,
                                          const Buffer &rhs,
                                          ArrayRef<Value> sums, Value reduction,
                                          Location loc);

  // ProductOnTiles.cpp
  /// Whether products of packed operands of this type are made on tiles.
  bool onTiles(Type operand) const {
    return target.tilesBF16 && operand.isBF16();
  }
  bool onTiles(const Buffer &packed) const {
    return packed.inParts || onTiles(packed.elementType);
  }
  /// So many elements of the reduction, with what fills up the last step.
  int64_t wholeSteps(const Blocking &blocking, int64_t depth) const;
  Value wholeSteps(const Blocking &blocking, Value reduction, Location loc);
  Value roundUp(Value number, int64_t powerOfTwo, Location loc);
  void packSteps(Value lhs, Buffer panel, Value batch, Value firstRow,
                 Value rows, Value reduction, Value ahead, Location loc);
  void finishRight(const Buffer &panel, Value reduction, Location loc);
  void joinPairs(const Buffer &panel, Value end, Location loc);
  const BlockAccess *contiguousRows(Value lhs);
  Buffer makePacked(ArrayRef<int64_t> shape, int64_t rowsBehind,
                    const Blocking &blocking, Type element, Location loc,
                    StringRef name);
  Buffer makePackedLeft(int64_t rows, int64_t depth, const Blocking &blocking,
                        Type element, Location loc, StringRef name);
  Buffer makePackedRight(int64_t rows, int64_t columns,
                         const Blocking &blocking, Type element, Location loc);
  SmallVector<Value> addressesOfTiles(Value first, const Blocking &blocking,
                                      Location loc);
  SmallVector<Value> zeroTiles(const Blocking &blocking, Location loc);
  SmallVector<Value> loadTiles(const Buffer &from, Value first,
                               const Blocking &blocking, Location loc);
  void storeTiles(const Buffer &to, Value first, const Blocking &blocking,
                  ArrayRef<Value> sums, Location loc);
  /// Addresses in a buffer that sums go through between tiles and vectors.
  struct TileBuffer {
    SmallVector<Value> tiles;
    Value pitch; ///< In bytes.
    SmallVector<Value> vectors;
  };
  TileBuffer makeTileBuffer(const Blocking &blocking, Location loc);
  SmallVector<Value> fromVectors(ArrayRef<Value> vectors,
                                 const Blocking &blocking, Location loc);
  SmallVector<Value> toVectors(ArrayRef<Value> sums, const Blocking &blocking,
                               Location loc);
  SmallVector<Value> multiplyOnTiles(const RowPanel &lhs, const Buffer &rhs,
                                     ArrayRef<Value> sums,
                                     const Blocking &blocking, Value reduction,
                                     Location loc);

  // ProductInParts.cpp
  bool takesParts(linalg::LinalgOp op);
  /// The parts of a number of fp32, or of a vector: the bits of the high one,
  /// and the low one if the number is finite.
  struct Parts {
    Value high, low, isFinite;
  };
  Parts partsOf(Value number, Location loc);
  Value pairOfParts(Value number, Location loc);
  std::pair<Value, Value> pairsOfRight(Value number, Location loc);
  Value evenRow(Value row, Value distance, Location loc);
  void pairRows(const Buffer &panel, Value rows, Value end, Location loc);
  void doubleParts(const Buffer &panel, Value end, Location loc);

  // Streaming.cpp
  LogicalResult lowerStreamedStore(triton::StoreOp op, OpResult product);
  bool streams(Operation *product) const {
    return stream && stream->product.getOwner() == product;
  }
  Buffer makeEdgeBuffer(Value product, const Blocking &blocking, Type element,
                        Location loc);
  /// The points of a block's vectors, in the order of its sums.
  SmallVector<Point> pointsOfBlock(ArrayRef<Value> first,
                                   const Blocking &blocking, Location loc);
  void storeStreamedBlock(ArrayRef<Value> first, Value validRows,
                          const Blocking &blocking, ArrayRef<Value> sums,
                          Buffer edge, Location loc);
  void storeTransposedBlock(ArrayRef<Value> first, const Blocking &blocking,
                            ArrayRef<Value> sums, Location loc);
  void storeStreamedVector(const Point &point, Value address, Value sum,
                           Location loc);
  void storeStreamedEdge(ArrayRef<Value> first, Value validRows,
                         const Buffer &edge, Location loc);

  // ProductLoop.cpp
  linalg::LinalgOp productOf(scf::ForOp op);
  /// Rows of the left operand that are packed together, for all iterations of a
  /// group and all groups of columns.
  struct LeftChunk {
    Buffer buffer;
    int64_t rows = 0;       ///< 0: the operand is not packed ahead.
    bool byColumns = false; ///< Column after column instead of row after row.
    bool byBlocks = false;  ///< The same within each block of rows.
    int64_t blockRows = 0;
    Value first; ///< The chunk's first row.
    /// The tile's first row where it is packed from, if worth prefetching.
    RowAddresses source;
    Type sourceType;
  };
  /// Cache lines of an operand that the next group of iterations reads.
  struct LinesAhead {
    Value address, stride; ///< Of the first row; from one to the next.
    int64_t rows, lines;   ///< Lines of each row.
    Type elementType;
  };
  /// Where the left operands of a group of iterations are in memory.
  struct LeftRuns {
    Buffer table; ///< One row per run; without a pointer if there are none.
    Value rowStride, step;
    Value count;
    /// Of each run, if they are all as long; each iteration is one then.
    std::optional<int64_t> length;
    Value lowRow, highRow;  ///< Rows inside in all iterations.
    bool isChecked = false; ///< Not all rows may be inside.
  };
  /// Memory for a packed operand that outlives a program. It has room for the
  /// operands of `ways` tiles at each of `slots` places along the reduction.
  struct KeptOperand {
    Value operand;               ///< Null: it cannot be kept.
    StringRef name;              ///< What its buffers' names begin with.
    int64_t ways = 0, slots = 0; ///< 0: it is not kept.
    int64_t firstState = 0;      ///< Of its words in keptStates.
    Buffer keys, panels, key;
    /// Of the group that is being lowered.
    Value address, isMissing;
  };
  /// A loop that accumulates a product, and how it is run.
  struct ProductLoop {
    scf::ForOp op;
    linalg::LinalgOp product;
    Value lhs, rhs;
    Blocking blocking;
    int64_t depth;         ///< Of the reduced dimension, per iteration.
    int64_t packedDepth;   ///< The same where it is packed.
    int64_t panels;        ///< Groups of columns that are packed together.
    int64_t iterations;    ///< Taken together.
    unsigned position = 0; ///< Of the accumulator among the carried values.
    bool startsFromZero = false;
    Value low, high, step; ///< Of the loop, as i64.
    Buffer out, packed, packedLeft, edge;
    LeftChunk left;
    LeftRuns runs;
    KeptOperand keptLeft, keptRight;
    int64_t keptRoom = 0; ///< Bytes that both may take.
    SmallVector<LinesAhead, 2> ahead;
    /// The iterations that are being lowered.
    struct Group {
      scf::ForOp loop;    ///< Over the groups.
      Value first, last;  ///< As the loop's variable, `last` not included.
      ValueRange carried; ///< Into the first of them.
      Value packedRows;   ///< Elements of the reduction in all of them.
    } group;
    /// The most elements of the reduction that a group may have.
    int64_t groupDepth() const { return iterations * packedDepth; }
  };
  std::optional<ProductLoop> planProductLoop(scf::ForOp op,
                                             linalg::LinalgOp product);
  LogicalResult startProductLoop(ProductLoop &plan);
  Buffer packedPanel(const ProductLoop &plan, Value panel, Value row,
                     int64_t rows, Location loc);
  SmallVector<Value> packGroup(ProductLoop &plan);
  SmallVector<Value> packRight(ProductLoop &plan, ValueRange runs);
  SmallVector<Value> multiplyGroup(const ProductLoop &plan,
                                   const Blocking &blocking, Value panel,
                                   Value inPanel, Value row, Value validRows,
                                   ValueRange sums);
  void updateBlock(const ProductLoop &plan, const Blocking &blocking,
                   Value panel, Value inPanel, Value row);
  void multiplyChunk(const ProductLoop &plan, Value end);
  void multiplyChunks(ProductLoop &plan);
  void multiplyAll(ProductLoop &plan, ValueRange after);
  /// True if the loop was a product's and has been lowered.
  FailureOr<bool> lowerProductLoop(scf::ForOp op);
  bool lowerIteration(const ProductLoop &plan, Value number, ValueRange carried,
                      std::function<void()> product);
  using ProductFn = function_ref<Value(Value, SmallVectorImpl<Value> &)>;
  SmallVector<Value> runIterations(const ProductLoop &plan, ValueRange own,
                                   ProductFn product);

  // KeptOperands.cpp
  bool mayKeep(const ProductLoop &plan, Value operand);
  void planKept(ProductLoop &plan);
  void startKept(const ProductLoop &plan, KeptOperand &kept, Value operand,
                 StringRef name);
  void reserveKept(const ProductLoop &plan, KeptOperand &kept, int64_t elements,
                   int64_t ways, int64_t bytes);
  void reserveKeptLeft(ProductLoop &plan);
  Value keptState(int64_t first, Value index, Location loc);
  void recordKey(const KeptOperand &kept, Value number, Value reduction,
                 Location loc);
  Value hasKey(const KeptOperand &kept, Value place, Value count, Location loc);
  Value findKey(const KeptOperand &kept, Value slot, Value count, Location loc);
  Value choosePlace(const KeptOperand &kept, Value slot, Location loc);
  void findKept(KeptOperand &kept, Value slot, Value count, Location loc);
  SmallVector<Value> identifyGroup(ProductLoop &plan);
  void findGroup(ProductLoop &plan, Value count);

  // ProductRuns.cpp
  bool mayUseRuns(const ProductLoop &plan);
  SmallVector<Value> startRuns(const ProductLoop &plan);
  Value runField(const ProductLoop &plan, Value run, int field, Location loc);
  void narrowRows(ProductLoop &plan, const BlockAccess &access, Value reduction,
                  MutableArrayRef<Value> state);
  Value continuesRun(const ProductLoop &plan, Value address, Type element,
                     Value packedRow, ArrayRef<Value> state);
  /// Adds the iteration that is packed from `packedRow` on to the runs.
  void recordRun(ProductLoop &plan, Value packedRow, Value reduction,
                 MutableArrayRef<Value> state);
  void finishRuns(ProductLoop &plan, ArrayRef<Value> state);
  Value readsRuns(const ProductLoop &plan, Value row, Location loc);
  SmallVector<Value> multiplyRuns(const ProductLoop &plan,
                                  const Blocking &blocking, Value row,
                                  ValueRange sums,
                                  function_ref<Buffer(Value)> columns,
                                  bool mayBeFar);
  SmallVector<Value> multiplyInPlace(const ProductLoop &plan,
                                     const Blocking &blocking, Value panel,
                                     Value row, ValueRange sums,
                                     function_ref<Buffer(Value)> columns);

  // LeftChunk.cpp
  /// Whether the columns of a tile, not its rows, are contiguous.
  bool isByColumns(Value tile);
  int64_t chunkBytes(const ProductLoop &plan);
  int64_t rowsPackedAhead(const ProductLoop &plan);
  bool mayReadColumns(const ProductLoop &plan);
  Value hasFewColumns(const ProductLoop &plan, Location loc);
  LeftChunk planLeftChunk(const ProductLoop &plan);
  void findSource(const ProductLoop &plan, LeftChunk &chunk);
  bool packsByBlocks(const ProductLoop &plan);
  int64_t rowsOfStep(const ProductLoop &plan);
  void packBlocks(const ProductLoop &plan, Value packedRow, Value reduction);
  Value chunkAddress(const LeftChunk &chunk, Value packedRow, Value row,
                     Location loc);
  void packLeftChunk(ProductLoop &plan);
  void fillLeftChunk(const ProductLoop &plan);
  RowPanel rowsOfChunk(const ProductLoop &plan, Value row, Location loc);

  // ProductPrefetch.cpp
  std::optional<LinesAhead> linesAhead(Value operand, int64_t rows,
                                       int64_t columns);
  void planPrefetch(ProductLoop &plan, ValueRange carried);
  void prefetchLines(const LinesAhead &ahead, Value number, int64_t parts,
                     Location loc);
  void prefetchPart(const ProductLoop &plan, Value panel, Value inPanel,
                    Value row);
  /// Which of the rows have a cache line fetched: the `number`th `rows` of
  /// them.
  struct Turn {
    Value number;
    int64_t rows;
  };
  Turn turnInLine(int64_t rows, Value k, int64_t unroll, Type element,
                  Location loc);
  void fetch(Value address, Location loc, unsigned hint = 3);
  void prefetchColumns(const RowPanel &lhs, Value k, int64_t unroll,
                       Type element, Location loc);
  int64_t linesOfOverlapping(const RowPanel &lhs, int64_t rows, int64_t unroll,
                             Type element);
  void prefetchRows(const RowPanel &lhs, ArrayRef<Value> rowAddress, Value k,
                    int64_t unroll, Type element, Location loc);
  void prefetchNext(const RowPanel &lhs, int64_t rows, Value k, int64_t unroll,
                    Location loc);

  // ReduceScan.cpp
  LogicalResult lowerReduce(triton::ReduceOp op);
  LogicalResult lowerScan(triton::ScanOp op);
  SmallVector<Value> combine(Region &region, ValueRange lhs, ValueRange rhs);
  SmallVector<Value>
  reduceLoop(Location loc, Value low, Value high, int64_t step, ValueRange init,
             function_ref<SmallVector<Value>(Value, ValueRange)> body);
  SmallVector<Value> reduceLanes(Region &region, SmallVector<Value> values,
                                 int64_t lanes, Location loc);

  // DataMovement.cpp
  Buffer inBuffer(Value tile, Operation *user);
  LogicalResult lowerGather(triton::GatherOp op);
  LogicalResult lowerHistogram(triton::HistogramOp op);
  LogicalResult lowerCat(triton::CatOp op);

  // Debug.cpp
  LogicalResult lowerPrint(triton::PrintOp op);
  LogicalResult lowerAssert(triton::AssertOp op);
  Value globalString(StringRef text, Location loc);
  LLVM::LLVMFuncOp runtimeFunction(StringRef symbol, ArrayRef<Type> types);

  // Small helpers (Helpers.cpp).
  Value constant(int64_t value, Location loc);
  Value zeroOf(Type type, Location loc);
  Value addI(Value lhs, Value rhs, Location loc);
  Value subI(Value lhs, Value rhs, Location loc);
  Value mulI(Value lhs, Value rhs, Location loc);
  Value minI(Value lhs, Value rhs, Location loc);
  Value maxI(Value lhs, Value rhs, Location loc);
  Value andI(Value lhs, Value rhs, Location loc);
  Value toI64(Value value, Location loc);
  Value iota(int64_t lanes, Type elementType, Location loc);
  Value broadcast(Value scalar, int64_t lanes, Location loc);
  /// `value` as one vector of point.lanes elements if the point is a vector.
  Value shaped(Value value, const Point &point, Location loc);
  Value elementAddress(Value base, Value index, Type elementType, Location loc);
  Value opaqueAddress(Value address, Location loc);
  Value load(Type type, Value address, Location loc);
  void store(Value value, Value address, Location loc);
  Value fromMemory(Value value, Type elementType, Location loc);
  Value toMemory(Value value, Location loc);
  Value castElements(Value value, Type elementType, Location loc);
  /// `condition` (may be null), which LLVM is told to expect to hold.
  Value likely(Value condition, Location loc);
  Value choose(Value condition, Type type, Location loc,
               function_ref<Value()> then, function_ref<Value()> otherwise);
  /// The same for several values.
  SmallVector<Value> chooseAll(Value condition, TypeRange types, Location loc,
                               function_ref<SmallVector<Value>()> then,
                               function_ref<SmallVector<Value>()> otherwise);
  void doIf(Value condition, Location loc, function_ref<void()> then,
            function_ref<void()> otherwise = nullptr);
  Value fullMask(int64_t lanes, Location loc);
  Value lowered(Value scalar);
  Type loweredScalarType(Type type);
  bool fail(Operation *op, const Twine &message);

  triton::FuncOp source;
  const VectorTarget &target;
  const Placement &placement;
  std::string kernelName, suffix;
  OpBuilder b;
  func::FuncOp function;
  Value programId[3], numPrograms[3];
  IRMapping scalars;
  DenseMap<Value, BlockPointer> blockPointers;
  DenseMap<Value, Buffer> buffers;
  DenseMap<Operation *, BlockAccess> accesses;
  int64_t nextBufferId = 0;
  /// Words that are zero when a launch begins and kept then, how many of them
  /// are taken, and the bytes that are kept.
  Buffer keptStates;
  int64_t numKeptStates = 0, numKeptBytes = 0;
  /// What to build for one product instead of the usual code.
  std::pair<Operation *, std::function<void()>> productOverride;
  /// A store that takes a product's results as they are finished.
  struct Stream {
    triton::StoreOp store;
    OpResult product;
    BlockAccess access;
    bool isTaken = false; ///< The product's lowering has stored everything.
  };
  Stream *stream = nullptr;
  /// What is being built runs only where all block accesses are inside.
  bool isUnchecked = false;
  /// What is being built hardly runs: small code is better than fast code.
  bool isCold = false;
  bool hasFailed = false;

  DenseMap<int64_t, Value> constants;

  /// Values already computed in the innermost loop body being built.
  using Cache = DenseMap<Value, SmallVector<std::pair<Point, Value>, 1>>;
  Cache *cache = nullptr;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_LIB_CODEGEN_LOWERTILES_LOWERING_H
