//===- BuildId.cpp - an identifier of this very build ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// The linker writes a hash of everything that it linked into a note of the
// library. Here the note is read back from memory.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include <cstring>
#include <elf.h>
#include <link.h>

namespace {

struct Search {
  uintptr_t inside;
  std::string id;
};

std::string toHex(const unsigned char *bytes, size_t count) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

size_t roundUp(size_t size) { return (size + 3) & ~size_t(3); }

/// The build's identifier in a segment of notes, or nothing.
std::string findInNotes(const unsigned char *notes, size_t size) {
  ElfW(Nhdr) header;
  while (size >= sizeof(header)) {
    std::memcpy(&header, notes, sizeof(header));
    size_t total =
        sizeof(header) + roundUp(header.n_namesz) + roundUp(header.n_descsz);
    if (total > size)
      break;
    const unsigned char *name = notes + sizeof(header);
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        std::memcmp(name, "GNU", 4) == 0)
      return toHex(name + roundUp(header.n_namesz), header.n_descsz);
    notes += total;
    size -= total;
  }
  return "";
}

/// Looks at one loaded library; stops at the one that holds this code.
int visit(dl_phdr_info *info, size_t, void *argument) {
  auto *search = static_cast<Search *>(argument);
  bool found = false;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    found |= segment.p_type == PT_LOAD && search->inside >= begin &&
             search->inside < begin + segment.p_memsz;
  }
  if (!found)
    return 0;
  for (unsigned i = 0; i < info->dlpi_phnum && search->id.empty(); ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      search->id = findInNotes(reinterpret_cast<const unsigned char *>(
                                   info->dlpi_addr + segment.p_vaddr),
                               segment.p_memsz);
  }
  return 1;
}

} // namespace

std::string spine::python::getBuildId() {
  static const std::string id = [] {
    Search search{reinterpret_cast<uintptr_t>(&visit), ""};
    dl_iterate_phdr(visit, &search);
    return search.id;
  }();
  return id;
}
