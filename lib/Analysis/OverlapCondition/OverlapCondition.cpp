//===- OverlapCondition.cpp - when two accesses stay apart ----------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/OverlapCondition.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::spine;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

static int64_t saturate(int64_t value) {
  return std::clamp(value, -Interval::kMost, Interval::kMost);
}

static int64_t add(int64_t a, int64_t b) {
  int64_t sum;
  if (llvm::AddOverflow(a, b, sum))
    return a < 0 ? -Interval::kMost : Interval::kMost;
  return saturate(sum);
}

static int64_t multiply(int64_t a, int64_t b) {
  int64_t product;
  if (llvm::MulOverflow(a, b, product))
    return (a < 0) == (b < 0) ? Interval::kMost : -Interval::kMost;
  return saturate(product);
}

static Interval operator+(Interval a, Interval b) {
  return {add(a.low, b.low), add(a.high, b.high)};
}

static Interval operator*(Interval a, Interval b) {
  std::array<int64_t, 4> ends = {
      multiply(a.low, b.low), multiply(a.low, b.high), multiply(a.high, b.low),
      multiply(a.high, b.high)};
  return {*llvm::min_element(ends), *llvm::max_element(ends)};
}

bool Interval::fits(unsigned bits) const {
  Interval all = ofBits(bits);
  return low >= all.low && high <= all.high && low > -kMost && high < kMost;
}

Interval Interval::ofBits(unsigned bits) {
  if (bits > 62)
    return {};
  int64_t half = int64_t(1) << (std::max(bits, 1U) - 1);
  return {-half, half - 1};
}

/// Quotient (rounded to zero) or remainder of numbers that are not negative.
static Interval divide(Interval a, Interval b, bool wantsRemainder,
                       unsigned bits) {
  if (a.low < 0 || b.low < 1)
    return Interval::ofBits(bits);
  if (a.isPoint() && b.isPoint()) {
    int64_t value = wantsRemainder ? a.low % b.low : a.low / b.low;
    return {value, value};
  }
  if (wantsRemainder)
    return {0, std::min(a.high, b.high - 1)};
  return {a.low / b.high, a.high / b.low};
}

//===----------------------------------------------------------------------===//
// Values of variables
//===----------------------------------------------------------------------===//

namespace {

/// Puts in what is known of the variables of a condition.
class Evaluator {
public:
  Evaluator(const OverlapCondition &condition, const LaunchValues *values)
      : condition(condition), values(values) {
    for (const AddressVariable &variable : condition.variables)
      intervals.push_back(evaluate(variable));
  }

  bool holds();

private:
  /// A polynomial with numbers put in: what remains are variables that are not
  /// known, by their numbers.
  using Reduced = std::map<Polynomial::Monomial, int64_t>;

  Interval evaluate(const AddressVariable &variable) const;
  Interval evaluate(const Polynomial &polynomial) const;
  std::optional<Reduced> reduce(const Polynomial &polynomial) const;
  std::optional<int64_t> getNumber(const Polynomial &polynomial) const;

  int64_t getCount(const AddressIndex &index) const;
  bool addIndices();
  bool addIndex(const AddressIndex &index, int64_t sign);
  bool addAxis();
  bool addOffset();
  void addElements();
  bool isInRange(const EquationTerm *along) const;
  bool isApart(const EquationTerm *along) const;

  const OverlapCondition &condition;
  const LaunchValues *values;
  SmallVector<Interval> intervals;
  SmallVector<EquationTerm> terms;
  int64_t constant = 0;
  bool isEmpty = false;
  /// Forwards and backwards along the axis.
  SmallVector<EquationTerm> along;
};

} // namespace

Interval Evaluator::evaluate(const AddressVariable &variable) const {
  using Kind = AddressVariable::Kind;
  Interval all = Interval::ofBits(variable.bits);
  Interval a = evaluate(variable.a), b = evaluate(variable.b);
  switch (variable.kind) {
  case Kind::Any:
    return all;
  case Kind::Argument:
    if (!values || variable.number >= values->arguments.size())
      return all;
    a.low = a.high = values->arguments[variable.number];
    return a;
  case Kind::Program:
    if (!values)
      return {0, INT32_MAX};
    return {0, std::max<int64_t>(0, values->grid[variable.number] - 1)};
  case Kind::NumPrograms:
    if (!values)
      return {1, INT32_MAX};
    return {values->grid[variable.number], values->grid[variable.number]};
  case Kind::Value:
    return a.fits(variable.bits) ? a : all;
  case Kind::Min:
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
  case Kind::Max:
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  case Kind::Between:
    return {a.low, std::max(a.low, b.high - 1)};
  case Kind::Quotient:
    return divide(a, b, /*wantsRemainder=*/false, variable.bits);
  case Kind::Remainder:
    return divide(a, b, /*wantsRemainder=*/true, variable.bits);
  }
  return all;
}

