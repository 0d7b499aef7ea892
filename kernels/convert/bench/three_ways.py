"""Three ways to convert the pages of a request on a device, in one process, interleaved:

    converter   libpageproof.so, one launch for all layers: in place, and out of place
    reshape     the RFC's reference, one layer at a time: gather the blocks, reshape and permute K and V, put them back
    rewrite     gather the blocks as tokens, then write each token through the slots of a shuffled cache, one layer at
                a time, by a Triton kernel of one program a token and head (what re-running a cache writer does)

    three_ways.py LIBPAGEPROOF [OUTPUT.json]      needs torch with CUDA and Triton

All start from what the read leaves behind: the first half of a page in the K-plane block, the second half in the
V-plane block. Every way is checked against the first before it is timed. Times are medians by device events; `host`
is what the calls keep the host from doing else.
"""

import ctypes
import json
import pathlib
import statistics
import sys
import time

import torch
import triton
import triton.language as tl

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests/python"))
from libpageproof import Job, Pool, Shape  # noqa: E402

LAYERS = 36
ROUNDS = 9
HEADS, TOKENS, HEAD_DIM = 8, 16, 128  # Qwen3-8B, BF16
X = 8
SIDE = HEADS * TOKENS * HEAD_DIM  # elements of one side of a block


def halves_as_pages(k, v, ids):
    """The landed halves of the listed blocks as standard pages [blocks, H, N, 2D]."""
    return torch.cat([k[ids], v[ids]], dim=1).view(-1, HEADS, TOKENS, 2 * HEAD_DIM)


def reshape(k, v, ids):
    pages = halves_as_pages(k, v, ids)
    keys, values = pages[..., :HEAD_DIM], pages[..., HEAD_DIM:]
    k[ids] = keys.reshape(-1, HEADS, TOKENS, HEAD_DIM // X, X).permute(0, 1, 3, 2, 4).reshape(-1, SIDE)
    v[ids] = values.reshape(-1, HEADS, TOKENS // X, X, HEAD_DIM).permute(0, 1, 2, 4, 3).reshape(-1, SIDE)


@triton.jit
def write_token(keys, values, slots, k_plane, v_plane, H: tl.constexpr, N: tl.constexpr, D: tl.constexpr, G: tl.constexpr):
    token, head = tl.program_id(0), tl.program_id(1)
    slot = tl.load(slots + token)
    block, n = slot // N, slot % N
    d = tl.arange(0, D)
    source = (token * H + head) * D + d
    base = (block * H + head) * N * D
    tl.store(k_plane + base + d // G * N * G + n * G + d % G, tl.load(keys + source))
    tl.store(v_plane + base + n // G * D * G + d * G + n % G, tl.load(values + source))


def rewrite(k, v, ids, slots):
    pages = halves_as_pages(k, v, ids)  # [blocks, H, N, 2D]
    tokens = pages.permute(0, 2, 1, 3).reshape(-1, HEADS, 2 * HEAD_DIM)
    keys, values = tokens[..., :HEAD_DIM].contiguous(), tokens[..., HEAD_DIM:].contiguous()
    write_token[(keys.shape[0], HEADS)](keys, values, slots, k, v, HEADS, TOKENS, HEAD_DIM, X)


def launches_of(work):
    """Kernels and copies that one call puts on the device."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        work()
        torch.cuda.synchronize()
    return sum(event.count for event in profile.key_averages() if event.device_type == torch.autograd.DeviceType.CUDA)


def interleaved(ways):
    """Median device and host seconds of each way."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    device, host = {name: [] for name in ways}, {name: [] for name in ways}
    for round_number in range(ROUNDS + 2):
        for name, work in ways.items():
            torch.cuda.synchronize()
            begin.record()
            started = time.perf_counter()
            work()
            called = time.perf_counter() - started
            end.record()
            torch.cuda.synchronize()
            if round_number >= 2:
                device[name].append(begin.elapsed_time(end) / 1e3)
                host[name].append(called)
    return {name: (statistics.median(device[name]), statistics.median(host[name])) for name in ways}


def measure(library, blocks):
    torch.manual_seed(1)
    landed = torch.randn(LAYERS, 2, blocks, SIDE, device="cuda").to(torch.bfloat16)
    planes, standard = landed.clone(), torch.empty_like(landed).view(LAYERS, blocks, 2 * SIDE)
    ids = torch.randperm(blocks, device="cuda")
    slots = (ids[:, None] * TOKENS + torch.arange(TOKENS, device="cuda")).flatten()
    for layer in range(LAYERS):
        standard[layer] = torch.cat([landed[layer, 0], landed[layer, 1]], dim=1)

    def table(addresses):
        return torch.tensor(addresses, dtype=torch.int64, device="cuda")

    tables = [table([standard[layer].data_ptr() for layer in range(LAYERS)])]
    tables += [table([planes[layer, side].data_ptr() for layer in range(LAYERS)]) for side in (0, 1)]
    job = Job(struct_bytes=ctypes.sizeof(Job), memory=1, shape=Shape(HEADS, TOKENS, HEAD_DIM, 2), layers=LAYERS,
              id_bytes=8, id_count=blocks, block_ids=ids.data_ptr(),
              standard=Pool(tables[0].data_ptr(), 4 * SIDE, blocks), k_plane=Pool(tables[1].data_ptr(), 2 * SIDE, blocks),
              v_plane=Pool(tables[2].data_ptr(), 2 * SIDE, blocks), stream=torch.cuda.current_stream().cuda_stream)

    def converter(entry):
        status = entry(ctypes.byref(job))
        assert status == 0, status

    def each_layer(way, *more):
        for layer in range(LAYERS):
            way(planes[layer, 0], planes[layer, 1], ids, *more)

    ways = {
        "memcpy": lambda: planes.copy_(landed),
        "converter, in place": lambda: converter(library.pageproof_convert_in_place),
        "converter, out of place": lambda: converter(library.pageproof_convert),
        "reshape": lambda: each_layer(reshape),
        "rewrite": lambda: each_layer(rewrite, slots),
    }
    results = {}
    for name, work in ways.items():
        planes.copy_(landed)
        work()
        torch.cuda.synchronize()
        if name != "memcpy":
            results[name] = planes.clone()
            assert torch.equal(results[name].view(torch.int16), results["converter, in place"].view(torch.int16)), name
    del results
    launches = {name: launches_of(work) for name, work in ways.items()}
    seconds = interleaved(ways)
    size = landed.numel() * 2
    return [{"way": name, "blocks": blocks, "bytes": size, "launches": launches[name], "device_s": seconds[name][0],
             "host_s": seconds[name][1]} for name in ways]


def main():
    library = ctypes.CDLL(sys.argv[1])
    rows = [row for blocks in (256, 1024) for row in measure(library, blocks)]
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, Triton {triton.__version__}")
    print(f"{'':<26}{'GB':>6}{'launches':>10}{'device ms':>11}{'host ms':>9}{'to memcpy':>11}")
    for row in rows:
        copy = next(r["device_s"] for r in rows if r["way"] == "memcpy" and r["blocks"] == row["blocks"])
        print(f"{row['way']:<26}{row['bytes'] / 1e9:>6.2f}{row['launches']:>10}{row['device_s'] * 1e3:>11.3f}"
              f"{row['host_s'] * 1e3:>9.3f}{row['device_s'] / copy:>11.2f}")
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w") as output:
            json.dump(rows, output, indent=1)


if __name__ == "__main__":
    main()
