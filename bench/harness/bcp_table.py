"""The figures of `bcp` as markdown. A ratio is always reference over linkspan, from one run."""

from statistics import median

from . import goals
from .table import megabytes, number, table

HEAD = ["", "reference ms, best (median)", "linkspan ms, best (median)", "without `--compat`",
        "MB/s", "faster, best", "faster, median", "CPU-ms", "peak MB", "peak of reference's"]


def good(runs):
    """The runs that worked, if all did: a step that fails now and then has no figures."""
    return runs if runs and all("error" not in run for run in runs) else []


def walls(runs):
    return [run["wall"] * 1000 for run in good(runs)]


def peak(runs):
    return max((run["peak_kb"] for run in good(runs)), default=None)


def pair(runs):
    times = walls(runs)
    return f"{min(times):,.1f} ({median(times):,.1f})" if times else "–"


def ratios(both):
    """(by the best runs, by the medians, share of the peak), or Nones."""
    theirs, ours = walls(both["reference"]), walls(both["linkspan"])
    if not theirs or not ours:
        return None, None, None
    share = peak(both["linkspan"]) / peak(both["reference"])
    return min(theirs) / min(ours), median(theirs) / median(ours), share


def row(name, both, size):
    best, middle, share = ratios(both)
    ours = walls(both["linkspan"])
    cpu = [
        number(median(run["cpu"] * 1000 for run in good(both[t])), 0) if good(both[t]) else "–"
        for t in ("reference", "linkspan")
    ]
    times = lambda value: "–" if value is None else f"{value:.1f} ×"  # noqa: E731
    return [
        name, pair(both["reference"]), pair(both["linkspan"]), pair(both["default"]),
        number(size / 1000 / min(ours), 0) if ours else "–",
        times(best), times(middle), " → ".join(cpu),
        " → ".join(megabytes(peak(both[t])) for t in ("reference", "linkspan")),
        "–" if share is None else f"{share * 100:.0f} %",
    ]


def errors(figures):
    """What did not work, as (step, target, why)."""
    return sorted({
        (name, target, run["error"])
        for name, both in figures.items()
        for target, runs in both.items()
        for run in runs
        if "error" in run
    })


def document(header, raw):
    """The part of RESULTS.md."""
    about, figures = raw["about"], raw["figures"]
    files = ", ".join(f"{name} {size / 1e6:.1f} MB" for name, size in about["files"].items())
    out = [*header, "",
           f"{about['blocks']:,} blocks with {about['bytes'] / 1e6:.1f} MB of content; as files: {files}.",
           "", "## Encoding and rendering", "",
           table(HEAD, [row(name, both, about["bytes"]) for name, both in figures.items()]), "",
           "### Goals", "",
           table(["goal", "measured", "met"], [list(r) for r in goals.bcp(worst(figures))]), ""]
    trouble = [f"- {name}: the two wrote different bytes" for name in raw["differs"]]
    trouble += [
        f"- {name}, {target}: {why.replace('<', '&lt;')}" for name, target, why in errors(figures)
    ]
    return "\n".join(out + (["### What failed", "", *trouble, ""] if trouble else []))


def worst(figures):
    """The lowest speed-up by medians, and the largest share of memory, of each kind of step."""
    def lowest(start):
        found = [ratios(both)[1] for name, both in figures.items() if name.startswith(start)]
        return min(found) if found and None not in found else None

    shares = [ratios(both)[2] for both in figures.values()]
    return {
        "decode": lowest("decode plain"),
        "encode": lowest("encode plain"),
        "decode compressed": lowest("decode "),
        "encode compressed": lowest("encode "),
        "memory": max(shares) if shares and None not in shares else None,
    }
