"""Paths and listings: find, ls. No goal is set for these; they must never grow."""

from . import ours
from .dice import Dice


def samples():
    yield "paths/find.txt", "".join(f"./{path}\n" for path in ours.files("crates/scripts", "crates/ports"))
    yield "paths/absolute.txt", "\n".join(f"/srv/build/linkspan/{path}" for path in ours.files("crates/cli/src"))
    yield "paths/ls-la.txt", long_listing()
    yield "paths/ls-r.txt", recursive()


def long_listing():
    dice = Dice("ls -la")
    sized = [(path.split("/")[-1], size) for path, size in ours.sizes("crates/mcp", "crates/ports")]
    lines = [f"total {sum(size for _, size in sized) // 1024}", "drwxr-xr-x 12 dev  staff    384 Jun  3 09:12 .", "drwxr-xr-x  9 dev  staff    288 May 28 17:40 .."]
    for name, size in sized:
        lines.append(f"-rw-r--r--  1 dev  staff {size:6} {dice.pick(['May', 'Jun'])} {dice.between(1, 28):2} {dice.between(8, 19):02}:{dice.between(0, 59):02} {name}")
    return "\n".join(lines) + "\n"


def recursive():
    folders = {}
    for path in ours.files("crates/session", "crates/bcp", "crates/wire", "crates/ports"):
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder, []).append(name)
    return "\n".join(f"./{folder}:\n" + "\n".join(names) + "\n" for folder, names in sorted(folders.items()))
