//===- Diagnostics.cpp - collecting MLIR's diagnostics --------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

using namespace mlir;
using namespace mlir::spine;

const char *mlir::spine::getName(Message::Severity severity) {
  switch (severity) {
  case Message::Severity::Note:
    return "note";
  case Message::Severity::Warning:
    return "warning";
  case Message::Severity::Error:
    return "error";
  case Message::Severity::Remark:
    return "remark";
  }
  return "error";
}

std::string mlir::spine::toString(const Message &message) {
  std::string result;
  if (!message.file.empty())
    result = message.file + ":" + std::to_string(message.line) + ":" +
             std::to_string(message.column) + ": ";
  result += getName(message.severity);
  result += ": " + message.text;
  for (const Message &note : message.notes)
    result += "\n" + toString(note);
  return result;
}

void mlir::spine::addError(Messages &messages, std::string text) {
  Message message;
  message.text = std::move(text);
  messages.push_back(std::move(message));
}

static Message::Severity getSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return Message::Severity::Note;
  case DiagnosticSeverity::Warning:
    return Message::Severity::Warning;
  case DiagnosticSeverity::Remark:
    return Message::Severity::Remark;
  case DiagnosticSeverity::Error:
    break;
  }
  return Message::Severity::Error;
}

FileLineColLoc
mlir::spine::findPosition(Location location,
                          SmallVectorImpl<FileLineColLoc> &callers) {
  return TypeSwitch<LocationAttr, FileLineColLoc>(location)
      .Case([](FileLineColLoc position) { return position; })
      .Case([&](NameLoc named) {
        return findPosition(named.getChildLoc(), callers);
      })
      .Case([&](OpaqueLoc opaque) {
        return findPosition(opaque.getFallbackLocation(), callers);
      })
      .Case([&](CallSiteLoc call) {
        FileLineColLoc callee = findPosition(call.getCallee(), callers);
        FileLineColLoc caller = findPosition(call.getCaller(), callers);
        if (!callee)
          return caller;
        if (caller)
          callers.insert(callers.begin(), caller);
        return callee;
      })
      .Case([&](FusedLoc fused) {
        for (Location part : fused.getLocations())
          if (FileLineColLoc position = findPosition(part, callers))
            return position;
        return FileLineColLoc();
      })
      .Default([](LocationAttr) { return FileLineColLoc(); });
}

static void setPosition(Message &message, FileLineColLoc position) {
  if (!position)
    return;
  message.file = position.getFilename().str();
  message.line = position.getLine();
  message.column = position.getColumn();
}

static Message convert(Diagnostic &diagnostic) {
  Message message;
  message.severity = getSeverity(diagnostic.getSeverity());
  message.text = diagnostic.str();
  SmallVector<FileLineColLoc> callers;
  setPosition(message, findPosition(diagnostic.getLocation(), callers));
  for (FileLineColLoc caller : callers) {
    Message note;
    note.severity = Message::Severity::Note;
    note.text = "called from here";
    setPosition(note, caller);
    message.notes.push_back(std::move(note));
  }
  for (Diagnostic &note : diagnostic.getNotes())
    message.notes.push_back(convert(note));
  return message;
}

MessageCollector::MessageCollector(MLIRContext *context, Messages &messages)
    : ScopedDiagnosticHandler(context) {
  setHandler([&messages](Diagnostic &diagnostic) {
    messages.push_back(convert(diagnostic));
    return success();
  });
}
