#!/usr/bin/env bash
# Runs the whole suite through ctest (arguments go to ctest) and judges the skips: in CI a skipped test that is not
# listed in expected_skips.txt is a failure. The build must exist; `./run test` makes it.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

tests/python/prepare.sh build || exit
results=build/release/ctest_results.xml
rm -f "$results"
ctest --preset release --output-junit "$PWD/$results" "$@"
outcome=$?
[ -e "$results" ] || exit $outcome
python3 tests/judge_skips.py "$results" tests/expected_skips.txt ${CI:+--strict} || outcome=1
exit $outcome
