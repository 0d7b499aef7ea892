"""plans_v1 feeds a connector's _build_fa_local, _build_fa_remote and _compute_desc_ids.

    pytest golden/python

Here the connector is the stand-in of connector.py. To test the real one, name a module and a function that makes it:

    PAGEPROOF_CONNECTOR=my_module:my_connector pytest golden/python/test_connector.py

The function gets a rank's regions and device id, as Connector does, and returns an object with its three methods. In
vLLM these are NixlPullConnectorWorker's (vllm.distributed.kv_transfer.kv_connector.v1.nixl.pull_worker), as its own unit
tests make one: object.__new__(...), then the attributes that the methods read, which differ from version to version.
"""

import importlib
import os

import pytest

import connector
import pageproof_golden as golden

# The ways in which regions are read block by block. The other two have no descriptor ids of a connector's.
READS = ("whole", "halves", "slots")
PLANS = golden.tests("plans_v1", strategy=READS, result="valid")


def make_connector():
    named = os.environ.get("PAGEPROOF_CONNECTOR")
    if not named:
        return connector.Connector
    module, _, function = named.partition(":")
    return getattr(importlib.import_module(module), function)


def in_halves(regions):
    """The virtual regions of a split read: for each region the first half of every block, then the second."""
    halves = []
    for region in regions:
        half = region["block_len"] // 2
        halves += [{**region, "base": region["base"] + i * half, "block_len": half} for i in (0, 1)]
    return halves


def ids_and_rows(test, source, split=True):
    """What the connector posts for one source rank: ids and rows of both sides, in pairing order."""
    ratio, slice_, units = source["slice"]["ratio"], source["slice"], test["units"]
    local, remote = test["local"]["regions"], source["remote"]["regions"]
    if test["strategy"] == "slots":
        local = in_halves(local)
    if test["strategy"] in ("slots", "halves") and split:
        remote = in_halves(remote)
    blocks = connector.paired_blocks(
        connector.kernel_blocks(test["local_blocks"], units["local_per_logical"]),
        connector.kernel_blocks(test["remote_blocks"], units["remote_per_logical"]),
        ratio,
    )
    worker = make_connector()(local, test["local"]["device"])
    meta = connector.metadata(remote, source["remote"]["device"])
    local_rows = worker._build_fa_local([region["base"] for region in local], ratio)
    local_rows = connector.share_of_source(local_rows, local, ratio, slice_["slot"], slice_["sources"])
    remote_rows = worker._build_fa_remote(connector.tp_plan(slice_), meta, ratio)
    made = []
    for rows, ids, regions, own_ratio in zip((local_rows, remote_rows), blocks, (local, remote), (ratio, None)):
        groups = [region["group"] for region in regions]
        counts = [region["num_blocks"] for region in regions]
        made.append([int(i) for i in worker._compute_desc_ids(ids, counts[0], own_ratio, 1, counts, groups,
                                                              len(set(groups)) > 1)])
        made.append([list(rows[i]) for i in made[-1]])
    return made


@pytest.mark.parametrize("test", PLANS, ids=str)
def test_descriptors(test):
    for source in test["sources"]:
        local_ids, local_rows, remote_ids, remote_rows = ids_and_rows(test, source)
        assert local_ids == source["local_ids"], test.why()
        assert remote_ids == source["remote_ids"], test.why()
        assert local_rows == source["local_rows"], test.why()
        assert remote_rows == source["remote_rows"], test.why()


@pytest.mark.parametrize("test", golden.tests("plans_v1", strategy="halves", result="valid"), ids=str)
def test_without_the_split_the_two_sides_do_not_pair(test):
    """Today's regions, a page a block, for a decoder with two planes: half as many remote ids as local ones."""
    for source in test["sources"]:
        local_ids, _, remote_ids, _ = ids_and_rows(test, source, split=False)
        assert len(local_ids) == 2 * len(remote_ids)
