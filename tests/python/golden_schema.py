"""golden_schema.py GOLDEN: each suite of fixtures holds to its schema, and the schema refuses what it should."""

import copy
import json
import pathlib
import sys

import jsonschema


def first(operation):
    def find(s):
        return next(t for g in s["testGroups"] for t in g["tests"] if t["operation"] == operation)

    return find


def spoilt_pages(copy_with):
    """Copies of the suite with one thing wrong each."""

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


def spoilt_formats(copy_with):
    def refused(s):
        return next(t for g in s["testGroups"] for t in g["tests"] if "rule" in t)

    yield "an unknown field", copy_with(lambda s: s.update(footer=""))
    yield "an unknown field of a test", copy_with(lambda s: first("convert")(s).update(seed=1))
    yield "a test without its target", copy_with(lambda s: first("convert")(s).pop("to"))
    yield "a K-only test from elsewhere", copy_with(lambda s: first("place")(s).update({"from": "xqa-0"}))
    yield "a find without its coordinate", copy_with(lambda s: first("find")(s).pop("difference"))
    yield "a find called valid", copy_with(lambda s: first("find")(s).update(result="valid"))
    yield "a sound test called invalid", copy_with(lambda s: first("convert")(s).update(result="invalid"))
    yield "a refusal called valid", copy_with(lambda s: refused(s).update(result="valid"))
    yield "a rule of an unknown field", copy_with(lambda s: refused(s)["rule"].update(field="blocks"))
    yield "a format without its source", copy_with(lambda s: s["formats"]["xqa-0"].pop("source"))
    yield "a format of both sides without V", copy_with(lambda s: s["formats"]["xqa-0"].update(v=""))
    yield "a format of K with a V", copy_with(lambda s: s["formats"]["mfma-16x16"].update(v="h"))
    yield "a short digest", copy_with(lambda s: s["testGroups"][0]["pages"][0]["tensors"][0].update(sha256="00"))
    yield "three tensors", copy_with(lambda s: s["testGroups"][0]["pages"][0]["tensors"].extend(
        2 * s["testGroups"][0]["pages"][0]["tensors"]))
    yield "a file elsewhere", copy_with(lambda s: s["testGroups"][0].update(file="../x.safetensors"))
    yield "a type of 4 bytes", copy_with(lambda s: s["testGroups"][0]["shape"].update(dtype="F32"))


SUITES = {"pages_v1.json": spoilt_pages, "formats_v1.json": spoilt_formats}


def check(golden, name, spoilt):
    suite = json.loads((golden / name).read_text())
    schema = json.loads((golden / suite["schema"]).read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    errors = [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(suite)]

    def copy_with(change):
        out = copy.deepcopy(suite)
        change(out)
        return out

    count = 0
    for what, bad in spoilt(copy_with):
        count += 1
        if validator.is_valid(bad):
            errors.append(f"{suite['schema']} accepts {what}")
    if errors:
        sys.exit("\n".join(["REFUTED   golden_schema", *errors[:10]]))
    print(f"{suite['numberOfTests']} tests hold to {suite['schema']}; {count} spoilt copies are refused")


def main():
    golden = pathlib.Path(sys.argv[1])
    for name, spoilt in SUITES.items():
        check(golden, name, spoilt)


if __name__ == "__main__":
    main()
