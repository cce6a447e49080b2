"""Where things are. All that a run leaves behind is in ignored folders of `bench/`."""

from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
REPO = BENCH.parent
PEERS = BENCH / ".peers"
WORK = BENCH / ".work"
TARGET = BENCH / "target"
ECHO = TARGET / "release" / "bench-echo"
LOAD = TARGET / "release" / "bench-load"
