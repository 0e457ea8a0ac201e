//===- MemoryOrder.cpp - may loads and stores change places ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "MemoryOrder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "spine-triton/Analysis/IncomingValues.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::spine;

using triton::LoadOp;
using triton::MakeTensorPtrOp;
using triton::StoreOp;

using Obstacle = TileAxes::Obstacle;

static bool accesses(Operation *op, bool writes) {
  if (op->getNumRegions() != 0)
    return false; // what is in it is looked at by itself
  auto effects = getEffectsRecursively(op);
  if (!effects)
    return true;
  return llvm::any_of(*effects, [&](const MemoryEffects::EffectInstance &it) {
    return isa<MemoryEffects::Read>(it.getEffect()) != writes;
  });
}

MemoryOrder::MemoryOrder(const LoopPlan &plan, const TileAxes &axes,
                         unsigned axis)
    : plan(plan), axes(axes), axis(axis) {
  plan.getFunction()->walk([&](Operation *op) {
    if (op->getNumRegions() == 0 && accesses(op, /*writes=*/true))
      writes.push_back(op);
  });
}

//===----------------------------------------------------------------------===//
// Where addresses come from
//===----------------------------------------------------------------------===//

static Value getAddress(Operation *access) {
  if (auto load = dyn_cast<LoadOp>(access))
    return load.getPtr();
  if (auto store = dyn_cast<StoreOp>(access))
    return store.getPtr();
  return Value();
}

/// The values that an address is computed from as an address.
static SmallVector<Value> getSources(Value address) {
  if (auto incoming = getIncomingValues(address))
    return *incoming;
  Operation *op = address.getDefiningOp();
  if (auto maker = dyn_cast_or_null<MakeTensorPtrOp>(op))
    return {maker.getBase()};
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    return {select.getTrueValue(), select.getFalseValue()};
  if (isa_and_nonnull<triton::AddPtrOp, triton::AdvanceOp, triton::SplatOp,
                      triton::BroadcastOp, triton::ExpandDimsOp,
                      triton::TransOp, triton::ReshapeOp, triton::BitcastOp>(
          op))
    return {op->getOperand(0)};
  return {};
}

/// Arguments of the function; null stands for anything else.
const MemoryOrder::Roots &MemoryOrder::getRoots(Operation *access) {
  auto [it, isNew] = roots.try_emplace(access);
  if (!isNew)
    return it->second;
  SmallVector<Value> queue{getAddress(access)};
  llvm::SmallPtrSet<Value, 16> seen;
  while (!queue.empty()) {
    Value address = queue.pop_back_val();
    if (address && !seen.insert(address).second)
      continue;
    SmallVector<Value> sources =
        address ? getSources(address) : SmallVector<Value>();
    queue.append(sources);
    if (!sources.empty())
      continue;
    auto argument = dyn_cast_or_null<BlockArgument>(address);
    bool isArgument =
        argument && argument.getOwner()->getParentOp() == plan.getFunction();
    it->second.insert(isArgument ? address : Value());
  }
  return it->second;
}

//===----------------------------------------------------------------------===//
// Pairs of accesses
//===----------------------------------------------------------------------===//

/// The one dimension of either access that lies on the axis.
MemoryOrder::Axis MemoryOrder::getAxis(Operation *write,
                                       Operation *other) const {
  if (!isa<LoadOp, StoreOp>(write) || !isa<LoadOp, StoreOp>(other))
    return std::nullopt;
  auto dims = axes.getDims(write->getOpOperand(0), axis);
  auto otherDims = axes.getDims(other->getOpOperand(0), axis);
  if (dims.count() != 1 || otherDims.count() != 1)
    return std::nullopt;
  return std::pair(dims.find_first(), otherDims.find_first());
}

static std::string getPlace(Operation *op) {
  auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>();
  return loc ? (loc.getFilename().getValue() + ":" + Twine(loc.getLine())).str()
             : std::string();
}

static std::string getName(Value argument) {
  return getArgumentName(cast<BlockArgument>(argument));
}

static int64_t getElementBytes(Operation *access) {
  Value value = isa<LoadOp>(access) ? access->getResult(0)
                                    : cast<StoreOp>(access).getValue();
  Type type = getElementTypeOrSelf(value.getType());
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
                             : 8;
}

