//===- AttachTarget.cpp - spine-attach-target -----------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Pass/Pass.h"
#include "spine-triton/Analysis/TargetSpec.h"
#include "spine-triton/Codegen/Passes.h"

namespace mlir::spine {
#define GEN_PASS_DEF_SPINEATTACHTARGET
#include "spine-triton/Codegen/Passes.h.inc"
} // namespace mlir::spine

using namespace mlir;

namespace {
struct AttachTarget : spine::impl::SpineAttachTargetBase<AttachTarget> {
  using SpineAttachTargetBase::SpineAttachTargetBase;

  void runOnOperation() override {
    Builder builder(&getContext());
    SmallVector<DataLayoutEntryInterface> facts;
    auto add = [&](StringRef field, Attribute value) {
      facts.push_back(
          DataLayoutEntryAttr::get(builder.getStringAttr(field), value));
    };
    auto addNumber = [&](StringRef field, int64_t number) {
      if (number != spine::kOfTarget)
        add(field, builder.getI64IntegerAttr(number));
    };
    if (!targetName.empty())
      add("name", builder.getStringAttr(targetName));
    addNumber("scratchpad_bytes", scratchpadBytes);
    addNumber("reserve_bytes", reserveBytes);
    addNumber("alignment", alignment);
    addNumber("granule_bytes", granuleBytes);
    addNumber("vector_bits", vectorBits);
    addNumber("vector_registers", vectorRegisters);
    addNumber("prefetch_rows", prefetchRows);
    addNumber("kept_bytes", keptBytes);
    addNumber("strided_lanes", stridedLanes);
    addNumber("widens_f16", widensF16);
    addNumber("widens_bf16", widensBF16);
    addNumber("tiles_bf16", tilesBF16);
    auto device = TargetDeviceSpecAttr::get(&getContext(), facts);
    auto entry = DataLayoutEntryAttr::get(
        builder.getStringAttr(spine::kTargetDevice), device);
    getOperation()->setAttr(DLTIDialect::kTargetSystemDescAttrName,
                            TargetSystemSpecAttr::get(&getContext(), {entry}));
  }
};
} // namespace
