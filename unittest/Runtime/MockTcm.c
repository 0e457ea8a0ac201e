/*===- MockTcm.c - a stand-in for SpacemiT's memory library ---------------===*\
|*
|* Part of spine-triton, under the MIT licence.
|*
|*===----------------------------------------------------------------------===*|
|*
|* Four blocks of ordinary memory; the first two are near the cores 0 and 1, the
|* others near 2 and 3. MOCK_TCM says what is wrong with it: "absent", "fake",
or
|* "busy", where another process has the blocks 1 to 3.
|*
\*===----------------------------------------------------------------------===*/

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { kBlocks = 4, kBlockBytes = 64 * 1024 };

struct layout {
  size_t block_bytes, blocks;
  int is_fake;
};
struct block {
  int id;
  void *address;
  size_t bytes;
  uint64_t physical_address, cores;
  int owner, is_acquired;
};

static _Alignas(4096) char memory[kBlocks][kBlockBytes];
static int references[kBlocks], acquired[kBlocks];

static int is(const char *state) {
  const char *text = getenv("MOCK_TCM");
  return text && strcmp(text, state) == 0;
}

const char *spine_tcm_runtime_version(void) { return "mock"; }
int spine_tcm_runtime_is_available(void) { return !is("absent"); }

int spine_tcm_runtime_layout_info(struct layout *info) {
  info->block_bytes = kBlockBytes;
  info->blocks = kBlocks;
  info->is_fake = is("fake");
  return 0;
}

int spine_tcm_runtime_mem_info(int id, struct block *info) {
  memset(info, 0, sizeof(*info));
  info->id = id;
  info->address = memory[id];
  info->bytes = kBlockBytes;
  info->cores = id < 2 ? 0x3 : 0xc;
  return 0;
}

void *spine_tcm_runtime_mem_get(int id) {
  ++references[id];
  return memory[id];
}

int spine_tcm_runtime_mem_free(int id) {
  --references[id];
  return 0;
}

void *spine_tcm_runtime_mem_try_wait(int id, size_t microseconds) {
  (void)microseconds;
  if (acquired[id] || (is("busy") && id > 0))
    return NULL;
  acquired[id] = 1;
  return memory[id];
}

int spine_tcm_runtime_mem_release(int id) {
  acquired[id] = 0;
  return 0;
}

/* For tests: what has not been given back, and whether memory is a block's. */
int mock_tcm_held(void) {
  int held = 0;
  for (int i = 0; i < kBlocks; ++i)
    held += references[i] + acquired[i];
  return held;
}

int mock_tcm_contains(const void *address) {
  const char *byte = address;
  return byte >= memory[0] && byte < memory[0] + sizeof(memory);
}
