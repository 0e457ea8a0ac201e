//===- KeptOperands.cpp - packed operands that outlive a program ----------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// Programs of a large product share operands: those of one block of columns
// pack the same right operand, those of one block of rows the same left one.
// Where a worker has memory that is no scratchpad, what it packed for a group
// of iterations stays there with a key that says what it was packed from: for
// each iteration the address of the tile, its strides, which of its elements
// are valid, and where the reduction ends. A later program with the same key
// packs nothing.
//
// The key tells everything that packed elements depend on but the memory they
// are read from. So only loads are kept whose memory no program of the launch
// writes, and nothing is found that an earlier launch has packed.
//
// Keys are compared as a whole, no hash stands for them.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::spine;

/// Blocks of rows whose programs run for all columns before the next blocks'.
static constexpr int64_t kBlocksOfRows = 4;
/// Places along the reduction that are told apart.
static constexpr int64_t kMostSlots = 32;
/// Words that a launch clears, as many as are in 4096 bytes.
static constexpr int64_t kStateWords = 512;
/// Words of a key are compared so many at a time.
static constexpr int64_t kKeyLanes = 8;

static int64_t keyWords(triton::LoadOp load) {
  int64_t rank = cast<RankedTensorType>(load.getType()).getRank();
  return llvm::alignTo(2 + 3 * rank, kKeyLanes);
}

/// On AMX's tiles packing takes too little.
bool Lowering::mayKeep(const ProductLoop &plan, Value operand) {
  auto load = operand.getDefiningOp<triton::LoadOp>();
  return target.keptBytes && !isCold && !plan.blocking.onTiles && load &&
         placement.isConstant(load) && !buffers.count(operand);
}

/// Prepares to keep the operand; what that takes is reserved later.
void Lowering::startKept(const ProductLoop &plan, KeptOperand &kept,
                         Value operand, StringRef name) {
  if (!mayKeep(plan, operand))
    return;
  kept.operand = operand;
  kept.name = name;
  int64_t words = keyWords(operand.getDefiningOp<triton::LoadOp>());
  kept.key =
      makeTemporary(plan.product->getResult(0), {plan.iterations, words},
                    b.getI64Type(), plan.op->getLoc(), (name + ".key").str());
}

/// Reserves at most `bytes` for groups of `elements` of an operand.
void Lowering::reserveKept(const ProductLoop &plan, KeptOperand &kept,
                           int64_t elements, int64_t ways, int64_t bytes) {
  Type element = plan.packed.elementType, word = b.getI64Type();
  int64_t groupBytes = elements * element.getIntOrFloatBitWidth() / 8;
  int64_t slots = std::min(bytes / (groupBytes * ways), kMostSlots);
  int64_t states = (ways + 1) * slots;
  if (slots == 0 || numKeptStates + states > kStateWords)
    return;
  kept.ways = ways;
  kept.slots = slots;
  kept.firstState = numKeptStates;
  numKeptStates += states;
  numKeptBytes += groupBytes * ways * slots;

  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  auto keep = [&](ArrayRef<int64_t> shape, Type type, const Twine &name) {
    return makeScratch(plan.product->getResult(0), /*isTemporary=*/true, shape,
                       type, plan.op->getLoc(), name.str(), /*isKept=*/true);
  };
  if (!keptStates.pointer)
    keptStates = keep({kStateWords}, word, "kept.states");
  kept.keys = keep({ways * slots, kept.key.shape[0], kept.key.shape[1]}, word,
                   kept.name + ".keys");
  kept.panels = keep({ways * slots, elements}, element, kept.name + ".kept");
}

void Lowering::planKept(ProductLoop &plan) {
  int64_t columns = plan.panels * plan.blocking.packed;
  startKept(plan, plan.keptRight, plan.rhs, "dot.rhs");
  startKept(plan, plan.keptLeft, plan.lhs, "dot.lhs");
  plan.keptRoom = target.keptBytes - numKeptBytes;
  if (plan.keptRight.operand)
    reserveKept(plan, plan.keptRight, plan.groupDepth() * columns, /*ways=*/1,
                plan.keptRoom / 4);
}

