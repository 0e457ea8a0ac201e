//===- ArenaReferences.cpp - addresses made of the arena's ----------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "ArenaReferences.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::spine;

std::string PlannedTile::describe() const {
  std::string text = name.empty() ? "tile" : "tile '" + name.str() + "'";
  return text + " (id " + std::to_string(id) + "), which has bytes [" +
         std::to_string(offset) + ", " + std::to_string(end()) + ")";
}

ArenaReferences::ArenaReferences(FunctionOpInterface function,
                                 ArrayRef<PlannedTile> plan,
                                 DataFlowSolver &solver)
    : arena(function.getArguments().back()), plan(plan), solver(solver),
      areMarked(function->hasAttr("spine.tiles")),
      layout(DataLayout::closest(function)) {
  reach(arena, {nullptr, ByteRange{0, 0}, false});
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Reference from = references[value];
    for (OpOperand &use : value.getUses())
      follow(use, from);
  }
  numReferences = references.size() - 1;
}

/// Notes where a value points. What control flow merges is widened step by
/// step: first the range is given up, then the tile.
void ArenaReferences::reach(Value value, const Reference &reference) {
  auto [it, isNew] = references.insert({value, reference});
  Reference &known = it->second;
  if (isNew) {
    work.push_back(value);
    return;
  }
  bool sameTile = known.tile == reference.tile && !reference.isMixed;
  if (known.isMixed || (sameTile && known.range == reference.range) ||
      (sameTile && !known.range))
    return;
  known.range = std::nullopt;
  known.isMixed = !sameTile;
  work.push_back(value);
}

//===----------------------------------------------------------------------===//
// Following
//===----------------------------------------------------------------------===//

/// What the index adds to the address, in bytes.
std::optional<ByteRange> ArenaReferences::getIndexBytes(LLVM::GEPOp op) const {
  if (op.getRawConstantIndices().size() != 1)
    return std::nullopt;
  int64_t size = layout.getTypeSize(op.getElemType());
  int32_t raw = op.getRawConstantIndices().front();
  if (raw != LLVM::GEPOp::kDynamicIndex)
    return ByteRange{raw * size, raw * size};
  Value index = op.getDynamicIndices().front();
  IntegerAttr constant;
  if (matchPattern(index, m_Constant(&constant)))
    return ByteRange{constant.getInt() * size, constant.getInt() * size};
  const auto *state =
      solver.lookupState<dataflow::IntegerValueRangeLattice>(index);
  if (!state || state->getValue().isUninitialized())
    return std::nullopt;
  const ConstantIntRanges &range = state->getValue().getValue();
  ByteRange bytes;
  if (range.smin().getBitWidth() > 64 ||
      llvm::MulOverflow(range.smin().getSExtValue(), size, bytes.low) ||
      llvm::MulOverflow(range.smax().getSExtValue(), size, bytes.high))
    return std::nullopt;
  return bytes;
}

/// The tile that an address made of the arena's own belongs to. The operation
/// says which it was made for; where that was folded away, perhaps together
/// with an index into the tile, it is one of those that have this byte, since
/// tiles that are not live together share bytes: the one that reaches furthest
/// counts.
const PlannedTile *ArenaReferences::findTile(LLVM::GEPOp op,
                                             int64_t offset) const {
  auto id = op ? op->getAttrOfType<IntegerAttr>("spine.id") : IntegerAttr();
  const PlannedTile *found = nullptr;
  for (const PlannedTile &tile : plan) {
    bool isCandidate = id ? id.getInt() == tile.id && tile.offset == offset
                          : tile.offset <= offset && offset < tile.end();
    if (isCandidate && (!found || found->end() < tile.end()))
      found = &tile;
  }
  return found;
}

static std::optional<ByteRange> add(std::optional<ByteRange> a,
                                    std::optional<ByteRange> b) {
  ByteRange sum;
  if (!a || !b || llvm::AddOverflow(a->low, b->low, sum.low) ||
      llvm::AddOverflow(a->high, b->high, sum.high))
    return std::nullopt;
  return sum;
}

void ArenaReferences::followGEP(LLVM::GEPOp op, const Reference &from) {
  std::optional<ByteRange> bytes = getIndexBytes(op);
  if (from.tile || from.isMixed) {
    reach(op.getResult(), {from.tile, add(from.range, bytes), from.isMixed});
    return;
  }
  // An index into the tile at the arena's begin, whose own address is folded.
  bool isConstant = bytes && bytes->low == bytes->high;
  const PlannedTile *tile = findTile(op, isConstant ? bytes->low : 0);
  if (!tile) {
    if (!llvm::all_of(op->getUsers(), llvm::IsaPred<LLVM::Prefetch>))
      unplanned.push_back(op); // A prefetch may point behind everything.
    return;
  }
  reach(op.getResult(), {tile, bytes, false});
}

void ArenaReferences::followYield(OpOperand &use, const Reference &from) {
  Operation *parent = use.getOwner()->getParentOp();
  unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    reach(loop.getRegionIterArg(number), from);
    reach(loop.getResult(number), from);
  } else if (isa<scf::IfOp, scf::IndexSwitchOp>(parent)) {
    reach(parent->getResult(number), from);
  }
}

/// True for operations that hand an address on and do nothing else with it.
bool ArenaReferences::followControlFlow(OpOperand &use, const Reference &from) {
  Operation *op = use.getOwner();
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    if (auto argument =
            branch.getSuccessorBlockArgument(use.getOperandNumber()))
      reach(*argument, from);
    return true;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    reach(loop.getTiedLoopRegionIterArg(&use), from);
    reach(loop.getTiedLoopResult(&use), from);
    return true;
  }
  if (isa<arith::SelectOp, LLVM::SelectOp, LLVM::FreezeOp,
          LLVM::LaunderInvariantGroupOp>(op)) {
    reach(op->getResult(0), from);
    return true;
  }
  if (isa<scf::YieldOp>(op)) {
    followYield(use, from);
    return isa<scf::ForOp, scf::IfOp, scf::IndexSwitchOp>(op->getParentOp());
  }
  return false;
}

