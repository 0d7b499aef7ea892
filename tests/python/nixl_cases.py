"""Requests for nixl_read.py: pages, the block ids of both sides, and every byte that the decoder's memory should hold.

    Conversion   standard pages for a decoder with a K and a V plane a layer: halves, staged, run-halves
    Copy         one format on both sides: standard pages (whole), or shuffled pages of two slots (slots); the decoder
                 may be one rank of two, of a prefill of one: it takes its own heads

Pages and planes come from the fixtures (golden/: the oracle's bytes), or are random pages that numpy shuffles. Memory is
one allocation a side: of a conversion's decoder, of layer l the K plane, then the V plane, of all blocks, and staged
pages behind them; of all others the blocks of layer after layer.
"""

import dataclasses
import itertools

import numpy as np

import pages
from pages import SENTINEL

CONVERSIONS = ("halves", "staged", "run-halves")
COPIES = ("whole", "slots")
STRATEGIES = CONVERSIONS + COPIES


def description(engine_id, base, num_blocks, model, itemsize, **options):
    """An engine as `pageproof plan` takes it."""
    heads, tokens, dims, layers = model
    return {"engine_id": engine_id, "backend": "ROCM_AITER_FA", "block_size": tokens, "num_blocks": num_blocks,
            "model": {"layers": layers, "kv_heads": heads, "query_heads": heads, "head_dim": dims},
            "base_address": base, "cache_dtype": "fp8" if itemsize == 1 else "auto", "announces_page_format": True,
            **options}


def metadata(engine_id, layout, tag, tokens, num_blocks, block_len, bases, regions_of_a_layer):
    """The same as the connector's metadata, as captured: regions alone, and no dtype."""
    regions = len(bases)
    names = [f"model.layers.{region // regions_of_a_layer}.self_attn.attn" for region in range(regions)]
    return {"engine_id": engine_id, "agent_metadata": "", "attn_backend_name": "FLASH_ATTN", "block_size": tokens,
            "kv_cache_layout": layout, "num_blocks": num_blocks, "physical_blocks_per_logical_kv_block": 1,
            "dcp_size": 1, "pcp_size": 1, "device_id": 0, "ssm_sizes": [0, 0], "kv_caches_base_addr": bases,
            "block_lens": [block_len] * regions, "block_strides": [block_len] * regions,
            "region_num_blocks": [num_blocks] * regions, "region_group_ids": [0] * regions,
            "region_mem_types": ["VRAM"] * regions, "region_names": names, "region_members": [],
            "region_page_formats": [tag] * regions}


@dataclasses.dataclass
class Conversion:
    name: str
    standard: np.ndarray  # [L, n, H, N, 2D]; page i of a layer goes from block remote_ids[i] to block local_ids[i]
    keys: np.ndarray  # [L, n, ...], the shuffled K plane's blocks
    values: np.ndarray
    local_blocks: int
    local_ids: list
    remote_blocks: int
    remote_ids: list
    strategies = CONVERSIONS

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
        """What `pageproof plan` takes: the decoder, then the prefill. The RFC leaves 1-byte caches out, so these come as
        metadata, which does not tell: the bytes travel alike."""
        heads, tokens, dims, itemsize = self.shape
        if itemsize == 1:
            plane, page = self.local_blocks * self.half, 2 * self.half
            bases = [local_base + i * plane for i in range(2 * self.layers)]
            pages_at = [remote_base + i * self.remote_blocks * page for i in range(self.layers)]
            return {
                "decode": metadata("decode", "LHBNC", "aiter-shuffled", tokens, self.local_blocks, self.half, bases, 2),
                "prefill": metadata("prefill", "LBHNC", "standard", tokens, self.remote_blocks, page, pages_at, 1),
            }
        model = heads, tokens, dims, self.layers
        return {
            "decode": description("decode", local_base, self.local_blocks, model, itemsize, shuffle=True,
                                  environment_layout="LHBNC", convert_page_format=True),
            "prefill": description("prefill", remote_base, self.remote_blocks, model, itemsize),
        }

    def remote_pool(self):
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


