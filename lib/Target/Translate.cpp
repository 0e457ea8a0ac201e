//===- Translate.cpp - LLVM dialect to optimised LLVM IR ------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "spine-triton/Target/FatalErrors.h"
#include "spine-triton/Target/ObjectEmitter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::spine;

void mlir::spine::registerTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

//===----------------------------------------------------------------------===//
// The kernel and its variants
//===----------------------------------------------------------------------===//

namespace {

struct KernelFunction {
  std::string name;
  int64_t arenaBytes;
  int64_t keptAt, keptBytes;
  DenseI64ArrayAttr disjointArguments;
};

} // namespace

/// The functions that are called from outside, or failure after an error.
static FailureOr<SmallVector<KernelFunction>>
collectKernelFunctions(ModuleOp module) {
  SmallVector<KernelFunction> kernels;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    Attribute attribute = function->getAttr(kArenaBytesAttr);
    if (!attribute)
      continue;
    auto bytes = dyn_cast<IntegerAttr>(attribute);
    if (!bytes || bytes.getInt() < 0)
      return function.emitError("expects '")
             << kArenaBytesAttr << "' to be an integer that is not negative";
    if (function.isExternal())
      return function.emitError("is a kernel without a body");
    auto number = [&](StringRef name) {
      auto value = function->getAttrOfType<IntegerAttr>(name);
      return value ? value.getInt() : 0;
    };
    kernels.push_back(
        {function.getName().str(), bytes.getInt(), number(kKeptAtAttr),
         number(kKeptBytesAttr),
         function->getAttrOfType<DenseI64ArrayAttr>(kDisjointArgumentsAttr)});
  }
  return kernels;
}

FailureOr<KernelFacts> mlir::spine::findKernel(ModuleOp module) {
  FailureOr<SmallVector<KernelFunction>> functions =
      collectKernelFunctions(module);
  if (failed(functions))
    return failure();
  KernelFacts facts;
  // A variant that was made by itself is a kernel like any other.
  bool isAlone = functions->size() == 1;
  for (const KernelFunction &function : *functions) {
    StringRef name = function.name;
    if (!isAlone && name.ends_with(kMayAliasSuffix))
      continue;
    if (!facts.name.empty())
      return module.emitError("has two kernels, '")
             << facts.name << "' and '" << name << "'; one is expected";
    facts.name = name.str();
    facts.keptAt = function.keptAt;
    facts.keptBytes = function.keptBytes;
    if (!function.disjointArguments)
      continue;
    ArrayRef<int64_t> pairs = function.disjointArguments.asArrayRef();
    facts.disjointArguments.emplace();
    for (size_t i = 0; i + 1 < pairs.size(); i += 2)
      facts.disjointArguments->push_back({pairs[i], pairs[i + 1]});
  }
  if (facts.name.empty())
    return module.emitError("has no kernel: no llvm.func with a body carries '")
           << kArenaBytesAttr << "'";
  for (const KernelFunction &function : *functions) {
    StringRef name = function.name;
    facts.arenaBytes = std::max(facts.arenaBytes, function.arenaBytes);
    if (isAlone || !name.consume_back(kMayAliasSuffix))
      continue;
    if (name != facts.name)
      return module.emitError("has a variant for overlapping arguments of a "
                              "kernel that is not there: '")
             << function.name << "'";
    facts.hasMayAlias = true;
  }
  return facts;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Makes the kernel's own functions the only ones seen from outside, and adds
/// the constants with what it needs of a worker's memory.
static void defineInterface(llvm::Module &module, const KernelFacts &kernel) {
  std::string variant = (kernel.name + kMayAliasSuffix).str();
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    bool isKernel =
        function.getName() == kernel.name || function.getName() == variant;
    function.setLinkage(isKernel ? llvm::GlobalValue::ExternalLinkage
                                 : llvm::GlobalValue::InternalLinkage);
    if (isKernel)
      function.setVisibility(llvm::GlobalValue::DefaultVisibility);
  }
  for (llvm::GlobalVariable &global : module.globals())
    if (!global.isDeclaration())
      global.setLinkage(llvm::GlobalValue::InternalLinkage);
  auto define = [&](int64_t value, StringRef suffix) {
    auto *type = llvm::Type::getInt64Ty(module.getContext());
    new llvm::GlobalVariable(
        module, type, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
        llvm::ConstantInt::get(type, value), kernel.name + suffix);
  };
  define(std::max(kernel.arenaBytes, kernel.keptAt + kernel.keptBytes),
         kArenaBytesSuffix);
  if (kernel.keptBytes)
    define(kernel.keptAt, kKeptAtSuffix);
}

/// What the launcher promises of the arguments `args`, `grid` and `arena`: none
/// of them overlaps with anything else that a kernel can reach.
static void promiseArguments(llvm::Function &function) {
  if (function.arg_size() != 5)
    return;
  for (unsigned index : {0u, 1u}) {
    function.addParamAttr(index, llvm::Attribute::NoAlias);
    function.addParamAttr(index, llvm::Attribute::ReadOnly);
  }
  function.addParamAttr(4, llvm::Attribute::NoAlias);
  function.addParamAttr(4, llvm::Attribute::getWithAlignment(
                               function.getContext(), llvm::Align(4096)));
}

