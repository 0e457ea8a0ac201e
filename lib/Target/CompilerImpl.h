//===- CompilerImpl.h - inside of the compiler as a library -----*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_LIB_TARGET_COMPILERIMPL_H
#define SPINE_TRITON_LIB_TARGET_COMPILERIMPL_H

#include "Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "spine-triton/Target/Compiler.h"
#include "llvm/Support/Error.h"
#include <mutex>

namespace mlir::spine {

inline StringRef toRef(std::string_view text) {
  return StringRef(text.data(), text.size());
}

struct CompilerContext::Impl {
  Impl();

  static DialectRegistry makeRegistry();

  // One thread works in a context at a time, and passes use no others: an
  // internal error must be caught where it happens, see catchFatalErrors.
  MLIRContext context;
  std::mutex mutex;
};

struct CompilerModule::Impl {
  OwningOpRef<ModuleOp> module;
};

/// The work of one function on a module: it holds the context, collects
/// messages, and survives internal errors.
class Work {
public:
  Work(const CompilerModule::Context &context, Messages &messages)
      : context(context), messages(messages), lock(context->impl->mutex),
        collector(&context->impl->context, messages) {}

  MLIRContext *getContext() { return &context->impl->context; }

  /// Runs an action that says whether it succeeded. A failure always leaves an
  /// error in the messages.
  bool run(OwningOpRef<ModuleOp> *module,
           llvm::function_ref<LogicalResult()> action);

private:
  /// Nothing is known of the state of these objects, so they are not destroyed.
  void giveUp(OwningOpRef<ModuleOp> *module);
  bool hasError() const;

  CompilerModule::Context context;
  Messages &messages;
  std::lock_guard<std::mutex> lock;
  MessageCollector collector;
};

/// The value of `expected`, or nothing and an error in the messages.
template <typename T>
std::optional<T> take(llvm::Expected<T> expected, Messages &messages) {
  if (expected)
    return std::move(*expected);
  addError(messages, llvm::toString(expected.takeError()));
  return std::nullopt;
}

} // namespace mlir::spine

#endif // SPINE_TRITON_LIB_TARGET_COMPILERIMPL_H
