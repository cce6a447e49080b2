"""linkspan's goals, checked against what was measured, and only that."""

from statistics import median


def row(goal, value, limit, unit, most=True):
    """(goal, measured, met?)"""
    if value is None:
        return goal, "not measured", "–"
    met = value <= limit if most else value >= limit
    return goal, f"{value:,.2f} {unit}", "yes" if met else "**no**"


def mid(values):
    return median(values) if values else None


def connect(linkspan, direct, signed_in):
    """Of `connect`, most of them relative to the direct connection."""

    def both(key):
        mine, theirs = linkspan.get(key), direct.get(key)
        return (mine, theirs) if mine is not None and theirs else (None, None)

    p50, p50_direct = both("p50_ms")
    rate, rate_direct = both("per_second")
    idle = linkspan.get("rss_idle_kb")
    large, large_direct = mid(linkspan.get("mb10_ms")), mid(direct.get("mb10_ms"))
    return [
        row("start-up to first answer ≤ 10 ms", mid(linkspan.get("start_ms")), 10, "ms"),
        row("added p50 ≤ 0.1 ms", None if p50 is None else p50 - p50_direct, 0.1, "ms"),
        row("throughput at 64 in flight ≥ 60 % of direct",
            None if rate is None else rate / rate_direct * 100, 60, "%", most=False),
        row("CPU ≤ 80 ms per 1,000 calls", linkspan.get("cpu_64"), 80, "ms"),
        row("resident when idle ≤ 10 MB", None if idle is None else idle / 1024, 10, "MB"),
        row("10 MB result ≤ 1.3 × direct",
            large / large_direct if large and large_direct else None, 1.3, "×"),
        row("with an access token: CPU per call ≤ 1.02 × without", signed_in, 1.02, "×"),
    ]


def bcp(worst):
    """Of `bcp`: the slowest step of its kind counts, and the hungriest."""
    return [
        row("decode and render ≥ 5 × the reference, every mode",
            worst["decode"], 5, "×", most=False),
        row("encode ≥ 3 × the reference", worst["encode"], 3, "×", most=False),
        row("peak memory ≤ 1/3 of the reference's, every step", worst["memory"], 1 / 3, "×"),
        row("decode and render ≥ 5 ×, files with zstd as well",
            worst["decode compressed"], 5, "×", most=False),
        row("encode ≥ 3 ×, with zstd as well",
            worst["encode compressed"], 3, "×", most=False),
    ]


def serve(found):
    """Of `serve`. The worst of the two lean kinds counts, at every number in flight."""
    return [
        row("start-up to first answer ≤ 10 ms", found["start_ms"], 10, "ms"),
        row("first list of 100 tools ≤ 10 ms", found["list_ms"], 10, "ms"),
        row("calls ≥ 70 % of the rate of bare processes (sh, argv; 1, 16 and 64 in flight)",
            found["share"], 70, "%", most=False),
        row("worker ≥ 10,000 calls/s", found["worker"], 10_000, "calls/s", most=False),
        row("CPU per call ≤ 1/100 of mcp-bash's (640 ms)", found["cpu"], 100, "×", most=False),
    ]


def shrink(found):
    """Of `shrink`. The slowest kind counts, and is named."""
    whose = found["whose"]
    return [
        row(f"detection ≥ 100 MB/s on one core (slowest: {whose['detect']})",
            found["detect"], 100, "MB/s", most=False),
        row(f"whole gate ≥ 20 MB/s on one core (slowest: {whose['gate']})",
            found["gate"], 20, "MB/s", most=False),
        row(f"20 KB, in-process p50 ≤ 2 ms (slowest: {whose['p50']})", found["p50"], 2, "ms"),
        row(f"20 KB, added p50 ≤ 2 ms beside `connect` (slowest: {whose['added']})",
            found["added"], 2, "ms"),
    ]


def expose(linkspan):
    """Of `expose`."""
    idle = linkspan.get("rss_idle_kb")
    return [
        row("start-up to first answer ≤ 10 ms", mid(linkspan.get("start_ms")), 10, "ms"),
        row("p50 ≤ 0.25 ms", linkspan.get("p50_ms"), 0.25, "ms"),
        row("throughput at 64 in flight ≥ 12,000 calls/s",
            linkspan.get("per_second"), 12_000, "calls/s", most=False),
        row("CPU ≤ 80 ms per 1,000 calls", linkspan.get("cpu_64"), 80, "ms"),
        row("resident when idle ≤ 10 MB", None if idle is None else idle / 1024, 10, "MB"),
        row("≤ 100 KB per session", linkspan.get("session_kb"), 100, "KB"),
        row("10 MB result ≤ 40 ms", mid(linkspan.get("mb10_ms")), 40, "ms"),
    ]


def acp(found):
    """Of `conduct`. The worst length of the chain counts."""
    return [
        row("added to a round trip ≤ 1/3 of what the official conductor adds, 0–5 proxies",
            found["added"], 1 / 3, "×"),
        row("resident when idle ≤ 1/2 of the official conductor's", found["idle"], 1 / 2, "×"),
        row("resident after the run ≤ 1/2 of the official conductor's", found["after"], 1 / 2, "×"),
    ]
