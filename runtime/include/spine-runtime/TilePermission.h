//===- TilePermission.h - leave to use AMX's tiles --------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_TILEPERMISSION_H
#define SPINE_RUNTIME_TILEPERMISSION_H

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace spine::rt {

/// Asks the system to let this process use AMX's tile registers, which make the
/// state of a thread 8 KiB larger. All threads have the permission from then
/// on, and so have children that run no other program. It is refused where
/// there are no tiles, and where a thread has a stack for signals that could
/// not hold them.
inline bool askForTiles() {
#if defined(__x86_64__) && defined(__linux__)
  constexpr long requestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr long tileData = 18;              // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  return false;
#endif
}

} // namespace spine::rt

#endif // SPINE_RUNTIME_TILEPERMISSION_H
