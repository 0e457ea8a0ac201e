//===- Messages.h - diagnostics as plain data -------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TARGET_MESSAGES_H
#define SPINE_TRITON_TARGET_MESSAGES_H

#include <string>
#include <vector>

namespace mlir::spine {

/// One message of the compiler, free of MLIR's objects.
struct Message {
  enum class Severity { Note, Warning, Error, Remark };

  Severity severity = Severity::Error;
  std::string text;
  /// Empty if the location is unknown; the numbers are 0 then.
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::vector<Message> notes;
};

/// In the order in which they were emitted.
using Messages = std::vector<Message>;

/// "error", "warning", "remark" or "note".
const char *getName(Message::Severity severity);

/// `file:line:column: severity: text`, then each note on a line of its own.
std::string toString(const Message &message);

} // namespace mlir::spine

#endif // SPINE_TRITON_TARGET_MESSAGES_H
