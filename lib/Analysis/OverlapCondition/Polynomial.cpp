//===- Polynomial.cpp - sums of products of variables ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/OverlapCondition.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::spine;

/// Addresses have few terms; what has more is not worth the time.
static constexpr size_t kMostTerms = 64;

void Polynomial::add(const Monomial &monomial, int64_t coefficient) {
  if (coefficient == 0)
    return;
  auto [it, isNew] = terms.try_emplace(monomial, coefficient);
  if (!isNew && llvm::AddOverflow(it->second, coefficient, it->second))
    valid = false;
  if (it->second == 0)
    terms.erase(it);
  valid &= terms.size() <= kMostTerms;
}

std::optional<int64_t> Polynomial::getConstant() const {
  if (!valid || terms.size() > 1)
    return std::nullopt;
  if (terms.empty())
    return 0;
  if (!terms.begin()->first.empty())
    return std::nullopt;
  return terms.begin()->second;
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial result = *this;
  result.valid &= other.valid;
  for (const auto &[monomial, coefficient] : other.terms)
    result.add(monomial, coefficient);
  return result;
}

Polynomial Polynomial::operator-(const Polynomial &other) const {
  return *this + other * Polynomial(-1);
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial result;
  result.valid = valid && other.valid;
  if (!result.valid)
    return result;
  for (const auto &[left, a] : terms)
    for (const auto &[right, b] : other.terms) {
      Monomial product(left);
      product.append(right);
      llvm::sort(product);
      int64_t coefficient;
      result.valid &= !llvm::MulOverflow(a, b, coefficient);
      if (result.valid)
        result.add(product, coefficient);
    }
  return result;
}

Polynomial
Polynomial::rename(llvm::function_ref<unsigned(unsigned)> numberOf) const {
  Polynomial result;
  result.valid = valid;
  for (const auto &[monomial, coefficient] : terms) {
    Monomial renamed;
    for (unsigned number : monomial)
      renamed.push_back(numberOf(number));
    llvm::sort(renamed);
    result.add(renamed, coefficient);
  }
  return result;
}
