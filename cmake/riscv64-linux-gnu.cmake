# For a build on another machine for riscv64 Linux. SPINE_SYSROOT, a variable of
# the environment or of CMake, is a folder with the libraries for riscv64;
# scripts/wheel-riscv64.sh makes one of Debian's packages.
set(SPINE_SYSROOT "$ENV{SPINE_SYSROOT}" CACHE PATH "Libraries for riscv64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SPINE_SYSROOT)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR riscv64)
set(CMAKE_SYSROOT "${SPINE_SYSROOT}")
set(CMAKE_LIBRARY_ARCHITECTURE riscv64-linux-gnu)
set(CMAKE_C_COMPILER_TARGET riscv64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET riscv64-linux-gnu)

# Programs are this machine's, everything else is the other one's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