OverlapCondition MemoryOrder::describePair(Operation *write, Operation *other,
                                           Axis axis) {
  OverlapCondition condition;
  auto describe = [&](Operation *access, AccessShape &shape, std::string &name,
                      std::string &place) {
    place = getPlace(access);
    const Roots &found = getRoots(access);
    if (found.size() == 1 && *found.begin()) {
      shape.argument = cast<BlockArgument>(*found.begin()).getArgNumber();
      name = getName(*found.begin());
    }
  };
  describe(write, condition.store, condition.storeName, condition.storePlace);
  describe(other, condition.other, condition.otherName, condition.otherPlace);
  condition.otherIsStore = isa<StoreOp>(other);
  condition.axis = axis;
  return condition;
}

namespace {

/// Numbers the variables of one condition: those that have one value for both
/// of its accesses, and those that each has for itself.
class VariableNumbers {
public:
  VariableNumbers(TileAddresses &addresses, OverlapCondition &condition,
                  llvm::function_ref<bool(Value)> isShared)
      : addresses(addresses), condition(condition), isShared(isShared) {}

  Polynomial rename(const Polynomial &polynomial, bool isOther) {
    return polynomial.rename(
        [&](unsigned number) { return get(number, isOther); });
  }

private:
  unsigned get(unsigned number, bool isOther) {
    isOther &= !isShared(addresses.getScalars().getValue(number));
    auto known = numbers.find({number, isOther});
    if (known != numbers.end())
      return known->second;
    AddressVariable variable = addresses.getScalars().describe(number);
    variable.a = rename(variable.a, isOther);
    variable.b = rename(variable.b, isOther);
    condition.variables.push_back(std::move(variable));
    return numbers[{number, isOther}] =
               static_cast<unsigned>(condition.variables.size() - 1);
  }

  TileAddresses &addresses;
  OverlapCondition &condition;
  llvm::function_ref<bool(Value)> isShared;
  std::map<std::pair<unsigned, bool>, unsigned> numbers;
};

} // namespace

/// The address of a pointer argument, as a variable of its own.
static Polynomial addArgument(OverlapCondition &condition, Value base) {
  AddressVariable variable;
  variable.kind = AddressVariable::Kind::Argument;
  variable.number = cast<BlockArgument>(base).getArgNumber();
  condition.variables.push_back(variable);
  return Polynomial::getVariable(condition.variables.size() - 1);
}

static bool isArgumentOf(Value value, Operation *function) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->getParentOp() == function;
}

/// False if the addresses have no common origin, or are no sums of indices.
bool MemoryOrder::addAddresses(OverlapCondition &condition, Operation *write,
                               Operation *other, IsShared isShared) {
  // Both are found before either is used: a table may grow in between.
  addresses.get(write);
  addresses.get(other);
  const auto &store = addresses.get(write).address;
  const auto &load = addresses.get(other).address;
  if (!store || !load)
    return false;
  VariableNumbers numbers(addresses, condition, isShared);
  Polynomial offset;
  auto add = [&](Operation *access, const TileAddress &address,
                 AccessShape &shape, bool isOther) {
    shape.elementBytes = getElementBytes(access);
    Polynomial bytes(shape.elementBytes);
    RankedTensorType tile = getTileType(access->getOperand(0).getType());
    for (auto [dim, stride] : llvm::enumerate(address.sum.strides)) {
      AddressIndex index{
          numbers.rename(stride, isOther) * bytes, tile.getDimSize(dim), {}};
      for (const IndexBound &bound : address.bounds[dim])
        index.bounds.push_back({numbers.rename(bound.left, isOther),
                                numbers.rename(bound.right, isOther),
                                bound.bits});
      shape.indices.push_back(std::move(index));
    }
    condition.modulusBits = std::min(condition.modulusBits, address.sum.bits);
    return numbers.rename(address.sum.offset, isOther) * bytes;
  };
  offset = add(write, *store, condition.store, false) -
           add(other, *load, condition.other, true);
  if (store->base != load->base) {
    if (!isArgumentOf(store->base, plan.getFunction()) ||
        !isArgumentOf(load->base, plan.getFunction()))
      return false;
    offset = offset + addArgument(condition, store->base) -
             addArgument(condition, load->base);
  }
  condition.offset = offset;
  return offset.isValid();
}

