//===- OverlapConditionTest.cpp - against enumeration ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/OverlapCondition.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace mlir::spine;

namespace {

class Numbers {
public:
  explicit Numbers(unsigned seed) : random(seed) {}
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  }

private:
  std::mt19937 random;
};

/// All sums that the terms from one on can have, beginning with `sum`.
bool canBeZero(llvm::ArrayRef<EquationTerm> terms, int64_t sum) {
  if (terms.empty())
    return sum == 0;
  for (int64_t i = terms.front().low; i <= terms.front().high; ++i)
    if (canBeZero(terms.drop_front(), sum + terms.front().coefficient * i))
      return true;
  return false;
}

TEST(LinearEquation, AgreesWithEnumeration) {
  Numbers numbers(1);
  for (int i = 0; i < 20000; ++i) {
    std::vector<EquationTerm> terms;
    for (int64_t n = numbers.between(0, 4); n > 0; --n) {
      int64_t low = numbers.between(-4, 4);
      terms.push_back(
          {numbers.between(-9, 9), low, low + numbers.between(0, 5)});
    }
    int64_t constant = numbers.between(-60, 60);
    EXPECT_EQ(hasNoSolution(terms, constant), !canBeZero(terms, constant));
  }
}

TEST(LinearEquation, GivesUpOnNumbersThatAreTooLarge) {
  EXPECT_FALSE(hasNoSolution({{INT64_MAX, 0, INT64_MAX}}, 1));
  EXPECT_FALSE(hasNoSolution({}, INT64_MIN));
  EXPECT_TRUE(hasNoSolution({}, 1));
  EXPECT_FALSE(hasNoSolution({}, 0));
  EXPECT_TRUE(hasNoSolution({{int64_t(1) << 40, 0, 1 << 10}}, 1));
}

/// An access of one or two dimensions, with strides in elements.
struct Access {
  int64_t bytes, offset;
  std::vector<int64_t> sizes, strides, counts;
};

Access makeAccess(Numbers &numbers) {
  Access access{numbers.between(1, 3), numbers.between(-6, 6), {}, {}, {}};
  for (int64_t n = numbers.between(1, 2); n > 0; --n) {
    access.sizes.push_back(numbers.between(1, 5));
    access.strides.push_back(numbers.between(-6, 6));
    access.counts.push_back(numbers.between(0, 6));
  }
  return access;
}

/// Strides are arguments, and so are counts: masks of the form i < count.
AccessShape addAccess(OverlapCondition &condition, const Access &access,
                      std::vector<int64_t> &arguments) {
  auto add = [&](int64_t value) {
    AddressVariable variable;
    variable.kind = AddressVariable::Kind::Argument;
    variable.number = arguments.size();
    variable.bits = 32;
    condition.variables.push_back(variable);
    arguments.push_back(value);
    return Polynomial::getVariable(condition.variables.size() - 1);
  };
  AccessShape shape;
  shape.elementBytes = access.bytes;
  for (auto [size, stride, count] :
       llvm::zip(access.sizes, access.strides, access.counts))
    shape.indices.push_back({add(stride) * Polynomial(access.bytes),
                             size,
                             {{Polynomial(0), add(count), 32}}});
  return shape;
}

/// Bytes that an access touches, each with its place along the axis.
std::set<std::pair<int64_t, int64_t>> getBytes(const Access &access,
                                               std::optional<unsigned> axis) {
  std::set<std::pair<int64_t, int64_t>> bytes;
  auto at = [&](size_t dim) {
    return dim < access.sizes.size()
               ? std::min(access.sizes[dim], access.counts[dim])
               : 1;
  };
  for (int64_t i = 0; i < at(0); ++i)
    for (int64_t j = 0; j < at(1); ++j)
      for (int64_t k = 0; k < access.bytes; ++k) {
        int64_t element = i * access.strides[0];
        if (access.sizes.size() > 1)
          element += j * access.strides[1];
        bytes.insert({access.offset + element * access.bytes + k,
                      axis ? (*axis == 0 ? i : j) : 0});
      }
  return bytes;
}

bool overlap(const Access &store, const Access &other,
             std::optional<std::pair<unsigned, unsigned>> axis) {
  auto first = axis ? std::optional<unsigned>(axis->first) : std::nullopt;
  auto second = axis ? std::optional<unsigned>(axis->second) : std::nullopt;
  for (auto [byte, place] : getBytes(store, first))
    for (auto [otherByte, otherPlace] : getBytes(other, second))
      if (byte == otherByte && (!axis || place != otherPlace))
        return true;
  return false;
}

