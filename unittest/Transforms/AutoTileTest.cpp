//===- AutoTileTest.cpp - split kernels access the same memory ------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "spine-triton/Analysis/Residency.h"
#include "spine-triton/Transforms/Passes.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace mlir;
using namespace mlir::spine;
using namespace mlir::spine::test;

namespace {

/// Writes kernels on block pointers of random sizes, strides, offsets and
/// boundary checks. Arguments: three pointers, and three i64 extents.
class KernelWriter {
public:
  explicit KernelWriter(unsigned seed) : random(seed) {}

  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  }

  /// A product in a loop over K, with a tail that is added to it.
  std::string writeProduct();
  /// Rows that are reduced and used again, as in a softmax.
  std::string writeRows();

private:
  std::string tile(int64_t rows, int64_t columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "xf32>";
  }
  std::string check() {
    const char *checks[] = {"", " {boundaryCheck = array<i32: 0>}",
                            " {boundaryCheck = array<i32: 1>}",
                            " {boundaryCheck = array<i32: 0, 1>}"};
    return checks[random() % 4];
  }
  std::string pointer(const std::string &name, const std::string &base,
                      const std::string &type) {
    std::string n = std::to_string(random() % 3);
    std::string strides = random() % 2 ? "[%far, %unit]" : "[%unit, %far]";
    return "%" + name + " = tt.make_tensor_ptr " + base + ", [%n" + n +
           ", %n1], " + strides + ", [%o" + std::to_string(random() % 3) +
           ", %o" + std::to_string(random() % 3) +
           "] {order = array<i32: 1, 0>} : <" + type + ">\n";
  }
  std::string prologue(const std::string &name) {
    std::string text = "tt.func @" + name +
                       "(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, "
                       "%n0: i64, %n1: i64, %n2: i64) {\n"
                       "%unit = arith.constant 1 : i64\n"
                       "%far = arith.constant 1000 : i64\n"
                       "%c0 = arith.constant 0 : i32\n"
                       "%c1 = arith.constant 1 : i32\n";
    for (int i = 0; i < 3; ++i)
      text += "%o" + std::to_string(i) + " = arith.constant " +
              std::to_string(between(-5, 9)) + " : i32\n";
    return text;
  }

  std::mt19937 random;
};

std::string KernelWriter::writeProduct() {
  int64_t m = between(1, 20), n = between(1, 20), k = between(1, 20);
  std::string a = tile(m, k), b = tile(k, n), c = tile(m, n);
  return prologue("product") + pointer("pa", "%a", a) + pointer("pb", "%b", b) +
         pointer("pc", "%c", c) + "%step = arith.constant " +
         std::to_string(k) + " : i32\n" + "%trips = arith.constant " +
         std::to_string(between(0, 3)) +
         " : i32\n%zero = arith.constant dense<0.0> : " + c +
         "\n%r:3 = scf.for %i = %c0 to %trips step %c1 iter_args(%acc = %zero, "
         "%qa = %pa, %qb = %pb) -> (" +
         c + ", !tt.ptr<" + a + ">, !tt.ptr<" + b + ">) : i32 {\n" +
         "%x = tt.load %qa" + check() + " : !tt.ptr<" + a + ">\n" +
         "%y = tt.load %qb" + check() + " : !tt.ptr<" + b + ">\n" +
         "%d = tt.dot %x, %y, %acc : " + a + " * " + b + " -> " + c +
         "\n%na = tt.advance %qa, [%c0, %step] : <" + a +
         ">\n%nb = tt.advance %qb, [%step, %c0] : <" + b +
         ">\nscf.yield %d, %na, %nb : " + c + ", !tt.ptr<" + a + ">, !tt.ptr<" +
         b + ">\n}\n%e = math.exp %r#0 : " + c + "\ntt.store %pc, %e" +
         check() + " : !tt.ptr<" + c + ">\ntt.return\n}\n";
}

std::string KernelWriter::writeRows() {
  int64_t m = between(1, 40), n = between(1, 40);
  std::string x = tile(m, n), column = tile(m, 1);
  std::string vector = "tensor<" + std::to_string(m) + "xf32>";
  std::string reduce = "({\n^bb0(%u: f32, %v: f32):\n%w = arith.addf %u, %v : "
                       "f32\ntt.reduce.return %w : f32\n})";
  auto subtractReduced = [&](const std::string &from, const std::string &to) {
    return "%m" + to + " = \"tt.reduce\"(%" + from + ") <{axis = 1 : i32}> " +
           reduce + " : (" + x + ") -> " + vector + "\n%k" + to +
           " = tt.expand_dims %m" + to + " {axis = 1 : i32} : " + vector +
           " -> " + column + "\n%l" + to + " = tt.broadcast %k" + to + " : " +
           column + " -> " + x + "\n%" + to + " = arith.subf %" + from +
           ", %l" + to + " : " + x + "\n";
  };
  return prologue("rows") + pointer("pa", "%a", x) + pointer("pb", "%b", x) +
         pointer("pc", "%c", x) + "%x = tt.load %pa" + check() + " : !tt.ptr<" +
         x + ">\n" + subtractReduced("x", "s") + "%y = tt.load %pb" + check() +
         " : !tt.ptr<" + x + ">\n%t = arith.mulf %s, %y : " + x + "\n" +
         subtractReduced("t", "z") + "tt.store %pc, %z" + check() +
         " : !tt.ptr<" + x + ">\ntt.return\n}\n";
}

