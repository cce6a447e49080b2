"""Runs one program and prints what it took: `python3 -S -E launch.py STDOUT STDERR WORDS…`.

A process of its own and with few modules, because Linux counts the memory of the process that starts a
program into that program's peak."""

import os
import sys
import time

out, err, *words = sys.argv[1:]
FLAGS = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
actions = [
    (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
    (os.POSIX_SPAWN_OPEN, 1, out, FLAGS, 0o644),
    (os.POSIX_SPAWN_OPEN, 2, err, FLAGS, 0o644),
]
start = time.monotonic()
pid = os.posix_spawn(words[0], words, os.environ, file_actions=actions)
_, status, used = os.wait4(pid, 0)
wall = time.monotonic() - start
print(os.waitstatus_to_exitcode(status), wall, used.ru_utime + used.ru_stime, used.ru_maxrss)