TEST(OverlapCondition, AgreesWithEnumeration) {
  Numbers numbers(2);
  int numApart = 0;
  for (int i = 0; i < 4000; ++i) {
    Access store = makeAccess(numbers);
    Access other = numbers.between(0, 1) ? store : makeAccess(numbers);
    OverlapCondition condition;
    std::vector<int64_t> arguments;
    condition.store = addAccess(condition, store, arguments);
    condition.other = addAccess(condition, other, arguments);
    condition.offset = Polynomial(store.offset - other.offset);
    if (numbers.between(0, 2))
      condition.axis = {numbers.between(0, store.sizes.size() - 1),
                        numbers.between(0, other.sizes.size() - 1)};
    auto copies = parseOverlapConditions("[" + serialize(condition) + "]");
    ASSERT_TRUE(static_cast<bool>(copies));
    LaunchValues values{arguments, {1, 1, 1}};
    bool isApart = holds(condition, &values);
    EXPECT_EQ(holds(copies->front(), &values), isApart);
    EXPECT_EQ(serialize(copies->front()), serialize(condition));
    if (isApart)
      EXPECT_FALSE(overlap(store, other, condition.axis)) << i;
    else // With different strides along the axis, only nearly exact.
      EXPECT_TRUE(overlap(store, other, condition.axis) || condition.axis) << i;
    numApart += isApart;
    if (holds(condition, nullptr))
      EXPECT_TRUE(isApart);
  }
  EXPECT_GT(numApart, 400);
}

TEST(OverlapCondition, SumsThatWrapAroundAreNotTrusted) {
  OverlapCondition condition;
  condition.store.elementBytes = condition.other.elementBytes = 4;
  condition.store.indices = {{Polynomial(int64_t(4) << 20), 1 << 13, {}}};
  condition.other.indices = condition.store.indices;
  condition.axis = {0, 0};
  condition.offset = Polynomial(0);
  EXPECT_TRUE(holds(condition, nullptr));
  condition.modulusBits = 32;
  EXPECT_FALSE(holds(condition, nullptr));
}

TEST(OverlapCondition, MasksThatMayHaveWrappedAroundDoNotCount) {
  OverlapCondition condition;
  AddressVariable any;
  any.bits = 32;
  condition.variables = {any};
  AccessShape shape;
  shape.elementBytes = 4;
  shape.indices = {{Polynomial(16), 8, {}},
                   {Polynomial(4), 8, {{Polynomial(0), Polynomial(4), 32}}}};
  condition.store = condition.other = shape;
  condition.axis = {0, 0};
  condition.offset = Polynomial(0);
  EXPECT_TRUE(holds(condition, nullptr));
  for (AccessShape *access : {&condition.store, &condition.other}) {
    IndexBound &bound = access->indices[1].bounds.front();
    bound.left = Polynomial::getVariable(0);
    bound.right = bound.left + Polynomial(4);
  }
  EXPECT_FALSE(holds(condition, nullptr));
}

TEST(OverlapCondition, IsLeftToALaunchWhereThatHelps) {
  OverlapCondition condition;
  AddressVariable stride;
  stride.kind = AddressVariable::Kind::Argument;
  condition.variables = {stride};
  condition.store.indices = {{Polynomial::getVariable(0), 8, {}}};
  condition.other = condition.store;
  condition.axis = {0, 0};
  EXPECT_FALSE(dependsOnLaunch(condition)); // no address
  condition.offset = Polynomial(0);
  EXPECT_TRUE(dependsOnLaunch(condition));
  condition.axis.reset();
  EXPECT_FALSE(dependsOnLaunch(condition)); // the same element
  condition.offset = Polynomial(1);
  EXPECT_TRUE(dependsOnLaunch(condition));
  condition.variables.front().kind = AddressVariable::Kind::Any;
  EXPECT_FALSE(dependsOnLaunch(condition));
}

TEST(OverlapCondition, RefusesWhatIsNoCondition) {
  for (const char *text : {"", "{}", "[1]", "[{\"variables\": []}]"}) {
    auto parsed = parseOverlapConditions(text);
    EXPECT_FALSE(static_cast<bool>(parsed)) << text;
    llvm::consumeError(parsed.takeError());
  }
}

} // namespace
