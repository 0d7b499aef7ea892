#!/usr/bin/env bash
# prepare.sh BUILD_DIR: makes BUILD_DIR/venv, Debian's Python packages plus requirements.txt, for the Python tests.
# They run without it as well, and leave out what it brings; so a system without an index is no failure here.
set -euo pipefail
[ $# = 1 ] || { echo "usage: prepare.sh BUILD_DIR" >&2; exit 2; }
requirements=$(dirname "$(realpath "$0")")/requirements.txt
venv=$1/venv

left_out() { echo "prepare.sh: $1; the tests that need safetensors are left out" >&2; exit 0; }

# Nothing to do where the venv was made from these requirements.
cmp -s "$requirements" "$venv/requirements.txt" && exit 0
rm -rf "$venv"
/usr/bin/python3 -m venv --system-site-packages "$venv" || left_out "no venv can be made"
"$venv/bin/python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 15 -r "$requirements" || left_out "pip cannot install"
cp "$requirements" "$venv/requirements.txt"
