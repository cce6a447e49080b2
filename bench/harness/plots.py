"""The figures of RESULTS.md as pictures: one for each direction that the site shows."""

import re

from . import acp, connect, expose, results, shrink
from .paths import BENCH
from .svg import chart

NAME = "plots"
FOLDER = BENCH / "plots"
BRIDGES = [
    ("start to first answer, ms", "start ms"),
    ("calls per second, 64 in flight", "calls/s @64"),
    ("CPU, ms per 1,000 calls", "CPU-ms/1k"),
    ("memory when idle, MB", "RSS idle → load → peak MB"),
]


def pictures(text):
    """The pictures of all parts of RESULTS.md, by file name."""
    parts = results.split(text)
    return {
        "connect.svg": _bridges("connect: a stdio client before an HTTP server", parts[connect.TITLE]),
        "expose.svg": _bridges("expose: HTTP clients before a stdio server", parts[expose.TITLE]),
        "shrink.svg": _savings(parts[shrink.TITLE]),
        "conduct.svg": _chains(parts[acp.TITLE]),
    }


def write(text):
    FOLDER.mkdir(exist_ok=True)
    for name, picture in pictures(text).items():
        (FOLDER / name).write_text(picture)


def outdated(text):
    """The names of the files that do not show these figures."""
    return [name for name, picture in pictures(text).items()
            if not (FOLDER / name).is_file() or (FOLDER / name).read_text() != picture]


def _bridges(title, part):
    rows = [row for row in _table(part, "start ms") if not re.match("direct|linkspan .*(before|token)", row[""])]
    panels = []
    for label, column in BRIDGES:
        bars = [_bar(_name(row[""]), row[column], row[""].startswith("**")) for row in rows]
        panels.append((label, [bar for bar in bars if bar]))
    return chart(title, _source(part), panels)


def _savings(part):
    rows = _table(part, "saved %")
    bars = [_bar(row["kind"], row["saved %"], True, " %") for row in rows if row["saved %"] != "0.0"]
    bars.sort(key=lambda bar: -bar[1])
    half = (len(bars) + 1) // 2
    panels = [("tokens saved, by kind of result", bars[:half]), ("", bars[half:])]
    source = f"{_source(part)}; other kinds pass unchanged"
    return chart("shrink: the same results in fewer tokens", source, panels, most=100)


def _chains(part):
    panels = []
    for row in _table(part, "linkspan adds µs"):
        proxies = row["proxies"]
        panels.append((f"{proxies} {'proxy' if proxies == '1' else 'proxies'}", [
            _bar("linkspan", row["linkspan adds µs"], True),
            _bar("official conductor", row["official adds µs"], False),
        ]))
    most = max(value for _, bars in panels for _, value, _, _ in bars)
    return chart("conduct: what a chain adds to a round trip, µs", _source(part), panels, most)


def _bar(name, cell, own, unit=""):
    """A bar for the first number of a cell; `None` if it was not measured."""
    found = re.match(r"[\d,.]+", cell)
    return found and (name, float(found[0].replace(",", "")), found[0] + unit, own)


def _name(cell):
    """Of `mcp-remote 0.15.1 (node)` the name and the runtime."""
    name = re.sub(r"\*\*| [\d.]+(?= \()", "", cell)
    return re.sub(r" \(rust\)$", "", name)


def _source(part):
    """Date, machine and versions."""
    line = next(line for line in part.splitlines() if line.startswith("Measured on"))
    return "; ".join(line.rstrip(".").split("; ")[:2])


def _table(part, column):
    """The first table with a column of this name, each row a dictionary. Of columns with one name the first counts."""
    lines = iter(part.splitlines())
    for line in lines:
        head = _cells(line)
        if column in head:
            next(lines)
            return [{name: cell for name, cell in reversed(list(zip(head, _cells(row))))}
                    for row in iter(lambda: next(lines, ""), "")]
    raise ValueError(f"RESULTS.md has no table with a column `{column}`")


def _cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
