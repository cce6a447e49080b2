"""Direction `shrink`: texts through the library alone, and results through the proxy beside `connect`."""

import json
import os
import subprocess
import sys

from . import shrink_table
from .paths import ECHO, LOAD, REPO, TARGET, WORK

NAME = "shrink"
TITLE = "# Results: `shrink`, fewer tokens at what price"
ROUNDS, QUICK_ROUNDS = 5, 2
LIMIT = 180
CORPUS = REPO / "corpus"
ALONE = TARGET / "release" / "bench-shrink"
# The size of a result in the goals.
SIZE = 20_000

# Too short to be looked at.
WITHOUT = {"small"}

# A result of each kind, cut to some 20 KB where it can be.
TEXTS = {
    "flat JSON": "json-flat/users.json",
    "nested JSON": "json-nested/orders.json",
    "issues in JSON": "json-issues/issues.json",
    "irregular JSON": "json-irregular/packages.json",
    "tree": "tree/sizes.txt",
    "directory_tree": "directory-tree/dataset.json",
    "search": "search-absolute/rust.txt",
    "numbered code": "numbered/cat-n.txt",
    "log": "log/service.log",
    "diff": "diff/several.diff",
    "CSV": "table/orders.csv",
    "prose": "prose/architecture.md",
}

document = shrink_table.document


def rows():
    """(row, file) of the whole corpus."""
    names = [line.split("\t")[0] for line in (CORPUS / "rows.tsv").read_text().splitlines()]
    return [(name, file) for name in names if name not in WITHOUT
            for file in sorted((CORPUS / name).iterdir())]


def texts():
    """Makes the results; (name, file) of each."""
    place = WORK / "shrink"
    place.mkdir(parents=True, exist_ok=True)
    made = []
    for name, sample in TEXTS.items():
        file = place / name.replace(" ", "-")
        file.write_text(cut((CORPUS / sample).read_text()))
        made.append((name, file))
    return made


def cut(text):
    """Whole lines up to the size; of a JSON array whole elements."""
    if len(text) <= SIZE:
        return text
    if not text.startswith("["):
        return text[:text.rfind("\n", 0, SIZE) + 1]
    value = json.loads(text)
    show = lambda part: json.dumps(part, indent=2, ensure_ascii=False)  # noqa: E731
    while len(value) > 1 and len(show(value)) > SIZE:
        value.pop()
    return show(value)


def alone(files, quick):
    """{name: figures} of one run of the library, or {"error"}."""
    command = [str(ALONE), *(["--quick"] if quick else [])]
    given = "".join(f"{name}\t{file}\n" for name, file in files)
    try:
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return {"error": f"not done after {LIMIT} s"}
    if done.returncode != 0:
        return {"error": done.stderr.strip()[:200]}
    figures = [json.loads(line) for line in done.stdout.splitlines()]
    return {one["name"]: one for one in figures}


def through(words, file, quick):
    """Calls whose result is a file, through a bridge or none."""
    command = [str(LOAD), *(["--quick"] if quick else []), "--stderr", str(WORK / "logs" / "shrink"),
               "told", *words, str(ECHO), "--text", str(file), "--stdio"]
    # What was saved is not the user's.
    home = os.environ | {"XDG_STATE_HOME": str(WORK / "state")}
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT, env=home)
    except subprocess.TimeoutExpired:
        return {"error": f"not done after {LIMIT} s"}
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.strip()[:200]}


def has_verb(linkspan):
    asked = subprocess.run([linkspan, "shrink", "--help"], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return asked.returncode == 0


def measure(args):
    """All programs take turns within each round, so that a bad minute hits all."""
    (WORK / "logs").mkdir(parents=True, exist_ok=True)
    quick, linkspan = args.quick, str(args.linkspan.resolve())
    rounds = args.rounds or (QUICK_ROUNDS if quick else ROUNDS)
    corpus, results = rows(), texts()
    ways = {"direct": [], "connect": [linkspan, "connect", "--"], "shrink": [linkspan, "shrink", "--"]}
    proxy = has_verb(linkspan)
    raw = {"rounds": rounds, "rows": [], "texts": [], "proxy": {}, "skipped": []}
    if not proxy:
        raw["skipped"].append("through the proxy: this linkspan has no verb `shrink`")
    for at in range(rounds):
        print(f"round {at + 1}/{rounds} …", file=sys.stderr, flush=True)
        raw["rows"].append(alone(corpus, quick))
        raw["texts"].append(alone(results, quick))
        for name, file in results if proxy else []:
            told = raw["proxy"].setdefault(name, {way: [] for way in ways})
            for way in list(ways) if at % 2 == 0 else reversed(ways):
                told[way].append(through(ways[way], file, quick))
        (WORK / f"raw-{NAME}.json").write_text(json.dumps(raw, indent=1))
    return raw
