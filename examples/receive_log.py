"""Writes the event log of a KV connector for `pageproof receive check` (docs/receive.md), by hooks around its methods.

    log = ReceiveLog("worker.jsonl", "worker")                      # in the worker's process
    log_worker(log, runner, connector_worker, nixl_agent, stream="main", convert="convert_layer")
    log = ReceiveLog("scheduler.jsonl", "scheduler", layers=48, blocks=10000)  # in the scheduler's
    log_scheduler(log, scheduler, connector_scheduler)
    merge(["scheduler.jsonl", "worker.jsonl"], "trace.jsonl")       # afterwards; pageproof receive check trace.jsonl

Method names are those of vLLM's scheduler, GPU model runner and NixlConnector, pull mode, one KV group; rename them where
yours differ. One worker a log: its peers' block ids mean other memory. Clocks of one host are one clock.
"""

import functools
import heapq
import inspect
import itertools
import json
import threading
import time


class ReceiveLog:
    """One file a process; each of its threads is a chain of its own, messages between them are yours to write."""

    def __init__(self, path, process, **setting):
        self._file = open(path, "w", buffering=1)
        self._lock = threading.Lock()
        self._process = process
        if setting:  # in one process only
            self.write("setting", **setting)

    def write(self, event, **fields):
        thread = f"{self._process} {threading.current_thread().name}"
        with self._lock:  # the time is taken inside: lines stand in its order
            now = 0 if event == "setting" else time.monotonic_ns()
            line = {"time": now, "event": event, "thread": thread, **fields}
            self._file.write(json.dumps(line) + "\n")


def hook(owner, method, before=None, after=None, failed=None):
    """Calls before(*arguments), after(result, *arguments) and failed(error, *arguments) around owner.method."""
    original = getattr(owner, method)

    @functools.wraps(original)
    def hooked(*arguments, **named):
        if before:
            before(*arguments, **named)
        try:
            result = original(*arguments, **named)
        except Exception as error:
            if failed:
                failed(error, *arguments, **named)
            raise
        if after:
            after(result, *arguments, **named)
        return result

    setattr(owner, method, hooked)


def log_scheduler(log, scheduler, connector):
    steps, outputs = itertools.count(), itertools.count()
    known, held = set(), {}  # blocks that the log has given; of each request that has some, which

    def give(request, blocks, **fields):
        log.write("allocate", request=request.request_id, blocks=blocks, **fields)
        known.update(blocks)

    # Called at admission, and again, without external tokens, when what was read is put to run.
    def allocated(_, request, blocks, external_tokens, *__, **___):
        unhashed = set(blocks.get_unhashed_block_ids())
        mine = held.setdefault(request.request_id, set())
        new = [block for block in blocks.get_block_ids()[0] if block not in mine]
        prefix = [block for block in new if block not in unhashed]
        if new:
            give(request, [block for block in new if block in unhashed], read=external_tokens > 0,
                 shared=[b for b in prefix if b in known], local=[b for b in prefix if b not in known])
        known.update(prefix)
        mine.update(new)

    def grown(blocks, request, *_, **__):  # of a request that has some: tokens of its steps go there
        more = blocks.get_block_ids()[0] if blocks and request.request_id in held else []
        if more:
            give(request, more, read=False)
            held[request.request_id].update(more)

    def freed(request, *_, **__):  # finished, aborted or preempted
        if held.pop(request.request_id, None):
            log.write("free", request=request.request_id)

    def step_ended(step, *_, **__):
        log.write("receive", name=f"output {next(outputs)}")
        for request in step.num_scheduled_tokens:
            log.write("step_done", request=request)

    hook(connector, "update_state_after_alloc", after=allocated)
    hook(scheduler.kv_cache_manager, "allocate_slots", after=grown)
    hook(scheduler.kv_cache_manager, "free", before=freed)
    hook(scheduler, "schedule", after=lambda *_, **__: log.write("send", name=f"step {next(steps)}"))
    hook(scheduler, "update_from_output", before=step_ended)


def log_worker(log, runner, worker, agent, stream, convert):
    steps, outputs, numbers = itertools.count(), itertools.count(), itertools.count()
    reading, flying = [None], {}  # the request and blocks of _read_blocks; handles on their way
    bad, failed = set(), set()  # of requests: a read went wrong; that was reported, and nothing has answered it yet
    read_blocks = inspect.signature(worker._read_blocks)

    def step_begins(step, *_, **__):
        log.write("receive", name=f"step {next(steps)}")
        for request in step.num_scheduled_tokens:
            log.write("recompute" if request in failed else "schedule", request=request, stream=stream)
            failed.discard(request)

    def read_begins(*arguments, **named):
        call = read_blocks.bind(*arguments, **named).arguments
        reading[0] = call["request_id"], list(call["local_block_ids"])

    def posted(handle, *_, **__):
        request, blocks = reading[0]
        flying[handle] = {"request": request, "handle": next(numbers)}
        log.write("post", **flying[handle], blocks=blocks)

    def ended(event, handle):
        if handle not in flying:
            return
        read = flying.pop(handle)
        request = read["request"]
        log.write(event, **read)
        if event == "read_failed":
            bad.add(request)
        if request not in bad and all(other["request"] != request for other in flying.values()):
            log.write("notify", request=request)  # it came with the reads

    def state_seen(state, handle, *_, **__):
        if state != "PROC":
            ended("read_done" if state == "DONE" else "read_failed", handle)

    def broke(_, handle, *__, **___):
        ended("read_failed", handle)

    def converted(request_id, blocks, layer, *_, **__):
        log.write("convert", request=request_id, blocks=blocks, layer=layer, stream=stream)

    def reported(results, *_, **__):
        lost = set(results.failed_recving or ())
        failed.update(lost)
        bad.difference_update(lost)
        for request in set(results.finished_recving or ()) | lost:
            log.write("report", request=request, ok=request not in lost)

    hook(runner, "execute_model", before=step_begins,
         after=lambda *_, **__: log.write("send", name=f"output {next(outputs)}"))
    hook(worker, "_read_blocks", before=read_begins)
    hook(agent, "transfer", before=posted, failed=broke)
    hook(agent, "check_xfer_state", after=state_seen, failed=broke)
    hook(worker, convert, before=converted)
    hook(worker, "get_transfer_results", after=reported)


def merge(paths, out):
    """Files of one host's processes as one log, by time."""
    with open(out, "w") as log:
        log.writelines(heapq.merge(*map(open, paths), key=lambda line: json.loads(line)["time"]))
