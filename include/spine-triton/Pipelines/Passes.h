//===- Passes.h - named pipelines -------------------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_PIPELINES_PASSES_H
#define SPINE_TRITON_PIPELINES_PASSES_H

#include "mlir/Pass/PassOptions.h"
#include "spine-triton/Transforms/Passes.h"

namespace mlir::spine {

/// Options of `spine-ttir`: those of spine-check-residency, and whether tiles
/// are split. -1: as the module's target says, else the default of that pass.
struct TTIRPipelineOptions : public PassPipelineOptions<TTIRPipelineOptions> {
  Option<int64_t> capacity{
      *this, "capacity",
      llvm::cl::desc("Bytes of scratchpad memory of one core"),
      llvm::cl::init(-1)};
  Option<int64_t> reserve{*this, "reserve",
                          llvm::cl::desc("Bytes of it that are not for tiles"),
                          llvm::cl::init(-1)};
  Option<std::string> target{
      *this, "target", llvm::cl::desc("Name of the target, for the message"),
      llvm::cl::init("")};
  Option<ResidencyPolicyKind> policy{
      *this, "policy", llvm::cl::desc("Which compiler's placements"),
      llvm::cl::init(ResidencyPolicyKind::StageAll),
      llvm::cl::values(
          clEnumValN(ResidencyPolicyKind::StageAll, "stage-all",
                     "each tile is packed"),
          clEnumValN(ResidencyPolicyKind::StageMirrored, "stage-mirrored",
                     "loads through block pointers are mirrored in granules, "
                     "other tiles packed"))};
  Option<int64_t> alignment{
      *this, "alignment",
      llvm::cl::desc("Alignment of tiles in the scratchpad, in bytes"),
      llvm::cl::init(-1)};
  Option<int64_t> granule{
      *this, "granule",
      llvm::cl::desc("Bytes that are moved at least: a cache line or burst"),
      llvm::cl::init(-1)};
  Option<int64_t> numStages{
      *this, "num-stages",
      llvm::cl::desc("Copies of tiles that are loaded in a loop"),
      llvm::cl::init(1)};
  Option<bool> deferToLaunch{
      *this, "defer-to-launch",
      llvm::cl::desc(
          "Accept what depends on arguments; the launcher checks it"),
      llvm::cl::init(false)};
  Option<bool> autoTileHint{*this, "auto-tile-hint",
                            llvm::cl::desc("Recommend auto_tile=True"),
                            llvm::cl::init(false)};
  ListOption<std::string> constexprs{
      *this, "constexprs",
      llvm::cl::desc(
          "The kernel's constants, as NAME=VALUE, to name blocks by")};
  Option<ResidencySeverity> severity{
      *this, "severity",
      llvm::cl::desc("How to say that a kernel does not fit"),
      llvm::cl::init(ResidencySeverity::Error),
      llvm::cl::values(
          clEnumValN(ResidencySeverity::Error, "error",
                     "as an error: the pipeline fails"),
          clEnumValN(ResidencySeverity::Warning, "warning", "as a warning"),
          clEnumValN(ResidencySeverity::Remark, "remark", "as a remark"))};
  Option<ResidencyRule> rule{
      *this, "rule", llvm::cl::desc("What to check"),
      llvm::cl::init(ResidencyRule::Tile),
      llvm::cl::values(
          clEnumValN(ResidencyRule::Tile, "tile", "bytes of the live tiles"),
          clEnumValN(ResidencyRule::BaseNumel, "base-numel",
                     "elements of base tensors, to show what that does"))};
  Option<int64_t> maxNumel{
      *this, "max-numel",
      llvm::cl::desc("Elements of a base tensor that rule=base-numel accepts"),
      llvm::cl::init(1048576)};
  Option<bool> autoTile{
      *this, "auto-tile",
      llvm::cl::desc("Split tiles that do not fit into loops over parts"),
      llvm::cl::init(false)};
  Option<int64_t> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("Bits of a vector register, which parts should fill; -1: "
                     "as the module's target says, else not known"),
      llvm::cl::init(-1)};
  ListOption<std::string> matrixUnits{
      *this, "matrix-units",
      llvm::cl::desc("Shapes of the matrix unit, which parts should fill")};
};

/// All TTIR-to-TTIR passes: cleans up what the frontend emits, checks that the
/// tiles fit, and makes each block pointer describe one tile.
void buildTTIRPipeline(OpPassManager &passes,
                       const TTIRPipelineOptions &options);

/// Makes the pipeline known by its name, `spine-ttir`.
void registerTTIRPipeline();

} // namespace mlir::spine

#endif // SPINE_TRITON_PIPELINES_PASSES_H