static void setFunctionAttributes(llvm::Function &function,
                                  const TargetDescription &target) {
  if (function.isDeclaration())
    return;
  // The variant for overlapping arguments is rarely called.
  if (function.getName().ends_with(kMayAliasSuffix))
    function.addFnAttr(llvm::Attribute::OptimizeForSize);
  function.addFnAttr("target-cpu", target.cpu);
  if (!target.features.empty())
    function.addFnAttr("target-features", target.features);
  function.setDoesNotThrow();
  function.setUWTableKind(llvm::UWTableKind::None);
  if (target.isRISCV()) {
    // RISC-V counts vector registers in blocks of 64 bits.
    if (unsigned blocks = target.vectorBits / 64)
      function.addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(
          function.getContext(), blocks, blocks));
  } else {
    // Some CPUs are told to prefer narrower vectors than they have.
    function.addFnAttr("prefer-vector-width",
                       std::to_string(target.vectorBits));
  }
}

/// Accesses to a number of lanes are to elements. Without a word they would
/// promise addresses that are multiples of the whole vector.
static void alignCountedAccesses(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *access = dyn_cast<llvm::VPIntrinsic>(&instruction);
    if (!access || (access->getIntrinsicID() != llvm::Intrinsic::vp_load &&
                    access->getIntrinsicID() != llvm::Intrinsic::vp_store))
      continue;
    llvm::Value *data = access->getMemoryDataParam();
    llvm::Type *type = (data ? data : access)->getType()->getScalarType();
    unsigned pointer =
        *llvm::VPIntrinsic::getMemoryPointerParamPos(access->getIntrinsicID());
    access->addParamAttr(pointer,
                         llvm::Attribute::getWithAlignment(
                             function.getContext(),
                             llvm::Align(type->getScalarSizeInBits() / 8)));
  }
}

//===----------------------------------------------------------------------===//
// Optimisation
//===----------------------------------------------------------------------===//

/// What is left to do for LLVM on x86-64: loops come as vectors and blocked for
/// registers, addresses as plain arithmetic. Its default pipelines look for
/// much more and take twice as long for the same speed. Induction variables are
/// left as they are: simplifying them takes quadratic time in kernels of
/// hundreds of loops. Loops that count as far as an argument says are not
/// unrolled: those that gain from it come unrolled, and the others would be
/// an eighth of the time.
static constexpr llvm::StringLiteral kShortPasses =
    "cgscc(inline),"
    "function(sroa,early-cse<memssa>,simplifycfg,"
    "instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),"
    "early-cse<memssa>,simplifycfg,loop-vectorize,"
    "loop-unroll<O3;no-runtime>,instcombine<no-verify-fixpoint>,simplifycfg),"
    "globaldce";

static llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine,
                            bool isRISCV, unsigned optLevel) {
  // Kernels come as vectors already. What is left as scalars on purpose would
  // be gathered into vectors at a cost, and the search for that takes long.
  llvm::PipelineTuningOptions tuning;
  tuning.SLPVectorization = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (optLevel == 0)
    passes = builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
  else if (isRISCV) // In-order cores: every scalar instruction less counts.
    passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  else if (llvm::Error error = builder.parsePassPipeline(passes, kShortPasses))
    return error;
  passes.run(module, modules);
  return llvm::Error::success();
}

FailureOr<std::unique_ptr<LLVMModule>>
LLVMModule::translate(ModuleOp module, const TargetDescription &target,
                      const EmitOptions &options) {
  FailureOr<KernelFacts> kernel = findKernel(module);
  if (failed(kernel))
    return failure();
  std::unique_ptr<LLVMModule> result(new LLVMModule(target));
  llvm::Error error = catchFatalErrors([&]() -> llvm::Error {
    if (llvm::Error failed = result->createTargetMachine(options.optLevel))
      return failed;
    result->module =
        translateModuleToLLVMIR(module, *result->context, kernel->name);
    if (!result->module)
      return llvm::createStringError("cannot be translated to LLVM IR");
    result->setTarget();
    defineInterface(*result->module, *kernel);
    for (llvm::Function &function : *result->module) {
      setFunctionAttributes(function, target);
      alignCountedAccesses(function);
      if (function.hasExternalLinkage() && !function.isDeclaration())
        promiseArguments(function);
    }
    return optimize(*result->module, *result->machine, target.isRISCV(),
                    options.optLevel);
  });
  if (error) {
    module.emitError(llvm::toString(std::move(error)));
    result->abandon();
    return failure();
  }
  if (llvm::Error reported = result->takeErrors())
    return module.emitError(llvm::toString(std::move(reported)));
  return result;
}
