//===- CodeTest.cpp - from the LLVM dialect to running code ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Contains.h"
#include "Kernels.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "spine-runtime/Launch.h"
#include "spine-triton/Target/FatalErrors.h"
#include "spine-triton/Target/JITLoader.h"
#include "spine-triton/Target/ObjectEmitter.h"
#include "llvm/Support/ErrorHandling.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace mlir::spine;

namespace {

class Code : public testing::Test {
protected:
  Code() : context(getRegistry(), MLIRContext::Threading::DISABLED) {
    context.allowUnregisteredDialects();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
    });
  }

  static DialectRegistry getRegistry() {
    DialectRegistry registry;
    registry.insert<LLVM::LLVMDialect>();
    registerTranslations(registry);
    return registry;
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << messages;
    return module;
  }

  std::unique_ptr<LLVMModule>
  translate(StringRef text,
            const TargetDescription &target = TargetDescription::getHost(),
            unsigned optLevel = 3) {
    OwningOpRef<ModuleOp> module = parse(text);
    EmitOptions options;
    options.optLevel = optLevel;
    auto result = LLVMModule::translate(*module, target, options);
    return succeeded(result) ? std::move(*result) : nullptr;
  }

  std::unique_ptr<LoadedKernel> load(StringRef text, StringRef name,
                                     unsigned optLevel = 3) {
    auto code = translate(text, TargetDescription::getHost(), optLevel);
    EXPECT_TRUE(code) << messages;
    auto object = code->getObject();
    EXPECT_TRUE(bool(object));
    auto kernel = LoadedKernel::load(*object, name);
    if (!kernel) {
      ADD_FAILURE() << llvm::toString(kernel.takeError());
      return nullptr;
    }
    return std::move(*kernel);
  }

  static uint64_t slot(const void *pointer) {
    return reinterpret_cast<uint64_t>(pointer);
  }

  MLIRContext context;
  std::string messages;
};

TEST_F(Code, addsTwoArrays) {
  for (unsigned optLevel : {0u, 1u, 2u, 3u}) {
    auto kernel = load(kAddKernel, "add", optLevel);
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->getArenaBytes(), 256);
    EXPECT_EQ(kernel->getMayAliasFunction(), nullptr);
    std::vector<float> x(10007), y(10007), out(10007, -1);
    for (unsigned i = 0; i < x.size(); ++i) {
      x[i] = i;
      y[i] = 0.5f * i;
    }
    uint64_t args[] = {slot(x.data()), slot(y.data()), slot(out.data()),
                       x.size() - 7};
    auto programs = static_cast<int32_t>((x.size() + 63) / 64);
    ASSERT_TRUE(::spine::rt::launch(kernel->getFunction(), args,
                                    {programs, 1, 1}, kernel->getArenaBytes())
                    .ok());
    for (unsigned i = 0; i < x.size(); ++i)
      ASSERT_EQ(out[i], i < x.size() - 7 ? x[i] + y[i] : -1) << i;
  }
}

TEST_F(Code, bothVariants) {
  auto kernel = load(kVariantsKernel, "which");
  ASSERT_TRUE(kernel && kernel->getMayAliasFunction());
  EXPECT_EQ(kernel->getArenaBytes(), 64);
  int32_t value = 0;
  uint64_t args[] = {slot(&value)};
  int32_t grid[] = {1, 1, 1};
  kernel->getFunction()(args, grid, 0, 1, nullptr);
  EXPECT_EQ(value, 1);
  kernel->getMayAliasFunction()(args, grid, 0, 1, nullptr);
  EXPECT_EQ(value, 2);
}

TEST_F(Code, variantAlone) {
  std::string text = kVariantsKernel;
  size_t begin = text.find("llvm.func @which("),
         end = text.find("llvm.func @which__may_alias(");
  text.erase(begin, end - begin);
  auto kernel = load(text.c_str(), "which__may_alias");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->getMayAliasFunction(), nullptr);
  EXPECT_EQ(kernel->getArenaBytes(), 64);
  int32_t value = 0;
  uint64_t args[] = {slot(&value)};
  int32_t grid[] = {1, 1, 1};
  kernel->getFunction()(args, grid, 0, 1, nullptr);
  EXPECT_EQ(value, 2);
}

