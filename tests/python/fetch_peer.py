"""A prefill's handshake listener as the connector has it, written with pyzmq and msgspec, and `pageproof handshake
fetch` against it.

    fetch_peer.py PAGEPROOF              the test; exits 77 where pyzmq or msgspec is not installed
    fetch_peer.py --serve PORT [TP]      only listens, for `pageproof handshake fetch 127.0.0.1:PORT`
"""
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

try:
    import msgspec
    import zmq
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from msgspec_wire import NixlAgentMetadata, NixlHandshakePayload, WithTag

LAYERS = 36  # Qwen3-8B in bfloat16, 16-token blocks: what docs/engines/prefill_standard.json describes


def payload(rank, tp=1, cls=NixlAgentMetadata, **changes):
    page = 8 // tp * 16 * 2 * 128 * 2
    pool = page * 1024
    values = dict(engine_id="prefill", agent_metadata=b"nixl agent %d" % rank,
                  kv_caches_base_addr=[2**32 + layer * pool for layer in range(LAYERS)], device_id=rank,
                  num_blocks=1024, block_lens=[page] * LAYERS, block_strides=[page] * LAYERS,
                  kv_cache_layout="LBHNC", block_size=16, ssm_sizes=(0, 0), attn_backend_name="FLASH_ATTN",
                  physical_blocks_per_logical_kv_block=1,
                  region_names=[f"model.layers.{layer}.self_attn.attn" for layer in range(LAYERS)])
    return NixlHandshakePayload(HASH, msgspec.msgpack.encode(cls(**{**values, **changes})))


# The compatibility hash of the two descriptions in docs/engines.
HASH = "559c3f97bf7958fe4de3fbfa8929b382b8dd1e01f5ef00a51c50be458c3cd15c"


def listen(router, payloads, stop):
    """The listener's loop: an unknown rank is a KeyError, which ends it."""
    encoded = {rank: msgspec.msgpack.encode(one) for rank, one in payloads.items()}
    router.linger = 0
    router.rcvtimeo = 50
    try:
        while not stop.is_set():
            try:
                identity, _, request = router.recv_multipart()
            except zmq.Again:
                continue
            tag, pp_rank, tp_rank = msgspec.msgpack.decode(request, type=tuple[bytes, int, int])
            if tag == b"get_meta_msg":
                answer = encoded[(pp_rank, tp_rank)]
                router.send_multipart((identity, b"", answer, msgspec.msgpack.encode(time.perf_counter())))
    except KeyError as rank:
        print(f"asked for rank {rank}, which is not there: the listener ends", file=sys.stderr)
        stop.wait()  # its socket stays open, and nobody reads from it
    finally:
        router.close()


class Listener:
    def __init__(self, payloads, port="*"):
        self.context = zmq.Context()
        self.router = self.context.socket(zmq.ROUTER)
        self.router.bind(f"tcp://127.0.0.1:{port}")
        self.at = self.router.last_endpoint.decode().removeprefix("tcp://")
        self.stop = threading.Event()
        self.thread = threading.Thread(target=listen, args=(self.router, payloads, self.stop))

    def __enter__(self):
        self.thread.start()
        return self.at

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()
        self.context.term()


def run(*arguments, exit_code=0):
    done = subprocess.run([sys.argv[1], "handshake", *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == exit_code, (arguments, done)
    return done


def check():
    engines = Path(__file__).resolve().parents[2] / "docs" / "engines"
    decoder = str(engines / "decode_shuffled.json")
    described = json.loads(run("decode", str(engines / "prefill_standard.json"), "--json").stdout)
    assert described["compatibility_hash"] == HASH, described["compatibility_hash"]
    out = tempfile.NamedTemporaryFile(suffix=".msgpack").name
    ranks = {(0, rank): payload(rank, tp=2) for rank in range(2)}
    with Listener(ranks) as at:
        for rank in range(2):
            said = json.loads(run("fetch", at, "--tp-rank", str(rank), "--out", out, "--json").stdout)
            assert said["metadata"] == json.loads(msgspec.json.encode(
                msgspec.msgpack.decode(ranks[0, rank].agent_metadata_bytes, type=NixlAgentMetadata))), said
            assert said["fetched"]["clock_seconds"] > 0
            assert msgspec.msgpack.decode(Path(out).read_bytes(), type=NixlHandshakePayload) == ranks[0, rank]
            assert json.loads(run("decode", out, "--json").stdout)["metadata"] == said["metadata"]
        # The listener dies of a rank that is not there, as the real one does: so does what comes after.
        for rank in ("2", "0"):
            done = run("fetch", at, "--tp-rank", rank, "--timeout", "0.5", exit_code=2)
            assert "no reply within 0.5 s" in done.stderr and done.stderr.count("\n") == 1, done.stderr
    # Today's payload has no tag, which a shuffled decoder refuses; with the tag the pair converts.
    with Listener({(0, 0): payload(0)}) as at:
        done = run("fetch", at, "--against", decoder, "--out", out, exit_code=1)
        assert "rejected (tag_missing)" in done.stdout and "hash    equal" in done.stdout, done.stdout
        assert done.stdout.split("\n", 1)[1] == run("check", decoder, out, exit_code=1).stdout
    with Listener({(0, 0): payload(0, cls=WithTag, region_page_formats=["standard"] * LAYERS)}) as at:
        done = run("fetch", at, "--against", decoder)
        assert "RFC     accepted: standard pages are converted" in done.stdout, done.stdout
    Path(out).unlink()
    print(f"pyzmq {zmq.__version__}, msgspec {msgspec.__version__}: 7 questions answered or refused as they should be")


def serve(port, tp):
    with Listener({(0, rank): payload(rank, tp) for rank in range(tp)}, port) as at:
        print(f"{at} answers for {tp} ranks until interrupted", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    else:
        check()
