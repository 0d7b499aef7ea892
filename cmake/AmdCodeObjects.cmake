# Compiles HIP sources into AMD code objects, one raw ELF a target, with a clang that needs no ROCm installation.
#
#   pageproof_amd_targets(<out>)                      the targets that the found compiler knows
#   pageproof_code_object(<out> TARGET SOURCE NAME)   a rule that makes NAME.TARGET.co, and its path
include_guard(GLOBAL)
set(PAGEPROOF_AMD_TARGETS gfx90a gfx942 gfx950 CACHE STRING "AMD targets to compile the kernels for")
find_program(PAGEPROOF_HIP_CLANG NAMES clang++-22 clang++ DOC "clang that compiles the kernels for AMD targets")
find_program(PAGEPROOF_READELF NAMES llvm-readelf-22 llvm-readelf)
find_program(PAGEPROOF_OBJDUMP NAMES llvm-objdump-22 llvm-objdump)

# Raw ELF instead of a bundle (--no-gpu-bundle-output); no device library and no HIP header, whose Debian versions
# know none of these targets (-nogpulib, -nogpuinc, PAGEPROOF_NO_HIP_HEADERS); code object v5 loads on ROCm 5.5 and
# later.
set(PAGEPROOF_HIP_FLAGS -x hip --offload-device-only --no-gpu-bundle-output -nogpulib -nogpuinc
  -DPAGEPROOF_NO_HIP_HEADERS -mcode-object-version=5 -O3 -std=c++20 -Wall -Wextra -Wshadow -Wpedantic)

function(pageproof_amd_targets out)
  set(known)
  set(unknown)
  foreach(target IN LISTS PAGEPROOF_AMD_TARGETS)
    if(PAGEPROOF_HIP_CLANG AND NOT DEFINED CACHE{PAGEPROOF_KNOWS_${target}})
      set(probe ${PROJECT_BINARY_DIR}/probe)
      file(WRITE ${probe}.hip "__attribute__((global)) void probe() {}\n")
      execute_process(
        COMMAND ${PAGEPROOF_HIP_CLANG} ${PAGEPROOF_HIP_FLAGS} --offload-arch=${target} -c ${probe}.hip -o ${probe}.co
        RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
      if(failed)
        set(PAGEPROOF_KNOWS_${target} OFF CACHE INTERNAL "")
      else()
        set(PAGEPROOF_KNOWS_${target} ON CACHE INTERNAL "")
      endif()
    endif()
    if(PAGEPROOF_HIP_CLANG AND PAGEPROOF_KNOWS_${target})
      list(APPEND known ${target})
    else()
      list(APPEND unknown ${target})
    endif()
  endforeach()
  if(unknown)
    list(JOIN unknown ", " unknown)
    message(STATUS "pageproof: left out: the code objects for ${unknown} (no clang here that compiles HIP for them: clang-22, lld-22)")
  endif()
  set(${out} ${known} PARENT_SCOPE)
endfunction()

# SOURCE is absolute. Device links write no depfile, so every header beside the kernels counts as read.
function(pageproof_code_object out target source name)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.${target}.co)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/convert/*.hpp
    ${PROJECT_SOURCE_DIR}/kernels/convert/orders/*.hpp ${PROJECT_SOURCE_DIR}/kernels/convert/orders/*.hip)
  add_custom_command(OUTPUT ${object}
    COMMAND ${PAGEPROOF_HIP_CLANG} ${PAGEPROOF_HIP_FLAGS} --offload-arch=${target} -I${PROJECT_SOURCE_DIR}
            -c ${source} -o ${object}
    DEPENDS ${source} ${headers} ${PROJECT_SOURCE_DIR}/kernels/convert/pageproof.h
            ${PROJECT_SOURCE_DIR}/kernels/convert/convert.hip
    COMMENT "Compiling ${name} for ${target}"
    VERBATIM)
  set(${out} ${object} PARENT_SCOPE)
endfunction()
