"""What comes from this repository: its files and history as of one commit."""

import subprocess
from pathlib import Path

COMMIT = "151ea8c"
ROOT = Path(__file__).parents[2]


def git(*args):
    ran = subprocess.run(["git", *args], cwd=ROOT, capture_output=True, check=True)
    return ran.stdout.decode()


def file(path):
    return git("show", f"{COMMIT}:{path}")


def files(*under):
    return git("ls-tree", "-r", "--name-only", COMMIT, "--", *under).splitlines()


def sizes(*under):
    """(path, bytes) of each file."""
    lines = git("ls-tree", "-r", "-l", COMMIT, "--", *under).splitlines()
    return [(line.split("\t")[1], int(line.split()[3])) for line in lines]
