"""A stand-in for NixlConnector's decode side, as far as descriptors go: what test_connector.py runs where no vLLM is.

Written from what the connector does (regions in order, blocks within a region, sub-blocks within a block), not taken
from it. The class has the names and arguments of the real one's methods, so that that one can stand in its place; below
it is what the connector does around them.
"""

from types import SimpleNamespace


class Connector:
    """One decode rank. regions: dicts with base, block_len, block_stride, num_blocks, group, replicated."""

    def __init__(self, regions, device):
        self.regions, self.device_id = regions, device

    def _build_fa_local(self, bases, block_size_ratio):
        rows = []
        for region, base in zip(self.regions, bases):
            part = region["block_len"] // block_size_ratio
            for block in range(region["num_blocks"]):
                for i in range(block_size_ratio):
                    rows.append((base + block * region["block_stride"] + i * part, part, self.device_id))
        return rows

    def _build_fa_remote(self, plan, meta, block_size_ratio):
        rows = []
        sources = len(plan.source_ranks_per_group[0])
        for i, (region, base) in enumerate(zip(self.regions, meta.kv_caches_base_addr)):
            unit = region["block_len"] // block_size_ratio  # the length is the local region's
            whole = region["replicated"]
            start = base + (0 if whole else plan.rank_offset_factor * unit)
            for block in range(meta.region_num_blocks[i]):
                rows.append((start + block * meta.block_strides[i], unit // (1 if whole else sources), meta.device_id))
        return rows

    def _compute_desc_ids(self, block_ids, dst_num_blocks, block_size_ratio, physical_blocks_per_logical,
                          region_num_blocks, region_group_ids, uses_region_group_mapping):
        first, offsets = 0, []
        for blocks in region_num_blocks:
            offsets.append(first)
            first += blocks * (block_size_ratio or 1)
        if not uses_region_group_mapping:
            return [offset + block for offset in offsets for group in block_ids for block in group]
        ids = []
        for number, group in enumerate(block_ids):
            for offset, owner in zip(offsets, region_group_ids):
                if owner in (number, -1):
                    ids += [offset + block for block in group]
        return ids


def metadata(regions, device):
    """What of the prefill's NixlAgentMetadata the descriptors depend on."""
    return SimpleNamespace(
        kv_caches_base_addr=[region["base"] for region in regions],
        block_lens=[region["block_len"] for region in regions],
        block_strides=[region["block_stride"] for region in regions],
        region_num_blocks=[region["num_blocks"] for region in regions],
        region_group_ids=[region["group"] for region in regions],
        num_blocks=regions[0]["num_blocks"],
        device_id=device,
    )


def tp_plan(slice_):
    """A rank's place in the other side's ranks, as the connector's TP mapping gives it."""
    return SimpleNamespace(
        rank_offset_factor=slice_["rank_offset_factor"], source_ranks_per_group=[tuple(range(slice_["sources"]))]
    )


def kernel_blocks(groups, per_logical):
    """Manager blocks to kernel blocks, and blocks to sub-blocks: b is b·p, b·p + 1, ..."""
    return [[b * per_logical + i for b in group for i in range(per_logical)] for group in groups]


def paired_blocks(local, remote, block_size_ratio):
    """Sub-blocks where remote blocks are smaller, without the unfilled tail; else the last remote blocks."""
    if block_size_ratio > 1:
        local = kernel_blocks(local, block_size_ratio)
        return [ids[: len(others)] for ids, others in zip(local, remote)], remote
    return local, [others[len(others) - len(ids) :] for ids, others in zip(local, remote)]


def share_of_source(rows, regions, block_size_ratio, slot, sources):
    """The part of each local descriptor that one of several prefill ranks fills; all of it where heads are replicated."""
    shares, row = [], iter(rows)
    for region in regions:
        for _ in range(region["num_blocks"] * block_size_ratio):
            address, length, device = next(row)
            parts = 1 if region["replicated"] else sources
            shares.append((address + slot % parts * (length // parts), length // parts, device))
    return shares