TEST_F(Code, callsLibraries) {
  auto kernel = load(kCallsKernel, "calls");
  ASSERT_TRUE(kernel);
  uint16_t half = 0;
  float x = 0;
  uint64_t args[] = {slot(&half), 0, 0};
  std::memcpy(&args[2], &x, sizeof(x));
  EXPECT_TRUE(
      ::spine::rt::launch(kernel->getFunction(), args, {4, 1, 1}, 64).ok());
  EXPECT_EQ(half, 0x3c00);
  args[1] = 1;
  ::spine::rt::LaunchResult result =
      ::spine::rt::launch(kernel->getFunction(), args, {4, 1, 1}, 64);
  EXPECT_EQ(result.status, ::spine::rt::LaunchStatus::AssertFailed);
  EXPECT_EQ(result.failure.message, "must be zero");
  EXPECT_EQ(result.failure.line, 7);
}

TEST_F(Code, manyKernelsAtOnce) {
  auto code = translate(kAddKernel);
  ASSERT_TRUE(code);
  auto object = code->getObject();
  ASSERT_TRUE(bool(object));
  std::vector<std::unique_ptr<LoadedKernel>> kernels;
  for (unsigned i = 0; i < 200; ++i) {
    auto kernel = LoadedKernel::load(*object, "add");
    ASSERT_TRUE(bool(kernel));
    kernels.push_back(std::move(*kernel));
    if (i % 3 == 0)
      kernels.erase(kernels.begin());
  }
}

TEST_F(Code, onlyTheKernelIsVisible) {
  auto code = translate(kAddKernel, TargetDescription::getHost(), 0);
  ASSERT_TRUE(code);
  EXPECT_TRUE(contains(code->toString(), "define internal float @plus"));
  EXPECT_TRUE(
      contains(code->toString(), "@add__arena_bytes = constant i64 256"));
  EXPECT_FALSE(contains(code->toString(), "uwtable"));
}

TEST_F(Code, doesNotFuse) {
  auto code = translate(R"mlir(
    llvm.func @k(%a: !llvm.ptr, %g: !llvm.ptr, %b: i64, %e: i64,
                 %s: !llvm.ptr) attributes {spine.arena_bytes = 0 : i64} {
      %p = llvm.load %a : !llvm.ptr -> !llvm.ptr
      %x = llvm.load %p : !llvm.ptr -> f32
      %y = llvm.fmul %x, %x : f32
      %z = llvm.fadd %y, %x : f32
      llvm.store %z, %p : f32, !llvm.ptr
      llvm.return
    })mlir");
  ASSERT_TRUE(code);
  auto text = code->getAssembly();
  ASSERT_TRUE(bool(text));
  EXPECT_FALSE(contains(*text, "fmadd"));
}

TEST_F(Code, riscv) {
  auto target = TargetDescription::parse(R"({"name": "t", "triple":
    "riscv64-unknown-linux-gnu", "cpu": "generic-rv64", "abi": "lp64d",
    "features": "+m,+a,+f,+d,+c,+v,+zvl1024b", "scratchpad_bytes": 393216,
    "vector_bits": 1024})");
  ASSERT_TRUE(bool(target));
  auto code = translate(kAddKernel, *target);
  ASSERT_TRUE(code) << messages;
  EXPECT_TRUE(contains(code->toString(), "vscale_range(16,16)"));
  auto text = code->getAssembly();
  ASSERT_TRUE(bool(text));
  EXPECT_TRUE(contains(*text, "vfadd.vv"));
  auto object = code->getObject();
  ASSERT_TRUE(bool(object));
  auto kernel = LoadedKernel::load(*object, "add");
  ASSERT_FALSE(bool(kernel));
  EXPECT_TRUE(contains(llvm::toString(kernel.takeError()),
                       "the object is for riscv64"));
}

