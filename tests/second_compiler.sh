#!/usr/bin/env bash
# Does clang 22 build everything without a warning? Exit 77 where it is absent. A build of its own, beside
# build/release; unoptimised and for one AMD target, since only what the compiler says is asked for here.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang++-22 >/dev/null || { echo "skipped: no clang++-22"; exit 77; }
folder=build/second_compiler
cmake --fresh --preset clang -B $folder -DCMAKE_CXX_FLAGS_RELEASE="-O0 -DNDEBUG" -DPAGEPROOF_AMD_TARGETS=gfx942 \
  -DCMAKE_COMPILE_WARNING_AS_ERROR=ON >/dev/null
cmake --build $folder -j 2
