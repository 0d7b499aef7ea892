#!/usr/bin/env python3
"""Does clang 22 read every source without a warning? Exit 77 where it is absent, 1 with what it says.

Configures build/second_compiler with the clang preset and has each of its compile commands read, two at a time,
without making code: only what the compiler says is asked for here.
"""
import concurrent.futures
import json
import pathlib
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build/second_compiler"
CONFIGURE = ["cmake", "--fresh", "--preset", "clang", "-B", str(FOLDER), "-DPAGEPROOF_AMD_TARGETS=gfx942",
             "-DCMAKE_CXX_FLAGS_RELEASE=-DNDEBUG -Werror"]


def arguments(entry):
    words = shlex.split(entry["command"])
    output = words.index("-o")
    return [word for word in words[:output] + words[output + 2:] if word != "-c"] + ["-fsyntax-only"]


def read(entry):
    ran = subprocess.run(arguments(entry), cwd=entry["directory"], capture_output=True, text=True)
    return ran.returncode, entry["file"], ran.stderr


def main():
    if shutil.which("clang++-22") is None:
        print("skipped: no clang++-22")
        return 77
    subprocess.run(CONFIGURE, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    entries = json.loads((FOLDER / "compile_commands.json").read_text())
    made = [str(pathlib.Path(e["file"]).relative_to(FOLDER)) for e in entries
            if FOLDER in pathlib.Path(e["file"]).parents and not pathlib.Path(e["file"]).exists()]
    if made:
        subprocess.run(["ninja", "-C", str(FOLDER), *made], check=True, stdout=subprocess.DEVNULL)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failed = [(file, said) for status, file, said in pool.map(read, entries) if status != 0]
    for file, said in failed:
        print(f"{file}:\n{said}")
    print(f"{len(entries)} compile commands, {len(failed)} with a warning or an error")
    return 1 if failed or not entries else 0


sys.exit(main())
