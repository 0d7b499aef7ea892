"""Rows of a tensor and the pools that they lie in: row i is block block_ids[i], every other byte is the sentinel."""

import hashlib

import numpy as np

SENTINEL = 0xA5


def in_pool(rows, num_blocks, block_ids):
    """[num_blocks, ...] of the rows' type and shape, writable."""
    out = np.full((num_blocks, rows[0].nbytes), SENTINEL, np.uint8).view(rows.dtype)
    out = out.reshape(num_blocks, *rows.shape[1:])
    out[list(block_ids)] = rows
    return out


def rows_of(pool_array, block_ids):
    return pool_array[list(block_ids)]


def pool(test, *where):
    """A pool of a pages_v1 test: pool(test, "standard"), pool(test, "expected", "k"), pool(test, "landing", "v")."""
    stored = test
    for key in where:
        stored = stored[key]
    place = stored if "block_ids" in stored else test["planes"]
    return in_pool(test.tensor(stored["tensor"]), place["num_blocks"], place["block_ids"])


def pages(test, which):
    """The pools of a formats_v1 test, pages(test, "from") or pages(test, "to"): one array, or a K and a V plane."""
    for stored in test.group["pages"]:
        if (stored["format"], stored["shift"]) == (test[which], test["shift"]):
            return [test.tensor(entry["tensor"]) for entry in stored["tensors"]]
    raise KeyError(f"{test}: {test[which]}: the group has no pages in this format")


def sha256(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def to_torch(array, dtype):
    """The same bytes as a torch tensor of the fixture's dtype ("BF16", ...). KeyError where this torch lacks it."""
    import torch

    kinds = {"BF16": "bfloat16", "F16": "float16", "U8": "uint8", "I8": "int8", "F8_E4M3": "float8_e4m3fn"}
    kinds = {name: getattr(torch, kind) for name, kind in kinds.items() if hasattr(torch, kind)}
    carrier = np.ascontiguousarray(array).view({1: np.uint8, 2: np.int16}[array.itemsize])
    return torch.from_numpy(carrier.copy()).view(kinds[dtype])
