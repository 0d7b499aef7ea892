"""Which header did each object file really read, and may its room read it?

Reads `ninja -t deps` (what the compiler recorded), maps every object file and every header to its room, and fails on
a header outside the room's list in rooms.json: a header of a room that is not listed, or one of the libraries that
belong to one room alone. Source: the rule "who may include whom" of the project's rooms.

    check_rooms.py SOURCE_DIR BUILD_DIR [--ninja PATH] [--deps FILE]
"""

import argparse
import json
import os
import re
import subprocess
import sys

SYSTEM_INCLUDE = re.compile(r"/include/(.*)$")


def room_of(path, rooms):
    """The longest room that holds a path relative to the source tree; None for a path outside all rooms."""
    parts = path.split("/")
    for length in range(len(parts), 0, -1):
        candidate = "/".join(parts[:length])
        if candidate in rooms:
            return candidate
    return None


def may_include(listed, owner):
    """A room's list may be "*": what it needs, but never the command line."""
    return owner in listed or ("*" in listed and owner != "cli")


def object_sources(line, source_dir, build_dir):
    """'cli/CMakeFiles/pageproof.dir/main.cpp.o: #deps ...' -> ['cli/main.cpp']; of a file that CMake made to compile
    several sources at a time, those sources."""
    match = re.match(r"(?P<folder>.*?)/?CMakeFiles/[^/]+\.dir/(?P<file>.*)\.o:", line)
    if not match:
        return []
    if match["file"].startswith("Unity/"):
        made = os.path.join(build_dir, line[:match.end("file")])
        with open(made, encoding="utf-8") as file:
            paths = re.findall(r'^#include "(.*)"$', file.read(), re.M)
        roots = (os.path.abspath(build_dir), os.path.abspath(source_dir))  # what the build made stands as in the tree
        return [next(os.path.relpath(path, root) for root in roots if path.startswith(root + "/")) for path in paths]
    return [os.path.normpath(os.path.join(match["folder"], match["file"].replace("__/", "../")))]


def headers_read(deps_text, source_dir, build_dir):
    """Yields (object's source, header path) for every recorded dependency."""
    sources = []
    for line in deps_text.splitlines():
        if line and not line.startswith(" "):
            sources = object_sources(line, source_dir, build_dir)
        elif line.strip():
            for source in sources:
                yield source, line.strip()


def violations(deps_text, source_dir, build_dir, rules):
    rooms = rules["rooms"]
    for source, header in headers_read(deps_text, source_dir, build_dir):
        room = room_of(source, rooms)
        if room is None:
            yield f"{source}: lies in no room"
            continue
        real = os.path.realpath(os.path.join(build_dir, header))
        inside = os.path.relpath(real, os.path.realpath(source_dir))
        if not inside.startswith(".."):
            owner = room_of(inside, rooms)
            if owner and owner != room and not may_include(rooms[room], owner):
                yield f"{source}: room {room} may not include {inside} of room {owner}"
            continue
        system = SYSTEM_INCLUDE.search(real)
        first = system[1].split("/")[0] if system else os.path.basename(real)
        for library, owners in rules["libraries"].items():
            if (first == library or first.startswith(library + "+") or first == library + ".h") and room not in owners:
                yield f"{source}: room {room} may not include {first} (only {', '.join(owners)})"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source_dir")
    parser.add_argument("build_dir")
    parser.add_argument("--ninja", default="ninja")
    parser.add_argument("--deps", help="read this text instead of asking ninja")
    arguments = parser.parse_args()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "rooms.json"), encoding="utf-8") as file:
        rules = json.load(file)
    if arguments.deps:
        with open(arguments.deps, encoding="utf-8") as file:
            deps = file.read()
    else:
        deps = subprocess.run([arguments.ninja, "-C", arguments.build_dir, "-t", "deps"], check=True,
                              capture_output=True, text=True).stdout
    pairs = sum(1 for _ in headers_read(deps, arguments.source_dir, arguments.build_dir))
    found = sorted(set(violations(deps, arguments.source_dir, arguments.build_dir, rules)))
    print("\n".join(found))
    print(f"{pairs} recorded includes, {len(found)} outside their room's list")
    return 1 if found or pairs == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
