//===- StackFrames.cpp - stack that compiled code takes -------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Target/StackFrames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/MemoryBufferRef.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using namespace llvm::object;

using Frames = std::map<std::string, uint64_t>;

static constexpr llvm::StringLiteral kSection = ".stack_sizes";

namespace {

/// Reads one object.
class FrameReader {
public:
  explicit FrameReader(const ELFObjectFileBase &object) : object(object) {}

  Expected<Frames> read();

private:
  Error findFunctions();
  Error readSection(const SectionRef &relocations, StringRef contents);
  Error readFrame(const ELFRelocationRef &relocation, StringRef contents);

  const ELFObjectFileBase &object;
  /// Names by the section's number and the place in it.
  std::map<std::pair<uint64_t, uint64_t>, std::string> functions;
  Frames frames;
};

} // namespace

Error FrameReader::findFunctions() {
  for (const ELFSymbolRef &symbol : object.symbols()) {
    if (symbol.getELFType() != llvm::ELF::STT_FUNC)
      continue;
    Expected<section_iterator> section = symbol.getSection();
    if (!section)
      return section.takeError();
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    Expected<uint64_t> value = symbol.getValue();
    if (!value)
      return value.takeError();
    if (*section != object.section_end())
      functions[{(*section)->getIndex(), *value}] = name->str();
  }
  return Error::success();
}

/// An entry is the function's address, which the linker fills in, and behind it
/// the size as ULEB128. `relocation` is the address's.
Error FrameReader::readFrame(const ELFRelocationRef &relocation,
                             StringRef contents) {
  ELFSymbolRef symbol(*relocation.getSymbol());
  Expected<section_iterator> section = symbol.getSection();
  if (!section)
    return section.takeError();
  Expected<int64_t> addend = relocation.getAddend();
  if (!addend)
    return addend.takeError();
  Expected<uint64_t> value = symbol.getValue();
  if (!value)
    return value.takeError();
  auto function = functions.find({(*section)->getIndex(), *value + *addend});
  if (function == functions.end())
    return llvm::createStringError("an entry is for no function");
  uint64_t place = relocation.getOffset() + object.getBytesInAddress();
  if (place >= contents.size())
    return llvm::createStringError("an entry is cut off");
  const char *problem = nullptr;
  uint64_t bytes = llvm::decodeULEB128(contents.bytes_begin() + place, nullptr,
                                       contents.bytes_end(), &problem);
  if (problem)
    return llvm::createStringError(problem);
  frames[function->second] = bytes;
  return Error::success();
}

Error FrameReader::readSection(const SectionRef &relocations,
                               StringRef contents) {
  for (const RelocationRef &relocation : relocations.relocations())
    if (Error error = readFrame(ELFRelocationRef(relocation), contents))
      return error;
  return Error::success();
}

Expected<Frames> FrameReader::read() {
  if (Error error = findFunctions())
    return std::move(error);
  bool found = false;
  for (const SectionRef &section : object.sections()) {
    Expected<section_iterator> target = section.getRelocatedSection();
    if (!target)
      return target.takeError();
    if (*target == object.section_end())
      continue;
    Expected<StringRef> name = (*target)->getName();
    if (!name)
      return name.takeError();
    if (*name != kSection)
      continue;
    found = true;
    Expected<StringRef> contents = (*target)->getContents();
    if (!contents)
      return contents.takeError();
    if (Error error = readSection(section, *contents))
      return std::move(error);
  }
  if (found)
    return std::move(frames);
  return llvm::createStringError("it has no section " + kSection);
}

Expected<Frames> mlir::spine::readStackFrames(StringRef object) {
  auto fail = [](Error error) {
    return llvm::createStringError("the stack frames of this object cannot be "
                                   "read: " +
                                   llvm::toString(std::move(error)));
  };
  auto file =
      ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, "object"));
  if (!file)
    return fail(file.takeError());
  Expected<Frames> frames =
      FrameReader(llvm::cast<ELFObjectFileBase>(**file)).read();
  if (!frames)
    return fail(frames.takeError());
  return frames;
}
