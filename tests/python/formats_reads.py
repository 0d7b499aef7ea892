"""formats_reads.py GOLDEN: a second consumer of the fixtures of all page formats, with numpy alone.

Derives the pages of the formats that people meet most by reshape and transpose, and those of every format by the
arithmetic that formats_v1.json states, element by element; then goes through every test.
"""

import json
import pathlib
import re
import sys

import numpy as np

import pages

checks = 0


def require(holds, what):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"REFUTED   golden_formats_read_in_python\nClaim     {what}")


def split(standard):
    D = standard.shape[-1] // 2
    return standard[..., :D], standard[..., D:]


def paged(standard, order):
    """One tensor a block: K and V stacked as a new axis 1 of [B, 2, H, N, D], then the axes in `order`."""
    return [np.stack(split(standard), axis=1).transpose(order)]


def planes(standard, key, value):
    """K and V apart, each [B, H, N, D] reshaped by its sizes and transposed."""
    out = []
    for side, (sizes, order) in zip(split(standard), (key, value)):
        out.append(side.reshape(sizes).transpose(order))
    return out


def by_axes(standard):
    """Pages of these formats as views of the standard ones: written here, from each project's description."""
    B, H, N, D2 = standard.shape
    D, x = D2 // 2, 16 // standard.itemsize
    key = (B, H, N, D // x, x), (0, 1, 3, 2, 4)
    value = (B, H, N // x, x, D), (0, 1, 2, 4, 3)
    plain = B, H, N, D
    return {
        "standard": [standard],
        "standard-nhd": [standard.transpose(0, 2, 1, 3)],
        "aiter-shuffled": planes(standard, key, value),
        "sglang-vectorized-5d": planes(standard, key, value),
        "classic-paged": planes(standard, key, (plain, (0, 1, 3, 2))),
        "flashinfer-nhd": paged(standard, (0, 1, 3, 2, 4)),
        "flashinfer-hnd": paged(standard, (0, 1, 2, 3, 4)),
        "xqa-0": planes(standard, (plain, (0, 1, 2, 3)), (plain, (0, 1, 2, 3))),
        "xqa-1": planes(standard, (plain, (0, 2, 1, 3)), (plain, (0, 2, 1, 3))),
        "cpu-vec": [
            np.stack([split(standard)[0].swapaxes(2, 3).reshape(B, H, -1), split(standard)[1].reshape(B, H, -1)], 2)
        ],
    }


def places(stated, shape):
    """For each side its region and, for (h, t, d), the element offset within a block, as the suite states it. The
    text is arithmetic on h, t, d, H, N, D and x, nothing else."""
    H, N, D, x = shape["heads"], shape["tokens"], shape["head_dim"], 16 // shape["element_bytes"]
    h, t, d = np.meshgrid(np.arange(H), np.arange(N), np.arange(D), indexing="ij")
    names = {"h": h, "t": t, "d": d, "H": H, "N": N, "D": D, "x": x}
    for side, text in zip(stated["sides"], (stated["k"], stated["v"])):
        require(re.fullmatch(r"[htdHNDx0-9+*/%·() ]+", text), f"{text} is arithmetic")
        region = 1 if side == "V" and stated["regions"] == "planes" else 0
        yield region, eval(text.replace("·", "*").replace("/", "//"), {"__builtins__": {}}, names).ravel()


def by_arithmetic(rows, stated, shape):
    """[B, H, N, 2D] put where the stated offsets say: one array [B, block] a tensor."""
    pages_of_both = stated["regions"] == "pages"
    block = shape["heads"] * shape["tokens"] * shape["head_dim"] * (2 if pages_of_both else 1)
    count = 1 if pages_of_both else len(stated["sides"])
    out = [np.zeros((len(rows), block), rows.dtype) for _ in range(count)]
    written = [np.zeros(block, int) for _ in range(count)]
    for side, (region, at) in zip(split(rows), places(stated, shape)):
        out[region][:, at] = side.reshape(len(rows), -1)
        written[region][at] += 1
    require(all((w == 1).all() for w in written), f"{stated['k']} and {stated['v']} put one element in each place")
    return out


def first_difference(group, stated, standard, found):
    """Between the standard pages and what `found` holds for a reader of the stated format."""
    side_first = np.ascontiguousarray(np.stack(split(standard), axis=1))  # [B, side, H, N, D]
    numbers = np.arange(side_first.size).reshape(side_first.shape)
    numbers = np.concatenate([numbers[:, 0], numbers[:, 1]], axis=-1)  # as standard pages
    got = np.zeros_like(side_first)
    for number, tensor in zip(by_arithmetic(numbers, stated, group["shape"]), found):
        got.ravel()[number.ravel()] = tensor.ravel()
    count = int((side_first.view(np.uint8) != got.view(np.uint8)).sum())
    block, side, head, token, dim = (int(i) for i in np.argwhere(side_first != got)[0])
    return {"first": {"block": block, "side": "KV"[side], "head": head, "token": token, "dim": dim}, "bytes": count}


BY_ARITHMETIC_ALONE = {"aiter-shuffled-lbhnc", "aiter-page16", "aiter-page16-lbhnc", "cpu-amx", "cpu-neon"}
BY_ARITHMETIC_ALONE |= {"mfma-16x16", "aiter-mla-shuffled"}

NEEDS = {  # what the formats ask of a shape: heads, element_bytes, multiples of tokens and head_dim
    "aiter-page16": (None, None, 16, 1),
    "aiter-page16-lbhnc": (None, None, 16, 1),
    "cpu-amx": (None, 2, 32, 16),
    "cpu-neon": (None, 2, 32, 4),
    "mfma-16x16": (1, 1, 16, 16),
    "aiter-mla-shuffled": (1, None, 16, 1),
}


def broken_field(tag, shape):
    heads, element_bytes, tokens, head_dim = NEEDS.get(tag, (None, None, 1, 1))
    if heads and shape["heads"] != heads:
        return "heads"
    if element_bytes and shape["element_bytes"] != element_bytes:
        return "element_bytes"
    if shape["tokens"] % tokens:
        return "tokens"
    return "head_dim" if shape["head_dim"] % head_dim else None


def check_group(group, formats, tensors):
    stored = {}
    for entry in group["pages"]:
        rows = [tensors[t["tensor"]] for t in entry["tensors"]]
        for t, row in zip(entry["tensors"], rows):
            require(pages.sha256(row) == t["sha256"], f"{group['file']}: {t['tensor']} has its digest")
        stored[entry["format"], entry["shift"]] = rows
    for (tag, shift), rows in stored.items():
        standard = stored["standard", shift][0]
        where = f"{group['file']}: {tag}, shift {shift}"
        ways = {"axes": by_axes(standard).get(tag), "arithmetic": by_arithmetic(standard, formats[tag], group["shape"])}
        require(ways["axes"] is not None or tag in BY_ARITHMETIC_ALONE, f"{where}: written by axes too")
        for name, made in ways.items():
            if made is None:
                continue
            require(len(made) == len(rows), f"{where}: as many tensors as by {name}")
            same = all(np.array_equal(np.ravel(a), np.ravel(b)) for a, b in zip(made, rows))
            require(same, f"{where}: the bytes are those by {name}")
    for test in group["tests"]:
        check_test(test, group, formats, stored)


def check_test(test, group, formats, stored):
    where = f"tcId {test['tcId']}"
    if "rule" in test:
        rule, shape = test["rule"], group["shape"]
        if rule["field"] == "sides":
            require(formats[test["from"]]["sides"] != formats[test["to"]]["sides"], f"{where}: one holds no V")
            return
        field = broken_field(test["to"], shape) or broken_field(test["from"], shape)
        require(field == rule["field"], f"{where}: {field} breaks a rule, not {rule['field']}")
        require(str(shape[field]) == rule["value"], f"{where}: the value is {shape[field]}")
        return
    for end in ("from", "to"):
        require((test[end], test["shift"]) in stored, f"{where}: there are pages of {test[end]}")
        require(broken_field(test[end], group["shape"]) is None, f"{where}: {test[end]} fits")
    if test["operation"] == "find":
        standard = stored["standard", test["shift"]][0]
        got = first_difference(group, formats[test["to"]], standard, stored[test["found"], test["shift"]])
        require(got == test["difference"], f"{where}: the difference is {test['difference']}, got {got}")


def main():
    golden = pathlib.Path(sys.argv[1])
    suite = json.loads((golden / "formats_v1.json").read_text())
    tests = 0
    for group in suite["testGroups"]:
        tensors, _ = pages.load(golden / group["file"])
        tests += len(group["tests"])
        check_group(group, suite["formats"], tensors)
    require(tests == suite["numberOfTests"] > 0, "numberOfTests is the number of tests")
    print(f"{tests} tests of {len(suite['formats'])} formats, {checks} checks")


if __name__ == "__main__":
    main()
