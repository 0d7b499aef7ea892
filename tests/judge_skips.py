"""Lists the tests that ctest skipped, and why; with --strict, fails on one that the list of expected skips lacks.

    judge_skips.py CTEST_JUNIT_XML EXPECTED_SKIPS [--strict]
"""

import re
import sys
import xml.etree.ElementTree as ElementTree


def was_skipped(case):
    return case.get("status") in ("notrun", "disabled") or case.find("skipped") is not None


def reason(case):
    """What the test said: "skipped: REASON", or the line below GoogleTest's "FILE:LINE: Skipped"."""
    said = case.findtext("system-out") or ""
    found = re.search(r"(?i)skipped: *(\S.*)", said) or re.search(r": Skipped\n(.+)", said)
    return found.group(1).strip() if found else "it did not say why"


def main():
    junit, expected_file = sys.argv[1:3]
    strict = "--strict" in sys.argv[3:]
    with open(expected_file, encoding="utf-8") as file:
        expected = {line.split()[0] for line in file if line.strip() and not line.startswith("#")}
    skipped = [case for case in ElementTree.parse(junit).getroot().iter("testcase") if was_skipped(case)]
    unexpected = [case for case in skipped if case.get("name") not in expected]
    for case in skipped:
        note = f" (not in {expected_file}: a failure here)" if strict and case in unexpected else ""
        print(f"skipped: {case.get('name')}: {reason(case)}{note}")
    return 1 if strict and unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
