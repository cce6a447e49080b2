"""Direction `acp`: an editor, a conductor, pass-through proxies and an agent, the official conductor beside ours."""

import json
import subprocess
import sys
from pathlib import Path

from . import acp_table, peers, rounds
from .paths import REPO, TARGET, WORK

NAME = "acp"
TITLE = "# Results: `conduct`, an ACP chain beside the official conductor"
OFFICIAL = "agent-client-protocol-conductor"
ROUNDS, QUICK_ROUNDS = 5, 2
CHAINS = range(6)
PROGRAM = TARGET / "release" / "bench-acp"
# It bounds itself; this is for the case that it does not.
LIMIT = 120
QUICK = ["--calls", "300", "--warm", "100", "--settle", "200"]

document = acp_table.document


def official():
    """The program, from where `cargo xtask acp` has put it or else from a place of our own."""
    there = REPO / ".peers" / "acp" / "bin" / OFFICIAL
    if there.is_file():
        return there
    peers.ensure(peers.peer(OFFICIAL, None))
    return Path(peers.inside(OFFICIAL, "bin", OFFICIAL))


def conductors(linkspan, theirs):
    """Each with the words before the components; the agent alone has none of either."""
    return {
        "direct": None,
        "official": [str(theirs), "agent"],
        "linkspan": [str(linkspan), "conduct"],
    }


def command(words, proxies):
    if words is None:
        return [str(PROGRAM), "agent"]
    # One word each: a component is a command line of its own.
    return [*words, *[f"'{PROGRAM}' proxy"] * proxies, f"'{PROGRAM}' agent"]


def drive(words, log, quick):
    """The figures of one chain, or {"error": why}."""
    drive_words = [str(PROGRAM), "drive", *(QUICK if quick else []), *words]
    with open(log, "wb") as stderr:
        process = subprocess.Popen(drive_words, start_new_session=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=stderr, text=True)
        try:
            out, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return {"error": f"not done after {LIMIT} s"}
        finally:
            # Proxies may have groups of their own, but a session holds them all.
            rounds.end_session(process.pid)
    if process.returncode != 0:
        lines = log.read_text("utf-8", "replace").strip().splitlines() or ["no message"]
        return {"error": lines[-1].removeprefix("bench-acp: ")[:200]}
    return json.loads(out)


def measure(args):
    """All three take turns at every length, so that a bad minute hits all."""
    logs = WORK / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    targets = conductors(args.linkspan.resolve(), official())
    count = args.rounds or (QUICK_ROUNDS if args.quick else ROUNDS)
    raw = {"rounds": count, "chains": {n: {target: [] for target in targets} for n in CHAINS}}
    for at in range(count):
        print(f"round {at + 1}/{count} …", file=sys.stderr, flush=True)
        for proxies, figures in raw["chains"].items():
            for target in sorted(targets, reverse=at % 2 == 0):
                words = command(targets[target], proxies)
                figures[target].append(drive(words, logs / f"acp-{target}", args.quick))
        (WORK / f"raw-{NAME}.json").write_text(json.dumps(raw, indent=1))
    return raw
