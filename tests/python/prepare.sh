#!/usr/bin/env bash
# prepare.sh BUILD_DIR: makes BUILD_DIR/venv, Debian's Python packages plus requirements.txt, for the Python tests.
# They run without it as well, and leave out what it brings; so a system without an index is no failure here.
set -euo pipefail
[ $# = 1 ] || { echo "usage: prepare.sh BUILD_DIR" >&2; exit 2; }
requirements=$(dirname "$(realpath "$0")")/requirements.txt
venv=$1/venv
log=$1/venv.log

left_out() {
  tail -n 3 "$log" | cut -c 1-200 | sed 's/^/  /' >&2
  echo "prepare.sh: $1; the tests that need safetensors, msgspec or pyzmq are left out ($log)" >&2
  exit 0
}

# Nothing to do where the venv was made from these requirements and still runs.
if cmp -s "$requirements" "$venv/requirements.txt" && "$venv/bin/python" -c "" 2>/dev/null; then exit 0; fi
rm -rf "$venv"
echo "making a Python venv with $(sed '/^#/d' "$requirements" | xargs)"
/usr/bin/python3 -m venv --system-site-packages "$venv" >"$log" 2>&1 || left_out "no venv can be made"
"$venv/bin/python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 15 -r "$requirements" \
  >>"$log" 2>&1 </dev/null || left_out "pip cannot install"
cp "$requirements" "$venv/requirements.txt"
