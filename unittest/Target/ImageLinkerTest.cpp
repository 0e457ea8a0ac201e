//===- ImageLinkerTest.cpp - objects linked for another process -----------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Target/ImageLinker.h"
#include "Contains.h"
#include "Kernels.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "spine-runtime/KernelSupport.h"
#include "spine-runtime/Launch.h"
#include "spine-triton/Target/ObjectEmitter.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <sys/mman.h>

using namespace mlir;
using namespace mlir::spine;

static constexpr const char *kRISCV = R"({"name": "t", "triple":
  "riscv64-unknown-linux-gnu", "cpu": "generic-rv64", "abi": "lp64d",
  "features": "+m,+a,+f,+d,+c,+v,+zvl1024b", "scratchpad_bytes": 393216,
  "vector_bits": 1024})";

static std::string emitObject(StringRef text, const TargetDescription &target) {
  DialectRegistry registry;
  registry.insert<LLVM::LLVMDialect>();
  registerTranslations(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>(text, &context);
  auto code = LLVMModule::translate(*module, target);
  if (failed(code))
    return "";
  auto object = (*code)->getObject();
  return object ? object->str() : "";
}

static llvm::StringMap<uint64_t> getRuntime() {
  llvm::StringMap<uint64_t> symbols;
  size_t count = 0;
  const auto *list = ::spine::rt::getKernelSymbols(count);
  for (size_t i = 0; i < count; ++i)
    symbols[list[i].name] = reinterpret_cast<uint64_t>(list[i].address);
  return symbols;
}

static std::string getProblem(llvm::Expected<LinkedImage> image) {
  return image ? "" : llvm::toString(image.takeError());
}

/// This process stands for the other one.
TEST(ImageLinker, codeRunsWhereItWasLinkedFor) {
  std::string object = emitObject(kAddKernel, TargetDescription::getHost());
  constexpr size_t size = 1 << 20;
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto address = reinterpret_cast<uint64_t>(memory);
  auto image = linkImage(object, "add", address, getRuntime());
  ASSERT_TRUE(bool(image)) << llvm::toString(image.takeError());
  ASSERT_LE(image->bytes, size);
  EXPECT_EQ(image->arenaBytes, 256);
  EXPECT_EQ(image->mayAliasFunction, 0u);
  for (const ImageSegment &segment : image->segments) {
    EXPECT_EQ(segment.address % LinkedImage::kPageBytes, 0u);
    EXPECT_FALSE(segment.writable && segment.executable);
    memcpy(reinterpret_cast<void *>(segment.address), segment.contents.data(),
           segment.contents.size());
  }
  ASSERT_EQ(mprotect(memory, size, PROT_READ | PROT_EXEC), 0);
  std::vector<float> x(100, 1), y(100, 2), out(100);
  uint64_t args[] = {reinterpret_cast<uint64_t>(x.data()),
                     reinterpret_cast<uint64_t>(y.data()),
                     reinterpret_cast<uint64_t>(out.data()), 100};
  auto function =
      reinterpret_cast<::spine::rt::KernelFunction>(image->function);
  EXPECT_TRUE(
      ::spine::rt::launch(function, args, {2, 1, 1}, image->arenaBytes).ok());
  EXPECT_TRUE(llvm::all_of(out, [](float value) { return value == 3; }));
  munmap(memory, size);
}

TEST(ImageLinker, otherMachines) {
  auto target = TargetDescription::parse(kRISCV);
  ASSERT_TRUE(bool(target));
  std::string object = emitObject(kVariantsKernel, *target);
  auto image = linkImage(object, "which", 0x10000000, {});
  ASSERT_TRUE(bool(image)) << llvm::toString(image.takeError());
  EXPECT_EQ(image->arenaBytes, 64);
  EXPECT_GE(image->function, 0x10000000u);
  EXPECT_LT(image->mayAliasFunction, 0x10000000 + image->bytes);
  EXPECT_NE(image->function, image->mayAliasFunction);
  auto kernel =
      llvm::find_if(image->functions, [&](const ImageFunction &function) {
        return function.address == image->function;
      });
  ASSERT_NE(kernel, image->functions.end());
  EXPECT_EQ(kernel->name, "which");
  EXPECT_GT(kernel->bytes, 0u);
}

TEST(ImageLinker, whatIsMissingIsNamed) {
  auto target = TargetDescription::parse(kRISCV);
  ASSERT_TRUE(bool(target));
  std::string object = emitObject(kCallsKernel, *target);
  std::string problem = getProblem(linkImage(object, "calls", 0x10000, {}));
  EXPECT_TRUE(contains(problem, "kernel 'calls' cannot be loaded: the runner "
                                "has no function "));
  EXPECT_TRUE(contains(problem, "spine_rt_assert"));
  EXPECT_TRUE(
      contains(getProblem(linkImage(object, "other", 0x10000, getRuntime())),
               "the object has no kernel of this name"));
}

TEST(ImageLinker, wrongInput) {
  EXPECT_TRUE(contains(getProblem(linkImage("nonsense", "k", 0x10000, {})),
                       "kernel 'k' cannot be loaded"));
  std::string object = emitObject(kAddKernel, TargetDescription::getHost());
  EXPECT_TRUE(contains(getProblem(linkImage(object, "add", 0x10001, {})),
                       "the address is not that of a page"));
}
