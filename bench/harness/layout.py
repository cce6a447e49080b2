"""What a run of the program has used, and a linker script that puts that together.

The kernel maps sixteen pages around the one that is touched. So a program of 20 MB of code that uses
half a megabyte, here and there, has five megabytes of it in memory; side by side it has one.
"""

import re
import subprocess
import sys
from collections import defaultdict

from .paths import REPO, TARGET

HEADER = """\
/*
 * What the usual work of linkspan uses, side by side. Written by `bench/layout`, and passed to the linker
 * by `cargo xtask dist`; what is in no build, or has another name in yours, does no harm.
 *
 * A name ends in a hash that changes with the compiler. It stands here only where the name without it
 * would mean much that is not used, as with generic functions: * stands for it otherwise.
 */
"""
SECTION = """\
SECTIONS {{
  {name}.used : {{
{lines}  }}
}}
INSERT BEFORE {name};
"""
# What starts a program, and what valgrind does not know: a process that is waited for by a descriptor.
UNSEEN = [
    "*crt*.o(.text)",
    "*(.text.startup.*)",
    "*(.text.*pidfd_reaper*)",
    "*(.text.*sourcefd..SourceFd*)",
    "*(.text._ZN5tokio7runtime2io12registration12Registration28new_with_interest_and_handle17h*)",
]
# The section of a function is named after it, and after how likely it is to run.
SECTION_OF = re.compile(r":\((\.text\.(?:unlikely\.|startup\.|hot\.)?([^)]+))\)$")
HASH = re.compile(r"17h[0-9a-f]{16}E(\.llvm\.\d+)?$")
# Stands behind what was shared between two files, and changes with every line of the source.
SHARED = re.compile(r"\.llvm\.\d+$")
# Of a crate, in the newer form of names.
CRATE = re.compile(r"Cs[0-9A-Za-z]+_")
# A name without its hash may bring in as much again that is not used, or a little.
FACTOR, LITTLE = 2, 256
# Names of futures within futures are thousands of letters long; with the hash a beginning is enough.
LONG = 120


def build():
    """As `cargo xtask dist` makes it, but for the layout and the symbols, and with a map: those are no part of what
    hashes are made from."""
    target = TARGET / "layout"
    linkspan = target / "dist" / "linkspan"
    command = ["cargo", "rustc", "--profile", "dist", "--locked", "--features", "keyring", "--package", "linkspan",
               "--bin", "linkspan", "--target-dir", str(target), "--", "-C", "strip=none",
               "-C", f"link-arg=-Wl,-Map={map_of(linkspan)}"]
    # Without the layout: valgrind reads no symbols of a section that is called otherwise than `.text`.
    subprocess.run(command, check=True, cwd=REPO)
    return linkspan


def map_of(linkspan):
    return linkspan.with_name(linkspan.name + ".map")


def recorded(linkspan, trace):
    return ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={trace}", "--demangle=no",
            "--compress-strings=no", "--compress-pos=no", "--trace-children=no", str(linkspan)]


def functions(trace, program):
    """The names of the program's own functions that were run."""
    if not trace.is_file():
        sys.exit(f"{trace} was not written: the program did not end by itself")
    found, ours = set(), False
    for line in trace.read_text("utf-8", "replace").splitlines():
        if line.startswith("ob="):
            ours = line.endswith("/" + program)
        elif line.startswith("fn=") and ours:
            # Behind the quote are numbers of recursions.
            found.add(line[3:].split("'")[0])
    return found


def symbols(linkspan):
    """Of every function that has a section of its own: that, its size and its address."""
    found = {}
    for line in map_of(linkspan).read_text("utf-8", "replace").splitlines():
        # Address, address, size, alignment, and a file with a section.
        words = line.split(None, 4)
        inside = SECTION_OF.search(line) if len(words) == 5 else None
        if inside:
            found[inside[2]] = (inside[1], int(words[2], 16), int(words[0], 16))
    if not found:
        sys.exit(f"{map_of(linkspan)} names no functions: it has to come from the linker of the compiler, lld")
    return found


def without_hash(name):
    return CRATE.sub("Cs*_", SHARED.sub("*", HASH.sub("17h*", name)))


def with_hash(name):
    found = HASH.search(name)
    if not found:
        return SHARED.sub("*", name)
    start = name[:found.start()]
    clipped = start if len(start) <= LONG else start[:LONG] + "*"
    return clipped + name[found.start():][:len("17h") + 16] + "E*"


def crate(name):
    """Whose function that is, as far as its name tells: both forms of names say how long the next part is."""
    found = re.match(r"_ZN(\d+)", name) or re.search(r"Cs[0-9A-Za-z]+_(\d+)", name)
    if not found:
        return None
    part = name[found.end():][:int(found[1])].removeprefix("_$LT$").split("..")[0]
    return part if part.isidentifier() else None


def output(name, lines):
    return SECTION.format(name=name, lines="".join(f"    {line}\n" for line in lines))


def script(used, known):
    """One work after the other, each with what none before it has used; what it shares stands first."""
    users = defaultdict(set)
    for work, names in used.items():
        for name in names & known.keys():
            users[name].add(work)
    meant, wanted = defaultdict(int), defaultdict(int)
    for section, size, _ in known.values():
        meant[without_hash(section)] += size
    for name in users:
        section, size, _ = known[name]
        wanted[without_hash(section)] += size
    turn = {work: at for at, work in enumerate(used)}

    def place(name):
        return min(turn[work] for work in users[name]), -len(users[name]), known[name][2]

    lines = {}
    for name in sorted(users, key=place):
        section = known[name][0]
        short = without_hash(section)
        if meant[short] > FACTOR * wanted[short] + LITTLE or len(short) > LONG:
            short = with_hash(section)
        lines[short] = None
    code = UNSEEN + [f"*({line})" for line in lines]
    # Constants have no names that tell anything, but they come in a file for each crate.
    first = {crate(name) for name in next(iter(used.values()))} - {None, "linkspan"}
    constants = [f"*.{name}-*.rcgu.o(.rodata .rodata.*)" for name in sorted(first)]
    constants.append("*linkspan-*.linkspan.*.rcgu.o(.rodata .rodata.*)")
    text = HEADER + output(".text", code) + output(".rodata", constants)
    size = sum(known[name][1] for name in users)
    return text, f"{len(users)} functions, {size >> 10} KB, of {len(known)}"
