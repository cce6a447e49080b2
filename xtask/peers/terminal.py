"""A terminal with a user in front of it.

    python terminal.py QUESTION ANSWER COMMAND…

Runs the command with a terminal as stdin and stderr; its stdout is ours. Whenever QUESTION is shown, ANSWER is typed.
"""

import os
import pty
import signal
import subprocess
import sys


def main(question: str, answer: str, *command: str) -> int:
    user, terminal = pty.openpty()
    child = subprocess.Popen(command, stdin=terminal, stderr=terminal)
    os.close(terminal)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    shown = ""
    while True:
        try:
            text = os.read(user, 4096).decode(errors="replace")
        except OSError:  # The command has ended.
            return child.wait()
        print(text, end="", file=sys.stderr, flush=True)
        shown += text
        if question in shown:
            shown = ""
            os.write(user, f"{answer}\n".encode())


sys.exit(main(*sys.argv[1:]))
