//===- Nesting.cpp - texts nested too deeply to parse ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Nesting.h"

using namespace mlir::spine;
using llvm::StringRef;

/// The end of the string literal or comment that starts at `begin`, or `begin`
/// if none does.
static size_t skipLiteral(StringRef text, size_t begin) {
  if (text[begin] == '"') {
    size_t end = begin + 1;
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
      end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
  }
  if (text.substr(begin, 2) == "//")
    return std::min(text.find('\n', begin), text.size());
  return begin;
}

std::optional<TextPosition> mlir::spine::findTooDeepNesting(StringRef text) {
  unsigned depth = 0;
  for (size_t i = 0; i < text.size();) {
    if (size_t end = skipLiteral(text, i); end != i) {
      i = end;
      continue;
    }
    char c = text[i];
    bool opens = c == '(' || c == '[' || c == '{' || c == '<';
    // The arrow and the comparison signs of other dialects close nothing.
    bool closes = c == ')' || c == ']' || c == '}' ||
                  (c == '>' && (i == 0 || text[i - 1] != '-'));
    if (opens && ++depth > kMaxNesting) {
      StringRef before = text.take_front(i);
      auto line = static_cast<unsigned>(before.count('\n')) + 1;
      size_t start = before.rfind('\n');
      auto column =
          static_cast<unsigned>(start == StringRef::npos ? i + 1 : i - start);
      return TextPosition{line, column};
    }
    if (closes && depth)
      --depth;
    ++i;
  }
  return std::nullopt;
}
