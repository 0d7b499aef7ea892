#!/usr/bin/env bash
# Runs the whole suite through ctest (arguments go to ctest) and says what was skipped. In CI a skipped test that is
# not listed in expected_skips.txt is a failure. The build must exist; `./run test` makes it. Exit 0, or 1 on a failure.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

tests/python/prepare.sh build || exit 2
results=build/release/ctest_results.xml
rm -f "$results"
progress=()
[ -t 1 ] && progress=(--progress)
outcome=0
ctest --preset release --output-junit "$PWD/$results" "${progress[@]}" "$@" || outcome=1
[ ! -e "$results" ] || python3 tests/judge_skips.py "$results" tests/expected_skips.txt ${CI:+--strict} || outcome=1
exit $outcome
