//===- TargetDescription.h - what a target can do, as data ------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TARGET_TARGETDESCRIPTION_H
#define SPINE_TRITON_TARGET_TARGETDESCRIPTION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace mlir::spine {

/// One shape of product a matrix unit computes: M x K times K x N.
struct MatrixUnit {
  std::string input;
  std::string accumulator;
  int64_t m = 0;
  int64_t k = 0;
  int64_t n = 0;
};

/// A target, as read from a JSON text. An object with `"host": true` stands for
/// the machine this code runs on: every field that it leaves out is asked from
/// the system.
struct TargetDescription {
  std::string name;
  std::string triple;
  /// Name of the CPU as LLVM spells it.
  std::string cpu;
  /// `+feature,-feature` on top of what the CPU implies.
  std::string features;
  /// Name of the ABI; empty for the triple's own.
  std::string abi;
  /// The processor as QEMU's option -cpu takes it; empty if there is none.
  std::string qemuCPU;
  /// What the kernel calls the cores that this describes, where they are not
  /// the only ones of a machine; else empty.
  std::string coreModel;
  /// Bits of a vector register (VLEN on RISC-V).
  int64_t vectorBits = 128;
  int64_t vectorRegisters = 16;
  /// Rows of a product's left operand to prefetch ahead; 0 for none.
  int64_t prefetchRows = 0;
  /// The most that a worker keeps of packed operands while it runs programs of
  /// one launch; 0 if it has no memory for that but its scratchpad.
  int64_t keptBytes = 0;
  /// Elements that a strided load moves per cycle; 0 if there is no such
  /// instruction.
  int64_t stridedLanes = 0;
  /// 1 if a multiply-add of fp32 vectors takes these floats as they are.
  int64_t widensF16 = 0;
  int64_t widensBF16 = 0;
  /// 1 if products of bf16 and fp16 are made by AMX's tiles.
  int64_t tilesBF16 = 0;
  /// Scratch bytes of one core.
  int64_t scratchpadBytes = 0;
  /// Scratch bytes that a kernel must leave alone.
  int64_t reserveBytes = 0;
  /// Alignment of a tile in the scratchpad.
  int64_t alignment = 64;
  /// What is moved at least: a cache line or DMA burst.
  int64_t granuleBytes = 64;
  int64_t cores = 1;
  /// Bytes of each level of data cache per core; 0 if unknown or absent.
  int64_t l1DataBytes = 0;
  int64_t l2Bytes = 0;
  int64_t l3Bytes = 0;
  std::vector<MatrixUnit> matrixUnits;
  /// Where each number comes from, by field name.
  std::map<std::string, std::string> sources;

  /// Reads a description. The error names the field that is wrong.
  static llvm::Expected<TargetDescription> parse(llvm::StringRef json);

  /// The machine this code runs on.
  static TargetDescription getHost();

  /// The description as JSON, complete: parsing it asks the system for nothing.
  std::string toJSON() const;

  bool isRISCV() const;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TARGET_TARGETDESCRIPTION_H