/// How the left operand is packed is known when an iteration has been lowered.
void Lowering::reserveKeptLeft(ProductLoop &plan) {
  int64_t rows = plan.keptLeft.operand ? rowsPackedAhead(plan) : 0;
  if (rows)
    reserveKept(plan, plan.keptLeft,
                llvm::alignTo(plan.blocking.paddedRows(), rows) *
                    plan.groupDepth(),
                kBlocksOfRows, plan.keptRoom / 4 * 3);
}

/// Address of one of the words that are zero when a launch begins.
Value Lowering::keptState(int64_t first, Value index, Location loc) {
  return bufferAddress(keptStates, {addI(constant(first, loc), index, loc)},
                       loc);
}

/// Notes what the operand's tile of iteration `number` is packed from.
void Lowering::recordKey(const KeptOperand &kept, Value number, Value reduction,
                         Location loc) {
  const BlockAccess &access =
      accesses.find(kept.operand.getDefiningOp())->second;
  Type i64 = b.getI64Type();
  Value zero = constant(0, loc);
  SmallVector<Value> words{LLVM::PtrToIntOp::create(b, loc, i64, access.origin),
                           reduction};
  llvm::append_range(words, access.strides);
  for (auto bounds : {&access.low, &access.high})
    for (Value bound : *bounds)
      words.push_back(bound ? bound : zero);
  words.resize(kept.key.shape[1], zero);
  for (auto [i, word] : llvm::enumerate(words))
    store(word, bufferAddress(kept.key, {number, constant(i, loc)}, loc), loc);
}

/// Whether the group's key, of `count` iterations, is the one at `place`.
Value Lowering::hasKey(const KeptOperand &kept, Value place, Value count,
                       Location loc) {
  auto vector = VectorType::get({kKeyLanes}, b.getI64Type());
  Value zero = constant(0, loc);
  Value words = mulI(count, constant(kept.key.shape[1], loc), loc);
  auto body = [&](OpBuilder &, Location, Value word, ValueRange same) {
    OpBuilder::InsertionGuard guard(b);
    Value one = load(vector, bufferAddress(kept.key, {zero, word}, loc), loc);
    Value other =
        load(vector, bufferAddress(kept.keys, {place, zero, word}, loc), loc);
    Value equal =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, one, other);
    Value all =
        vector::ReductionOp::create(b, loc, vector::CombiningKind::AND, equal);
    scf::YieldOp::create(b, loc, andI(same[0], all, loc));
  };
  Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
  return scf::ForOp::create(b, loc, zero, words, constant(kKeyLanes, loc), yes,
                            body)
      .getResult(0);
}

/// The place in `slot` that has the group's key; -1 if there is none.
Value Lowering::findKey(const KeptOperand &kept, Value slot, Value count,
                        Location loc) {
  Type i64 = b.getI64Type(), i1 = b.getI1Type();
  auto body = [&](OpBuilder &, Location, Value way, ValueRange found) {
    OpBuilder::InsertionGuard guard(b);
    Value place = addI(mulI(way, constant(kept.slots, loc), loc), slot, loc);
    Value iterations = load(i64, keptState(kept.firstState, place, loc), loc);
    Value mayHave = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          iterations, count);
    Value has = choose(
        mayHave, i1, loc, [&] { return hasKey(kept, place, count, loc); },
        [&] { return arith::ConstantIntOp::create(b, loc, 0, 1); });
    scf::YieldOp::create(
        b, loc,
        ValueRange{arith::SelectOp::create(b, loc, has, place, found[0])});
  };
  return scf::ForOp::create(b, loc, constant(0, loc), constant(kept.ways, loc),
                            constant(1, loc), constant(-1, loc), body)
      .getResult(0);
}

