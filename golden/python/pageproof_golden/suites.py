"""Suites of fixtures: NAME.json beside this package, its groups and tests, and the tensors that they name."""

import functools
import json
import pathlib
from collections.abc import Mapping

from .container import load

GOLDEN = pathlib.Path(__file__).resolve().parents[2]


class Test(Mapping):
    """A test's fields as they stand in the file, and its group, suite and tensors. str(test) names it in pytest."""

    __test__ = False  # pytest collects classes by their name

    def __init__(self, owner, group, fields):
        self.suite, self.group, self._fields = owner, group, fields

    def __getitem__(self, key):
        return self._fields[key]

    def __iter__(self):
        return iter(self._fields)

    def __len__(self):
        return len(self._fields)

    def __hash__(self):
        return hash((self.suite.name, self["tcId"]))

    def __str__(self):
        words = [f"tc{self['tcId']}", self.get("operation"), *self.get("flags", [])]
        return "-".join(word for word in words if word)

    __repr__ = __str__

    @property
    def shape(self):
        """heads, tokens, head_dim, element_bytes, dtype"""
        return self.group["shape"]

    def tensor(self, name):
        return self.suite.tensors(self.group)[name]

    def why(self):
        """What this test is made to catch: the suite's notes on its flags."""
        return {flag: self.suite.notes[flag] for flag in self.get("flags", [])}


class Suite:
    """One file of fixtures. Refused with ValueError: a file whose numberOfTests is not the number of its tests."""

    def __init__(self, name, golden=GOLDEN):
        self.name, self.golden = name, pathlib.Path(golden)
        document = json.loads((self.golden / f"{name}.json").read_text(encoding="utf-8"))
        self.document = document
        self.notes = document.get("notes", {})
        self.groups = document["testGroups"]
        self.tests = [Test(self, group, fields) for group in self.groups for fields in group["tests"]]
        if len(self.tests) != document["numberOfTests"]:
            raise ValueError(f"{name}.json: numberOfTests: {document['numberOfTests']}: it has {len(self.tests)}")

    @functools.lru_cache(maxsize=4)
    def _load(self, file):
        return load(self.golden / file)[0]

    def tensors(self, group):
        return self._load(group["file"])


@functools.lru_cache(maxsize=None)
def suite(name, golden=GOLDEN):
    return Suite(name, golden)


def tests(name, golden=GOLDEN, **where):
    """The tests of a suite whose fields have these values: tests("pages_v1", operation="convert", result="valid").

    A value may also be a set of values. Refused with ValueError: a choice that leaves no test.
    """

    def fits(test):
        return all(test.get(key) in want if isinstance(want, (set, tuple)) else test.get(key) == want
                   for key, want in where.items())

    chosen = [test for test in suite(name, golden).tests if fits(test)]
    if not chosen:
        raise ValueError(f"{name}.json: no test has {where}")
    return chosen