Interval Evaluator::evaluate(const Polynomial &polynomial) const {
  if (!polynomial.isValid())
    return {};
  Interval sum{0, 0};
  for (const auto &[monomial, coefficient] : polynomial.getTerms()) {
    Interval product{coefficient, coefficient};
    for (unsigned number : monomial)
      product = product * intervals[number];
    sum = sum + product;
  }
  return sum;
}

std::optional<Evaluator::Reduced>
Evaluator::reduce(const Polynomial &polynomial) const {
  if (!polynomial.isValid())
    return std::nullopt;
  Reduced result;
  for (const auto &[monomial, coefficient] : polynomial.getTerms()) {
    int64_t product = coefficient;
    Polynomial::Monomial unknown;
    for (unsigned number : monomial) {
      if (!intervals[number].isPoint())
        unknown.push_back(number);
      else if (llvm::MulOverflow(product, intervals[number].low, product))
        return std::nullopt;
    }
    int64_t &sum = result[unknown];
    if (llvm::AddOverflow(sum, product, sum))
      return std::nullopt;
  }
  return result;
}

std::optional<int64_t>
Evaluator::getNumber(const Polynomial &polynomial) const {
  auto reduced = reduce(polynomial);
  if (!reduced)
    return std::nullopt;
  int64_t number = 0;
  for (const auto &[unknown, coefficient] : *reduced) {
    if (unknown.empty())
      number = coefficient;
    else if (coefficient != 0)
      return std::nullopt;
  }
  return number;
}

//===----------------------------------------------------------------------===//
// The equation of two addresses
//===----------------------------------------------------------------------===//

int64_t Evaluator::getCount(const AddressIndex &index) const {
  int64_t count = index.size;
  for (const IndexBound &bound : index.bounds) {
    Interval left = evaluate(bound.left), right = evaluate(bound.right);
    Interval reached = left + Interval{0, index.size - 1};
    if (reached.fits(bound.bits) && right.fits(bound.bits))
      count = std::min(count, evaluate(bound.right - bound.left).high);
  }
  return std::max<int64_t>(count, 0);
}

bool Evaluator::addIndex(const AddressIndex &index, int64_t sign) {
  int64_t count = getCount(index);
  isEmpty |= count == 0;
  auto stride = getNumber(index.stride);
  if (count <= 1)
    return true; // of any stride
  if (!stride || *stride > Interval::kMost || *stride < -Interval::kMost)
    return false;
  terms.push_back({sign * *stride, 0, count - 1});
  return true;
}

bool Evaluator::addIndices() {
  auto addAll = [&](const AccessShape &access, int64_t sign,
                    std::optional<unsigned> without) {
    for (auto [number, index] : llvm::enumerate(access.indices))
      if (number != without && !addIndex(index, sign))
        return false;
    return true;
  };
  std::optional<unsigned> storeAxis, otherAxis;
  if (condition.axis)
    std::tie(storeAxis, otherAxis) = *condition.axis;
  return addAll(condition.store, 1, storeAxis) &&
         addAll(condition.other, -1, otherAxis);
}

/// With i and j along the axis: s * i - t * j is s * (i - j) + (s - t) * j.
bool Evaluator::addAxis() {
  const AddressIndex &store = condition.store.indices[condition.axis->first];
  const AddressIndex &other = condition.other.indices[condition.axis->second];
  auto stride = getNumber(store.stride), otherStride = getNumber(other.stride);
  int64_t count = getCount(store), otherCount = getCount(other);
  isEmpty |= count == 0 || otherCount == 0;
  int64_t difference;
  if (!stride || !otherStride ||
      llvm::SubOverflow(*stride, *otherStride, difference))
    return false;
  terms.push_back({difference, 0, otherCount - 1});
  along.push_back({*stride, 1, count - 1});
  along.push_back({*stride, 1 - otherCount, -1});
  return true;
}

