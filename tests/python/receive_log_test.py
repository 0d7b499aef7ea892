"""receive_log_test.py EXAMPLES PROGRAM: examples/receive_log.py around a scheduler and a worker that only have the
methods which it hooks. The log of a right engine holds; that of a wrong one is refuted by the rule named here."""

import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import types

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import receive_log  # noqa: E402

LAYERS = 2


class Blocks:
    def __init__(self, ids, hashed):
        self.ids, self.hashed = list(ids), hashed

    def __bool__(self):
        return bool(self.ids)

    def get_block_ids(self):
        return (list(self.ids),)

    def get_unhashed_block_ids(self):
        return [block for block in self.ids if block not in self.hashed]


class Manager:
    """The blocks of a pool, as the scheduler asks for them. Block 0 holds a prefix from before the log."""

    def __init__(self):
        self.held, self.hashed, self.free_ids = {}, {0}, list(range(1, 16))

    def allocate_slots(self, request, count, *, prefix=()):
        new = [self.free_ids.pop(0) for _ in range(count)]
        self.held.setdefault(request.request_id, []).extend([*prefix, *new])
        return Blocks(new, self.hashed)

    def get_blocks(self, request_id):
        return Blocks(self.held[request_id], self.hashed)

    def free(self, request):
        self.free_ids += [block for block in self.held.pop(request.request_id) if block not in self.hashed]


class Request(types.SimpleNamespace):
    def __init__(self, name):
        super().__init__(request_id=name, state="new")


class Engine:
    """Scheduler, connector, runner and NIXL agent in one: what of vLLM the example hooks, called in its order."""

    def __init__(self, wrong=None):
        self.wrong = wrong
        self.kv_cache_manager = Manager()
        self.waiting, self.running, self.states = [], [], {}

    # --- scheduler
    def schedule(self):
        step = types.SimpleNamespace(num_scheduled_tokens={}, to_read=[])
        for request in self.running:  # a block for the tokens to come
            self.kv_cache_manager.allocate_slots(request, 1)
            step.num_scheduled_tokens[request.request_id] = 1
        for request in [waits for waits in self.waiting if waits.state != "reading"]:
            fresh = request.state in ("new", "preempted")
            remote = request.state == "new"
            self.kv_cache_manager.allocate_slots(request, 2 if fresh else 0, prefix=[0] if fresh else [])
            # Also for what was received: then without external tokens.
            self.update_state_after_alloc(request, self.kv_cache_manager.get_blocks(request.request_id),
                                          32 if remote else 0)
            if remote:
                request.state = "reading"
                step.to_read.append(request)
                continue
            self.waiting.remove(request)
            self.running.append(request)
            step.num_scheduled_tokens[request.request_id] = 1
        return step

    def update_state_after_alloc(self, request, blocks, external_tokens):
        pass

    def update_from_output(self, step, output):
        for request in self.waiting:
            if request.request_id in output.finished_recving | output.failed_recving:
                request.state = "received"  # computed here, where it failed
                if not output.failed_recving:  # full blocks are cached, the last one is not
                    self.kv_cache_manager.hashed.add(self.kv_cache_manager.held[request.request_id][1])

    def preempt(self, request):
        self.kv_cache_manager.free(request)
        self.running.remove(request)
        request.state = "preempted"
        self.waiting.insert(0, request)

    def _free_blocks(self, request):
        self.kv_cache_manager.free(request)
        self.running.remove(request)

    # --- worker
    def execute_model(self, step, intermediate_tensors=None):
        for request in step.to_read:
            blocks = self.kv_cache_manager.held[request.request_id][1:]
            for rank in range(2):
                self._read_blocks(blocks, [7, 8], request_id=request.request_id, remote_rank=rank)
        done, failed = set(), set()
        for name in {handle[0] for handle in self.states}:
            self.receive(name, done, failed)
        return self.get_transfer_results(done, failed)

    def _read_blocks(self, local_block_ids, remote_block_ids, *, request_id, remote_rank):
        try:
            self.transfer((request_id, remote_rank), notif_msg=b"")
        except RuntimeError:
            self.states[request_id, remote_rank] = "ERR"

    def transfer(self, handle, notif_msg=b""):
        if self.wrong == "transfer raises" and handle[1] == 0:
            raise RuntimeError(handle)
        self.states[handle] = "PROC"

    def check_xfer_state(self, handle):
        return self.states[handle]

    # Looked at twice: the first time the wire is still busy.
    def receive(self, name, done, failed):
        handles = [handle for handle in self.states if handle[0] == name]
        seen = {self.check_xfer_state(handle) for handle in handles}
        for handle in handles:
            if self.states[handle] == "PROC":
                self.states[handle] = "ERR" if self.wrong in ("a read fails", "decodes failed") else "DONE"
        if "PROC" in seen and self.wrong != "converts early":
            return
        for handle in handles:
            del self.states[handle]
        if "ERR" not in seen:
            for layer in range(LAYERS - (self.wrong == "forgets a layer")):
                self.convert_layer(name, self.kv_cache_manager.held[name][1:], layer)
        (failed if "ERR" in seen and self.wrong != "decodes failed" else done).add(name)

    def convert_layer(self, request_id, blocks, layer):
        pass

    def get_transfer_results(self, finished, failed):
        return types.SimpleNamespace(finished_recving=finished, failed_recving=failed)

    # --- a turn of the engine, and requests from admission to their end
    def turn(self, between=lambda: None):
        step = self.schedule()
        output = self.execute_model(step, None)
        between()
        self.update_from_output(step, output)

    def serve(self, name):
        request = Request(name)
        self.waiting.append(request)
        while request not in self.running:
            self.turn()
        self.turn(lambda: self._free_blocks(request) if self.wrong == "frees early" else None)
        if self.wrong == "frees early":
            return
        if name == "preempted":
            self.preempt(request)
            self.turn()
        self.turn()
        self._free_blocks(request)


