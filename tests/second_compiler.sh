#!/usr/bin/env bash
# Does clang 22 build everything without a warning? Exit 77 where it is absent. A build of its own, beside build/release.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang++-22 >/dev/null || { echo "skipped: no clang++-22"; exit 77; }
cmake --preset clang -DCMAKE_COMPILE_WARNING_AS_ERROR=ON >/dev/null
cmake --build --preset clang -j 2
