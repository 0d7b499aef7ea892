"""Reading pages without this project's code: safetensors by json and numpy, the shuffle as reshape and permute."""

import hashlib
import json
import pathlib
import struct

import numpy as np

# Bytes are compared, so each type is read as the unsigned integer of its size.
NUMPY_TYPES = {"BF16": "<u2", "F16": "<u2", "U8": "u1", "I8": "u1", "F8_E4M3": "u1", "I64": "<i8"}
SENTINEL = 0xA5


def load(path):
    """The tensors of a safetensors file by name, and its metadata."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    body = data[8 + length :]
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(body[begin:end], NUMPY_TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors, metadata


def shuffle(standard):
    """[B, H, N, 2D] to [B, H, D/x, N, x] and [B, H, N/x, D, x], as the RFC's reference has it."""
    B, H, N, D2 = standard.shape
    D, x = D2 // 2, 16 // standard.itemsize
    keys, values = standard[..., :D], standard[..., D:]
    k = keys.reshape(B, H, N, D // x, x).transpose(0, 1, 3, 2, 4)
    v = values.reshape(B, H, N // x, x, D).transpose(0, 1, 2, 4, 3)
    return np.ascontiguousarray(k), np.ascontiguousarray(v)


def halves(standard):
    """What the READ leaves in the two planes: the byte halves of each page."""
    B = standard.shape[0]
    pages = standard.reshape(B, 2, -1)
    return np.ascontiguousarray(pages[:, 0]), np.ascontiguousarray(pages[:, 1])


def pool(rows, num_blocks, block_ids):
    """The pool in which row i is block block_ids[i] and every other byte is the sentinel."""
    out = np.full((num_blocks, rows[0].nbytes), SENTINEL, np.uint8)
    out[block_ids] = rows.reshape(len(block_ids), -1).view(np.uint8)
    return out


def sha256(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
