#!/usr/bin/env bash
# Does a faulty decoder break this law on this file? broken_by.sh PROGRAM FILE LAW
said=$("$1" "$2" 2>&1) && { echo "no law was broken"; exit 1; }
echo "$said"
grep -q "^BROKEN .*$3" <<<"$said"
