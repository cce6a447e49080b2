"""Running the load generator, and leaving nothing running afterwards."""

import json
import os
import signal
import subprocess
from pathlib import Path

from . import peers
from .paths import ECHO, LOAD, WORK

# The load generator bounds itself; this is for the case that it does not.
LIMIT = 300


def measure(words, name, quick):
    """The figures of one target in one round, or {"error": why}."""
    logs = WORK / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / f"{name}.stderr"
    log.unlink(missing_ok=True)
    command = [str(LOAD), "--echo", str(ECHO), "--stderr", str(log)]
    command += ["--quick"] * quick + words
    process = subprocess.Popen(
        command, env=environment(), start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        end_session(process.pid)
        process.communicate()
        return {"error": f"not done after {LIMIT} s"}
    finally:
        end_session(process.pid)
    if process.returncode != 0:
        why = (err.strip() or "no output").removeprefix("bench-load: ")
        if why.startswith("it ended") and log.exists():
            why += f": {peers.reason(log)}"
        return {"error": why}
    return json.loads(out)


def environment():
    """A home of their own, so that no bridge reads or writes the user's files, and no
    proxy between it and the loopback address."""
    home = WORK / "home"
    home.mkdir(parents=True, exist_ok=True)
    env = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "DEBUG"):
        env.pop(name, None)
    env["HOME"] = str(home)
    env["MCP_REMOTE_CONFIG_DIR"] = str(home / "mcp-auth")
    env["BENCH_SECRET"] = "of-no-value"
    return env


def end_session(session):
    """Kills what is left of the session that the load generator was started in. Bridges
    have their own process groups, but a session holds them all."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # After the name in parentheses: state, parent, group, session.
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                os.kill(int(entry.name), signal.SIGKILL)
        except (OSError, IndexError, ValueError):
            continue  # ended meanwhile
