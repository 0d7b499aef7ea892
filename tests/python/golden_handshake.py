"""golden_handshake.py GOLDEN [PAGEPROOF]: handshake_v1.json holds to its schema, has each reason once, and is refused
where it is spoilt. With PAGEPROOF, every pair is also fed to `handshake check` as two files, which must agree.

Without the module jsonschema the schema is left out; everything else needs json alone.
"""

import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    jsonschema = None


def tests_of(suite):
    return [test for group in suite["testGroups"] for test in group["tests"]]


def table_reasons(golden):
    """The reasons of the conversion table, as docs/negotiation_rules.md lists them."""
    page = (golden.parent / "docs" / "negotiation_rules.md").read_text()
    return set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", page))


def faults(suite, reasons):
    """What is wrong with a suite, in words."""
    found = []
    tests = tests_of(suite)
    if suite["numberOfTests"] != len(tests) or [t["tcId"] for t in tests] != list(range(1, len(tests) + 1)):
        found.append("tests are not numbered one after another, or counted wrong")
    used = {flag for test in tests for flag in test["flags"]}
    if used != set(suite["notes"]):
        found.append(f"flags and notes differ: {sorted(used ^ set(suite['notes']))}")
    rejected = [t for t in tests if {"SoleReason", "FirstReason"} & set(t["flags"])]
    once = sorted([t["reason"] for t in rejected] + list(suite["unreachable"]))
    if once != sorted(reasons):
        found.append(f"not every reason once: {sorted(set(once) ^ reasons) or once}")
    for test in tests:
        name = f"tcId {test['tcId']}"
        if test["failing"] and test["failing"][0] != test["reason"]:
            found.append(f"{name}: the reason is not the first that fails")
        if "SoleReason" in test["flags"] and test["failing"] != [test["reason"]]:
            found.append(f"{name}: not the only reason")
        if ("AcceptedToday" in test["flags"]) != (test["today"]["result"] == "accepted" and test["reason"] != "none"):
            found.append(f"{name}: the flag AcceptedToday is wrong")
        if test["result"] == "rejected" and f"({test['reason']})" not in test["sentence"]:
            found.append(f"{name}: the sentence does not name the reason")
        if ("compatibility_hash" in test["local"] or "compatibility_hash" in test["remote"]) != (
            "Captured" in test["flags"]
        ):
            found.append(f"{name}: the flag Captured is wrong")
    if not any(t["outcome"] == "convert" for t in tests) or not any(t["outcome"] == "match" for t in tests):
        found.append("no pair is accepted")
    return found


def schema_faults(suite, schema):
    if jsonschema is None:
        return []
    validator = jsonschema.Draft7Validator(schema)
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(suite)]


def spoilt(suite):
    """Copies with one thing wrong each."""

    def copy_with(change):
        out = copy.deepcopy(suite)
        change(out)
        return out

    def first(suite_, flag):
        return next(t for t in tests_of(suite_) if flag in t["flags"])

    yield "a reason twice", copy_with(lambda s: first(s, "SoleReason").update(reason="tokens_unequal"))
    yield "a test missing", copy_with(lambda s: s["testGroups"][0]["tests"].pop())
    yield "a flag without its note", copy_with(lambda s: s["notes"].pop("TornHead"))
    yield "an accepted pair with a reason", copy_with(lambda s: first(s, "Accepted").update(reason="tag_missing"))
    yield "a reason that another precedes", copy_with(lambda s: first(s, "FirstReason")["failing"].reverse())
    yield "a sentence of another reason", copy_with(lambda s: first(s, "SoleReason").update(sentence="rejected"))
    yield "a wrong verdict of today", copy_with(lambda s: first(s, "AcceptedToday")["today"].update(result="rejected"))
    if jsonschema is not None:
        yield "an unknown field", copy_with(lambda s: first(s, "Accepted").update(seed=1))
        yield "a document of no kind", copy_with(lambda s: first(s, "Accepted").update(local={"engine_id": "x"}))
        yield "a rejection without advice", copy_with(lambda s: first(s, "SoleReason").update(change=""))


def judged(program, test, folder):
    """What `handshake check` says of the pair's two documents, as files."""
    files = []
    for side in ("local", "remote"):
        path = pathlib.Path(folder) / f"{side}.json"
        path.write_text(json.dumps(test[side]))
        files.append(str(path))
    done = subprocess.run(
        [program, "handshake", "check", *files, "--json", *test["arguments"]], capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        return {"error": done.stderr.strip()}
    return json.loads(done.stdout)


def disagreements(program, suite):
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for test in tests_of(suite):
            says = judged(program, test, folder)
            wanted = {"result": test["result"], "outcome": test["outcome"], "reason": test["reason"]}
            got = says
            if "proposed" in says:
                proposed = says["proposed"]
                got = {
                    "result": "accepted" if proposed["accepted"] else "rejected",
                    "outcome": proposed["outcome"],
                    "reason": proposed["reason"],
                }
                if says["today"]["accepted"] != (test["today"]["result"] == "accepted"):
                    found.append(f"tcId {test['tcId']}: today is judged otherwise")
            if got != wanted:
                found.append(f"tcId {test['tcId']}: wanted {wanted}, got {got}")
    return found


def main():
    golden = pathlib.Path(sys.argv[1])
    suite = json.loads((golden / "handshake_v1.json").read_text())
    schema = json.loads((golden / suite["schema"]).read_text())
    reasons = table_reasons(golden)
    errors = faults(suite, reasons) + schema_faults(suite, schema)
    refused = 0
    for name, bad in spoilt(suite):
        refused += 1
        if not faults(bad, reasons) + schema_faults(bad, schema):
            errors.append(f"nothing refuses {name}")
    if len(sys.argv) > 2:
        errors += disagreements(sys.argv[2], suite)
        wrong = copy.deepcopy(suite)
        for group in wrong["testGroups"]:  # its documents, with another pair's verdict
            group["tests"] = [t for t in group["tests"] if t["reason"] == "tokens_unequal"]
            for test in group["tests"]:
                test["reason"] = "tp_unequal"
        if not disagreements(sys.argv[2], wrong):
            errors.append("the program agrees with a wrong verdict")
    if errors:
        sys.exit("\n".join(["REFUTED   golden_handshake", *errors[:10]]))
    print(f"{suite['numberOfTests']} pairs hold, each of {len(reasons)} reasons once; {refused} spoilt copies are refused")


if __name__ == "__main__":
    main()
