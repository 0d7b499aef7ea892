#!/usr/bin/env bash
# prepare.sh BUILD_DIR: makes BUILD_DIR/venv, Debian's Python packages plus the requirements, for the Python tests.
# They run without it as well, and leave out what it brings; so a system without an index is no failure here.
set -euo pipefail
[ $# = 1 ] || { echo "usage: prepare.sh BUILD_DIR" >&2; exit 2; }
here=$(dirname "$(realpath "$0")")
venv=$1/venv
log=$1/venv.log

left_out() {  # LOG REASON WHAT
  tail -n 3 "$1" | cut -c 1-200 | sed 's/^/  /' >&2
  echo "prepare.sh: $2; $3 is left out ($1)" >&2
}

# install REQUIREMENTS WHAT PIP_ARGS...: nothing to do where they are there already.
install() {
  local file=$1 what=$2 own_log=${log%.log}_${1%.txt}.log
  shift 2
  if cmp -s "$here/$file" "$venv/$file"; then return 0; fi
  echo "installing $(sed '/^#/d' "$here/$file" | xargs) for the tests"
  if "$venv/bin/python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 15 "$@" -r "$here/$file" \
    >"$own_log" 2>&1 </dev/null; then
    cp "$here/$file" "$venv/$file"
  else
    left_out "$own_log" "pip cannot install" "$what"
  fi
}

if ! "$venv/bin/python" -c "" 2>/dev/null; then
  rm -rf "$venv"
  if ! /usr/bin/python3 -m venv --system-site-packages "$venv" >"$log" 2>&1; then
    left_out "$log" "no venv can be made" "what the fixtures are to other readers, and NIXL,"
    exit 0
  fi
fi
install requirements.txt "reading the fixtures with other packages"
install requirements_nixl.txt "moving pages over NIXL" --no-deps
