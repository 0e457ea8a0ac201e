# Debian's MLIR archives name the shared libLLVM as what they need. Everything
# here is linked statically instead: a wheel has to run without LLVM installed,
# and a second, visible copy of LLVM in a Python process clashes with
# libtriton.so.
get_property(_spine_mlir_targets GLOBAL PROPERTY MLIR_ALL_LIBS)
list(APPEND _spine_mlir_targets ${MLIR_EXPORTED_TARGETS})
foreach(_target IN LISTS _spine_mlir_targets)
  if(TARGET ${_target})
    get_target_property(_libs ${_target} INTERFACE_LINK_LIBRARIES)
    if(_libs)
      list(REMOVE_ITEM _libs LLVM)
      set_target_properties(${_target} PROPERTIES INTERFACE_LINK_LIBRARIES "${_libs}")
    endif()
  endif()
endforeach()

# The libraries that LLVM's support code needs are linked statically as well,
# where the archives are there; a wheel may count on zlib alone.
if(TARGET zstd::libzstd_static AND TARGET LLVMSupport)
  get_target_property(_libs LLVMSupport INTERFACE_LINK_LIBRARIES)
  string(REPLACE "zstd::libzstd_shared" "zstd::libzstd_static" _libs "${_libs}")
  set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${_libs}")
endif()

# One of them is named by its path on the machine that the archives are for.
if(CMAKE_SYSROOT AND TARGET LLVMSupport)
  get_target_property(_libs LLVMSupport INTERFACE_LINK_LIBRARIES)
  list(TRANSFORM _libs REPLACE "^/usr/" "${CMAKE_SYSROOT}/usr/")
  set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${_libs}")
endif()

llvm_map_components_to_libnames(SPINE_LLVM_LIBS
  core support analysis passes scalaropts vectorize ipo instcombine transformutils
  target targetparser asmparser irreader bitreader bitwriter linker mc mcparser
  object orcjit orctargetprocess jitlink executionengine runtimedyld debuginfodwarf frontendopenmp
  x86codegen x86asmparser x86desc x86info x86disassembler
  riscvcodegen riscvasmparser riscvdesc riscvinfo riscvdisassembler)
