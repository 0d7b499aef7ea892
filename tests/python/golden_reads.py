"""golden_reads.py GOLDEN: a second consumer of the fixtures. Reads them with numpy alone and derives every expected
byte by reshape and permute. With READER, safetensors or safetensors.torch, the files are read with that one too.

    golden_reads.py GOLDEN [READER]
"""

import json
import pathlib
import sys

import numpy as np

import pages

checks = 0


def require(holds, what):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"REFUTED   golden_reads_in_python\nClaim     {what}")


def check_stored(stored, tensors, where, num_blocks, block_ids):
    rows = tensors[stored["tensor"]]
    require(pages.sha256(rows) == stored["sha256"], f"{where}: {stored['tensor']} has its digest")
    in_pool = pages.pool(rows, num_blocks, block_ids)
    require(pages.sha256(in_pool) == stored["pool_sha256"], f"{where}: the pool of {stored['tensor']} has its digest")
    return rows


def first_difference(shape, block_ids, expected, found):
    """Both sides as [B, H, N, D], where the order of coordinates is the order of elements."""
    D, count, first = shape["head_dim"], 0, None
    B, H, N = len(block_ids), shape["heads"], shape["tokens"]

    def ordered(k, v):
        keys = k.transpose(0, 1, 3, 2, 4).reshape(B, H, N, D)
        values = v.transpose(0, 1, 2, 4, 3).reshape(B, H, N, D)
        return np.stack([keys, values], axis=1)  # [B, side, H, N, D]

    a, b = ordered(*expected), ordered(*found)
    count = int((np.ascontiguousarray(a).view(np.uint8) != np.ascontiguousarray(b).view(np.uint8)).sum())
    block, side, head, token, dim = (int(i) for i in np.argwhere(a != b)[0])
    first = {"block": block_ids[block], "side": "KV"[side], "head": head, "token": token, "dim": dim}
    return {"first": first, "bytes": count}


def check_test(group, test, tensors):
    where = f"tcId {test['tcId']}"
    planes = test["planes"]["num_blocks"], test["planes"]["block_ids"]
    standard = test["standard"]
    pages_in = check_stored(standard, tensors, where, standard["num_blocks"], standard["block_ids"])
    shuffled = pages.shuffle(pages_in)
    if "landing" in test:
        for side, half in zip("kv", pages.halves(pages_in)):
            stored = check_stored(test["landing"][side], tensors, where, *planes)
            require(np.array_equal(stored, half), f"{where}: the {side} landing is a byte half of each page")
    if "expected" in test:
        for side, right in zip("kv", shuffled):
            stored = check_stored(test["expected"][side], tensors, where, *planes)
            require(np.array_equal(stored, right), f"{where}: the {side} plane is reshape and permute of the page")
    if "found" in test:
        found = [check_stored(test["found"][side], tensors, where, *planes) for side in "kv"]
        got = first_difference(group["shape"], planes[1], shuffled, found)
        require(got == test["difference"], f"{where}: the difference is {test['difference']}, got {got}")
    if "request" in test:
        ids, from_ids = test["request"]["block_ids"], test["request"]["standard_block_ids"]
        bad = any(i not in range(planes[0]) for i in ids) or len(set(ids)) < len(ids)
        bad = bad or any(i not in range(standard["num_blocks"]) for i in from_ids)
        require(bad, f"{where}: the request is bad")


def check_with_safetensors(path, tensors):
    """The file opens in the format's own package with the same bytes."""
    from safetensors import deserialize

    for name, entry in deserialize(path.read_bytes()):
        require(bytes(entry["data"]) == tensors[name].tobytes(), f"safetensors reads {name} of {path.name}")
        require(entry["shape"] == list(tensors[name].shape), f"safetensors reads the shape of {name} of {path.name}")
    return True


def check_with_torch(path, tensors):
    """The same with load_file. False for a type that this torch does not have yet."""
    import torch
    from safetensors.torch import load_file

    if "f8" in path.name and not hasattr(torch, "float8_e4m3fn"):
        return False
    for name, tensor in load_file(path).items():
        same = tensor.contiguous().view(torch.uint8).numpy().tobytes() == tensors[name].tobytes()
        require(same, f"safetensors.torch reads {name} of {path.name}")
    return True


READERS = {"safetensors": check_with_safetensors, "safetensors.torch": check_with_torch}


def check_foreign(path):
    """Pages that another writer wrote: slots it was given as negative keep the sentinel."""
    tensors, metadata = pages.load(path)
    k, v = pages.shuffle(tensors["standard"])
    B, H, N, D2 = tensors["standard"].shape
    written = np.zeros(B * N, bool)
    written[tensors["slot_mapping"][tensors["slot_mapping"] >= 0]] = True
    skipped = ~written.reshape(B, N)
    fill = int.from_bytes(bytes([pages.SENTINEL]) * k.itemsize, "little")
    k.transpose(0, 3, 1, 2, 4)[skipped] = fill
    x = v.shape[-1]
    v.transpose(0, 2, 4, 1, 3)[skipped.reshape(B, N // x, x)] = fill
    require(np.array_equal(k, tensors["k_plane"]), f"{path.name}: the K plane is what the writer wrote")
    require(np.array_equal(v, tensors["v_plane"]), f"{path.name}: the V plane is what the writer wrote")
    require(bool(skipped.any()) == (metadata["every_nth_slot_negative"] != "0"), f"{path.name}: skipped slots")


def main():
    golden = pathlib.Path(sys.argv[1])
    reader = sys.argv[2] if len(sys.argv) > 2 else None
    suite = json.loads((golden / "pages_v1.json").read_text())
    tests, read = 0, 0
    for group in suite["testGroups"]:
        tensors, _ = pages.load(golden / group["file"])
        if reader:
            read += READERS[reader](golden / group["file"], tensors)
        for test in group["tests"]:
            tests += 1
            check_test(group, test, tensors)
    require(read > 0 or not reader, f"{reader} reads at least one file")
    require(tests == suite["numberOfTests"] > 0, "numberOfTests is the number of tests")
    foreign = sorted((golden / "foreign").glob("*.safetensors"))
    require(foreign, "golden/foreign holds pages")
    for path in foreign:
        check_foreign(path)
    also = f"; {read} of {len(suite['testGroups'])} files with {reader}" if reader else ""
    print(f"{tests} tests, {len(foreign)} foreign files, {checks} checks{also}")


if __name__ == "__main__":
    main()
