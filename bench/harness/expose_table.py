"""The tables of `expose`."""

from . import goals
from .table import best, details, megabytes, mid, missing, number, spreads, table, troubles


def figures(targets, results):
    """The main table."""
    _, direct = best(results.get("stdio", []))
    direct = direct or {}
    rows = []
    for target in targets:
        _, r = best(results.get(target.name, []))
        if not r:
            continue
        plain = target.baseline
        added = None
        if not plain and r["p50_ms"] is not None and direct.get("p50_ms") is not None:
            added = r["p50_ms"] - direct["p50_ms"]
        rows.append([
            target.title,
            number(mid(r["start_ms"]), 1),
            number(r["p50_ms"], 3),
            number(r["p99_ms"], 2),
            number(added, 3),
            number(r["per_second"], 0),
            "–" if plain else cpu(r),
            "–" if plain else " → ".join(
                megabytes(r[key]) for key in ("rss_idle_kb", "rss_load_kb", "rss_peak_kb")
            ),
            session(r),
            number(mid(r["mb1_ms"]), 2),
            number(mid(r["mb10_ms"]), 1),
            number(mid(r["argument_ms"]), 2),
        ])
    return table(
        ["", "start ms", "p50 ms", "p99 ms", "+p50 ms", "calls/s @64", "CPU-ms/1k",
         "RSS idle → load → peak MB", "per session", "1 MB ms", "10 MB ms", "1 MB argument ms"],
        rows,
    )


def cpu(r):
    """Of the bridge, and of the servers that it runs."""
    return f"{number(r['cpu_64'], 0)} + {number(r['cpu_children_64'], 0)}"


def session(r):
    """What one costs the bridge, and how many processes it starts."""
    if r["session_kb"] is None:
        return "–"
    return f"{number(r['session_kb'], 0)} KB, {number(r['session_processes'], 0)} proc."


def modern(targets, results):
    """Short calls only: the rest does not depend on the client."""
    rows = []
    for target in targets:
        at, r = best(results.get(target.name, []))
        if not r:
            continue
        rows.append([
            target.title,
            f"{at} of {len(results[target.name])}",
            number(r["p50_ms"], 3),
            number(r["p99_ms"], 2),
            number(r["per_second"], 0),
            number(r["p99_64_ms"], 2),
            cpu(r),
            number(r["foreign_64"], 0),
        ])
    return table(
        ["", "round shown", "p50 ms", "p99 ms", "calls/s @64", "p99 @64 ms", "CPU-ms/1k",
         "foreign CPU % @64"],
        rows,
    )


def document(header, targets, sections, absent):
    """A direction's part of the file; `sections` is a list of (title, results)."""
    (title, results), *others = sections
    out = [*header, "", f"## {title}", "", figures(targets, results), ""]
    _, linkspan = best(results.get("linkspan", []))
    out += ["### Goals", "", table(["goal", "measured", "met"],
            [list(row) for row in goals.expose(linkspan or {})]), ""]
    out += ["### Details of the rounds shown", "", details(targets, results), ""]
    out += ["### Spread over all rounds (lowest – highest)", "", spreads(targets, results), ""]
    out += failed(targets, results)
    for title, results in others:
        out += [f"## {title}", "", modern(targets, results), "", *failed(targets, results)]
    return "\n".join(out + missing(absent))


def failed(targets, results):
    trouble = troubles(targets, results)
    return ["### What failed", "", *trouble, ""] if trouble else []
