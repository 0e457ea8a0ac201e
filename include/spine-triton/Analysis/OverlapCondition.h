//===- OverlapCondition.h - when two accesses stay apart --------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_OVERLAPCONDITION_H
#define SPINE_TRITON_ANALYSIS_OVERLAPCONDITION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::spine {

/// A sum of products of variables, which are numbers here.
class Polynomial {
public:
  using Monomial = llvm::SmallVector<unsigned, 2>; ///< sorted

  Polynomial() = default;
  Polynomial(int64_t constant) { add({}, constant); }
  static Polynomial getVariable(unsigned number) {
    Polynomial result;
    result.add({number}, 1);
    return result;
  }

  /// False once a coefficient has left 64 bits, or there are too many terms.
  bool isValid() const { return valid; }
  std::optional<int64_t> getConstant() const;
  const std::map<Monomial, int64_t> &getTerms() const { return terms; }

  void add(const Monomial &monomial, int64_t coefficient);
  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  bool operator==(const Polynomial &other) const {
    return terms == other.terms;
  }
  bool operator!=(const Polynomial &other) const { return !(*this == other); }

  /// The same with other numbers for the variables.
  Polynomial rename(llvm::function_ref<unsigned(unsigned)> numberOf) const;

private:
  std::map<Monomial, int64_t> terms;
  bool valid = true;
};

/// Numbers from `low` to `high`; what is beyond `kMost` counts as that.
struct Interval {
  static constexpr int64_t kMost = int64_t(1) << 62;

  int64_t low = -kMost, high = kMost;

  bool isPoint() const { return low == high; }
  /// Whether signed numbers of so many bits hold all of them.
  bool fits(unsigned bits) const;
  static Interval ofBits(unsigned bits);
};

/// What is known of a variable.
struct AddressVariable {
  enum class Kind {
    Any,         ///< signed, of `bits` bits
    Argument,    ///< the value (or address) of argument `number`
    Program,     ///< number of the program along axis `number` of the grid
    NumPrograms, ///< how many there are
    Value,       ///< `a`, if it can be computed in `bits` bits
    Min,         ///< of `a` and `b`
    Max,
    Between,  ///< from `a` up to, but without, `b`
    Quotient, ///< of `a` and `b`, rounded to zero
    Remainder,
  };

  Kind kind = Kind::Any;
  unsigned number = 0;
  unsigned bits = 64;
  Polynomial a, b;
  std::string name = {}; ///< of an argument, for messages
};

/// Elements beyond it are masked off: an index i is less than `right` - `left`,
/// which holds if left + i and `right` are computed in `bits` bits.
struct IndexBound {
  Polynomial left, right;
  unsigned bits = 64;
};

/// One dimension of an access: an index from 0 to `size` - 1, within the
/// bounds, times `stride` bytes.
struct AddressIndex {
  Polynomial stride;
  int64_t size = 1;
  std::vector<IndexBound> bounds;
};

/// An access as a function of its indices.
struct AccessShape {
  unsigned argument = 0; ///< that it goes through
  int64_t elementBytes = 1;
  std::vector<AddressIndex> indices;
};

/// That an access and a store do not touch the same bytes: none at all, or, if
/// `axis` numbers an index of each, not with different values of these two
/// indices.
struct OverlapCondition {
  std::vector<AddressVariable> variables; ///< each after those that it is of
  AccessShape store, other;
  std::optional<std::pair<unsigned, unsigned>> axis;
  /// Bytes from the first element of `other` to the first one of `store`; none
  /// if nothing is known of the addresses but the arguments.
  std::optional<Polynomial> offset;
  /// Addresses are right but for a multiple of two to the power of this.
  unsigned modulusBits = 62;
  /// For messages: names of the arguments, what happens to them, and where.
  std::string storeName, otherName, storePlace, otherPlace;
  bool otherIsStore = false;
};

/// Values that are known at a launch.
struct LaunchValues {
  llvm::ArrayRef<int64_t> arguments;
  std::array<int64_t, 3> grid;
};

/// Whether the condition is shown to hold; without `values`, for every launch.
bool holds(const OverlapCondition &condition, const LaunchValues *values);

/// Whether the variables that addresses depend on are known at a launch: if
/// not, there is no use in asking again.
bool dependsOnLaunch(const OverlapCondition &condition);

/// Names and values of the numbers among the arguments that the addresses
/// depend on.
std::vector<std::pair<std::string, int64_t>>
getNumbers(const OverlapCondition &condition, const LaunchValues &values);

/// For a launcher: conditions as JSON, and back.
std::string serialize(const OverlapCondition &condition);
llvm::Expected<std::vector<OverlapCondition>>
parseOverlapConditions(llvm::StringRef text);

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

/// One integer of a linear equation.
struct EquationTerm {
  int64_t coefficient, low, high;
};

/// Whether the sum of all terms and `constant` is shown never to be zero.
/// Decides exactly unless that takes too many steps.
bool hasNoSolution(llvm::ArrayRef<EquationTerm> terms, int64_t constant);

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_OVERLAPCONDITION_H
