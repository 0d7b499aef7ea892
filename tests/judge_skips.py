"""Lists the tests that ctest skipped and, with --strict, fails on one that the list of expected skips lacks.

    judge_skips.py CTEST_JUNIT_XML EXPECTED_SKIPS [--strict]
"""

import sys
import xml.etree.ElementTree as ElementTree


def main():
    junit, expected_file = sys.argv[1:3]
    strict = "--strict" in sys.argv[3:]
    with open(expected_file, encoding="utf-8") as file:
        expected = {line.split()[0] for line in file if line.strip() and not line.startswith("#")}
    skipped = [case.get("name") for case in ElementTree.parse(junit).getroot().iter("testcase")
               if case.get("status") in ("notrun", "disabled") or case.find("skipped") is not None]
    unexpected = [name for name in skipped if name not in expected]
    for name in skipped:
        print(f"skipped: {name}" + ("" if name in expected else " (not among the expected skips)"))
    return 1 if strict and unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
