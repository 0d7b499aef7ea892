"""The converter's C ABI by ctypes: kernels/convert/pageproof.h, host memory."""

import ctypes
from ctypes import c_char_p, c_int, c_uint32, c_uint64, c_void_p

import numpy as np


class Shape(ctypes.Structure):
    _fields_ = [(name, c_uint32) for name in ("heads", "tokens", "head_dim", "element_bytes")]


class Pool(ctypes.Structure):
    _fields_ = [
        ("layer_bases", c_void_p),
        ("block_stride", c_uint64),
        ("num_blocks", c_uint64),
        ("base", c_void_p),
        ("layer_stride", c_uint64),
    ]


class Job(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", c_uint32),
        ("memory", c_uint32),  # 0: host
        ("shape", Shape),
        ("layers", c_uint32),
        ("id_bytes", c_uint32),
        ("id_count", c_uint64),
        ("block_ids", c_void_p),
        ("standard_block_ids", c_void_p),
        ("standard", Pool),
        ("k_plane", Pool),
        ("v_plane", Pool),
        ("stream", c_void_p),
        ("threads", c_uint32),
        ("order", c_uint32),
        ("direction", c_uint32),
        ("rewrite", c_uint32),
    ]


def _ids(values):
    return np.ascontiguousarray(values, np.int64)


class Library:
    """A pool is (address of each layer's block 0, bytes between blocks, number of blocks)."""

    def __init__(self, path):
        self._library = ctypes.CDLL(path)
        for function in (self._library.pageproof_convert, self._library.pageproof_convert_in_place):
            function.argtypes, function.restype = [ctypes.POINTER(Job)], c_int
        self._library.pageproof_status_text.argtypes, self._library.pageproof_status_text.restype = [c_int], c_char_p

    def convert(self, shape, block_ids, k_plane, v_plane, standard, standard_block_ids):
        """Standard pages into the planes: page standard_block_ids[i] into block block_ids[i]."""
        self._run(self._library.pageproof_convert, shape, block_ids, k_plane, v_plane, standard, standard_block_ids)

    def convert_in_place(self, shape, block_ids, k_plane, v_plane):
        """The landing of a read of byte halves, into the same bytes."""
        self._run(self._library.pageproof_convert_in_place, shape, block_ids, k_plane, v_plane)

    def _run(self, function, shape, block_ids, k_plane, v_plane, standard=None, standard_block_ids=None):
        ids, tables = _ids(block_ids), []
        job = Job(struct_bytes=ctypes.sizeof(Job), shape=Shape(*shape), layers=len(k_plane[0]), id_bytes=8,
                  id_count=len(ids), block_ids=ids.ctypes.data, threads=1)
        pools = {"k_plane": k_plane, "v_plane": v_plane}
        if standard is not None:
            from_ids = _ids(standard_block_ids)
            job.standard_block_ids = from_ids.ctypes.data
            pools["standard"] = standard
        for name, (bases, stride, blocks) in pools.items():
            tables.append(np.ascontiguousarray(bases, np.uint64))
            setattr(job, name, Pool(tables[-1].ctypes.data, stride, blocks, None, 0))
        status = function(ctypes.byref(job))
        if status != 0:
            raise ValueError(self._library.pageproof_status_text(status).decode())
