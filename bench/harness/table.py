"""From figures to markdown. A figure that was not measured is a dash."""

from statistics import median

from . import goals


def number(value, digits=2):
    return "–" if value is None else f"{value:,.{digits}f}"


def mid(values):
    return median(values) if values else None


def megabytes(kb):
    return "–" if kb is None else f"{kb / 1024:.0f}" if kb >= 10 * 1024 else f"{kb / 1024:.1f}"


def best(rounds):
    """The round that others disturbed least: the one with the highest throughput. All of
    a row comes from it; picking each figure from its own best round would flatter."""
    good = [(i, r) for i, r in enumerate(rounds, 1) if "error" not in r]
    return max(good, key=lambda pair: pair[1].get("per_second") or 0, default=(None, None))


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def figures(targets, results):
    """The main table."""
    _, direct = best(results.get("direct", []))
    direct = direct or {}
    rows = []
    for target in targets:
        _, r = best(results.get(target.name, []))
        if not r:
            continue
        plain = target.baseline
        added = share = ratio = None
        if not plain and r["p50_ms"] is not None and direct.get("p50_ms") is not None:
            added = r["p50_ms"] - direct["p50_ms"]
        if not plain and r["per_second"] and direct.get("per_second"):
            share = r["per_second"] / direct["per_second"] * 100
        if not plain and r["mb10_ms"] and direct.get("mb10_ms"):
            ratio = median(r["mb10_ms"]) / median(direct["mb10_ms"])
        memory = "–" if plain else " → ".join(
            megabytes(r[key]) for key in ("rss_idle_kb", "rss_load_kb", "rss_peak_kb")
        )
        rows.append([
            target.title,
            number(mid(r["start_ms"]), 1),
            number(r["p50_ms"], 3),
            number(r["p99_ms"], 2),
            number(added, 3),
            number(r["per_second"], 0),
            number(share, 1) + (" %" if share is not None else ""),
            "–" if plain else number(r["cpu_64"], 0),
            memory,
            number(mid(r["mb1_ms"]), 2),
            number(mid(r["mb10_ms"]), 1),
            number(ratio, 1) + (" ×" if ratio is not None else ""),
        ])
    return table(
        ["", "start ms", "p50 ms", "p99 ms", "+p50 ms", "calls/s @64", "of direct",
         "CPU-ms/1k", "RSS idle → load → peak MB", "1 MB ms", "10 MB ms", "of direct"],
        rows,
    )


def details(targets, results):
    """What helps to judge the main table."""
    rows = []
    for target in targets:
        at, r = best(results.get(target.name, []))
        if not r:
            continue
        rows.append([
            target.title,
            f"{at} of {len(results[target.name])}",
            str(len(r["start_ms"])),
            number(r["calls_1"], 0),
            number(r["calls_64"], 0),
            number(r["p50_64_ms"], 2),
            number(r["p99_64_ms"], 2),
            "–" if target.baseline else number(r["cpu_1"], 0),
            number(r["cpu_all_64"], 0),
            number(r["foreign_1"], 0),
            number(r["foreign_64"], 0),
        ])
    return table(
        ["", "round shown", "start-ups", "calls @1", "calls @64", "p50 @64 ms", "p99 @64 ms",
         "CPU-ms/1k @1", "CPU-ms/1k @64, all processes", "foreign CPU % @1", "foreign CPU % @64"],
        rows,
    )


def spreads(targets, results):
    """Smallest and largest over the rounds."""

    def span(rounds, get, digits):
        values = [v for v in map(get, rounds) if v is not None]
        if not values:
            return "–"
        return f"{number(min(values), digits)} – {number(max(values), digits)}"

    rows = []
    for target in targets:
        rounds = [r for r in results.get(target.name, []) if "error" not in r]
        if not rounds:
            continue
        rows.append([
            target.title,
            span(rounds, lambda r: mid(r["start_ms"]), 1),
            span(rounds, lambda r: r["p50_ms"], 3),
            span(rounds, lambda r: r["p99_ms"], 2),
            span(rounds, lambda r: r["per_second"], 0),
            "–" if target.baseline else span(rounds, lambda r: r["cpu_64"], 0),
            span(rounds, lambda r: mid(r["mb1_ms"]), 2),
            span(rounds, lambda r: mid(r["mb10_ms"]), 1),
        ])
    return table(
        ["", "start ms", "p50 ms", "p99 ms", "calls/s @64", "CPU-ms/1k", "1 MB ms", "10 MB ms"],
        rows,
    )


def troubles(targets, results):
    """What failed, in which rounds."""
    rounds = {}
    for target in targets:
        for at, r in enumerate(results.get(target.name, []), 1):
            told = {"everything": r["error"]} if "error" in r else r["failures"]
            for phase, why in told.items():
                rounds.setdefault((target.title, phase, why), []).append(str(at))
    return [
        f"- {title}, round {', '.join(at)}, {phase}: {why.replace('<', '&lt;')}"
        for (title, phase, why), at in rounds.items()
    ]


def signed_in(results):
    """What the CPU time of a call with an access token is of one without, each pair from the same round."""
    pairs = zip(results.get("linkspan-signed-in", []), results.get("linkspan", []))
    ratios = [mine["cpu_64"] / plain["cpu_64"] for mine, plain in pairs
              if mine.get("cpu_64") and plain.get("cpu_64")]
    return mid(ratios)


def document(header, targets, sections, absent):
    """A direction's part of the file; `sections` is a list of (title, results)."""
    out = [*header, ""]
    for title, results in sections:
        out += [f"## {title}", "", figures(targets, results), ""]
        _, linkspan = best(results.get("linkspan", []))
        _, direct = best(results.get("direct", []))
        if linkspan and direct:
            out += ["### Goals", "", table(["goal", "measured", "met"],
                    [list(row) for row in goals.connect(linkspan, direct, signed_in(results))]), ""]
        out += ["### Details of the rounds shown", "", details(targets, results), ""]
        out += ["### Spread over all rounds (lowest – highest)", "", spreads(targets, results), ""]
        trouble = troubles(targets, results)
        if trouble:
            out += ["### What failed", "", *trouble, ""]
    return "\n".join(out + missing(absent))


def missing(absent):
    """What could not be had."""
    if not absent:
        return []
    told = [f"- {title}: does not install here: {why}" for title, why in absent]
    return ["## Not measured", "", *told, ""]