bool Evaluator::addOffset() {
  auto reduced = reduce(*condition.offset);
  if (!reduced)
    return false;
  for (const auto &[unknown, coefficient] : *reduced) {
    Interval range{1, 1};
    for (unsigned number : unknown)
      range = range * intervals[number];
    if (unknown.empty())
      constant = coefficient;
    else if (coefficient != 0)
      terms.push_back({coefficient, range.low, range.high});
  }
  return true;
}

/// The bytes of two elements meet if the first ones are less than an element
/// apart: no question if all distances are multiples of its size.
void Evaluator::addElements() {
  int64_t stored = condition.store.elementBytes;
  int64_t accessed = condition.other.elementBytes;
  auto isMultiple = [&](const EquationTerm &term) {
    return term.coefficient % stored == 0;
  };
  if (stored != accessed || constant % stored != 0 ||
      !llvm::all_of(terms, isMultiple) || !llvm::all_of(along, isMultiple))
    terms.push_back({1, 1 - accessed, stored - 1});
}

/// Whether all addresses are so near to each other that they are right.
bool Evaluator::isInRange(const EquationTerm *extra) const {
  int64_t reach = std::abs(saturate(constant));
  auto extend = [&](const EquationTerm &term) {
    for (int64_t end : {term.low, term.high})
      reach = add(reach, std::abs(multiply(term.coefficient, end)));
  };
  llvm::for_each(terms, extend);
  if (extra)
    extend(*extra);
  int64_t bytes =
      std::min(condition.store.elementBytes, condition.other.elementBytes);
  return reach <
         multiply(int64_t(1) << std::min(condition.modulusBits, 61U), bytes);
}

bool Evaluator::isApart(const EquationTerm *extra) const {
  SmallVector<EquationTerm> all(terms);
  if (extra) {
    if (extra->low > extra->high)
      return true;
    all.push_back(*extra);
  }
  return isInRange(extra) && hasNoSolution(all, constant);
}

bool Evaluator::holds() {
  if (!condition.offset || !addIndices() || (condition.axis && !addAxis()))
    return false;
  if (isEmpty)
    return true;
  if (!addOffset())
    return false;
  addElements();
  if (!condition.axis)
    return isApart(nullptr);
  return llvm::all_of(
      along, [&](const EquationTerm &extra) { return isApart(&extra); });
}

bool mlir::spine::holds(const OverlapCondition &condition,
                        const LaunchValues *values) {
  return Evaluator(condition, values).holds();
}

bool mlir::spine::dependsOnLaunch(const OverlapCondition &condition) {
  using Kind = AddressVariable::Kind;
  // Of each variable: whether a launch bounds it, and whether in its own way.
  SmallVector<std::pair<bool, bool>> facts;
  auto visit = [&](const Polynomial &polynomial, bool &isKnown, bool &varies) {
    for (const auto &[monomial, coefficient] : polynomial.getTerms())
      for (unsigned number : monomial) {
        isKnown &= facts[number].first;
        varies |= facts[number].second;
      }
  };
  for (const AddressVariable &variable : condition.variables) {
    bool isKnown = variable.kind != Kind::Any;
    bool varies = llvm::is_contained(
        {Kind::Argument, Kind::Program, Kind::NumPrograms}, variable.kind);
    visit(variable.a, isKnown, varies);
    visit(variable.b, isKnown, varies);
    facts.emplace_back(isKnown, varies);
  }
  if (!condition.offset)
    return false;
  // The first elements are one: nothing that a launch says keeps them apart.
  if (!condition.axis && condition.offset->getConstant() == 0)
    return false;
  bool isKnown = true, varies = false;
  visit(*condition.offset, isKnown, varies);
  for (const AccessShape *access : {&condition.store, &condition.other})
    for (const AddressIndex &index : access->indices) {
      visit(index.stride, isKnown, varies);
      bool isBoundKnown = true; // others are without effect
      for (const IndexBound &bound : index.bounds) {
        visit(bound.left, isBoundKnown, varies);
        visit(bound.right, isBoundKnown, varies);
      }
    }
  return isKnown && varies;
}

std::vector<std::pair<std::string, int64_t>>
mlir::spine::getNumbers(const OverlapCondition &condition,
                        const LaunchValues &values) {
  std::vector<std::pair<std::string, int64_t>> numbers;
  for (const AddressVariable &variable : condition.variables) {
    if (variable.kind != AddressVariable::Kind::Argument ||
        variable.name.empty() || variable.number >= values.arguments.size())
      continue;
    std::pair number(variable.name, values.arguments[variable.number]);
    if (!llvm::is_contained(numbers, number))
      numbers.push_back(std::move(number));
  }
  return numbers;
}
