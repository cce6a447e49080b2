"""The figures of `acp` as markdown. Whatever is compared comes from the same round; medians over the rounds."""

from statistics import median

from . import goals
from .table import megabytes, number, table

LATENCY = ["proxies", "direct p50 / p99 µs", "official p50 / p99 µs", "linkspan p50 / p99 µs",
           "official adds µs", "linkspan adds µs", "of official's", "CPU-µs per call: official", "linkspan"]
MEMORY = ["proxies", "official idle → after (peak) MB", "linkspan idle → after (peak) MB",
          "of official's: idle", "after", "peak", "without files: official", "linkspan"]
UPDATES = ["proxies", "direct /s", "official /s", "linkspan /s", "linkspan of official's"]
SPREAD = ["proxies", "direct p50 µs", "official p50 µs", "linkspan p50 µs"]


def middle(values):
    values = [value for value in values if value is not None]
    return median(values) if values else None


def figure(chain, target, key):
    return middle(run.get(key) for run in chain[target])


def paired(chain, combine):
    """The median of what `combine` makes of the three runs of one round."""
    together = zip(chain["direct"], chain["official"], chain["linkspan"])
    return middle(combine(*three) for three in together if not any("error" in run for run in three))


def added(chain, target):
    at = {"official": 1, "linkspan": 2}[target]
    return paired(chain, lambda *runs: runs[at]["p50_us"] - runs[0]["p50_us"])


def share(chain):
    """What linkspan adds to a round trip, in parts of what the official conductor adds."""
    return paired(chain, lambda direct, official, linkspan:
                  (linkspan["p50_us"] - direct["p50_us"]) / (official["p50_us"] - direct["p50_us"]))


def memory(chain, key):
    """Memory of linkspan in parts of the official conductor's."""
    return paired(chain, lambda _, official, linkspan: linkspan[key] / official[key])


def percent(value):
    return "–" if value is None else f"{value * 100:.0f} %"


def both(chain, target):
    return " / ".join(number(figure(chain, target, key), 0) for key in ("p50_us", "p99_us"))


def latency(chains):
    return table(LATENCY, [
        [str(n), *(both(chain, target) for target in ("direct", "official", "linkspan")),
         number(added(chain, "official"), 0), number(added(chain, "linkspan"), 0), percent(share(chain)),
         *(number(figure(chain, target, "cpu_us"), 0) for target in ("official", "linkspan"))]
        for n, chain in chains.items()
    ])


def resident(chain, target):
    idle, after, peak = (megabytes(figure(chain, target, key)) for key in ("idle_kb", "after_kb", "peak_kb"))
    return f"{idle} → {after} ({peak})"


def own(chain, target):
    return " → ".join(megabytes(figure(chain, target, key)) for key in ("own_idle_kb", "own_after_kb"))


def memories(chains):
    return table(MEMORY, [
        [str(n), resident(chain, "official"), resident(chain, "linkspan"),
         *(percent(memory(chain, key)) for key in ("idle_kb", "after_kb", "peak_kb")),
         *(own(chain, target) for target in ("official", "linkspan"))]
        for n, chain in chains.items()
    ])


def updates(chains):
    def ratio(chain):
        return paired(chain, lambda _, official, linkspan:
                      linkspan["updates_per_s"] / official["updates_per_s"])

    return table(UPDATES, [
        [str(n), *(number(figure(chain, target, "updates_per_s"), 0)
                   for target in ("direct", "official", "linkspan")),
         "–" if ratio(chain) is None else f"{ratio(chain):.1f} ×"]
        for n, chain in chains.items()
    ])


def spread(chains):
    def ends(chain, target):
        values = [run["p50_us"] for run in chain[target] if "error" not in run]
        return f"{min(values):,.0f} – {max(values):,.0f}" if values else "–"

    return table(SPREAD, [[str(n), *(ends(chain, target) for target in ("direct", "official", "linkspan"))]
                          for n, chain in chains.items()])


def worst(values):
    """The largest, if there is one for every length."""
    values = list(values)
    return max(values) if values and None not in values else None


def facts(raw):
    """What the goals are about: the worst length counts."""
    chains = list(raw["chains"].values())
    return {
        "added": worst(share(chain) for chain in chains),
        "idle": worst(memory(chain, "idle_kb") for chain in chains),
        "after": worst(memory(chain, "after_kb") for chain in chains),
    }


def errors(raw):
    """What did not work, as (proxies, target, why)."""
    return sorted({(n, target, run["error"]) for n, chain in raw["chains"].items()
                   for target, runs in chain.items() for run in runs if "error" in run})


def document(header, raw):
    """The part of RESULTS.md."""
    chains = raw["chains"]
    out = [*header, "", "## A round trip", "", latency(chains), "", "## Memory of the conductor's process", "",
           memories(chains), "", "## 2,000 updates and an answer", "",
           "Their order is checked; a run in which it is not exact has no figures.", "", updates(chains), "",
           "### Goals", "", table(["goal", "measured", "met"], [list(row) for row in goals.acp(facts(raw))]), "",
           "### Spread over all rounds (lowest – highest)", "", spread(chains), ""]
    trouble = [f"- {n} proxies, {target}: {why.replace('<', '&lt;')}" for n, target, why in errors(raw)]
    return "\n".join(out + (["### What failed", "", *trouble, ""] if trouble else []))
