//===- LLVMTargets.cpp - LLVM's code generators ---------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "LLVMTargets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

// The headers for all targets at once name those that this project does not
// link.
extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
void LLVMInitializeX86AsmParser();
void LLVMInitializeRISCVTargetInfo();
void LLVMInitializeRISCVTarget();
void LLVMInitializeRISCVTargetMC();
void LLVMInitializeRISCVAsmPrinter();
void LLVMInitializeRISCVAsmParser();
}

using namespace mlir::spine;

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVAsmPrinter();
    LLVMInitializeRISCVAsmParser();
  });
}

static llvm::CodeGenOptLevel getCodeGenLevel(unsigned optLevel) {
  switch (optLevel) {
  case 0:
    return llvm::CodeGenOptLevel::None;
  case 1:
    return llvm::CodeGenOptLevel::Less;
  case 2:
    return llvm::CodeGenOptLevel::Default;
  default:
    return llvm::CodeGenOptLevel::Aggressive;
  }
}

/// LLVM itself only warns of a CPU or feature that it does not know, on
/// standard error, and then compiles for another one.
static llvm::Error checkNames(const llvm::Target &llvmTarget,
                              const llvm::Triple &triple,
                              const TargetDescription &target) {
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      llvmTarget.createMCSubtargetInfo(triple, "", ""));
  if (!subtarget || !subtarget->isCPUStringValid(target.cpu))
    return llvm::createStringError(
        "target '" + target.name + "' names the CPU '" + target.cpu +
        "', which LLVM does not know for " + triple.getArchName());
  for (llvm::StringRef feature : llvm::split(target.features, ',')) {
    if (!feature.consume_front("+"))
      continue;
    bool known = llvm::any_of(subtarget->getAllProcessorFeatures(),
                              [&](const llvm::SubtargetFeatureKV &entry) {
                                return feature == llvm::StringRef(entry.Key);
                              });
    if (!known)
      return llvm::createStringError(
          "target '" + target.name + "' names the feature '" + feature +
          "', which LLVM does not know for " + triple.getArchName());
  }
  return llvm::Error::success();
}

/// Whether there are the instructions that products of bf16 are made by.
static bool hasTiles(const llvm::TargetMachine &machine) {
  return machine.getTargetTriple().isX86() &&
         machine.getMCSubtargetInfo()->checkFeatures("+amx-tile,+amx-bf16");
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
mlir::spine::createTargetMachine(const TargetDescription &target,
                                 unsigned optLevel) {
  initializeTargets();
  llvm::Triple triple(llvm::Triple::normalize(target.triple));
  std::string problem;
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!found)
    return llvm::createStringError(
        "no code generator for the triple '" + target.triple + "' of target '" +
        target.name + "'; there are x86-64 and riscv64");

  if (llvm::Error error = checkNames(*found, triple, target))
    return std::move(error);

  llvm::TargetOptions options;
  // Only a product and sum that the kernel itself joins by fma are fused.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  options.MCOptions.ABIName = target.abi;
  options.EmitAddrsig = false;
  // Read by readStackFrames().
  options.EmitStackSizeSection = true;
  // LLVM's fast allocation of registers is not up to tiles.
  if (target.tilesBF16)
    optLevel = std::max(optLevel, 1u);
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, getCodeGenLevel(optLevel)));
  if (!machine)
    return llvm::createStringError("LLVM cannot make code for target '" +
                                   target.name + "'");
  if (target.tilesBF16 && !hasTiles(*machine))
    return llvm::createStringError(
        "target '" + target.name +
        "' has 'tiles_bf16', but its CPU and features have no amx-bf16");
  return machine;
}
