"""The figures of `serve` as markdown. A share is always of bare processes in the same run."""

from statistics import median

from . import goals
from .table import megabytes, mid, number, table

# What mcp-bash was measured to spend on one call, at best (specs/DROPIN.md): CPU milliseconds.
MCP_BASH = 640

HEAD = ["", "in flight", "bare /s", "served /s", "of bare", "p50 ms", "p99 ms",
        "CPU-ms per call: bare", "server", "tool", "peak MB", "foreign CPU %"]


def good(runs):
    return [run for run in runs if "error" not in run]


def middle(runs, key):
    """The median over rounds."""
    values = [run[key] for run in good(runs) if run.get(key) is not None]
    return median(values) if values else None


def share(pair):
    """Served over bare, round by round; the median of that."""
    both = [
        served["per_second"] / bare["per_second"]
        for bare, served in zip(pair["bare"], pair["served"])
        if "error" not in bare and "error" not in served and bare.get("per_second")
    ]
    return median(both) if both else None


def per_call(value):
    """From a thousand calls to one."""
    return None if value is None else value / 1000


def row(name, pair):
    kind, in_flight = name.rsplit(" ", 1)
    bare, served = pair["bare"], pair["served"]
    of = share(pair)
    return [
        kind, in_flight,
        number(middle(bare, "per_second"), 0), number(middle(served, "per_second"), 0),
        "–" if of is None else f"{of * 100:.0f} %",
        number(middle(served, "p50_64_ms"), 2), number(middle(served, "p99_64_ms"), 2),
        number(per_call(middle(bare, "cpu_all_64")), 3),
        number(per_call(middle(served, "cpu_64")), 3),
        number(per_call(middle(served, "cpu_children_64")), 3),
        megabytes(middle(served, "rss_load_kb")),
        number(middle(served, "foreign_64"), 0),
    ]


def starts(raw, key, which="start"):
    """All start-ups of all rounds."""
    return [value for run in good(raw[which]) for value in run[key]]


def errors(raw):
    """What did not work, as (what, why)."""
    runs = raw["start"] + raw["start one"]
    found = {("start", run["error"]) for run in runs if "error" in run}
    for name, pair in raw["calls"].items():
        for who, runs in pair.items():
            found |= {(f"{name}, {who}", run["error"]) for run in runs if "error" in run}
    return sorted(found)


def spread(raw):
    rows = []
    for name, pair in raw["calls"].items():
        cells = [name]
        for who in ("bare", "served"):
            values = [run["per_second"] for run in good(pair[who])]
            cells.append(f"{min(values):,.0f} – {max(values):,.0f}" if values else "–")
        rows.append(cells)
    return rows


def facts(raw):
    """What the goals are about."""
    calls = raw["calls"]

    def of(name):
        return share(calls[name]) if name in calls else None

    shares = [of(f"{kind} {n}") for kind in ("sh", "argv") for n in (1, 16, 64)]
    workers = [
        middle(pair["served"], "per_second")
        for name, pair in calls.items() if name.startswith("worker")
    ]
    cpu = calls.get("sh 16", {"served": []})["served"]
    both = [middle(cpu, "cpu_64"), middle(cpu, "cpu_children_64")]
    return {
        "start_ms": mid(starts(raw, "start_ms")),
        "list_ms": mid(starts(raw, "list_ms")),
        "share": None if None in shares else min(shares) * 100,
        "worker": max((w for w in workers if w is not None), default=None),
        "cpu": None if None in both else MCP_BASH / (sum(both) / 1000),
        "one_ms": mid(starts(raw, "start_ms", "start one")),
        "idle_mb": (middle(raw["start"], "rss_idle_kb") or 0) / 1024 or None,
    }


def document(header, raw):
    """The part of RESULTS.md."""
    found = facts(raw)
    out = [
        *header, "",
        f"A folder of {raw['tools']} tools: {number(found['start_ms'], 1)} ms from `spawn` to the answer to "
        f"`initialize` (a folder of one: {number(found['one_ms'], 1)} ms), {number(found['list_ms'], 1)} ms "
        f"from there to that of the first `tools/list`; medians of {len(starts(raw, 'start_ms'))}. "
        f"{number(found['idle_mb'], 1)} MB resident when idle.",
        "", "## Calls", "",
        table(HEAD, [row(name, pair) for name, pair in raw["calls"].items()]), "",
        "### Goals", "",
        table(["goal", "measured", "met"], [list(r) for r in goals.serve(found)]), "",
        "### Spread over all rounds (lowest – highest, calls/s)", "",
        table(["", "bare", "served"], spread(raw)), "",
    ]
    trouble = [f"- {what}: {why.replace('<', '&lt;')}" for what, why in errors(raw)]
    return "\n".join(out + (["### What failed", "", *trouble, ""] if trouble else []))
