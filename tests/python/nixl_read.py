"""nixl_read.py: pages travel from a prefill process to a decoder's memory, over NIXL, by pageproof's plan.

    nixl_read.py --program build/release/pageproof --library build/release/libpageproof.so

Two processes, an agent each (UCX over loopback, host memory). For every case and strategy:

    1. `pageproof plan` says which descriptors to read, from descriptions of the two engines and the block ids
    2. the decoder posts them as a connector does: prep_xfer_dlist on both sides, make_prepped_xfer, a notification
    3. the notification frees the prefill's blocks, so the prefill overwrites all it has: nothing can be read again
    4. what has landed is what the strategy's contract says, and nothing else was touched
    5. libpageproof converts what is to be converted; every byte of the decoder's pool is the oracle's (golden/) or numpy's (reshape, permute)
    6. NIXL posted as many descriptors as the plan foretold (its telemetry tells)

Needs the Python packages nixl, nixl-cu12 and numpy, and no GPU. Exits 0, 1 where a check is refuted, 77 where NIXL
cannot start here.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import nixl_cases
from libpageproof import Library

ARENA_BYTES = 8 << 20
ALIGNMENT = 4096
os.environ.setdefault("NIXL_LOG_LEVEL", "WARN")
FREED = 0xEE  # what the prefill leaves of its blocks once it is told that they were read
SECONDS = 60  # for one transfer


class Refuted(Exception):
    pass


class Arena:
    """Host memory that an agent registers once; pools are laid at its start, staging memory behind them."""

    def __init__(self, name):
        from nixl._api import nixl_agent, nixl_agent_config

        memory = np.zeros(ARENA_BYTES + ALIGNMENT, np.uint8)
        first = -memory.ctypes.data % ALIGNMENT
        self.bytes = memory[first : first + ARENA_BYTES]
        self.base = self.bytes.ctypes.data
        self.agent = nixl_agent(name, nixl_agent_config(backends=["UCX"], capture_telemetry=True))
        self.registered = self.agent.register_memory([(self.base, ARENA_BYTES, 0, "")], "DRAM")

    def lay(self, pool):
        if pool.size > ARENA_BYTES:
            raise ValueError(f"pages of {pool.size} B do not fit into {ARENA_BYTES} B")
        self.bytes[: pool.size] = pool


def wait(condition, what):
    end = time.monotonic() + SECONDS
    while not (found := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {SECONDS} s")
        time.sleep(1e-4)
    return found


def prefill(pipe):
    """The other process: lays pages, waits for the notification that they were read, overwrites them, says so."""
    try:
        arena = Arena("prefill")
        pipe.send((arena.agent.get_agent_metadata(), arena.base))
    except Exception as error:
        pipe.send(error)
        return
    try:
        while True:
            arena.lay(pipe.recv())
            pipe.send("laid")
            messages = wait(arena.agent.get_new_notifs, "the notification")
            arena.bytes[:] = FREED
            pipe.send(messages)
    except EOFError:  # the decoder has gone
        return


class Decoder:
    def __init__(self, arguments, pipe):
        self.program, self.library, self.pipe = arguments.program, Library(arguments.library), pipe
        self.arena = Arena("decode")
        answer = pipe.recv()
        if isinstance(answer, Exception):
            raise answer
        metadata, self.remote_base = answer
        self.remote = self.arena.agent.add_remote_agent(metadata)
        if isinstance(self.remote, bytes):
            self.remote = self.remote.decode()

    def plan(self, case, strategy):
        """What `pageproof plan` answers for this request."""
        with tempfile.TemporaryDirectory() as folder:
            engines = []
            for name, engine in case.engines(self.arena.base, self.remote_base).items():
                engines.append(pathlib.Path(folder) / f"{name}.json")
                engines[-1].write_text(json.dumps(engine))
            heads = case.shape[0]
            command = [self.program, "plan", *engines, "--kv-heads", str(heads), "--json", "--rows", "all", "--strategy", strategy]
            command += ["--local-blocks", ",".join(map(str, case.local_ids))]
            command += ["--remote-blocks", ",".join(map(str, case.remote_ids))]
            if strategy == "staged":
                staging = self.arena.base + case.staging_offset
                command += ["--staging", f"{staging:#x}:{case.staging_bytes}"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode != 0:
            raise Refuted(f"pageproof plan answers: {done.stderr.strip() or done.stdout.strip()}")
        (read,) = json.loads(done.stdout)["reads"]
        return read

    def read(self, read, request):
        """Posts the plan as a connector does. How many descriptors NIXL posted."""
        agent = self.arena.agent
        local = agent.prep_xfer_dlist("NIXL_INIT_AGENT", np.array(read["local_list"], np.uint64), "DRAM")
        remote = agent.prep_xfer_dlist(self.remote, np.array(read["remote_list"], np.uint64), "DRAM")
        transfer = agent.make_prepped_xfer("READ", local, np.array(read["local_ids"], np.int32),
                                           remote, np.array(read["remote_ids"], np.int32), notif_msg=request)
        state = agent.transfer(transfer)
        if state == "PROC":
            state = wait(lambda: (now := agent.check_xfer_state(transfer)) != "PROC" and now, "the read")
        if state != "DONE":
            raise Refuted(f"the read ends in {state}")
        posted = agent.get_xfer_telemetry(transfer).descCount
        for handle in (transfer, local, remote):
            handle.release()
        return posted

    def run(self, case, strategy, fault):
        self.arena.bytes[:] = nixl_cases.SENTINEL
        self.pipe.send(case.remote_pool())
        self.pipe.recv()
        read = self.plan(case, strategy)
        if fault:
            read["remote_ids"][0], read["remote_ids"][-1] = read["remote_ids"][-1], read["remote_ids"][0]
        posted = self.read(read, b"request-1:1")
        messages = wait(self.pipe.poll, "the prefill's answer") and self.pipe.recv()
        expect("the prefill is told once which request was read", {"decode": [b"request-1:1"]}, messages)

        compare("what landed is what the contract says", case, case.landing(strategy), self.arena.bytes)
        if strategy == "halves":
            self.library.convert_in_place(case.shape, case.local_ids, *case.planes(self.arena.base))
        if strategy == "staged":
            planes, staging = case.planes(self.arena.base), case.staging(self.arena.base)
            self.library.convert(case.shape, case.local_ids, *planes, staging, range(len(case.local_ids)))
        if strategy in ("halves", "staged"):  # no converter reads the landing of run-halves
            compare("the planes hold the pages, shuffled", case, case.converted(strategy), self.arena.bytes)
        expect("NIXL posts as many descriptors as planned", len(read["posted"]), posted)
        return len(read["local_ids"]), posted


def expect(claim, expected, got):
    if expected != got:
        raise Refuted(f"{claim}\nExpected  {expected}\nGot       {got}")


def compare(claim, case, expected, arena):
    """Every byte of the arena: expected first, the sentinel after it."""
    got = arena[: len(expected)]
    wrong = np.flatnonzero(got != expected)
    if len(wrong):
        raise Refuted(f"{claim}\nExample   {case.where(wrong[0])}\nExpected  {expected[wrong[0]]:#04x}"
                      f"          Got  {got[wrong[0]]:#04x}   ({len(wrong)} bytes differ)")
    if (arena[len(expected) :] != nixl_cases.SENTINEL).any():
        raise Refuted(f"{claim}\nExample   a byte behind the decoder's memory was written")


def start(arguments):
    """The decoder and the prefill's process, or exit 77: NIXL or its UCX backend cannot start here."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=prefill, args=(theirs,), daemon=True)
    process.start()
    try:
        return Decoder(arguments, ours), process
    except Exception as error:
        print(f"skipped: NIXL cannot start here: {type(error).__name__}: {error}")
        sys.exit(77)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--program", required=True, help="the program pageproof")
    parser.add_argument("--library", required=True, help="libpageproof.so")
    parser.add_argument("--strategy", action="append", choices=nixl_cases.STRATEGIES, help="default: each")
    parser.add_argument("--requests", type=int, default=12, help="random requests, besides those of golden/")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault", action="store_true", help="exchange two remote ids: must be refuted")
    arguments = parser.parse_args()

    decoder, process = start(arguments)
    totals = {}
    for case in nixl_cases.cases(arguments.requests, arguments.seed):
        for strategy in case.strategies:
            if arguments.strategy and strategy not in arguments.strategy:
                continue
            try:
                planned, posted = decoder.run(case, strategy, arguments.fault)
            except Refuted as error:
                sys.exit(f"REFUTED   nixl_read.{strategy}\nCase      {case}\nClaim     {error}")
            count = totals.setdefault(strategy, [0, 0, 0])
            count[:] = count[0] + 1, count[1] + planned, count[2] + posted
    for strategy, (cases, planned, posted) in totals.items():
        print(f"{strategy:<11} {cases:3} reads  {planned:6} descriptors planned  {posted:6} posted by NIXL  right")
    decoder.pipe.close()
    process.join(SECONDS)


if __name__ == "__main__":
    main()
