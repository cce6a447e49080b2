"""The programs of `bench/` that take part: each a package with a folder of its own."""

import subprocess

from .paths import BENCH, TARGET


def build(*packages):
    for package in packages:
        command = ["cargo", "build", "--release", "--quiet", "--locked",
                   "--manifest-path", str(BENCH / package / "Cargo.toml"), "--target-dir", str(TARGET)]
        subprocess.run(command, check=True)
