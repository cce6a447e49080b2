"""Hits as grep and ripgrep print them, in our own sources and in made-up ones."""

import re

from . import ours
from .dice import NOUNS, VERBS, Dice


def samples():
    rust, home = ours.files("crates/session", "crates/ports"), "/home/runner/work/linkspan/linkspan/"
    yield "search-absolute/rust.txt", hits(rust, r"Duration", home, 160)
    harness = [path for path in ours.files("bench/harness") if path.endswith(".py")]
    yield "search-absolute/python.txt", hits(harness, r"def |import ", "/Users/maria/Work in progress/linkspan/", 120)
    yield "search-absolute/vimgrep.txt", hits(ours.files("crates/cli/src"), r"\.await", "/var/lib/ci/workspace/build-4411/linkspan/", 110, column=True)
    yield "search-absolute/context.txt", context(rust, r"fn on_", home, 36)
    yield "search-absolute/java.txt", java()
    store = "/nix/store/7rjqv3k1w0d9zc5m8xhb2ngf4s6lypia-linkspan-0.1.0-source/"
    yield "search-absolute/store.txt", hits(ours.files("crates/mcp", "crates/wire"), r"Option<", store, 140)
    deep = "/Users/maria/Documents/Projects/customers/acme-industries/platform-monorepo/services/linkspan/"
    yield "search-absolute/monorepo.txt", hits(ours.files("crates/scripts/src"), r"#\[cfg|TODO|unwrap_or", deep, 120)
    yield "search-relative/rust.txt", hits(ours.files("crates/wire", "crates/mcp"), r"pub fn", "", 150)
    yield "search-relative/docs.txt", hits(ours.files("docs", "README.md"), r"(?i)server", "./", 90)
    yield "search-relative/count.txt", counted(rust, r"self")


def found(paths, pattern):
    """(path, lines, numbers of the lines that match, counted from 0)"""
    for path in paths:
        lines = ours.file(path).splitlines()
        numbers = [at for at, line in enumerate(lines) if re.search(pattern, line)]
        if numbers:
            yield path, lines, numbers


def hits(paths, pattern, root, limit, column=False):
    out = []
    for path, lines, numbers in found(paths, pattern):
        for at in numbers:
            place = f"{at + 1}:{re.search(pattern, lines[at]).start() + 1}" if column else f"{at + 1}"
            out.append(f"{root}{path}:{place}:{lines[at]}")
    return "\n".join(out[:limit]) + "\n"


def context(paths, pattern, root, limit):
    """`rg -n -C2`: other signs around the number for lines that do not match, `--` between groups."""
    groups = []
    for path, lines, numbers in found(paths, pattern):
        shown = sorted({at for hit in numbers for at in range(max(0, hit - 2), min(len(lines), hit + 3))})
        for at in shown:
            if at - 1 not in shown:
                groups.append([])
            sign = ":" if at in numbers else "-"
            groups[-1].append(f"{root}{path}{sign}{at + 1}{sign}{lines[at]}")
    return "\n--\n".join("\n".join(group) for group in groups[:limit]) + "\n"


def counted(paths, pattern):
    return "".join(f"{path}:{len(numbers)}\n" for path, _, numbers in found(paths, pattern))


def java():
    """One or two hits in each of many files."""
    dice = Dice("java hits")
    out = []
    for noun in NOUNS * 2:
        name = noun.capitalize()
        part = dice.pick(["Service", "Controller", "Repository"])
        folder = f"/opt/jenkins/workspace/inventory/src/main/java/com/example/inventory/{noun}"
        line = dice.between(9, 60)
        for _ in range(dice.between(1, 3)):
            verb = dice.pick(VERBS)
            text = dice.pick([
                f"    private final {name}Repository {noun}Repository;",
                f"        log.warn(\"{noun} {{}} is gone\", id);",
                f"    public {name}Response {verb}(@PathVariable UUID id) {{",
                f"        return {noun}Repository.findById(id).orElseThrow(() -> new NotFoundException(\"{noun}\", id));",
            ])
            out.append(f"{folder}/{name}{part}.java:{line}:{text}")
            line += dice.between(2, 40)
    return "\n".join(out)
