#!/usr/bin/env bash
# run.sh VENV MODULE SCRIPT ARGS...: runs SCRIPT with the first Python that can import MODULE: the venv's, Debian's,
# the PATH's. Exits 77, which ctest counts as skipped, where none can.
set -euo pipefail
venv=$1 module=$2
shift 2
for python in "$venv/bin/python" /usr/bin/python3 python3; do
  if command -v "$python" >/dev/null && "$python" -c "import $module" 2>/dev/null; then
    exec "$python" "$@"
  fi
done
echo "skipped: no Python here imports $module"
exit 77