/// Adds up whole vectors, as many as `count` says.
static std::string makeSumKernel(StringRef count) {
  return (R"mlir(
    llvm.func @k(%a: !llvm.ptr, %g: !llvm.ptr, %b: i64, %e: i64,
                 %s: !llvm.ptr) attributes {spine.arena_bytes = 0 : i64} {
      %c0 = llvm.mlir.constant(0 : i64) : i64
      %c1 = llvm.mlir.constant(1 : i64) : i64
      %zero = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>
      %p = llvm.load %a : !llvm.ptr -> !llvm.ptr
      %n = )mlir" +
          count + R"mlir(
      llvm.br ^header(%c0, %zero : i64, vector<4xf32>)
    ^header(%i: i64, %sum: vector<4xf32>):
      %more = llvm.icmp "slt" %i, %n : i64
      llvm.cond_br %more, ^body, ^exit
    ^body:
      %q = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %x = llvm.load %q : !llvm.ptr -> vector<4xf32>
      %more_sum = llvm.fadd %sum, %x : vector<4xf32>
      %next = llvm.add %i, %c1 : i64
      llvm.br ^header(%next, %more_sum : i64, vector<4xf32>)
    ^exit:
      llvm.store %sum, %p : vector<4xf32>, !llvm.ptr
      llvm.return
    })mlir")
      .str();
}

static size_t countAdditions(const LLVMModule &code) {
  return StringRef(code.toString()).count("fadd <4 x float>");
}

/// Loops are unrolled where that leaves none.
TEST_F(Code, unrolling) {
  TargetDescription host = TargetDescription::getHost();
  if (host.isRISCV())
    GTEST_SKIP() << "LLVM's own passes decide";
  auto known =
      translate(makeSumKernel("llvm.mlir.constant(4 : i64) : i64"), host);
  ASSERT_TRUE(known) << messages;
  EXPECT_EQ(countAdditions(*known), 4u);
  auto argument = translate(makeSumKernel("llvm.add %b, %e : i64"), host);
  ASSERT_TRUE(argument) << messages;
  EXPECT_EQ(countAdditions(*argument), 1u);
}

TEST_F(Code, readsItsOwnText) {
  auto code = translate(kAddKernel);
  ASSERT_TRUE(code);
  auto again =
      LLVMModule::parse(code->toString(), TargetDescription::getHost());
  ASSERT_TRUE(bool(again));
  auto object = (*again)->getObject();
  ASSERT_TRUE(bool(object));
  auto kernel = LoadedKernel::load(*object, "add");
  EXPECT_TRUE(bool(kernel));
}

//===----------------------------------------------------------------------===//
// What goes wrong
//===----------------------------------------------------------------------===//

TEST_F(Code, noKernel) {
  EXPECT_FALSE(translate("module {}"));
  EXPECT_TRUE(contains(messages, "has no kernel: no llvm.func with a body "
                                 "carries 'spine.arena_bytes'"));
}

