"""What `pageproof bench plan` is measured against: the same ids and rows by numpy and by loops.

Says "ready PYTHON NUMPY" ("-" without numpy), reads the request as one line of JSON, then answers each line
"WHAT HOW CALLS" with the seconds of one call; of 0 calls, with a checksum of what one makes. A region is
[base, len, stride, blocks].
"""

import json
import platform
import sys
import time

try:
    import numpy as np
except ImportError:
    np = None

PART = 32  # of the pair, loops make one part in so many


class ByNumpy:
    def __init__(self, request):
        self.first = np.array(request["first"])
        self.blocks = np.array(request["blocks"])
        self.regions = [np.array(column, np.uint64) for column in zip(*request["list"])]
        self.pair_regions = [[np.array(column, np.uint64) for column in zip(*side)] for side in request["pair"]]
        self.table = self.ids_of_request = None

    def ids(self):
        return (self.first[:, None] + self.blocks[None, :]).ravel()

    def ids_for_nixl(self):
        return (self.first.astype(np.int32)[:, None] + self.blocks.astype(np.int32)[None, :]).ravel()

    def rows_of(self, regions):
        base, length, stride, blocks = regions  # all regions have as many blocks
        rows = np.empty((len(base), int(blocks[0]), 3), np.uint64)
        rows[:, :, 0] = base[:, None] + np.arange(blocks[0], dtype=np.uint64)[None, :] * stride[:, None]
        rows[:, :, 1] = length[:, None]
        rows[:, :, 2] = 0
        return rows.reshape(-1, 3)

    def list_rows(self):
        return self.rows_of(self.regions)

    def request_rows(self):
        if self.table is None:
            self.table, self.ids_of_request = self.list_rows(), self.ids()
        return self.table[self.ids_of_request]

    def pair(self):
        return [self.rows_of(side) for side in self.pair_regions]

    @staticmethod
    def checksum(made):
        values = np.ascontiguousarray(made).ravel().astype(np.uint64)
        return int((np.arange(1, len(values) + 1, dtype=np.uint64) * values).sum())


class IntoBuffer(ByNumpy):
    """The same ids into an array that is there: what numpy makes of a caller's buffer."""

    def __init__(self, request):
        super().__init__(request)
        shape = len(self.first), len(self.blocks)
        self.made, self.made_for_nixl = np.ones(shape, np.int64), np.ones(shape, np.int32)

    def ids(self):
        return np.add(self.first[:, None], self.blocks[None, :], out=self.made)

    def ids_for_nixl(self):
        first, blocks = self.first.astype(np.int32), self.blocks.astype(np.int32)
        return np.add(first[:, None], blocks[None, :], out=self.made_for_nixl)


class ByLoops:
    def __init__(self, request):
        self.first, self.blocks, self.regions = request["first"], request["blocks"], request["list"]
        self.pair_regions = [[[base, length, stride, blocks // PART] for base, length, stride, blocks in side]
                             for side in request["pair"]]
        self.table = self.ids_of_request = None

    def ids(self):
        return [first + block for first in self.first for block in self.blocks]

    ids_for_nixl = ids

    def rows_of(self, regions):
        rows = []
        for base, length, stride, blocks in regions:
            for block in range(blocks):
                rows.append((base + block * stride, length, 0))
        return rows

    def list_rows(self):
        return self.rows_of(self.regions)

    def request_rows(self):
        if self.table is None:
            self.table, self.ids_of_request = self.list_rows(), self.ids()
        return [self.table[i] for i in self.ids_of_request]

    def pair(self):
        return [self.rows_of(side) for side in self.pair_regions]

    @staticmethod
    def checksum(made):
        values = [value for row in made for value in row] if isinstance(made[0], tuple) else made
        return sum((i + 1) * value for i, value in enumerate(values)) % 2**64


def main():
    print("ready", platform.python_version(), np.__version__ if np else "-", flush=True)
    line = sys.stdin.readline()
    if not line:
        return
    request = json.loads(line)
    request["first"] = [0]
    for region in request["list"][:-1]:
        request["first"].append(request["first"][-1] + region[3])
    ways = {"loops": ByLoops(request), **({"numpy": ByNumpy(request), "out": IntoBuffer(request)} if np else {})}
    print("read", flush=True)
    for line in sys.stdin:
        what, how, calls = line.split()
        way = ways[how]
        call = getattr(way, what)
        if calls == "0":
            print(way.checksum(call()), flush=True)
            continue
        if what == "request_rows":
            call()  # makes the list that it picks from
        begin = time.perf_counter()
        for _ in range(int(calls)):
            call()
        print((time.perf_counter() - begin) / int(calls), flush=True)


if __name__ == "__main__":
    main()
