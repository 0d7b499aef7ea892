"""Converts torch KV-cache tensors with libpageproof.so by ctypes, on the CPU, NVIDIA or AMD; without the library, or
without a device that it has code for, torch's reshape and permute do the same, more slowly.

    from convert_torch import Converter
    converter = Converter()                                      # or Converter("path/to/libpageproof.so")
    converter.to_planes(pages, k_plane, v_plane, block_ids)      # pages [B, H, N, 2D] into the planes
    converter.to_planes(None, k_plane, v_plane, block_ids)       # in place: a READ left the pages' halves there

Tensors of one layer, all on one device:

    k_plane    [B, H, D/x, N, x]       a view of any block stride that is dense within a block; x elements are 16 bytes
    v_plane    [B, H, N/x, D, x]       (two dense planes, or the two slots of one page)
    pages      [B, H, N, 2D], or [B, N, H, 2D] with tokens_first=True; dense within a block
    block_ids  int32 or int64 [n], blocks of the planes; page_ids likewise of the pages (default: block_ids)

`to_pages` is the way back. `rewrite=True` turns OCP e4m3 codes into e4m3fnuz codes of HALF the value on the way: the
reader must be given twice the writer's scale, and AITER's asm and ll4mi paths as vLLM calls them are given ones.

Shapes and devices are compared here; the library refuses what else does not fit, and says which bound it broke. On a
device the job is one launch on torch's current stream, with no synchronisation; block ids out of range are skipped
there, and that they are distinct is the caller's duty. Layers of separate tensors are one job each here; a table of
their addresses in device memory, made once when the caches are allocated, makes one launch of all layers
(pageproof_pool.layer_bases in kernels/convert/pageproof.h).
"""

import ctypes
import os
from ctypes import c_char_p, c_int, c_uint32, c_uint64, c_void_p

import torch

OK, BACKEND_MISSING, NO_DEVICE = 0, 18, 19
HOST, CUDA, HIP = 0, 1, 2


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
        ("memory", c_uint32),
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


def open_library(path=None):
    """The library, or None where there is none."""
    try:
        library = ctypes.CDLL(path or os.environ.get("PAGEPROOF_LIBRARY", "libpageproof.so.0"))
    except OSError:
        return None
    for function in (library.pageproof_convert, library.pageproof_convert_in_place):
        function.argtypes, function.restype = [ctypes.POINTER(Job)], c_int
    library.pageproof_status_text.argtypes, library.pageproof_status_text.restype = [c_int], c_char_p
    return library


def dense_within_a_block(tensor):
    return tensor[0].is_contiguous()


def pool_of(tensor):
    """One layer: base and stride are in the job itself, so no table has to lie on the device."""
    if not dense_within_a_block(tensor):
        raise ValueError(f"a block of {list(tensor.shape)} with strides {tensor.stride()} is not dense")
    return Pool(None, tensor.stride(0) * tensor.element_size(), tensor.shape[0], tensor.data_ptr(), 0)


