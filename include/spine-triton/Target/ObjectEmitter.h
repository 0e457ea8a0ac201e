//===- ObjectEmitter.h - LLVM dialect to LLVM IR and objects ---*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TARGET_OBJECTEMITTER_H
#define SPINE_TRITON_TARGET_OBJECTEMITTER_H

#include "mlir/IR/BuiltinOps.h"
#include "spine-triton/Target/KernelFacts.h"
#include "spine-triton/Target/TargetDescription.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir {
class DialectRegistry;
}

namespace mlir::spine {

/// Name of the integer attribute of a kernel that says how many bytes of arena
/// a worker needs.
constexpr llvm::StringLiteral kArenaBytesAttr = "spine.arena_bytes";
/// Name of the attribute that lists the pairs of arguments, by number, whose
/// memory must not overlap if the kernel itself is called and not its variant.
constexpr llvm::StringLiteral kDisjointArgumentsAttr =
    "spine.disjoint_arguments";
/// What the name of the variant that is correct for overlapping arguments ends
/// with.
constexpr llvm::StringLiteral kMayAliasSuffix = "__may_alias";
/// What the name of the constant that holds a kernel's arena bytes ends with.
/// It makes an object complete: a loader needs no further facts.
constexpr llvm::StringLiteral kArenaBytesSuffix = "__arena_bytes";

/// Names of the integer attributes that say where in a worker's memory what a
/// kernel keeps between programs begins, and how many bytes that is.
constexpr llvm::StringLiteral kKeptAtAttr = "spine.kept_at";
constexpr llvm::StringLiteral kKeptBytesAttr = "spine.kept_bytes";
/// What the name of the constant that says where kept memory begins ends with;
/// there is none if nothing is kept. The arena bytes include it.
constexpr llvm::StringLiteral kKeptAtSuffix = "__kept_at";

/// Finds the one kernel of a module of the LLVM dialect. Emits an error on the
/// module if there is none, or several.
FailureOr<KernelFacts> findKernel(ModuleOp module);

/// Adds what translating modules to LLVM IR needs.
void registerTranslations(DialectRegistry &registry);

struct EmitOptions {
  /// 0 to 3.
  unsigned optLevel = 3;
};

/// LLVM IR for one target, together with what makes code of it.
class LLVMModule {
public:
  ~LLVMModule();

  /// Translates a module of the LLVM dialect and optimises the result. Problems
  /// are emitted as diagnostics on the module. The module is not changed.
  static FailureOr<std::unique_ptr<LLVMModule>>
  translate(ModuleOp module, const TargetDescription &target,
            const EmitOptions &options = {});

  /// Reads LLVM IR; nothing is optimised.
  static llvm::Expected<std::unique_ptr<LLVMModule>>
  parse(llvm::StringRef text, const TargetDescription &target);

  /// The LLVM IR as text.
  std::string toString() const;

  /// A relocatable object. Made at the first call.
  llvm::Expected<llvm::StringRef> getObject();

  /// The target's assembly.
  llvm::Expected<std::string> getAssembly();

private:
  explicit LLVMModule(const TargetDescription &target);

  llvm::Error createTargetMachine(unsigned optLevel);
  void setTarget();
  llvm::Expected<std::string> emit(bool assembly);
  llvm::Error takeErrors();
  void abandon();

  TargetDescription target;
  /// Errors that LLVM reported, joined.
  std::string errors;
  // In this order: a module needs its context, and dies first.
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  std::optional<std::string> object;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TARGET_OBJECTEMITTER_H
