#!/bin/sh
# exports_check.sh NM LIBRARY: the library exports the four functions of pageproof.h, each under the version node
# PAGEPROOF_0, and nothing else.
exported=$("$1" -D --defined-only "$2" | awk '{ print $NF }' | sort | tr '\n' ' ')
expected='PAGEPROOF_0 '
for function in pageproof_convert pageproof_convert_in_place pageproof_status_text pageproof_version; do
  expected="$expected$function@@PAGEPROOF_0 "
done
[ "$exported" = "$expected" ] && exit 0
echo "exported: $exported"
echo "expected: $expected"
exit 1