def check_shapes(pages, k_plane, v_plane, block_ids, page_ids, tokens_first):
    """The library is told H, N and D once and sees addresses and strides, so that the tensors agree is checked here."""
    _, H, granules, N, x = k_plane.shape
    D = granules * x
    wanted = {"v_plane": (v_plane, (H, N // x, D, x))}
    if pages is not None:
        wanted["pages"] = (pages, ((N, H) if tokens_first else (H, N)) + (2 * D,))
    for name, (tensor, shape) in wanted.items():
        if tuple(tensor.shape[1:]) != shape:
            raise ValueError(f"{name} has blocks of {list(tensor.shape[1:])}, k_plane's go with {list(shape)}")
        if tensor.dtype != k_plane.dtype:
            raise ValueError(f"{name} is {tensor.dtype}, k_plane {k_plane.dtype}")
    if x * k_plane.element_size() != 16:
        raise ValueError(f"k_plane ends in {x} elements of {k_plane.element_size()} bytes, not in 16 bytes")
    for name, tensor in {"v_plane": v_plane, "pages": pages, "block_ids": block_ids, "page_ids": page_ids}.items():
        if tensor is not None and tensor.device != k_plane.device:
            raise ValueError(f"{name} is on {tensor.device}, k_plane on {k_plane.device}")


class Converter:
    def __init__(self, path=None, threads=1):
        self.library, self.threads = open_library(path), threads
        self.used_library = False  # by the last call

    def to_planes(self, pages, k_plane, v_plane, block_ids, page_ids=None, tokens_first=False, rewrite=False):
        """`pages` None: the landing in the planes, into the same bytes."""
        self._convert(pages, k_plane, v_plane, block_ids, page_ids, tokens_first, rewrite, to_pages=False)

    def to_pages(self, pages, k_plane, v_plane, block_ids, page_ids=None, tokens_first=False, rewrite=False):
        """`pages` None: the planes become the landing of the pages, in the same bytes."""
        self._convert(pages, k_plane, v_plane, block_ids, page_ids, tokens_first, rewrite, to_pages=True)

    def _convert(self, pages, k_plane, v_plane, block_ids, page_ids, tokens_first, rewrite, to_pages):
        arguments = (pages, k_plane, v_plane, block_ids, block_ids if page_ids is None else page_ids, tokens_first,
                     rewrite, to_pages)
        check_shapes(pages, k_plane, v_plane, *arguments[3:6])
        self.used_library = self.library is not None and self._by_library(*arguments)
        if not self.used_library:
            by_torch(*arguments)

    def _by_library(self, pages, k_plane, v_plane, block_ids, page_ids, tokens_first, rewrite, to_pages):
        """False where there is no device that the library has code for."""
        _, heads, granules, tokens, x = k_plane.shape
        block_ids, page_ids = block_ids.contiguous(), page_ids.contiguous().to(block_ids.dtype)
        job = Job(
            struct_bytes=ctypes.sizeof(Job),
            shape=Shape(heads, tokens, granules * x, k_plane.element_size()),
            layers=1,
            id_bytes=block_ids.element_size(),
            id_count=block_ids.numel(),
            block_ids=block_ids.data_ptr(),
            standard_block_ids=page_ids.data_ptr(),
            k_plane=pool_of(k_plane),
            v_plane=pool_of(v_plane),
            threads=self.threads,
            order=int(tokens_first),
            direction=int(to_pages),
            rewrite=int(rewrite),
        )
        call = self.library.pageproof_convert_in_place
        if pages is not None:
            job.standard, call = pool_of(pages), self.library.pageproof_convert
        if k_plane.device.type == "cpu":
            job.memory = HOST
            status = call(ctypes.byref(job))
        else:
            job.memory = HIP if torch.version.hip else CUDA
            with torch.cuda.device(k_plane.device):
                job.stream = torch.cuda.current_stream().cuda_stream
                status = call(ctypes.byref(job))
        if status in (BACKEND_MISSING, NO_DEVICE):
            return False
        if status != OK:
            raise ValueError("pageproof: " + self.library.pageproof_status_text(status).decode())
        return True


# ---- the reference: reshape and permute


def shuffled(pages, x):
    """[n, H, N, 2D] -> [n, H, D/x, N, x] and [n, H, N/x, D, x]."""
    n, H, N, D2 = pages.shape
    D = D2 // 2
    k = pages[..., :D].reshape(n, H, N, D // x, x).permute(0, 1, 3, 2, 4)
    v = pages[..., D:].reshape(n, H, N // x, x, D).permute(0, 1, 2, 4, 3)
    return k.contiguous(), v.contiguous()


def unshuffled(k, v):
    """And back."""
    n, H, granules, N, x = k.shape
    D = granules * x
    keys = k.permute(0, 1, 3, 2, 4).reshape(n, H, N, D)
    values = v.permute(0, 1, 2, 4, 3).reshape(n, H, N, D)
    return torch.cat([keys, values], dim=-1)


def e4m3_to_e4m3fnuz(codes):
    """uint8 codes: -0 to 0, NaN to fnuz's NaN, all others as they are."""
    codes = torch.where(codes == 0x80, torch.zeros_like(codes), codes)
    return torch.where((codes & 0x7F) == 0x7F, torch.full_like(codes, 0x80), codes)


def by_torch(pages, k_plane, v_plane, block_ids, page_ids, tokens_first, rewrite, to_pages):
    _, H, granules, N, x = k_plane.shape
    D = granules * x
    # Elements are moved, never calculated with: as integers, every NaN keeps its bits, and fp8 needs no support.
    kind = {1: torch.uint8, 2: torch.int16}[k_plane.element_size()]
    if rewrite and kind != torch.uint8:
        raise ValueError("the rewrite takes codes of 1 byte")
    k_plane, v_plane = k_plane.view(kind), v_plane.view(kind)
    blocks, from_pages = block_ids.long(), page_ids.long()
    change = e4m3_to_e4m3fnuz if rewrite else (lambda codes: codes)
    axes = (N, H) if tokens_first else (H, N)

    def heads_first(rows):
        return rows.transpose(1, 2) if tokens_first else rows

    if to_pages:
        rows = heads_first(change(unshuffled(k_plane[blocks], v_plane[blocks]))).contiguous()
        if pages is not None:
            pages.view(kind)[from_pages] = rows
        else:  # the first half of a page's bytes lies in the K-plane block, the second in the V-plane block
            half = rows.reshape(len(blocks), 2, -1)
            k_plane[blocks] = half[:, 0].reshape(-1, *k_plane.shape[1:])
            v_plane[blocks] = half[:, 1].reshape(-1, *v_plane.shape[1:])
        return
    if pages is not None:
        rows = pages.view(kind)[from_pages]
    else:
        landed = [plane[blocks].reshape(len(blocks), -1) for plane in (k_plane, v_plane)]
        rows = torch.cat(landed, dim=1).reshape(len(blocks), *axes, 2 * D)
    k_plane[blocks], v_plane[blocks] = shuffled(change(heads_first(rows)), x)


def main():
    """Converts random pages in place on each device there is, and compares with the reference."""
    converter = Converter()
    for device in ["cpu"] + ([f"cuda:{i}" for i in range(torch.cuda.device_count())] if torch.cuda.is_available() else []):
        B, H, N, D, x = 64, 8, 16, 128, 8
        pages = torch.randn(B, H, N, 2 * D, device=device).to(torch.bfloat16)
        expected = shuffled(pages, x)
        landing = pages.reshape(B, 2, -1)
        k, v = landing[:, 0].clone().view(B, H, D // x, N, x), landing[:, 1].clone().view(B, H, N // x, D, x)
        converter.to_planes(None, k, v, torch.randperm(B).to(device))
        same = torch.equal(k, expected[0]) and torch.equal(v, expected[1])
        by = "libpageproof" if converter.used_library else "torch"
        print(f"{device}: {B} blocks converted in place by {by}, {'equal to' if same else 'DIFFERENT from'} the reference")
        if not same:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
