"""pages_v1 feeds a converter: standard pages to AITER's shuffled K and V planes.

Put your own in place of `shuffle`. A test whose name has a flag such as OddHeads says in test.why() what it is made to
catch.
"""

import numpy as np
import pytest

import pageproof_golden as golden

CONVERSIONS = golden.tests("pages_v1", operation="convert", result="valid")


def shuffle(pages):
    """[B, H, N, 2D] to [B, H, D/x, N, x] and [B, H, N/x, D, x]; x elements are 16 bytes."""
    B, H, N, D2 = pages.shape
    D, x = D2 // 2, 16 // pages.itemsize
    k = pages[..., :D].reshape(B, H, N, D // x, x).transpose(0, 1, 3, 2, 4)
    v = pages[..., D:].reshape(B, H, N // x, x, D).transpose(0, 1, 2, 4, 3)
    return k, v


@pytest.mark.parametrize("test", CONVERSIONS, ids=str)
def test_planes(test):
    standard, planes = test["standard"], test["planes"]
    pages = golden.pool(test, "standard")[standard["block_ids"]]
    for side, rows in zip("kv", shuffle(pages)):
        made = golden.in_pool(rows, planes["num_blocks"], planes["block_ids"])
        assert np.array_equal(made, golden.pool(test, "expected", side)), test.why()
        assert golden.sha256(made) == test["expected"][side]["pool_sha256"]


FROM_STANDARD = golden.tests("formats_v1", to="aiter-shuffled", result="valid", **{"from": "standard"})


@pytest.mark.parametrize("test", FROM_STANDARD, ids=str)
def test_between_formats(test):
    (standard,) = golden.pages(test, "from")
    planes = golden.pages(test, "to")
    for made, expected in zip(shuffle(standard), planes, strict=True):
        assert made.tobytes() == expected.tobytes(), test.why()


@pytest.mark.parametrize("test", CONVERSIONS[:2], ids=str)
def test_the_same_in_torch(test):
    torch = pytest.importorskip("torch")
    rows = test.tensor(test["standard"]["tensor"])
    tensor = golden.to_torch(rows, test.shape["dtype"])
    assert list(tensor.shape) == list(rows.shape)
    assert tensor.view(torch.uint8).numpy().tobytes() == rows.tobytes()
