"""The wire forms against msgspec itself: the dataclasses as the connector declares them, encoded by Python and decoded
by us, and the other way round; what msgspec refuses we refuse, and where we are stricter the list below says so.

    msgspec_wire.py WIRE_PEER      exits 77 where msgspec is not installed
"""
import json
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Optional

try:
    import msgspec
except ImportError:
    print("skipped: the Python package msgspec is not installed")
    sys.exit(77)


@dataclass
class NixlAgentMetadata:
    engine_id: str
    agent_metadata: bytes
    kv_caches_base_addr: list[int]
    device_id: int
    num_blocks: int
    block_lens: list[int]
    block_strides: list[int]
    kv_cache_layout: str
    block_size: int
    ssm_sizes: tuple[int, int]
    attn_backend_name: str
    physical_blocks_per_logical_kv_block: int
    region_num_blocks: Optional[list[int]] = None
    region_group_ids: Optional[list[int]] = None
    region_names: Optional[list[str]] = None
    region_mem_types: Optional[list[str]] = None
    dcp_size: int = 1
    pcp_size: int = 1
    region_members: list[list[str]] = field(default_factory=list)


@dataclass
class WithTag(NixlAgentMetadata):
    region_page_formats: Optional[list[str]] = None


@dataclass
class NixlHandshakePayload:
    compatibility_hash: str
    agent_metadata_bytes: bytes


def sample(cls=NixlAgentMetadata, **changes):
    values = dict(engine_id="p-1", agent_metadata=bytes(range(256)), kv_caches_base_addr=[0, 1, 127, 128, 2**32, 2**64 - 1],
                  device_id=3, num_blocks=100_000, block_lens=[65536] * 6, block_strides=[65536] * 6,
                  kv_cache_layout="LBHNC", block_size=16, ssm_sizes=(0, 0), attn_backend_name="FLASH_ATTN",
                  physical_blocks_per_logical_kv_block=1)
    return cls(**{**values, **changes})


def peer(mode, data):
    done = subprocess.run([sys.argv[1], mode], input=data, capture_output=True, timeout=60)
    assert done.returncode in (0, 1), (mode, done.returncode, done.stderr)
    return done.stdout if done.returncode == 0 else None


def as_python_prints(value):
    return json.loads(msgspec.json.encode(value))


def check_good():
    members = [["a", "b"], []]
    for value in (sample(), sample(region_num_blocks=[1] * 6, region_group_ids=[-1, 0, 1, 2, -(2**63), 2**63 - 1],
                                   region_names=["é", "", "x" * 300, "d", "e", "f"], region_mem_types=["VRAM"] * 6,
                                   dcp_size=2, pcp_size=4, region_members=members),
                  sample(agent_metadata=b""), sample(agent_metadata=b"z" * 70_000), sample(kv_caches_base_addr=[]),
                  sample(WithTag, region_page_formats=["standard"] * 6)):
        packed = msgspec.msgpack.encode(value)
        ours = peer("metadata", packed)
        assert ours is not None, value
        assert json.loads(ours) == as_python_prints(value), (ours, value)
        assert peer("encode", msgspec.json.encode(value)) == packed, "not the bytes that msgspec writes"
        assert msgspec.msgpack.decode(peer("encode", ours), type=type(value)) == value
    # The tag is seen to be absent: a peer without the field, and a peer that sends None.
    assert "region_page_formats" not in json.loads(peer("metadata", msgspec.msgpack.encode(sample())))
    assert "region_page_formats" not in json.loads(peer("metadata", msgspec.msgpack.encode(sample(WithTag))))
    # An old decoder reads a message with the tag, and a new one a message without.
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(sample(WithTag, region_page_formats=["a"] * 6)),
                                  type=NixlAgentMetadata) == sample()
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(sample()), type=WithTag).region_page_formats is None
    payload = NixlHandshakePayload("0" * 64, msgspec.msgpack.encode(sample()))
    assert json.loads(peer("payload", msgspec.msgpack.encode(payload))) == as_python_prints(payload)
    return 6


def msgspec_accepts(packed):
    try:
        msgspec.msgpack.decode(packed, type=NixlAgentMetadata)
        return True
    except (msgspec.DecodeError, RecursionError):
        return False


def check_bad():
    good = {k: getattr(sample(), k) for k in NixlAgentMetadata.__dataclass_fields__}
    pack = msgspec.msgpack.encode
    cases = {f"without {key}": pack({k: v for k, v in good.items() if k != key}) for key in good}
    for key in good:
        for wrong in (None, True, 1.5, "text", 7, [1], ["a"], {"a": 1}, b"b"):
            cases[f"{key} = {wrong!r}"] = pack({**good, key: wrong})
    whole = pack(good)
    for cut in range(0, len(whole), 7):
        cases[f"cut at {cut}"] = whole[:cut]
    cases["tail"] = whole + b"\0"
    cases["nested"] = b"\x91" * 200_000
    cases["nested under an unknown key"] = pack({**good, "z": 0})[:-1] + b"\x91" * 2_000 + b"\xc0"
    cases["unknown key"] = pack({**good, "z": [1, {"a": None}]})
    cases["ssm_sizes of three"] = pack({**good, "ssm_sizes": [1, 2, 3]})
    stricter = {"key twice": b"\xdf" + (len(good) + 1).to_bytes(4, "big") + whole[3 if whole[0] == 0xde else 1:]
                + pack("engine_id") + pack("p-2"),
                "negative block_size": pack({**good, "block_size": -16}),
                "key that is no string": pack({**good, "z": {1: 2}}),
                "33 levels": pack({**good, "z": 0})[:-1] + b"\x91" * 40 + b"\xc0"}
    for name, packed in cases.items():
        # "nested under an unknown key" is within Python's recursion limit or not, depending on the build.
        ours = peer("metadata", packed) is not None
        if name == "nested under an unknown key":
            assert not ours, name
        else:
            assert ours == msgspec_accepts(packed), f"{name}: we {'accept' if ours else 'refuse'}, msgspec does not"
    for name, packed in stricter.items():
        assert msgspec_accepts(packed), f"{name}: msgspec has become as strict"
        assert peer("metadata", packed) is None, f"{name}: not refused"
    return len(cases) + len(stricter)


if __name__ == "__main__":
    print(f"msgspec {msgspec.__version__}: {check_good()} values and {check_bad()} malformed messages agree")