def verdict(folder, wrong=None):
    engine = Engine(wrong)
    scheduler = receive_log.ReceiveLog(folder / "scheduler", "scheduler", layers=LAYERS, blocks=16)
    worker = receive_log.ReceiveLog(folder / "worker", "worker")
    receive_log.log_scheduler(scheduler, engine, engine)
    receive_log.log_worker(worker, engine, engine, engine, stream="main", convert="convert_layer")
    engine.serve("first")
    engine.serve("preempted")
    receive_log.merge([folder / "scheduler", folder / "worker"], folder / "trace")
    done = subprocess.run([sys.argv[2], "receive", "check", folder / "trace"], capture_output=True, text=True)
    assert not done.stderr, done.stderr
    lines = [json.loads(line) for line in open(folder / "trace")]
    return done.returncode, done.stdout, [line["event"] for line in lines if line.get("request") == "preempted"]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for wrong, said in ((None, "HOLDS"), ("a read fails", "HOLDS"), ("transfer raises", "HOLDS"),
                        ("converts early", "REFUTED   receive.converted_while_read"),
                        ("forgets a layer", "REFUTED   receive.unconverted_scheduled"),
                        ("frees early", "REFUTED   receive.freed_while_touched"),
                        ("decodes failed", "REFUTED   receive.failed_scheduled")):
        code, text, events = verdict(folder, wrong)
        assert text.startswith(said) and code == (0 if said == "HOLDS" else 1), f"{wrong}: {text}"
        print(f"{wrong or 'right'}: {text.splitlines()[0]}")
        if said == "HOLDS":
            assert events.count("allocate") == events.count("free") + 2, events  # a line a growth, none twice
            assert events.count("recompute") == (wrong is not None), events
            assert events.count("notify") == (wrong is None), events
            assert "Open      requests" not in text, text

    # Threads of one process write whole lines, in the order of their times.
    log = receive_log.ReceiveLog(folder / "threads", "worker")
    threads = [threading.Thread(target=lambda: [log.write("fence", filler="x" * 999) for _ in range(200)])
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = [json.loads(line) for line in open(folder / "threads")]
    assert len(lines) == 1600 and len({line["thread"] for line in lines}) == 8
    assert [line["time"] for line in lines] == sorted(line["time"] for line in lines)
