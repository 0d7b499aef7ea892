"""Reads what the compiler made of the kernels and refuses what would be slow or wrong on the device.

    code_object_check.py --readelf llvm-readelf --objdump llvm-objdump --kernels 36 convert.gfx942.co

Rules, for every kernel of the code object:
  spills   no register is spilled, no scratch memory is used
  widths   every vector access to global memory or LDS moves 16 bytes. Block ids, layer bases and arguments are
           narrower, but they are the same for a whole workgroup and come in by scalar loads (s_load_*), which cannot
           store and whose data no other rule concerns: so the rule needs no exception
  drained  no vector load is in flight when the first barrier is reached: an s_waitcnt vmcnt(0) stands before it
           with no load, branch or label between the two. Kernels that hold heads in registers may have two barriers
           more, around the stage; all others have this one

Prints one line a kernel, with its registers, the LDS of its largest workgroup and the waves that a compute unit then
holds (of 32), then the violations. Exit 1 where there is one.
"""

import argparse
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def metadata(readelf, path):
    """Kernel name -> its numbers, from the note that clang writes for the loader."""
    kernels = {}
    numbers = {}
    for line in run(readelf, "--notes", path).splitlines():
        if re.match(r"\s*- \.(agpr_count|args):", line):  # the first key of a kernel
            numbers = {}
        if match := re.match(r"\s*(?:- )?\.(\w+):\s+(\d+)\s*$", line):
            numbers[match[1]] = int(match[2])
        if match := re.match(r"    \.name:\s+(\w+)\s*$", line):  # four spaces: a kernel's, not an argument's
            kernels[match[1]] = numbers
    return kernels


def instructions(objdump, path):
    """Kernel name -> its instructions as (operation, operands); a label is (None, name)."""
    kernels = {}
    current = []
    for line in run(objdump, "-d", "--no-show-raw-insn", "--symbolize-operands", path).splitlines():
        if match := re.match(r"[0-9a-f]+ <(L\d+)>:$", line):
            current.append((None, match[1]))
        elif match := re.match(r"[0-9a-f]+ <(\w+)>:$", line):
            current = kernels.setdefault(match[1], [])
        elif match := re.match(r"\s+([a-z]\w+)\s*(.*)$", line):
            current.append((match[1], match[2].split("//")[0].strip()))
    return kernels


def spill_violations(numbers):
    for key in ("vgpr_spill_count", "sgpr_spill_count"):
        if numbers[key]:
            yield f"{key} {numbers[key]}"
    if numbers["private_segment_fixed_size"]:
        yield f"{numbers['private_segment_fixed_size']} bytes of scratch"


def width_violations(code):
    loads = stores = 0
    for operation, operands in code:
        if operation is None:
            continue
        if re.match(r"(scratch|flat|buffer_(load|store|atomic))_?", operation):
            yield f"{operation} {operands}: not an access to global memory or LDS"
        elif operation.startswith("global_"):
            loads += operation == "global_load_dwordx4"
            stores += operation == "global_store_dwordx4"
            if operation not in ("global_load_dwordx4", "global_store_dwordx4"):
                yield f"{operation} {operands} moves less than 16 bytes"
        elif operation.startswith("ds_") and operation not in ("ds_read_b128", "ds_write_b128"):
            yield f"{operation} {operands} moves less than 16 bytes"
    if not loads or not stores:
        yield f"{loads} loads and {stores} stores of 16 bytes: a converter has both"


LDS_BYTES = 64 * 1024  # of a compute unit; gfx950 has 160 KiB, of which a workgroup is given no more than this
SIMDS, REGISTERS, WAVES = 4, 512, 8  # of a compute unit; vector registers a lane and waves of a SIMD (gfx90a and later)


def largest_workgroup(name):
    """(LDS bytes, waves) of the largest launch of a kernel (kAmdLimits: one work-item a tile, 1024 with held heads)."""
    if "_held_" in name:
        return 64 * 1024, 1024 // 64
    stage_bytes = 64 * 1024 if "_in_place_" in name else 32 * 1024
    tile_bytes = 256 // int(re.search(r"_e(\d)$", name)[1]) if re.search(r"_e\d$", name) else 128
    return stage_bytes, min(512, stage_bytes // tile_bytes) // 64


def waves_in_flight(name, numbers):
    """Waves that a compute unit holds when workgroups of the largest launch fill it."""
    stage_bytes, waves = largest_workgroup(name)
    of_a_simd = min(WAVES, REGISTERS // (-(-numbers["vgpr_count"] // 8) * 8))
    return min(LDS_BYTES // stage_bytes, SIMDS * of_a_simd // waves) * waves


def drain_violations(name, code):
    barriers = [i for i, (operation, _) in enumerate(code) if operation == "s_barrier"]
    if len(barriers) != 1 and not (len(barriers) == 3 and "_held_" in name):
        yield f"{len(barriers)} barriers, not 1"
        return
    for operation, operands in reversed(code[: barriers[0]]):
        if operation == "s_waitcnt" and re.search(r"vmcnt\(0\)", operands):
            return
        if operation is None or re.match(r"(global_load|s_c?branch)", operation):
            break
    yield "loads may be in flight at the barrier"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--readelf", required=True)
    parser.add_argument("--objdump", required=True)
    parser.add_argument("--kernels", type=int, required=True, help="how many kernels the code object must hold")
    parser.add_argument("code_object")
    arguments = parser.parse_args()
    kernels = metadata(arguments.readelf, arguments.code_object)
    code = instructions(arguments.objdump, arguments.code_object)
    violations = []
    if len(kernels) != arguments.kernels:
        violations.append(f"{len(kernels)} kernels, not {arguments.kernels}")
    for name, numbers in sorted(kernels.items()):
        print(f"{name}: {numbers['vgpr_count']} VGPR, {numbers['sgpr_count']} SGPR, "
              f"{numbers['max_flat_workgroup_size']} work-items, {len(code[name])} instructions, "
              f"{largest_workgroup(name)[0] // 1024} KiB LDS, {waves_in_flight(name, numbers)} waves in flight")
        rules = (spill_violations(numbers), width_violations(code[name]), drain_violations(name, code[name]))
        violations += [f"{name}: {violation}" for rule in rules for violation in rule]
    for violation in violations:
        print(f"VIOLATION {violation}")
    return 1 if violations else 0


sys.exit(main())