@dataclasses.dataclass
class Copy:
    name: str
    strategy: str
    shape: tuple  # H, N, D, e of the prefill's pages
    ranks: int  # of the decoder; this one is the last
    there: np.ndarray  # [L, n, bytes of a page]
    here: np.ndarray  # the same pages, of this rank's heads alone
    local_blocks: int
    local_ids: list
    remote_blocks: int
    remote_ids: list

    def __post_init__(self):
        self.layers, self.count, self.page = self.here.shape
        self.strategies = (self.strategy,)

    def __str__(self):
        sizes = "H={} N={} D={} e={}".format(*self.shape)
        return (f"{self.name}: {sizes}, {self.layers} layers, one of {self.ranks} ranks; local blocks {self.local_ids} of "
                f"{self.local_blocks}, remote blocks {self.remote_ids} of {self.remote_blocks}")

    def engines(self, local_base, remote_base):
        model, itemsize = (*self.shape[:3], self.layers), self.shape[3]
        shuffle = self.strategy == "slots"
        return {
            "decode": description("decode", local_base, self.local_blocks, model, itemsize, shuffle=shuffle,
                                  tp_size=self.ranks, tp_rank=self.ranks - 1),
            "prefill": description("prefill", remote_base, self.remote_blocks, model, itemsize, shuffle=shuffle),
        }

    def remote_pool(self):
        return np.concatenate([pages.pool(layer, self.remote_blocks, self.remote_ids) for layer in self.there]).ravel()

    def landing(self, strategy):
        return np.concatenate([pages.pool(layer, self.local_blocks, self.local_ids) for layer in self.here]).ravel()

    converted = landing  # nothing is

    def where(self, byte):
        block, rest = divmod(int(byte), self.page)
        return f"layer {block // self.local_blocks}, block {block % self.local_blocks}, byte {rest}"


def as_bytes(array):
    """[L, n, ...] as [L, n, bytes]."""
    return np.ascontiguousarray(array).reshape(*array.shape[:2], -1).view(np.uint8)


def copy_of(standard, strategy, ranks, name, *places):
    """Pages [L, n, H, N, 2D] that stay what they are, or stay shuffled."""
    heads = standard.shape[2]
    own = standard[:, :, heads - heads // ranks :]
    if strategy == "slots":
        stored = [[pages.shuffle(layer) for layer in side] for side in (standard, own)]
        both = [np.stack([np.concatenate([as_bytes(side[None])[0] for side in sides], 1) for sides in layers])
                for layers in stored]
    else:
        both = [as_bytes(standard), as_bytes(own)]
    shape = heads, standard.shape[3], standard.shape[4] // 2, standard.itemsize
    return Copy(name, strategy, shape, ranks, *both, *places)


def golden_cases():
    """From each group of pages_v1 the sound conversions of the same scattered blocks, each test a layer; and the same
    pages as copies."""
    suite = pages.golden.suite("pages_v1")
    for group in suite.groups:
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
            blocks = local[0], list(local[1:]), remote[0], list(remote[1:])
            yield Conversion(name, *stacks, *blocks)
            for strategy in COPIES:
                yield copy_of(stacks[0], strategy, 1, name, *blocks)


def random_ids(random, num_blocks, count):
    """Distinct block ids: runs of consecutive ones in any order, or scattered."""
    if random.random() < 0.3:
        return [int(i) for i in random.permutation(num_blocks)[:count]]
    first = random.integers(0, num_blocks - count + 1)
    cut = random.integers(0, count + 1)
    return [int(first + (i + cut) % count) for i in range(count)]  # two runs, the second first


def random_pages(random, itemsize, shape):
    return random.integers(0, 1 << 8 * itemsize, shape, f"u{itemsize}")


def random_case(random, name, itemsize, strategy=None):
    """A conversion, or a copy by this strategy."""
    heads, tokens, dims = int(random.choice((1, 2, 3, 5))), int(random.choice((16, 32))), 64
    layers, count = int(random.integers(1, 4)), int(random.integers(1, 21))
    blocks = [count + int(extra) for extra in random.choice(6, 2, replace=False)]  # never as many on both sides
    ids = [list(range(count)) if random.random() < 0.25 else random_ids(random, number, count) for number in blocks]
    places = blocks[0], ids[0], blocks[1], ids[1]
    if strategy:
        ranks = int(random.integers(1, 3))
        standard = random_pages(random, itemsize, (layers, count, ranks * heads, tokens, 2 * dims))
        return copy_of(standard, strategy, ranks, name, *places)
    standard = random_pages(random, itemsize, (layers, count, heads, tokens, 2 * dims))
    keys, values = zip(*[pages.shuffle(layer) for layer in standard])
    return Conversion(name, standard, np.stack(keys), np.stack(values), *places)


def cases(requests, seed):
    yield from golden_cases()
    random = np.random.default_rng(seed)
    for i in range(requests):
        name, itemsize = f"random {i} of seed {seed}", 1 if i % 3 == 2 else 2
        yield random_case(random, name, itemsize)
        yield random_case(random, name, itemsize, COPIES[i % 2])
