"""Tensors of a safetensors file. A 2-byte type is read as uint16, a 1-byte type as uint8; int64 stays what it is."""

import json
import pathlib
import struct

import numpy as np

NUMPY_TYPES = {"BF16": "<u2", "F16": "<u2", "U8": "u1", "I8": "u1", "F8_E4M3": "u1", "I64": "<i8"}


def load(path):
    """(tensors by name, metadata). The arrays are views of the file's bytes and cannot be written to."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    body = memoryview(data)[8 + length :]
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(body[begin:end], NUMPY_TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors, metadata