/// Through one argument, or from an origin that is not known.
bool MemoryOrder::areApartIn(Operation *write, Operation *other, Axis axis,
                             IsShared isShared, bool hasArgument) {
  OverlapCondition condition = describePair(write, other, axis);
  if (!addAddresses(condition, write, other, isShared))
    return false;
  if (holds(condition, nullptr))
    return true;
  if (!hasArgument || !dependsOnLaunch(condition))
    return false;
  conditions.push_back(std::move(condition));
  return true;
}

/// Through different arguments: they are compared at the launch.
void MemoryOrder::assumeApart(Operation *write, Operation *other, Axis axis,
                              IsShared isShared) {
  OverlapCondition condition = describePair(write, other, axis);
  bool isOne = getRoots(write).size() == 1 && getRoots(other).size() == 1;
  if (isOne && addAddresses(condition, write, other, isShared) &&
      dependsOnLaunch(condition)) {
    conditions.push_back(std::move(condition));
    return;
  }
  for (Value root : getRoots(write))
    for (Value otherRoot : getRoots(other)) {
      OverlapCondition plain = describePair(write, other, std::nullopt);
      plain.store.argument = cast<BlockArgument>(root).getArgNumber();
      plain.other.argument = cast<BlockArgument>(otherRoot).getArgNumber();
      plain.storeName = getName(root);
      plain.otherName = getName(otherRoot);
      conditions.push_back(std::move(plain));
    }
}

bool MemoryOrder::areApart(Operation *write, Operation *other, Axis axis,
                           IsShared isShared) {
  getRoots(write);
  getRoots(other);
  const Roots &rootsOfWrite = getRoots(write);
  const Roots &rootsOfOther = getRoots(other);
  bool areKnown =
      !rootsOfWrite.contains(Value()) && !rootsOfOther.contains(Value());
  bool shareOne = llvm::any_of(
      rootsOfWrite, [&](Value root) { return rootsOfOther.contains(root); });
  if (!areKnown || shareOne)
    return areApartIn(write, other, axis, isShared,
                      areKnown && rootsOfWrite.size() == 1 &&
                          rootsOfOther.size() == 1);
  assumeApart(write, other, axis, isShared);
  return true;
}

/// What is said of a pair that is not shown to be apart, and what to do.
std::string MemoryOrder::explain(Operation *write, Operation *other) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const Roots &found = getRoots(write);
  os << ": ";
  if (found.size() == 1 && *found.begin())
    os << "elements of different parts may have one address in '"
       << getName(*found.begin()) << "'";
  else
    os << "elements of different parts may have one address";
  Operation *culprit = addresses.get(write).culprit;
  if (!culprit)
    culprit = addresses.get(other).culprit;
  if (culprit) {
    os << ", which is computed with '" << culprit->getName() << "'";
    if (std::string place = getPlace(culprit); !place.empty())
      os << " (" << place << ")";
  }
  os << "; store to another argument, or to addresses that are sums of "
        "ranges times strides and differ";
  return text;
}

/// Whether a tile is computed from one that is loaded through a block pointer.
static bool comesFromBlock(Value tile) {
  SmallVector<Value> queue{tile};
  llvm::SmallPtrSet<Value, 16> seen{tile};
  while (!queue.empty()) {
    Operation *op = queue.pop_back_val().getDefiningOp();
    if (!op || (isa<LoadOp>(op) &&
                !isa<RankedTensorType>(op->getOperand(0).getType())))
      return true;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) &&
          seen.insert(operand).second)
        queue.push_back(operand);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Loads of `member` are executed at the loop's place instead of its own, and