/// The place in `slot` whose turn it is to be packed anew.
Value Lowering::choosePlace(const KeptOperand &kept, Value slot, Location loc) {
  if (kept.ways == 1)
    return slot;
  Value address =
      keptState(kept.firstState + kept.ways * kept.slots, slot, loc);
  Value turn = load(b.getI64Type(), address, loc);
  store(addI(turn, constant(1, loc), loc), address, loc);
  Value way = arith::RemUIOp::create(b, loc, turn, constant(kept.ways, loc));
  return addI(mulI(way, constant(kept.slots, loc), loc), slot, loc);
}

/// Finds where the group's operand is kept. If it is not there yet, a place is
/// given its key, and it has to be packed.
void Lowering::findKept(KeptOperand &kept, Value slot, Value count,
                        Location loc) {
  Value found = findKey(kept, slot, count, loc);
  kept.isMissing = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                         found, constant(0, loc));
  auto take = [&]() -> Value {
    Value place = choosePlace(kept, slot, loc), zero = constant(0, loc);
    store(count, keptState(kept.firstState, place, loc), loc);
    auto vector = VectorType::get({kKeyLanes}, b.getI64Type());
    Value words = mulI(count, constant(kept.key.shape[1], loc), loc);
    buildLoop(loc, zero, words, kKeyLanes, [&](Value word) {
      Value key = load(vector, bufferAddress(kept.key, {zero, word}, loc), loc);
      store(key, bufferAddress(kept.keys, {place, zero, word}, loc), loc);
    });
    return place;
  };
  Value place =
      choose(kept.isMissing, b.getI64Type(), loc, take, [&] { return found; });
  kept.address = bufferAddress(kept.panels, {place, constant(0, loc)}, loc);
}

/// Finds out what the group's operands are packed from, whether they are kept
/// already, and where rows are that are read in place. Returns what the loop
/// carries behind the group.
SmallVector<Value> Lowering::identifyGroup(ProductLoop &plan) {
  Location loc = plan.op->getLoc();
  KeptOperand *operands[] = {&plan.keptLeft, &plan.keptRight};
  SmallVector<Value> own{constant(0, loc)};
  if (mayUseRuns(plan))
    llvm::append_range(own, startRuns(plan));
  auto record = [&](Value packedRow, SmallVectorImpl<Value> &state) {
    Value reduction = reductionEnd(plan.lhs, plan.rhs, plan.depth, loc);
    for (KeptOperand *kept : operands)
      if (kept->operand)
        recordKey(*kept, state[0], reduction, loc);
    state[0] = addI(state[0], constant(1, loc), loc);
    if (state.size() > 1)
      recordRun(plan, packedRow, reduction,
                MutableArrayRef<Value>(state).drop_front());
    return reduction;
  };
  SmallVector<Value> after = runIterations(plan, own, record);
  plan.group.packedRows = after.front();
  ArrayRef<Value> noted = ArrayRef(after).take_back(own.size());
  if (own.size() > 1)
    finishRuns(plan, noted.drop_front());
  reserveKeptLeft(plan);
  findGroup(plan, noted.front());
  return llvm::to_vector(
      ArrayRef(after).drop_front().take_front(plan.group.carried.size()));
}

/// Finds the kept operands of the group, which has `count` iterations.
void Lowering::findGroup(ProductLoop &plan, Value count) {
  Location loc = plan.op->getLoc();
  // A step that is not positive must not stop the process.
  Value groupStep = mulI(plan.step, constant(plan.iterations, loc), loc);
  groupStep = maxI(groupStep, constant(1, loc), loc);
  Value number = arith::DivUIOp::create(
      b, loc, subI(plan.group.first, plan.low, loc), groupStep);
  for (KeptOperand *kept : {&plan.keptLeft, &plan.keptRight})
    if (kept->slots)
      findKept(*kept, minI(number, constant(kept->slots - 1, loc), loc), count,
               loc);
}