TEST_F(Code, twoKernels) {
  EXPECT_FALSE(translate(R"mlir(
    llvm.func @a() attributes {spine.arena_bytes = 0 : i64} { llvm.return }
    llvm.func @b() attributes {spine.arena_bytes = 0 : i64} { llvm.return })mlir"));
  EXPECT_TRUE(
      contains(messages, "has two kernels, 'a' and 'b'; one is expected"));
}

TEST_F(Code, variantOfNothing) {
  EXPECT_FALSE(translate(R"mlir(
    llvm.func @a() attributes {spine.arena_bytes = 0 : i64} { llvm.return }
    llvm.func @b__may_alias() attributes {spine.arena_bytes = 0 : i64} {
      llvm.return
    })mlir"));
  EXPECT_TRUE(contains(messages, "that is not there: 'b__may_alias'"));
}

TEST_F(Code, badArenaBytes) {
  EXPECT_FALSE(translate(R"mlir(
    llvm.func @a() attributes {spine.arena_bytes = -1 : i64} { llvm.return })mlir"));
  EXPECT_TRUE(contains(messages, "to be an integer that is not negative"));
}

TEST_F(Code, kernelWithoutBody) {
  EXPECT_FALSE(translate(R"mlir(
    llvm.func @a() attributes {spine.arena_bytes = 0 : i64})mlir"));
  EXPECT_TRUE(contains(messages, "is a kernel without a body"));
}

TEST_F(Code, otherDialects) {
  EXPECT_FALSE(translate(R"mlir(
    llvm.func @a() attributes {spine.arena_bytes = 0 : i64} {
      "other.op"() : () -> ()
      llvm.return
    })mlir"));
  EXPECT_TRUE(contains(messages, "other.op"));
}

TEST_F(Code, missingSymbol) {
  auto code = translate(R"mlir(
    llvm.func @not_to_be_found()
    llvm.func @a(%a: !llvm.ptr, %g: !llvm.ptr, %b: i64, %e: i64,
                 %s: !llvm.ptr) attributes {spine.arena_bytes = 0 : i64} {
      llvm.call @not_to_be_found() : () -> ()
      llvm.return
    })mlir");
  ASSERT_TRUE(code);
  auto object = code->getObject();
  ASSERT_TRUE(bool(object));
  auto kernel = LoadedKernel::load(*object, "a");
  ASSERT_FALSE(bool(kernel));
  EXPECT_TRUE(contains(llvm::toString(kernel.takeError()), "not_to_be_found"));
  auto other = LoadedKernel::load(*object, "b");
  ASSERT_FALSE(bool(other));
  llvm::consumeError(other.takeError());
}

TEST_F(Code, notAnObject) {
  auto kernel = LoadedKernel::load("nonsense", "a");
  ASSERT_FALSE(bool(kernel));
  EXPECT_TRUE(
      contains(llvm::toString(kernel.takeError()), "not an object file"));
}

TEST_F(Code, unknownNames) {
  TargetDescription target = TargetDescription::getHost();
  target.cpu = "abacus";
  EXPECT_FALSE(translate(kAddKernel, target));
  EXPECT_TRUE(contains(messages, "names the CPU 'abacus'"));
  target = TargetDescription::getHost();
  target.features = "+sse2,+beads";
  EXPECT_FALSE(translate(kAddKernel, target));
  EXPECT_TRUE(contains(messages, "names the feature 'beads'"));
  target.triple = "m68k-unknown-linux";
  EXPECT_FALSE(translate(kAddKernel, target));
  EXPECT_TRUE(contains(messages, "no code generator for the triple"));
}

TEST_F(Code, tilesNeedTheirFeatures) {
  TargetDescription target = TargetDescription::getHost();
  target.triple = "x86_64-unknown-linux-gnu";
  target.cpu = "x86-64-v4";
  target.features = "";
  target.tilesBF16 = 1;
  EXPECT_FALSE(translate(kAddKernel, target));
  EXPECT_TRUE(contains(messages, "have no amx-bf16"));
  target.features = "+amx-tile,+amx-bf16";
  EXPECT_TRUE(translate(kAddKernel, target));
}

TEST_F(Code, badText) {
  auto code = LLVMModule::parse("define nothing", TargetDescription::getHost());
  ASSERT_FALSE(bool(code));
  EXPECT_TRUE(contains(llvm::toString(code.takeError()), "line 1, column 8"));
}

/// Inline assembly that the assembler refuses is reported by code generation as
/// a diagnostic of LLVM.
TEST_F(Code, errorsOfCodeGeneration) {
  auto code = LLVMModule::parse(R"(
    define void @a() {
      call void asm sideeffect "no such instruction", ""()
      ret void
    })",
                                TargetDescription::getHost());
  ASSERT_TRUE(bool(code));
  auto object = (*code)->getObject();
  ASSERT_FALSE(bool(object));
  EXPECT_TRUE(contains(llvm::toString(object.takeError()), "instruction"));
}

TEST(FatalErrors, areCaught) {
  for (unsigned i = 0; i < 3; ++i) {
    llvm::Error error = catchFatalErrors(
        []() -> llvm::Error { llvm::report_fatal_error("cannot go on"); });
    EXPECT_EQ(llvm::toString(std::move(error)),
              "internal error of the compiler: cannot go on");
  }
}

TEST(FatalErrors, nest) {
  llvm::Error outer = catchFatalErrors([]() -> llvm::Error {
    llvm::Error inner = catchFatalErrors(
        []() -> llvm::Error { llvm::report_fatal_error("inner"); });
    EXPECT_TRUE(bool(inner));
    llvm::consumeError(std::move(inner));
    llvm::report_fatal_error("outer");
  });
  EXPECT_TRUE(contains(llvm::toString(std::move(outer)), "outer"));
}

} // namespace
