"""What the figures were measured on, and with."""

import os
import platform
import subprocess
from pathlib import Path


def size():
    """Cores and memory."""
    cores = len(os.sched_getaffinity(0))
    memory = ""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemTotal:"):
            memory = f", {int(line.split()[1]) / 1024 / 1024:.0f} GB memory"
    return f"{cores} cores{memory}, {platform.system()} {platform.machine()}"


def versions(linkspan):
    """Of the runtimes the bridges need."""
    out = []
    for name, command in [
        ("linkspan", [str(linkspan), "--version"]),
        ("Node", ["node", "--version"]),
        ("Python", ["python3", "--version"]),
        ("Rust", ["rustc", "--version"]),
    ]:
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True, timeout=30,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        words = done.stdout.split()
        number = next((w for w in words if w.lstrip("v")[:1].isdigit()), None)
        if number:
            out.append(f"{name} {number.lstrip('v')}")
    return ", ".join(out)
