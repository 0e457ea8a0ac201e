//===- Spine.h - the spine dialect ------------------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_DIALECT_SPINE_IR_SPINE_H
#define SPINE_TRITON_DIALECT_SPINE_IR_SPINE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "spine-triton/Dialect/Spine/IR/SpineDialect.h.inc"

#define GET_OP_CLASSES
#include "spine-triton/Dialect/Spine/IR/SpineOps.h.inc"

#endif // SPINE_TRITON_DIALECT_SPINE_IR_SPINE_H