/// again in each loop that needs them.
std::optional<Obstacle> MemoryOrder::checkRereads(const TileLoop &loop,
                                                  Operation *member) {
  auto isOwn = [&](Operation *write) {
    return llvm::any_of(loop.slice,
                        [&](Operation *own) { return own->isAncestor(write); });
  };
  auto isBetween = [&](Operation *write) {
    if (!isOwn(write) && plan.getOrder(write) > plan.getOrder(member) &&
        plan.getOrder(write) < plan.getOrder(loop.getPlace()))
      return true;
    // What the same part stored in an iteration before, too.
    for (Operation *outer = loop.getPlace()->getParentOp();
         outer != plan.getFunction(); outer = outer->getParentOp())
      if (isa<LoopLikeOpInterface>(outer) && !outer->isAncestor(member) &&
          outer->isAncestor(write))
        return true;
    return false;
  };
  // Others than arguments may have changed in between.
  auto isShared = [&](Value value) {
    return value.getParentBlock()->getParentOp() == plan.getFunction();
  };
  std::optional<Obstacle> found;
  member->walk([&](Operation *read) {
    if (!accesses(read, /*writes=*/false))
      return WalkResult::advance();
    for (Operation *write : writes)
      if (isBetween(write) && !areApart(write, read, std::nullopt, isShared)) {
        found = Obstacle{read->getLoc(),
                         "what is loaded here would be loaded later or again, "
                         "after a store that may have changed it"};
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return found;
}

/// Whether parts are stored in the order in which the elements of the whole
/// tile are: then the last one of several elements for one address remains, as
/// before. Code stores to tiles of pointers row by row, unless the address
/// comes from a tile that has another order.
bool MemoryOrder::isStoredInOrder(Operation *write, const TileLoop &loop) {
  auto store = dyn_cast<StoreOp>(write);
  auto tile = store ? getTileType(store.getPtr().getType()) : nullptr;
  auto dims = axes.getDims(write->getOpOperand(0), axis);
  if (!tile || dims.count() != 1)
    return false;
  for (Operation *outer = write->getParentOp(); outer != plan.getFunction();
       outer = outer->getParentOp())
    if (isa<LoopLikeOpInterface>(outer) &&
        llvm::any_of(loop.slice, [&](Operation *member) {
          return member->isAncestor(outer);
        }))
      return false;
  auto isWide = [](int64_t size) { return size != 1; };
  unsigned dim = dims.find_first();
  if (llvm::any_of(tile.getShape().take_front(dim), isWide))
    return false;
  return llvm::none_of(tile.getShape().drop_front(dim + 1), isWide) ||
         (isa<RankedTensorType>(store.getPtr().getType()) &&
          !comesFromBlock(store.getPtr()));
}

std::optional<Obstacle> MemoryOrder::checkPair(const TileLoop &loop,
                                               Operation *write,
                                               Operation *other) {
  if (write == other && isStoredInOrder(write, loop))
    return std::nullopt;
  // What is computed outside of the slice is one value for all parts. Loops in
  // it are executed once per part: what they compute is another value in other
  // iterations, of which those of one part come before those of the next.
  auto isShared = [&](Value value) {
    Operation *parent = value.getParentBlock()->getParentOp();
    return llvm::none_of(loop.slice, [&](Operation *member) {
      return member->isAncestor(parent);
    });
  };
  if (areApart(write, other, getAxis(write, other), isShared))
    return std::nullopt;
  const char *text =
      write == other ? "which of the elements that are stored here to one "
                       "address remains would depend on the order of parts"
      : isa<StoreOp>(other)
          ? "two stores of it may write the same memory"
          : "what is stored here may be loaded as another part of it";
  return Obstacle{write->getLoc(), text + explain(write, other)};
}

std::optional<Obstacle> MemoryOrder::check(const TileLoop &loop) {
  SmallVector<Operation *> all, own;
  for (Operation *member : loop.slice) {
    if (auto found = checkRereads(loop, member))
      return found;
    member->walk([&](Operation *op) {
      if (accesses(op, /*writes=*/true))
        own.push_back(op);
      if (accesses(op, /*writes=*/true) || accesses(op, /*writes=*/false))
        all.push_back(op);
    });
  }
  for (Operation *write : own)
    for (Operation *other : all)
      if (auto found = checkPair(loop, write, other))
        return found;
  return std::nullopt;
}

std::optional<Obstacle> MemoryOrder::check() {
  for (const TileLoop &loop : plan.getLoops())
    if (auto found = check(loop))
      return found;
  return std::nullopt;
}
