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


class Blocks(list):
    def __init__(self, every, fill):
        super().__init__(every)
        self.fill = fill

    def get_block_ids(self):
        return (list(self),)

    def get_unhashed_block_ids(self):
        return self.fill


class Request(types.SimpleNamespace):
    pass


class Engine:
    """Scheduler, connector, runner and NIXL agent in one: what of vLLM the example hooks, and nothing else."""

    def __init__(self, wrong=None):
        self.wrong = wrong
        self.kv_cache_manager = types.SimpleNamespace(allocate_slots=lambda request, blocks: blocks)
        self.states = {}

    # scheduler
    def schedule(self):
        return types.SimpleNamespace(num_scheduled_tokens={r: 1 for r in self.decoding})

    def update_from_output(self, step, output):
        pass

    def _free_blocks(self, request):
        pass

    def update_state_after_alloc(self, request, blocks, external_tokens):
        pass

    # worker
    def execute_model(self, step):
        pass

    def _read_blocks(self, *, request_id, local_block_ids):
        for handle in (f"{request_id} rank 0", f"{request_id} rank 1"):
            try:
                self.transfer(handle)
            except RuntimeError:
                self.states[handle] = "ERR"

    def transfer(self, handle):
        if self.wrong == "transfer raises" and handle.endswith("rank 1"):
            raise RuntimeError(handle)
        self.states[handle] = "PROC"

    def check_xfer_state(self, handle):
        return self.states[handle]

    def convert_layer(self, request_id, blocks, layer):
        pass

    def get_transfer_results(self, finished, failed):
        return types.SimpleNamespace(finished_recving=finished, failed_recving=failed)

    # a request from admission to its end, two decode steps
    def serve(self, name, every, fill, more):
        request, wrong = Request(request_id=name), self.wrong
        self.kv_cache_manager.allocate_slots(request, Blocks(every, fill))
        self.update_state_after_alloc(request, Blocks(every, fill), 16 * len(fill))
        self.decoding = []
        step = self.schedule()
        self.execute_model(step)
        self.update_from_output(step, None)
        self._read_blocks(request_id=name, local_block_ids=fill)
        handles = [handle for handle in self.states if handle.startswith(name)]
        for handle in handles:
            self.check_xfer_state(handle)  # not yet
        if wrong != "converts early":
            self.end(handles)
        failed = any(self.states[handle] == "ERR" for handle in handles)
        for layer in range(0 if failed else LAYERS - (wrong == "forgets a layer")):
            self.convert_layer(name, fill, layer)
        self.get_transfer_results([name], [name] if failed else [])
        self.decoding = [name]
        for turn in range(0 if failed and wrong != "decodes failed" else 2):
            if turn == 1:
                self.kv_cache_manager.allocate_slots(request, Blocks(more, more))
            step = self.schedule()
            if wrong == "frees early" and turn == 1:
                self.execute_model(step)
                self._free_blocks(request)
                return
            self.execute_model(step)
            self.update_from_output(step, None)
        # What the worker did last comes back with an output of its own, as in the engine.
        self.decoding = []
        step = self.schedule()
        self.execute_model(step)
        self.update_from_output(step, None)
        self._free_blocks(request)

    def end(self, handles):
        for handle in handles:
            if self.states[handle] == "PROC":
                self.states[handle] = "ERR" if self.wrong in ("a read fails", "decodes failed") else "DONE"
            self.check_xfer_state(handle)


def verdict(folder, wrong=None):
    engine = Engine(wrong)
    scheduler = receive_log.ReceiveLog(folder / "scheduler", "scheduler", layers=LAYERS, blocks=16)
    worker = receive_log.ReceiveLog(folder / "worker", "worker")
    receive_log.log_scheduler(scheduler, engine, engine)
    receive_log.log_worker(worker, engine, engine, engine, stream="main", convert="convert_layer")
    engine.serve("first", [0, 3, 4], [3, 4], [5])  # block 0: a prefix from before the log
    engine.serve("second", [3, 6], [6], [7])
    receive_log.merge([folder / "scheduler", folder / "worker"], folder / "trace")
    done = subprocess.run([sys.argv[2], "receive", "check", folder / "trace"], capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for wrong, said in ((None, "HOLDS"), ("a read fails", "HOLDS"), ("transfer raises", "HOLDS"),
                        ("converts early", "REFUTED   receive.converted_while_read"),
                        ("forgets a layer", "REFUTED   receive.unconverted_scheduled"),
                        ("frees early", "REFUTED   receive.freed_while_touched"),
                        ("decodes failed", "REFUTED   receive.failed_scheduled")):
        code, text = verdict(folder, wrong)
        assert text.startswith(said) and code == (0 if said == "HOLDS" else 1), f"{wrong}: {text}"
        print(f"{wrong or 'right'}: {text.splitlines()[0]}")

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
