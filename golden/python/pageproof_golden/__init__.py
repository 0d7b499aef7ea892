"""pageproof's fixtures for Python tests, by json and numpy alone.

    import pageproof_golden as golden

    @pytest.mark.parametrize("test", golden.tests("pages_v1", operation="convert", result="valid"), ids=str)
    def test_my_converter(test):
        standard = golden.pool(test, "standard")                         # [num_blocks, H, N, 2D], bf16 as uint16
        k, v = my_converter(standard, test["standard"]["block_ids"], ...)
        assert np.array_equal(k, golden.pool(test, "expected", "k"))     # and the sentinel wherever nothing lies

A suite (pages_v1, formats_v1, ...) is groups of tests; what a field means stands in golden/README.md and, checked, in
the suite's schema. A tensor's elements are the unsigned integers of their size: bytes are compared, not numbers.
"""

from .container import NUMPY_TYPES, load
from .pools import SENTINEL, in_pool, pages, pool, rows_of, sha256, to_torch
from .suites import GOLDEN, Suite, Test, suite, tests

__all__ = [
    "GOLDEN",
    "NUMPY_TYPES",
    "SENTINEL",
    "Suite",
    "Test",
    "in_pool",
    "load",
    "pages",
    "pool",
    "rows_of",
    "sha256",
    "suite",
    "tests",
    "to_torch",
]
