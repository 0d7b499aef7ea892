#!/bin/sh
# exports_check.sh NM LIBRARY: the library exports the four functions of pageproof.h and nothing else.
exported=$("$1" -D --defined-only "$2" | awk '{ print $NF }' | sort | tr '\n' ' ')
expected='pageproof_convert pageproof_convert_in_place pageproof_status_text pageproof_version '
[ "$exported" = "$expected" ] && exit 0
echo "exported: $exported"
echo "expected: $expected"
exit 1
