//===- CompilerTest.cpp - tests of the compiler as a library --------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Target/Compiler.h"
#include "Contains.h"
#include "Kernels.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace mlir::spine;

namespace {

/// Ends as LLVM does where it cannot go on.
struct FatalPass : PassWrapper<FatalPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FatalPass)

  StringRef getArgument() const override { return "test-fatal"; }
  void runOnOperation() override { llvm::report_fatal_error("out of luck"); }
};

/// Emits one message of each kind, and fails where asked to.
struct MessagesPass : PassWrapper<MessagesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MessagesPass)

  StringRef getArgument() const override { return "test-messages"; }
  void runOnOperation() override {
    Location location =
        NameLoc::get(StringAttr::get(&getContext(), "x"),
                     FileLineColLoc::get(&getContext(), "kernel.py", 3, 4));
    emitRemark(location, "a remark").attachNote() << "a note";
    emitWarning(location, "a warning");
  }
};

/// Fails without a word.
struct SilentPass : PassWrapper<SilentPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SilentPass)

  StringRef getArgument() const override { return "test-silent"; }
  void runOnOperation() override { signalPassFailure(); }
};

class Compiler : public testing::Test {
protected:
  static void SetUpTestSuite() {
    PassRegistration<FatalPass>();
    PassRegistration<MessagesPass>();
    PassRegistration<SilentPass>();
  }

  std::shared_ptr<CompilerModule> parse(const char *text) {
    auto module = CompilerModule::parse(context, text, "test", messages);
    EXPECT_TRUE(module && messages.empty());
    return module;
  }

  std::string allMessages() const {
    std::string text;
    for (const Message &message : messages)
      text += toString(message) + "\n";
    return text;
  }

  std::shared_ptr<CompilerContext> context =
      std::make_shared<CompilerContext>();
  Messages messages;
};

TEST_F(Compiler, collectsMessages) {
  auto module = parse("module {}");
  EXPECT_TRUE(
      module->runPipeline("builtin.module(test-messages)", {}, messages));
  EXPECT_EQ(allMessages(), "kernel.py:3:4: remark: a remark\n"
                           "kernel.py:3:4: note: a note\n"
                           "kernel.py:3:4: warning: a warning\n");
}

TEST_F(Compiler, failureAlwaysHasAnError) {
  auto module = parse("module {}");
  EXPECT_FALSE(
      module->runPipeline("builtin.module(test-silent)", {}, messages));
  EXPECT_EQ(allMessages(), "error: failed without saying why\n");
}

TEST_F(Compiler, survivesFatalErrors) {
  auto module = parse(kAddKernel);
  EXPECT_FALSE(module->runPipeline("builtin.module(test-fatal)", {}, messages));
  EXPECT_TRUE(contains(allMessages(), "out of luck"));

  // The module is lost, and says so.
  messages.clear();
  EXPECT_FALSE(module->toString(false, false, messages));
  EXPECT_TRUE(contains(allMessages(), "this module was given up"));

  // Other modules are not.
  messages.clear();
  auto other = CompilerModule::parse(std::make_shared<CompilerContext>(),
                                     kAddKernel, "test", messages);
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->translate(getHostTargetJSON(), 3, messages));
  EXPECT_EQ(allMessages(), "");
}

TEST_F(Compiler, refusesDeepNesting) {
  std::string text = "module {}\n  " + std::string(20000, '(');
  EXPECT_FALSE(CompilerModule::parse(context, text, "test", messages));
  EXPECT_EQ(allMessages(),
            "test:2:259: error: brackets nest more than 256 deep\n");
}

} // namespace
