"""A connector that takes the length of a remote block for the distance between blocks."""

from types import SimpleNamespace

import connector


class Mutant(connector.Connector):
    def _build_fa_remote(self, plan, meta, block_size_ratio):
        meta = SimpleNamespace(**{**vars(meta), "block_strides": meta.block_lens})
        return super()._build_fa_remote(plan, meta, block_size_ratio)
