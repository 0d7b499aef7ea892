# Compiles HIP sources with nvcc, where it is installed, into objects that g++ links.
#
#   pageproof_nvcc_object(<out> SOURCE NAME)   a rule that makes NAME.o, and its path
#   PAGEPROOF_NVCC, PAGEPROOF_CUDART           the compiler and the static runtime; false where missing
include_guard(GLOBAL)
find_program(PAGEPROOF_NVCC nvcc HINTS /usr/local/cuda/bin ENV CUDA_HOME PATH_SUFFIXES bin)
if(PAGEPROOF_NVCC)
  cmake_path(GET PAGEPROOF_NVCC PARENT_PATH cuda)
  find_library(PAGEPROOF_CUDART cudart_static HINTS ${cuda}/../lib64 ${cuda}/../targets/x86_64-linux/lib ${cuda}/../lib)
endif()
if(NOT PAGEPROOF_NVCC OR NOT PAGEPROOF_CUDART)
  message(STATUS "pageproof: left out: the kernels for NVIDIA devices (no nvcc with libcudart_static.a here)")
endif()

# Machine code for Hopper, and PTX that the driver compiles for any later or earlier device from sm_80 on.
set(PAGEPROOF_NVCC_FLAGS -x cu -std=c++20 -O3 -gencode arch=compute_90,code=sm_90 -gencode arch=compute_80,code=compute_80
  -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra)

function(pageproof_nvcc_object out source name)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${PAGEPROOF_NVCC} ${PAGEPROOF_NVCC_FLAGS} ${ARGN} -I${PROJECT_SOURCE_DIR} -MD -MF ${object}.d
            -c ${source} -o ${object}
    DEPENDS ${source}
    DEPFILE ${object}.d
    COMMENT "Compiling ${name} for NVIDIA"
    VERBATIM)
  set(${out} ${object} PARENT_SCOPE)
endfunction()
