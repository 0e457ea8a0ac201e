//===- TritonOps.td - operations of the tt dialect ---------*- tablegen -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_DIALECT_TRITON_IR_OPS_TD
#define TRITON_DIALECT_TRITON_IR_OPS_TD

include "triton/Dialect/Triton/IR/TritonDescriptorOps.td"
include "triton/Dialect/Triton/IR/TritonElementwiseOps.td"
include "triton/Dialect/Triton/IR/TritonFuncOps.td"
include "triton/Dialect/Triton/IR/TritonMemoryOps.td"
include "triton/Dialect/Triton/IR/TritonRegionOps.td"
include "triton/Dialect/Triton/IR/TritonTileOps.td"

#endif // TRITON_DIALECT_TRITON_IR_OPS_TD
