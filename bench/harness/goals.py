"""linkspan's goals, checked against what was measured, and only that."""

from statistics import median


def check(linkspan, direct):
    """Rows of (goal, measured, met?)."""
    rows = []

    def row(goal, value, limit, unit, most=True):
        if value is None:
            rows.append((goal, "not measured", "–"))
        else:
            met = value <= limit if most else value >= limit
            rows.append((goal, f"{value:.2f} {unit}", "yes" if met else "**no**"))

    def both(key):
        mine, theirs = linkspan.get(key), direct.get(key)
        return (mine, theirs) if mine is not None and theirs else (None, None)

    starts = linkspan.get("start_ms")
    row("start-up to first answer ≤ 10 ms", median(starts) if starts else None, 10, "ms")
    mine, theirs = both("p50_ms")
    row("added p50 ≤ 0.1 ms", None if mine is None else mine - theirs, 0.1, "ms")
    mine, theirs = both("per_second")
    share = None if mine is None else mine / theirs * 100
    row("throughput at 64 in flight ≥ 60 % of direct", share, 60, "%", most=False)
    row("CPU ≤ 80 ms per 1,000 calls", linkspan.get("cpu_64"), 80, "ms")
    idle = linkspan.get("rss_idle_kb")
    row("resident when idle ≤ 10 MB", None if idle is None else idle / 1024, 10, "MB")
    mine, theirs = linkspan.get("mb10_ms"), direct.get("mb10_ms")
    ratio = median(mine) / median(theirs) if mine and theirs else None
    row("10 MB result ≤ 1.3 × direct", ratio, 1.3, "×")
    return rows
