//===- LinearEquation.cpp - sums that are never zero ----------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/OverlapCondition.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir::spine;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// Looks for a solution, the terms that reach furthest first: of these only few
/// values can be made up for by the others.
class Search {
public:
  bool prepare(ArrayRef<EquationTerm> given);
  /// Whether there may be one; also true if it was given up.
  bool findSolution(size_t next, int64_t sum);

private:
  /// Bounds of what the terms from one on add up to, and what divides that.
  struct Rest {
    int64_t low, high, divisor;
  };

  static constexpr unsigned kMostSteps = 1 << 14;

  SmallVector<EquationTerm> terms;
  SmallVector<Rest> rests;
  unsigned steps = 0;
};

} // namespace

/// Terms with one coefficient are one term; returns false where numbers get too
/// large to tell.
bool Search::prepare(ArrayRef<EquationTerm> given) {
  for (EquationTerm term : given) {
    if (term.coefficient == 0 || (term.low == 0 && term.high == 0))
      continue;
    if (term.coefficient < 0)
      term = {-term.coefficient, -term.high, -term.low};
    auto *same = llvm::find_if(terms, [&](const EquationTerm &other) {
      return other.coefficient == term.coefficient;
    });
    if (same == terms.end()) {
      terms.push_back(term);
    } else if (llvm::AddOverflow(same->low, term.low, same->low) ||
               llvm::AddOverflow(same->high, term.high, same->high)) {
      return false;
    }
  }
  llvm::sort(terms, [](const EquationTerm &a, const EquationTerm &b) {
    return a.coefficient > b.coefficient;
  });
  rests.assign(terms.size() + 1, {0, 0, 0});
  for (size_t i = terms.size(); i-- > 0;) {
    int64_t low, high;
    if (llvm::MulOverflow(terms[i].coefficient, terms[i].low, low) ||
        llvm::MulOverflow(terms[i].coefficient, terms[i].high, high) ||
        llvm::AddOverflow(rests[i + 1].low, low, rests[i].low) ||
        llvm::AddOverflow(rests[i + 1].high, high, rests[i].high))
      return false;
    rests[i].divisor = std::gcd(rests[i + 1].divisor, terms[i].coefficient);
  }
  return true;
}

bool Search::findSolution(size_t next, int64_t sum) {
  const Rest &rest = rests[next];
  if (sum < -rest.high || sum > -rest.low)
    return false;
  if (next == terms.size())
    return true;
  if (sum % rest.divisor != 0)
    return false;
  // sum + coefficient * value must be what the others can make up for.
  const EquationTerm &term = terms[next];
  const Rest &others = rests[next + 1];
  int64_t low = std::max(
      term.low, llvm::divideCeilSigned(-others.high - sum, term.coefficient));
  int64_t high = std::min(
      term.high, llvm::divideFloorSigned(-others.low - sum, term.coefficient));
  for (int64_t value = low; value <= high; ++value) {
    if (++steps > kMostSteps ||
        findSolution(next + 1, sum + term.coefficient * value))
      return true;
  }
  return false;
}

bool mlir::spine::hasNoSolution(ArrayRef<EquationTerm> terms,
                                int64_t constant) {
  // Sums of two such numbers do not overflow.
  constexpr int64_t kMost = Interval::kMost / 2;
  if (llvm::any_of(
          terms, [](const EquationTerm &term) { return term.low > term.high; }))
    return true;
  Search search;
  if (!search.prepare(terms) || constant > kMost || constant < -kMost)
    return false;
  int64_t reach = 0;
  for (const EquationTerm &term : terms)
    for (int64_t end : {term.low, term.high}) {
      int64_t product;
      if (llvm::MulOverflow(term.coefficient, end, product) ||
          llvm::AddOverflow(reach, std::abs(product), reach) || reach > kMost)
        return false;
    }
  return !search.findSolution(0, constant);
}
