"""Direction `bcp`: encoding and rendering a large payload, beside the reference."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from . import bcp_table, peers
from .paths import BENCH, WORK

NAME = "bcp"
TITLE = "# Results: `bcp`, a 50 MB payload beside the reference"
REFERENCE = "bcp-cli"
SIZE, QUICK_SIZE = 50_000_000, 5_000_000
ROUNDS, QUICK_ROUNDS = 7, 3
# One step; the slowest of the reference takes seconds.
LIMIT = 300

document = bcp_table.document

VARIANTS = {"plain": [], "blocks": ["--compress-blocks"], "payload": ["--compress-payload"]}
MODES = ["xml", "markdown", "minimal"]


def steps():
    """What is measured, in order: name, the words after the program's own, where stdout goes."""
    folder = WORK / "bcp"
    manifest = str(folder / "manifest.json")
    for variant, flags in VARIANTS.items():
        yield f"encode {variant}", ["encode", manifest, "-o", "{out}", *flags], None
    for variant in VARIANTS:
        # Both read the same file, the reference's: its bytes and ours are compared elsewhere.
        file = str(folder / f"{variant}.bcp")
        for mode in MODES:
            words = ["decode", file, "--mode", mode]
            yield f"decode {variant} {mode} to a file", [*words, "-o", "{out}"], None
            yield f"decode {variant} {mode} to /dev/null", words, "/dev/null"


def programs(linkspan):
    """Each with the words that come before and after those of a step."""
    return {
        "reference": ([peers.inside(REFERENCE, "bin", "bcp")], []),
        "linkspan": ([str(linkspan), "bcp"], ["--compat"]),
        # What people run. It does more than the reference, so it is no part of a ratio.
        "default": ([str(linkspan), "bcp"], []),
    }


def prepare(reference, size):
    """The manifest, and the files that are decoded; says what is in it."""
    folder = WORK / "bcp"
    folder.mkdir(parents=True, exist_ok=True)
    manifest = folder / "manifest.json"
    made = subprocess.run(
        [sys.executable, str(BENCH / "harness" / "bcp_payload.py"), str(manifest), str(size)],
        check=True, stdout=subprocess.PIPE, text=True,
    )
    for variant, flags in VARIANTS.items():
        command = [reference, "encode", manifest, "-o", folder / f"{variant}.bcp", *flags]
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    return json.loads(made.stdout)


def launch(words, stdout):
    """One run: {"wall", "cpu", "peak_kb"} or {"error"}."""
    said = WORK / "bcp" / "stderr"
    launcher = [sys.executable, "-S", "-E", str(BENCH / "harness" / "launch.py")]
    try:
        done = subprocess.run(
            [*launcher, stdout or "/dev/null", str(said), *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=LIMIT, check=True,
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as why:
        return {"error": str(why)[:200]}
    code, wall, cpu, peak = done.stdout.split()
    if code != "0":
        lines = said.read_text("utf-8", "replace").strip().splitlines() or ["no message"]
        return {"error": f"exit {code}: {lines[0][:200]}"}
    return {"wall": float(wall), "cpu": float(cpu), "peak_kb": int(peak)}


def digest(path):
    """Of a file, in pieces: this process has to stay small."""
    out = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            out.update(piece)
    return out.hexdigest()


def measure(args):
    """In memory where there is a place for it: a disk that writes back disturbs the next program."""
    memory = Path("/dev/shm")
    place = memory if os.access(memory, os.W_OK) else WORK
    with tempfile.TemporaryDirectory(dir=place) as folder:
        return rounds_of(args, Path(folder))


def rounds_of(args, folder):
    """Every step of both programs, one after the other, round by round."""
    targets = programs(args.linkspan.resolve())
    size = QUICK_SIZE if args.quick else SIZE
    about = prepare(targets["reference"][0][0], size)
    about["files"] = {v: (WORK / "bcp" / f"{v}.bcp").stat().st_size for v in VARIANTS}
    figures = {name: {target: [] for target in targets} for name, _, _ in steps()}
    differs = set()
    rounds = args.rounds or (QUICK_ROUNDS if args.quick else ROUNDS)
    for at in range(rounds):
        print(f"round {at + 1}/{rounds} …", file=sys.stderr, flush=True)
        for name, words, stdout in steps():
            digests = {}
            # Who goes first has colder caches; so they take turns.
            for target in sorted(targets, reverse=at % 2 == 0):
                before, after = targets[target]
                out = folder / f"out-{target}"
                out.unlink(missing_ok=True)
                command = [*before, *(w.replace("{out}", str(out)) for w in words), *after]
                figures[name][target].append(launch(command, stdout))
                if at == 0 and out.exists() and target != "default":
                    digests[target] = digest(out)
            if len(set(digests.values())) > 1:
                differs.add(name)
        raw = {"about": about, "figures": figures, "differs": sorted(differs)}
        (WORK / f"raw-{NAME}.json").write_text(json.dumps(raw, indent=1))
    return raw | {"rounds": rounds}
