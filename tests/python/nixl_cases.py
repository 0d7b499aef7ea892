"""Requests for nixl_read.py: pages, the block ids of both sides, and every byte that the decoder's memory should hold.

Pages and planes come from the fixtures (golden/: the oracle's bytes), or are random pages that numpy shuffles. The
decoder's memory is one allocation: of layer l the K plane, then the V plane, of all blocks; staged pages behind them.
"""

import dataclasses
import itertools

import numpy as np

import pages
from pages import SENTINEL

STRATEGIES = ("halves", "staged", "run-halves")


@dataclasses.dataclass
class Case:
    name: str
    standard: np.ndarray  # [L, n, H, N, 2D]; page i of a layer goes from block remote_ids[i] to block local_ids[i]
    keys: np.ndarray  # [L, n, ...], the shuffled K plane's blocks
    values: np.ndarray
    local_blocks: int
    local_ids: list
    remote_blocks: int
    remote_ids: list

    def __post_init__(self):
        self.layers, self.count, heads, tokens, both = self.standard.shape
        self.shape = heads, tokens, both // 2, self.standard.itemsize
        self.half = self.standard[0, 0].nbytes // 2  # S, the bytes of one side of a block
        self.planes_bytes = 2 * self.layers * self.local_blocks * self.half
        self.staging_offset = -(-self.planes_bytes // 4096) * 4096
        self.staging_bytes = self.layers * self.count * 2 * self.half

    def __str__(self):
        sizes = "H={} N={} D={} e={}".format(*self.shape)
        return (f"{self.name}: {sizes}, {self.layers} layers; local blocks {self.local_ids} of {self.local_blocks}, "
                f"remote blocks {self.remote_ids} of {self.remote_blocks}")

    def engines(self, local_base, remote_base):
        """What `pageproof plan` takes: the decoder, then the prefill."""
        heads, tokens, dims, _ = self.shape
        model = {"layers": self.layers, "kv_heads": heads, "query_heads": heads, "head_dim": dims}
        common = {"backend": "ROCM_AITER_FA", "model": model, "block_size": tokens, "announces_page_format": True}
        return {
            "decode": {**common, "engine_id": "decode", "base_address": local_base, "num_blocks": self.local_blocks,
                       "shuffle": True, "environment_layout": "LHBNC", "convert_page_format": True},
            "prefill": {**common, "engine_id": "prefill", "base_address": remote_base,
                        "num_blocks": self.remote_blocks},
        }

    def standard_pool(self):
        """The prefill's memory: the pages of all layers, one layer behind the other."""
        return np.concatenate([pages.pool(layer, self.remote_blocks, self.remote_ids) for layer in self.standard]).ravel()

    def planes(self, base):
        """K and V as the converter takes a pool: layer bases, stride, blocks."""
        plane = self.local_blocks * self.half
        sides = ([base + (2 * layer + side) * plane for layer in range(self.layers)] for side in (0, 1))
        return [(bases, self.half, self.local_blocks) for bases in sides]

    def staging(self, base):
        page, first = 2 * self.half, base + self.staging_offset
        return [first + layer * self.count * page for layer in range(self.layers)], page, self.count

    def _planes(self, keys, values):
        """Planes that hold these blocks, all layers."""
        sides = itertools.chain.from_iterable(zip(keys, values))
        return [pages.pool(side, self.local_blocks, self.local_ids).ravel() for side in sides]

    def _staged(self):
        gap = np.full(self.staging_offset - self.planes_bytes, SENTINEL, np.uint8)
        return [gap, self.standard.reshape(-1).view(np.uint8)]

    def landing(self, strategy):
        """The decoder's memory after the read, before conversion."""
        if strategy == "staged":
            return np.concatenate([np.full(self.planes_bytes, SENTINEL, np.uint8), *self._staged()])
        runs = [[i] for i in range(self.count)] if strategy == "halves" else self.runs()
        halves = []
        for layer in self.standard:
            both = np.empty((2, self.count, self.half), np.uint8)
            for run in runs:  # the bytes of its pages: the first half to the K plane's blocks, the second to V's
                both[:, run] = layer[run].reshape(-1).view(np.uint8).reshape(2, len(run), self.half)
            halves.append(both)
        return np.concatenate(self._planes([k for k, _ in halves], [v for _, v in halves]))

    def converted(self, strategy):
        parts = self._planes(self.keys, self.values)
        return np.concatenate(parts + (self._staged() if strategy == "staged" else []))

    def runs(self):
        """Positions of consecutive blocks on both sides, as long as they can be."""
        runs = []
        for i in range(self.count):
            follows = i > 0 and all(ids[i] == ids[i - 1] + 1 for ids in (self.local_ids, self.remote_ids))
            runs.append(runs.pop() + [i] if follows else [i])
        return runs

    def where(self, byte):
        if byte >= self.planes_bytes:
            return f"byte {byte - self.staging_offset} of the staging memory"
        plane, rest = divmod(int(byte), self.local_blocks * self.half)
        return f"layer {plane // 2}, {'KV'[plane % 2]} plane, block {rest // self.half}, byte {rest % self.half}"


def golden_cases():
    """From each group of pages_v1 with 2-byte elements (fp8 caches are refused): the sound conversions of the same
    scattered blocks, each test a layer."""
    suite = pages.golden.suite("pages_v1")
    for group in suite.groups:
        if group["shape"]["element_bytes"] != 2:
            continue
        places = {}
        for test in suite.tests:
            if test.group is group and (test["operation"], test["result"]) == ("convert", "valid"):
                standard, planes = test["standard"], test["planes"]
                if sorted(planes["block_ids"]) != planes["block_ids"]:
                    key = (planes["num_blocks"], *planes["block_ids"]), (standard["num_blocks"], *standard["block_ids"])
                    places.setdefault(key, []).append(test)
        for (local, remote), tests in places.items():
            stacks = [np.stack([test.tensor(stored["tensor"]) for test, stored in zip(tests, column)])
                      for column in zip(*[(t["standard"], t["expected"]["k"], t["expected"]["v"]) for t in tests])]
            name = "golden tcId " + ",".join(str(test["tcId"]) for test in tests)
            yield Case(name, *stacks, local[0], list(local[1:]), remote[0], list(remote[1:]))


def random_ids(random, num_blocks, count):
    """Distinct block ids: runs of consecutive ones in any order, or scattered."""
    if random.random() < 0.3:
        return [int(i) for i in random.permutation(num_blocks)[:count]]
    first = random.integers(0, num_blocks - count + 1)
    cut = random.integers(0, count + 1)
    return [int(first + (i + cut) % count) for i in range(count)]  # two runs, the second first


def random_case(random, name):
    heads, tokens, dims = int(random.choice((1, 2, 3, 5))), int(random.choice((16, 32))), 64
    layers, count = int(random.integers(1, 4)), int(random.integers(1, 21))
    blocks = [count + int(extra) for extra in random.choice(6, 2, replace=False)]  # never as many on both sides
    ids = [list(range(count)) if random.random() < 0.25 else random_ids(random, number, count) for number in blocks]
    standard = random.integers(0, 1 << 16, (layers, count, heads, tokens, 2 * dims), np.uint16)
    keys, values = zip(*[pages.shuffle(layer) for layer in standard])
    return Case(name, standard, np.stack(keys), np.stack(values), blocks[0], ids[0], blocks[1], ids[1])


def cases(requests, seed):
    yield from golden_cases()
    random = np.random.default_rng(seed)
    for i in range(requests):
        yield random_case(random, f"random {i} of seed {seed}")
