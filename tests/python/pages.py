"""The shuffle and the landing without this project's code: reshape and permute. Files and pools are read with
golden/python's reader."""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden" / "python"))

import pageproof_golden as golden
from pageproof_golden import SENTINEL, load, sha256


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
    """The bytes of the pool in which row i is block block_ids[i]: [num_blocks, bytes of a block]."""
    return golden.in_pool(rows, num_blocks, block_ids).reshape(num_blocks, -1).view(np.uint8)
