//===- StackFrames.h - stack that compiled code takes -----------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TARGET_STACKFRAMES_H
#define SPINE_TRITON_TARGET_STACKFRAMES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <string>

namespace mlir::spine {

/// Bytes of the stack that each function of an object takes when it is called,
/// with what is saved and spilled, without what the functions it calls take: as
/// LLVM noted them in the section `.stack_sizes`. An error if the object is
/// none, or has no such section.
llvm::Expected<std::map<std::string, uint64_t>>
readStackFrames(llvm::StringRef object);

} // namespace mlir::spine

#endif // SPINE_TRITON_TARGET_STACKFRAMES_H
