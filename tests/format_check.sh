#!/usr/bin/env bash
# Is every source formatted as .clang-format says? Exit 77 where there is no clang-format-22.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang-format-22 >/dev/null || { echo "skipped: no clang-format-22"; exit 77; }
git ls-files -z '*.h' '*.hpp' '*.cpp' '*.hip' | xargs -0 clang-format-22 --dry-run -Werror