void ArenaReferences::follow(OpOperand &use, const Reference &from) {
  if (auto gep = dyn_cast<LLVM::GEPOp>(use.getOwner()))
    followGEP(gep, from);
  else
    followControlFlow(use, from);
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// Whether control flow may get there. What is found not to be reached keeps a
/// mark: on the LLVM dialect nothing would be known of it.
bool ArenaReferences::isReached(Operation *op) const {
  if (op->hasAttr("spine.unreachable"))
    return false;
  auto isLive = [&](Block *block) {
    const auto *state = solver.lookupState<dataflow::Executable>(
        solver.getProgramPointBefore(block));
    return state && state->isLive();
  };
  // Nothing is known of a function that nothing seems to call.
  if (isLive(op->getBlock()) || !isLive(Value(arena).getParentBlock()))
    return true;
  op->setAttr("spine.unreachable", UnitAttr::get(op->getContext()));
  return false;
}

/// The buffer that an access is for: the one whose number it carries, else the
/// one that its address was made for, else the one at the arena's begin.
const PlannedTile *ArenaReferences::findAccessed(Operation *access,
                                                 Reference &at) const {
  if (auto ids = access->getAttrOfType<DenseI64ArrayAttr>("spine.buffers")) {
    at.isMixed |= ids.size() != 1;
    for (const PlannedTile &tile : plan)
      if (!at.isMixed && tile.id == ids[0])
        return &tile;
    return nullptr;
  }
  return at.tile ? at.tile : findTile({}, 0);
}

void ArenaReferences::leaveUnproved(Operation *op, const Twine &reason) {
  ++numUnproved;
  if (remark)
    remark(op) << "is not proved to stay inside of its buffer: " << reason;
}

bool ArenaReferences::checkAccess(Operation *op, const Access &access,
                                  Report report) {
  Reference at = references[access.address];
  const PlannedTile *tile = findAccessed(op, at);
  if (!tile && !at.isMixed) {
    report(op) << "accesses the arena where no tile of the plan is";
    return false;
  }
  if (!at.range || at.isMixed || !access.bytes) {
    leaveUnproved(op, at.isMixed ? "the address may be in several of them"
                                 : "nothing bounds the index");
    return true;
  }
  int64_t low = at.range->low, high = at.range->high + *access.bytes;
  if (tile->offset <= low && high <= tile->end()) {
    ++numProved;
    return true;
  }
  // A range that reaches beyond the tile may be wider than what happens, and
  // lanes that are masked out reach nowhere.
  std::string bytes = "bytes [" + std::to_string(low) + ", " +
                      std::to_string(high) + ") of the arena";
  bool mayBeInside =
      low + *access.bytes <= tile->end() && tile->offset <= at.range->high;
  if (access.isMasked || (mayBeInside && at.range->low != at.range->high)) {
    leaveUnproved(op, Twine(access.isMasked ? "without its mask, it could "
                                              "reach "
                                            : "bounds of the index allow ") +
                          bytes + "; it is for " + tile->describe());
    return true;
  }
  ++numUnproved;
  report(op) << "access to " << bytes << " leaves " << tile->describe();
  return false;
}

/// The bytes that an access of this value type moves.
static std::optional<int64_t> getBytes(const DataLayout &layout, Type type) {
  llvm::TypeSize size = layout.getTypeSize(type);
  if (size.isScalable())
    return std::nullopt;
  return size.getFixedValue();
}

/// Nothing for what is neither a load nor a store of contiguous bytes.
std::optional<ArenaReferences::Access>
ArenaReferences::getAccess(Operation *op) const {
  auto ofType = [&](Type type) { return getBytes(layout, type); };
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return Access{load.getAddr(), ofType(load.getType())};
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return Access{store.getAddr(), ofType(store.getValue().getType())};
  if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op))
    return Access{load.getData(), ofType(load.getType()), true};
  if (auto store = dyn_cast<LLVM::MaskedStoreOp>(op))
    return Access{store.getData(), ofType(store.getValue().getType()), true};
  return std::nullopt;
}

bool ArenaReferences::checkUse(OpOperand &use, const Reference &from,
                               Report report) {
  Operation *op = use.getOwner();
  Value address = use.get();
  if (isa<LLVM::GEPOp>(op) || followControlFlow(use, from))
    return true;
  if (!isReached(op)) {
    ++numUnreachable;
    return true;
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(op);
      store && store.getValue() == address) {
    report(op) << "stores an address in the arena: nothing would know what is "
                  "done with it";
    return false;
  }
  if (areMarked && !op->hasAttr("spine.buffers")) {
    report(op) << "uses the arena for no buffer of the plan";
    return false;
  }
  if (auto access = getAccess(op); access && access->address == address)
    return checkAccess(op, *access, report);
  leaveUnproved(op, "it is no load or store of contiguous bytes");
  return true;
}

bool ArenaReferences::check(Report report, Report remarkOnUnproved) {
  remark = remarkOnUnproved;
  bool isGood = true;
  for (LLVM::GEPOp op : unplanned) {
    if (!isReached(op))
      continue;
    report(op) << "makes an address in the arena where no tile of the plan "
                  "begins";
    isGood = false;
  }
  SmallVector<Value> values;
  for (auto &[value, reference] : references)
    values.push_back(value);
  for (Value value : values)
    for (OpOperand &use : value.getUses())
      isGood &= checkUse(use, references[value], report);
  return isGood;
}
