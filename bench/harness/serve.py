"""Direction `serve`: a folder of scripts, beside the same programs without any server."""

import json
import os
import shutil
import subprocess
import sys

from . import serve_table
from .paths import LOAD, WORK

NAME = "serve"
TITLE = "# Results: `serve`, a folder of scripts beside bare processes"
ROUNDS, QUICK_ROUNDS = 5, 2
IN_FLIGHT = [1, 16, 64]
TOOLS = 100
# One measurement; all of it is bounded inside as well.
LIMIT = 120

document = serve_table.document

# An echo in what people write tools in: the file of the folder, and the words that run it bare.
SH = "#!/bin/sh\n# Says what it was given\nprintf %s \"$MCP_ARG_text\"\n"
BASH = SH.replace("/bin/sh", "/bin/bash")
# By its path: what is called python3 may be a script that looks for it.
PYTHON = (
    f"#!{sys.executable}\n# Says what it was given\nimport os\n"
    "print(os.environ['MCP_ARG_text'], end='')\n"
)
ARGV = "description: Says what it was given\nexec: [\"printf\", \"%s\", \"{{text}}\"]\n"
KINDS = {
    "sh": ("echo.sh", SH, ["{file}"]),
    "argv": ("echo.tool.yaml", ARGV, ["printf", "%s", "{text}"]),
    "bash": ("echo.sh", BASH, ["{file}"]),
    "python": ("echo.py", PYTHON, ["{file}"]),
}

# The same as processes that stay.
WORKERS = {
    "worker python": f"#!{sys.executable}\n" + """\
# Says what it was given
import json, sys
for line in sys.stdin:
    call = json.loads(line)
    text = call["params"]["arguments"]["text"] if call["method"] == "call" else ""
    sys.stdout.write(json.dumps({"id": call["id"], "result": text}) + "\\n")
    sys.stdout.flush()
""",
    # As lean as a script can be: it looks for two members and nothing else.
    "worker perl": """#!/usr/bin/perl
# Says what it was given
$| = 1;
while (<STDIN>) {
    my ($id) = /"id":(\\d+)/;
    my ($text) = /"text":"([^"]*)"/;
    print qq({"id":$id,"result":"$text"}\\n);
}
""",
}
WORKER_META = "mode: worker\nworkers: {count: 1, concurrency: 64}\n"


def folders():
    """Makes every folder anew; gives them by name."""
    place = WORK / "serve"
    shutil.rmtree(place, ignore_errors=True)
    made = {}
    for name, (file, text, _) in KINDS.items():
        made[name] = folder(place / name, {file: text})
    for name, text in WORKERS.items():
        files = {"echo": text, "echo.meta.yaml": WORKER_META}
        made[name] = folder(place / name.replace(" ", "-"), files)
    many = {f"tool_{n:03}.sh": SH for n in range(TOOLS - 1)}
    schema = "description: Number {n}\narguments: {{text: {{type: string, required: true}}}}\n"
    many |= {f"tool_{n:03}.meta.yaml": schema.format(n=n) for n in range(TOOLS - 1)}
    # What the load generator looks for in a list.
    made["many"] = folder(place / "many", many | {"blob.sh": SH})
    made["one"] = folder(place / "one", {"blob.sh": SH})
    return made


def folder(path, files):
    tools = path / "tools"
    tools.mkdir(parents=True)
    for name, text in files.items():
        file = tools / name
        file.write_text(text)
        # Whatever the umask: what others can write to is refused.
        file.chmod(0o644 if ".meta." in name or name.endswith(".yaml") else 0o755)
    for made in (path, tools):
        made.chmod(0o755)
    return path


def load(*words, quick):
    """One run of the load generator: its figures, or {"error"}."""
    command = [str(LOAD), *(["--quick"] if quick else []), "--stderr", str(WORK / "logs" / "serve"), *words]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, timeout=LIMIT,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"not done after {LIMIT} s"}
    if done.returncode != 0:
        return {"error": done.stderr.strip()[:200]}
    return json.loads(done.stdout)


def bare(name, path):
    """The words that run the program of a folder without a server."""
    file, _, words = KINDS[name]
    program, *rest = [word.replace("{file}", str(path / "tools" / file)) for word in words]
    # By its path: Rust's standard library forks where it would have to look for a program.
    return [shutil.which(program), *rest]


def measure(args):
    """Bare and served take turns within each round, so that a bad minute hits both."""
    (WORK / "logs").mkdir(parents=True, exist_ok=True)
    made = folders()
    quick, linkspan = args.quick, str(args.linkspan.resolve())
    serve = lambda name: [linkspan, "serve", str(made[name])]  # noqa: E731
    rounds = args.rounds or (QUICK_ROUNDS if quick else ROUNDS)
    raw = {"start": [], "start one": [], "calls": {}, "rounds": rounds, "tools": TOOLS}
    for at in range(rounds):
        print(f"round {at + 1}/{rounds} …", file=sys.stderr, flush=True)
        raw["start one"].append(load("served", *serve("one"), quick=quick))
        raw["start"].append(load("served", *serve("many"), quick=quick))
        for name in KINDS:
            for in_flight in IN_FLIGHT:
                pair = raw["calls"].setdefault(f"{name} {in_flight}", {"bare": [], "served": []})
                flight = ["--in-flight", str(in_flight)]
                turns = [
                    ("bare", ["spawning", *bare(name, made[name])]),
                    ("served", ["served", *serve(name)]),
                ]
                for who, words in turns if at % 2 == 0 else reversed(turns):
                    pair[who].append(load(*flight, *words, quick=quick))
        for name in WORKERS:
            if name.endswith("perl") and not os.access("/usr/bin/perl", os.X_OK):
                continue
            for in_flight in IN_FLIGHT:
                pair = raw["calls"].setdefault(f"{name} {in_flight}", {"bare": [], "served": []})
                words = ["--in-flight", str(in_flight), "served", *serve(name)]
                pair["served"].append(load(*words, quick=quick))
        (WORK / f"raw-{NAME}.json").write_text(json.dumps(raw, indent=1))
    return raw
