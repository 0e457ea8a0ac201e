//===- FatalErrors.cpp - surviving LLVM's fatal errors --------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Target/FatalErrors.h"
#include "llvm/Support/ErrorHandling.h"
#include <csetjmp>
#include <string>

using namespace mlir::spine;

namespace {

struct FatalErrorTarget {
  jmp_buf jump;
  std::string reason;
};
thread_local FatalErrorTarget *currentTarget = nullptr;

/// Without a target on this thread LLVM goes on and ends the process.
void handleFatalError(void *, const char *reason, bool) {
  FatalErrorTarget *target = currentTarget;
  if (!target)
    return;
  target->reason = reason;
  longjmp(target->jump, 1);
}

} // namespace

llvm::Error
mlir::spine::catchFatalErrors(llvm::function_ref<llvm::Error()> action) {
  static const bool installed = [] {
    llvm::install_fatal_error_handler(handleFatalError);
    return true;
  }();
  (void)installed;

  FatalErrorTarget target;
  FatalErrorTarget *outer = currentTarget;
  currentTarget = &target;
  if (setjmp(target.jump) == 0) {
    llvm::Error error = action();
    currentTarget = outer;
    return error;
  }
  currentTarget = outer;
  return llvm::createStringError("internal error of the compiler: " +
                                 target.reason);
}