/// How often each address is read or written.
using Counts = std::map<uint64_t, unsigned>;

Counts count(const std::vector<Access> &accesses, bool stores) {
  Counts counts;
  for (const Access &access : accesses)
    if (access.isStore == stores)
      for (std::optional<uint64_t> address : access.addresses)
        if (address)
          ++counts[*address];
  return counts;
}

struct Outcome {
  bool isSplit = false;
  /// Of one axis, as the pass says.
  unsigned mostParts = 1;
  uint64_t loadsBefore = 0, loadsAfter = 0;
};

/// Parts of an axis from a note as "...: 512 in parts of 64".
unsigned readParts(StringRef note) {
  auto [size, part] = note.rsplit(':').second.split(" in parts of ");
  unsigned from = 0, to = 0;
  if (size.trim().getAsInteger(10, from) ||
      part.split(',').first.getAsInteger(10, to))
    return 1;
  return llvm::divideCeil(from, to);
}

uint64_t sum(const Counts &counts) {
  uint64_t all = 0;
  for (auto &[address, number] : counts)
    all += number;
  return all;
}

/// No address is read more than `mostTimes` as often as before.
void compare(ModuleOp before, ModuleOp after, KernelWriter &writer,
             unsigned mostTimes, Outcome &outcome) {
  auto function = [](ModuleOp module) {
    return *module.getOps<FunctionOpInterface>().begin();
  };
  for (unsigned run = 0; run < 3; ++run) {
    std::vector<int64_t> arguments{1 << 20, 2 << 20, 3 << 20};
    for (unsigned i = 0; i < 3; ++i)
      arguments.push_back(writer.between(-1, 50));
    auto expected = Interpreter().run(function(before), arguments);
    auto found = Interpreter().run(function(after), arguments);
    ASSERT_TRUE(expected.has_value() && found.has_value());
    // No store is repeated or lost.
    EXPECT_EQ(count(*expected, true), count(*found, true));
    Counts loads = count(*expected, false), again = count(*found, false);
    for (auto &[address, number] : again) {
      EXPECT_TRUE(loads.count(address));
      EXPECT_GE(number, loads[address]);
      EXPECT_LE(number, mostTimes * loads[address]);
    }
    EXPECT_EQ(loads.size(), again.size());
    outcome.loadsBefore += sum(loads);
    outcome.loadsAfter += sum(again);
  }
}

/// Splits one kernel for a fraction of the bytes that it needs. `loops`: how
/// often what is used again after a reduction may be read; 0 if there is none,
/// but a product, whose operands are read for each part of one other axis.
Outcome trySplit(const std::string &text, KernelWriter &writer,
                 unsigned loops) {
  Outcome outcome;
  MLIRContext context;
  context.loadDialect<triton::TritonDialect, arith::ArithDialect,
                      math::MathDialect, scf::SCFDialect>();
  ScopedDiagnosticHandler quiet(&context, [&](Diagnostic &diagnostic) {
    for (Diagnostic &note : diagnostic.getNotes())
      outcome.mostParts = std::max(outcome.mostParts, readParts(note.str()));
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Remark);
  });
  auto before = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  EXPECT_TRUE(before) << text;
  OwningOpRef<ModuleOp> after = before->clone();
  SpineAutoTileOptions options;
  options.capacity =
      std::max<int64_t>(48, analyzeKernelResidency(*before).front().arenaBytes /
                                writer.between(2, 12));
  PassManager passes(&context);
  passes.addPass(createSpineAutoTile(options));
  EXPECT_TRUE(succeeded(passes.run(*after))) << text;
  outcome.isSplit =
      !(*after->getOps<FunctionOpInterface>().begin())->hasAttr(kNotSplitAttr);
  if (outcome.isSplit) {
    EXPECT_LE(analyzeKernelResidency(*after).front().arenaBytes,
              options.capacity)
        << text;
  }
  compare(*before, *after, writer, loops ? loops : outcome.mostParts, outcome);
  return outcome;
}

TEST(AutoTile, ProductsAccessTheSame) {
  unsigned numSplit = 0;
  for (unsigned seed = 0; seed < 150 && !::testing::Test::HasFailure();
       ++seed) {
    KernelWriter writer(seed);
    std::string text = writer.writeProduct();
    numSplit += trySplit(text, writer, /*loops=*/0).isSplit;
    if (::testing::Test::HasFailure())
      llvm::errs() << "seed " << seed << "\n" << text;
  }
  EXPECT_GE(numSplit, 120u);
}

TEST(AutoTile, RowsAccessTheSame) {
  unsigned numSplit = 0;
  for (unsigned seed = 0; seed < 150 && !::testing::Test::HasFailure();
       ++seed) {
    KernelWriter writer(seed);
    std::string text = writer.writeRows();
    Outcome outcome = trySplit(text, writer, /*loops=*/3);
    numSplit += outcome.isSplit;
    // What is used again after a reduction is read once per loop: the first
    // tile three times, the second one twice.
    EXPECT_LE(outcome.loadsAfter, 3 * outcome.loadsBefore);
    if (::testing::Test::HasFailure())
      llvm::errs() << "seed " << seed << "\n" << text;
  }
  EXPECT_GE(numSplit, 120u);
}

} // namespace
