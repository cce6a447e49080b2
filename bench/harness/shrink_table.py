"""The figures of `shrink` as markdown; medians over the rounds."""

from statistics import median

from . import goals
from .table import megabytes, number, table

ROWS = ["kind", "KB", "saved %", "detection MB/s", "counting MB/s", "whole gate MB/s"]
TEXTS = ["result", "KB", "saved %", "in-process p50 ms", "p99 ms", "seen for the first time ms"]
PROXY = ["result", "direct p50 ms", "connect p50 ms", "shrink p50 ms", "added p50 ms", "p99 ms",
         "CPU-ms per call: connect", "shrink", "first call ms", "idle → load MB", "foreign CPU %"]


def good(runs):
    return [run for run in runs if "error" not in run]


def middle(values):
    values = [value for value in values if value is not None]
    return median(values) if values else None


def names(runs):
    return list(dict.fromkeys(name for run in good(runs) for name in run))


def figure(runs, name, key):
    return middle(run[name][key] for run in good(runs) if name in run)


def told(pair, way, key):
    return middle(run.get(key) for run in good(pair[way]))


def added(pair):
    """What shrink takes longer than connect, round by round; the median of that."""
    both = [(one["p50_ms"], other["p50_ms"]) for one, other in zip(pair["connect"], pair["shrink"])
            if "error" not in one and "error" not in other]
    return middle(shrink - connect for connect, shrink in both)


def errors(raw):
    """What did not work, as (what, why)."""
    found = {("library", run["error"]) for run in raw["rows"] + raw["texts"] if "error" in run}
    for name, pair in raw["proxy"].items():
        for way, runs in pair.items():
            found |= {(f"{name}, {way}", run["error"]) for run in runs if "error" in run}
    return sorted(found)


def slowest(runs, key, pick=min):
    """(figure, whose)"""
    return pick(((figure(runs, name, key), name) for name in names(runs)), default=(None, "none"))


def kinds(runs):
    rows = [[name, number(figure(runs, name, "bytes") / 1000, 0), *(number(figure(runs, name, key), 1)
             for key in ("saved", "detect_mb", "count_mb", "gate_mb"))] for name in names(runs)]
    return table(ROWS, rows)


def results(runs):
    rows = [[name, number(figure(runs, name, "bytes") / 1000, 1), number(figure(runs, name, "saved"), 1),
             *(number(figure(runs, name, key), 3) for key in ("p50_ms", "p99_ms", "first_ms"))]
            for name in names(runs)]
    return table(TEXTS, rows)


def per_call(value):
    return None if value is None else value / 1000


def proxy(raw):
    rows = []
    for name, pair in raw["proxy"].items():
        memory = " → ".join(megabytes(told(pair, "shrink", key)) for key in ("rss_idle_kb", "rss_load_kb"))
        rows.append([
            name, *(number(told(pair, way, "p50_ms"), 3) for way in ("direct", "connect", "shrink")),
            number(added(pair), 3), number(told(pair, "shrink", "p99_ms"), 2),
            number(per_call(told(pair, "connect", "cpu_1")), 3),
            number(per_call(told(pair, "shrink", "cpu_1")), 3),
            number(told(pair, "shrink", "first_ms"), 1), memory,
            number(told(pair, "shrink", "foreign_1"), 0),
        ])
    return table(PROXY, rows)


def facts(raw):
    """What the goals are about: the slowest kind counts."""
    detect, whose_detect = slowest(raw["rows"], "detect_mb")
    gate, whose_gate = slowest(raw["rows"], "gate_mb")
    p50, whose_p50 = slowest(raw["texts"], "p50_ms", max)
    through = [(added(pair), name) for name, pair in raw["proxy"].items() if added(pair) is not None]
    more, whose_more = max(through, default=(None, "none"))
    return {"detect": detect, "gate": gate, "p50": p50, "added": more,
            "whose": {"detect": whose_detect, "gate": whose_gate, "p50": whose_p50, "added": whose_more}}


def document(header, raw):
    """The part of RESULTS.md."""
    out = [
        *header, "", "## Throughput on one core", "", "The corpus, kind by kind.", "",
        kinds(raw["rows"]), "", "## A result of 20 KB", "", "### In-process", "", results(raw["texts"]), "",
        "### Through the proxy", "",
        proxy(raw) if raw["proxy"] else "\n".join(f"Skipped: {why}." for why in raw["skipped"]), "",
        "### Goals", "",
        table(["goal", "measured", "met"], [list(row) for row in goals.shrink(facts(raw))]), "",
    ]
    trouble = [f"- {what}: {why.replace('<', '&lt;')}" for what, why in errors(raw)]
    return "\n".join(out + (["### What failed", "", *trouble, ""] if trouble else []))
