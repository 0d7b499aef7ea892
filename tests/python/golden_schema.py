"""golden_schema.py GOLDEN: pages_v1.json holds to its schema, and the schema refuses what it should."""

import copy
import json
import pathlib
import sys

import jsonschema


def spoilt(suite):
    """Copies of the suite with one thing wrong each."""

    def copy_with(change):
        out = copy.deepcopy(suite)
        change(out)
        return out

    def first(operation):
        def find(s):
            return next(t for g in s["testGroups"] for t in g["tests"] if t["operation"] == operation)

        return find

    yield "an unknown field", copy_with(lambda s: s.update(footer=""))
    yield "an unknown field of a test", copy_with(lambda s: first("convert")(s).update(seed=1))
    yield "a test without its pages", copy_with(lambda s: first("convert")(s).pop("standard"))
    yield "a test without its answer", copy_with(lambda s: first("convert")(s).pop("expected"))
    yield "a landing without planes", copy_with(lambda s: first("land")(s).pop("landing"))
    yield "a landing out of place", copy_with(lambda s: first("convert")(s).update(landing=first("land")(s)["landing"]))
    yield "a fault without its coordinate", copy_with(lambda s: first("find")(s).pop("difference"))
    yield "a fault called valid", copy_with(lambda s: first("find")(s).update(result="valid"))
    yield "a sound test called invalid", copy_with(lambda s: first("convert")(s).update(result="invalid"))
    yield "an id below 0", copy_with(lambda s: first("convert")(s)["planes"].update(block_ids=[-1]))
    yield "an id twice", copy_with(lambda s: first("convert")(s)["planes"].update(block_ids=[1, 1]))
    yield "a short digest", copy_with(lambda s: first("convert")(s)["standard"].update(sha256="00"))
    yield "a file elsewhere", copy_with(lambda s: s["testGroups"][0].update(file="../x.safetensors"))
    yield "a type of 4 bytes", copy_with(lambda s: s["testGroups"][0]["shape"].update(dtype="F32"))


def main():
    golden = pathlib.Path(sys.argv[1])
    suite = json.loads((golden / "pages_v1.json").read_text())
    schema = json.loads((golden / suite["schema"]).read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    errors = [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(suite)]
    count = 0
    for name, bad in spoilt(suite):
        count += 1
        if validator.is_valid(bad):
            errors.append(f"the schema accepts {name}")
    if errors:
        sys.exit("\n".join(["REFUTED   golden_schema", *errors[:10]]))
    print(f"{suite['numberOfTests']} tests hold to {suite['schema']}; {count} spoilt copies are refused")


if __name__ == "__main__":
    main()
