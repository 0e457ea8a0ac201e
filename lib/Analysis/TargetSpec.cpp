//===- TargetSpec.cpp - what a module says of its target ------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/TargetSpec.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;
using namespace mlir::spine;

/// A fact of the module's target; null if it does not say.
static Attribute getFact(ModuleOp module, StringRef field) {
  TargetSystemSpecInterface system = module.getTargetSystemSpec();
  if (!system)
    return {};
  Builder builder(module.getContext());
  auto device =
      system.getDeviceSpecForDeviceID(builder.getStringAttr(kTargetDevice));
  if (!device)
    return {};
  DataLayoutEntryInterface entry =
      device->getSpecForIdentifier(builder.getStringAttr(field));
  return entry ? entry.getValue() : Attribute();
}

StringRef spine::getTargetName(ModuleOp module) {
  auto name = dyn_cast_or_null<StringAttr>(getFact(module, "name"));
  return name ? name.getValue() : StringRef();
}

std::optional<int64_t> spine::getTargetNumber(ModuleOp module,
                                              StringRef field) {
  auto number = dyn_cast_or_null<IntegerAttr>(getFact(module, field));
  return number ? std::optional(number.getInt()) : std::nullopt;
}

int64_t spine::getTargetNumber(ModuleOp module, StringRef field, int64_t given,
                               int64_t otherwise) {
  if (given != kOfTarget)
    return given;
  return getTargetNumber(module, field).value_or(otherwise);
}

ScratchpadLimits spine::getScratchpadLimits(ModuleOp module,
                                            const ScratchpadLimits &given) {
  auto get = [&](StringRef field, int64_t number, int64_t otherwise) {
    return getTargetNumber(module, field, number, otherwise);
  };
  return {get("scratchpad_bytes", given.capacity, 393216),
          get("reserve_bytes", given.reserve, 0),
          get("alignment", given.alignment, 1),
          get("granule_bytes", given.granule, 64)};
}
