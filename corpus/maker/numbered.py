"""Code with a number before each line, as people's and agents' tools show it."""

from . import ours


def samples():
    yield "numbered/cat-n.txt", number("crates/session/src/core.rs", "{:6}\t{}", end="\n")
    yield "numbered/arrow.txt", number("bench/harness/peers.py", "{:6}→{}")
    yield "numbered/arrow-part.txt", number("crates/ports/src/http/driver.rs", "{:5}→{}", first=120, last=290)
    yield "numbered/cat-n-python.txt", number("bench/harness/serve.py", "{:6}\t{}", end="\n")
    yield "numbered-others/bar.txt", number("docs/http.md", "{:4} | {}", end="\n")
    yield "numbered-others/colon.txt", number("xtask/src/report.rs", "{}: {}", end="\n")
    yield "numbered-others/tab.txt", number("bench/harness/table.py", "{}\t{}", first=40)


def number(path, shape, first=1, last=None, end=""):
    lines = ours.file(path).splitlines()[first - 1:last]
    return "\n".join(shape.format(at, line) for at, line in enumerate(lines, first)) + end
