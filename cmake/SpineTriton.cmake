# Build rules shared by all folders.

# LLVM's archives are built without exceptions and (as configured) with RTTI;
# classes derived from theirs must agree.
set(SPINE_CXX_FLAGS -fPIC -Wall -Wextra -Wno-unused-parameter
                    -fvisibility=hidden -fvisibility-inlines-hidden
                    -ffunction-sections -fdata-sections)
if(NOT LLVM_ENABLE_RTTI)
  list(APPEND SPINE_CXX_FLAGS -fno-rtti)
endif()
set(SPINE_LINK_FLAGS -Wl,--gc-sections)
if(SPINE_SANITIZER)
  list(APPEND SPINE_CXX_FLAGS -fsanitize=${SPINE_SANITIZER}
       -fno-omit-frame-pointer -g)
  list(APPEND SPINE_LINK_FLAGS -fsanitize=${SPINE_SANITIZER})
endif()
add_link_options(${SPINE_LINK_FLAGS})

# One precompiled header for every C++ file that includes MLIR: it halves the
# time of a build.
set(SPINE_PCH_HEADER ${CMAKE_CURRENT_SOURCE_DIR}/cmake/Precompiled.h)
add_library(SpinePrecompiled OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/cmake/Precompiled.cpp)
target_compile_options(SpinePrecompiled PRIVATE ${SPINE_CXX_FLAGS} -fno-exceptions)
target_precompile_headers(SpinePrecompiled PRIVATE ${SPINE_PCH_HEADER})
# Without it, ccache could not reuse the result of a file that has a
# precompiled header.
target_compile_options(SpinePrecompiled PRIVATE "SHELL:-Xclang -fno-pch-timestamp")

# Applies the project's compile options (no exceptions) to TARGET.
function(spine_compile_options target)
  target_compile_options(${target} PRIVATE ${SPINE_CXX_FLAGS} -fno-exceptions)
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  target_precompile_headers(${target} REUSE_FROM SpinePrecompiled)
endfunction()

# spine_add_library(NAME src... [DEPENDS tablegen targets...] [LINK_LIBS libs...])
function(spine_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  spine_compile_options(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
endfunction()

# spine_add_passes(TARGET Passes.td PREFIX): pass declarations and their page.
function(spine_add_passes target td name)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${name})
  add_public_tablegen_target(${target})
endfunction()
