"""plans_schema.py GOLDEN: plans_v1.json holds to its schema, the schema refuses spoilt copies, and the lists agree
with each other: rows pair, transfers add up, and carrying the rows out gives the digest."""

import copy
import hashlib
import json
import pathlib
import sys

import jsonschema


def spoilt(suite):
    """Copies with one thing wrong each."""
    test = ("testGroups", 0, "tests", 0)
    changes = {
        "an unknown key": (test, "colour", "red"),
        "no ids": (test + ("sources", 0), "local_ids", None),
        "a row of two": (test + ("sources", 0), "local_rows", [[1, 2]]),
        "a negative base": (test + ("local", "regions", 0), "base", -1),
        "another strategy": (test, "strategy", "thirds"),
        "a valid test with an error": (test, "field", "regions"),
        "no digest": (test, "content_sha256", None),
        "a digest that is short": (test, "content_sha256", "00"),
        "staging for whole blocks": (test, "staging", {"base": 0, "bytes": 1}),
        "an invalid test with a digest": (test, "result", "invalid"),
        "a ratio of 0": (test + ("sources", 0, "slice"), "ratio", 0),
        "a list of blocks that is a number": (test, "local_blocks", [3]),
    }
    for name, (path, key, value) in changes.items():
        other = copy.deepcopy(suite)
        place = other
        for step in path:
            place = place[step]
        if value is None:
            del place[key]
        else:
            place[key] = value
        yield name, other


def content(rank, address):
    return (address + 3 * (address >> 8) + 7 * (address >> 16) + 91 * rank) % 256


def problems_of(test):
    written = {}
    for source in test["sources"]:
        local, remote = source["local_rows"], source["remote_rows"]
        if not len(local) == len(remote) == len(source["local_ids"]) == len(source["remote_ids"]):
            yield "lists of unequal length"
        if [row[1] for row in local] != [row[1] for row in remote]:
            yield "rows of unequal length pair"
        if sum(row[2] for row in source["posted"]) != sum(row[1] for row in local):
            yield "transfers that do not add up"
        for (to, size, _), (start, _, _) in zip(local, remote):
            for i in range(size):
                if to + i in written:
                    yield "a byte written twice"
                written[to + i] = content(source["rank"], start + i)
    digest = hashlib.sha256(bytes(written[address] for address in sorted(written))).hexdigest()
    if digest != test["content_sha256"]:
        yield "another digest"


def main():
    golden = pathlib.Path(sys.argv[1])
    suite = json.loads((golden / "plans_v1.json").read_text())
    schema = json.loads((golden / suite["schema"]).read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    errors = [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(suite)]
    count = 0
    for name, other in spoilt(suite):
        count += 1
        if validator.is_valid(other):
            errors.append(f"the schema accepts {name}")
    for group in suite["testGroups"]:
        for test in group["tests"]:
            if test["result"] == "valid":
                errors += [f"tcId {test['tcId']}: {problem}" for problem in problems_of(test)]
    if errors:
        sys.exit("\n".join(["REFUTED   golden_plans_schema", *errors[:10]]))
    print(f"{suite['numberOfTests']} plans hold to {suite['schema']}; {count} spoilt copies are refused")


if __name__ == "__main__":
    main()
