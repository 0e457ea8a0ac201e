//===- Nesting.cpp - a limit on nested brackets ---------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Support/Nesting.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace mlir;

/// The offset after the string that starts with the quote at `begin`.
static size_t skipString(StringRef text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"' || text[i] == '\n') // Strings end with their line.
      return i + 1;
  }
  return text.size();
}

std::optional<size_t> spine::findDeepNesting(StringRef text, unsigned limit) {
  unsigned depth = 0;
  for (size_t i = 0; i < text.size();) {
    switch (text[i]) {
    case '"':
      i = skipString(text, i);
      continue;
    case '/':
      if (text.substr(i).starts_with("//"))
        i = std::min(text.find('\n', i), text.size());
      break;
    case '-': // `->` is an arrow.
      if (text.substr(i).starts_with("->"))
        ++i;
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      if (++depth > limit)
        return i;
      break;
    case ')':
    case ']':
    case '}':
    case '>':
      // `>=` compares. Closing brackets that nothing opened are the parser's
      // business.
      if (depth > 0 && !text.substr(i).starts_with(">="))
        --depth;
      break;
    }
    ++i;
  }
  return std::nullopt;
}

LogicalResult spine::checkNestingDepth(MLIRContext *context, StringRef text,
                                       StringRef fileName) {
  if (isBytecode(llvm::MemoryBufferRef(text, fileName)))
    return success();
  std::optional<size_t> place = findDeepNesting(text);
  if (!place)
    return success();
  StringRef before = text.take_front(*place);
  size_t lineStart = before.rfind('\n') + 1; // 0 if there is no line before.
  unsigned line = before.count('\n') + 1;
  unsigned column = *place - lineStart + 1;
  return emitError(FileLineColLoc::get(context, fileName, line, column))
         << "brackets nest more than " << maxNestingDepth << " deep";
}
