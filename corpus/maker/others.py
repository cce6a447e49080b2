"""Whatever else tools answer with: prose, YAML, errors, code, and several things in one text."""

import base64
import json

from . import ours
from .dice import NOUNS, VERBS, Clock, Dice
from .flat import pretty, users
from .sheets import aligned, pods


def samples():
    yield "prose/architecture.md", ours.file("ARCHITECTURE.md")
    yield "prose/readme.md", ours.file("README.md")
    yield "prose/http.md", ours.file("docs/http.md")
    yield "code/rust.txt", "```rust\n" + ours.file("crates/wire/src/message.rs") + "```\n"
    yield "code/python.py", ours.file("bench/harness/rounds.py")
    yield "toml/cargo.toml", ours.file("Cargo.toml") + "\n" + ours.file("crates/cli/Cargo.toml")
    yield "yaml/compose.yaml", compose()
    yield "yaml/manifests.yaml", manifests()
    yield "yaml/pipeline.yaml", pipeline()
    yield "errors/rust.txt", rust_errors()
    yield "errors/python.txt", python_error()
    yield "errors/node.txt", node_error()
    yield "ndjson/events.ndjson", events()
    yield "ndjson/mixed.ndjson", mixed_lines()
    yield "html/page.html", page()
    yield "base64/image.txt", base64.b64encode(bytes(Dice("image").below(256) for _ in range(6000))).decode()
    yield "mixed/report.md", report()
    yield "mixed/session.txt", session()
    yield "mixed/imitation.txt", imitation()
    yield "mixed/crlf.txt", pretty(users()[:40]).replace("\n", "\r\n") + "\r\n"


def compose():
    dice = Dice("compose.yaml")
    out = ["services:"]
    for noun in NOUNS[:9]:
        out += [f"  {noun}:", f"    image: images.example.net/yard/{noun}:{dice.between(1, 9)}.{dice.between(0, 9)}", "    restart: unless-stopped", "    environment:", "      LOG_LEVEL: info", f"      WORKERS: \"{dice.between(1, 8)}\"", "    ports:", f"      - \"{dice.between(8000, 8100)}:80\"", "    networks: [yard]"]
    return "\n".join(out + ["networks:", "  yard: {}", ""])


def manifests():
    dice = Dice("manifests")
    parts = []
    for noun in NOUNS[:6]:
        parts.append(f"""apiVersion: apps/v1
kind: Deployment
metadata:
  name: {noun}
  labels:
    app.kubernetes.io/name: {noun}
spec:
  replicas: {dice.between(1, 6)}
  selector:
    matchLabels:
      app.kubernetes.io/name: {noun}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: {noun}
    spec:
      containers:
        - name: main
          image: images.example.net/yard/{noun}:{dice.hex(12)}
          resources:
            requests: {{cpu: {dice.between(1, 9)}00m, memory: {dice.between(1, 9) * 64}Mi}}
          readinessProbe:
            httpGet: {{path: /ready, port: 80}}
""")
    return "---\n".join(parts)


def pipeline():
    dice = Dice("pipeline")
    out = ["name: build", "on: [push]", "jobs:"]
    for verb in VERBS[:8]:
        out += [f"  {verb}:", "    runs-on: linux", f"    timeout-minutes: {dice.between(5, 60)}", "    steps:", "      - uses: actions/checkout@v4", f"      - run: make {verb}", f"      # {dice.pick(NOUNS)} needs this"]
    return "\n".join(out) + "\n"


def rust_errors():
    dice = Dice("rust errors")
    out = []
    for _ in range(14):
        noun, line = dice.pick(NOUNS), dice.between(10, 400)
        out.append(f"""error[E0425]: cannot find value `{noun}` in this scope
  --> crates/yard/src/{dice.pick(NOUNS)}.rs:{line}:{dice.between(5, 40)}
   |
{line} |     {dice.pick(VERBS)}({noun});
   |     {'^' * len(noun)} not found in this scope
""")
    return "\n".join(out) + "\nerror: could not compile `yard` (lib) due to 14 previous errors\n"


def python_error():
    dice = Dice("python error")
    out = ["Traceback (most recent call last):"]
    for _ in range(22):
        out += [f'  File "/srv/yard/{dice.pick(NOUNS)}/{dice.pick(NOUNS)}.py", line {dice.between(5, 600)}, in {dice.pick(VERBS)}_{dice.pick(NOUNS)}', f"    return self.{dice.pick(NOUNS)}.{dice.pick(VERBS)}({dice.pick(NOUNS)})"]
    return "\n".join(out + ["KeyError: 'lease'"]) + "\n"


def node_error():
    dice = Dice("node error")
    out = ["TypeError: Cannot read properties of undefined (reading 'id')"]
    out += [f"    at {dice.pick(VERBS)}{dice.pick(NOUNS).capitalize()} (/app/dist/{dice.pick(NOUNS)}.js:{dice.between(1, 900)}:{dice.between(3, 60)})" for _ in range(18)]
    return "\n".join(out) + "\n"


def events():
    dice = Dice("events")
    clock = Clock(dice, "2025-06-11T14:00:00.000", 2, 3000)
    return "".join(json.dumps({"ts": clock.iso("milliseconds"), "event": f"{dice.pick(NOUNS)}.{dice.pick(VERBS)}", "user": dice.between(1, 400), "ok": dice.chance(95), "ms": dice.between(1, 300)}) + "\n" for _ in range(160))


def mixed_lines():
    dice = Dice("mixed lines")
    lines = []
    for number in range(90):
        lines.append({"type": "result", "n": number, "score": dice.decimal(0, 1, 3)} if dice.chance(70) else {"type": "note", "text": f"the {dice.pick(NOUNS)} was {dice.pick(VERBS)}d", "tags": dice.some(NOUNS, 2)})
    return "\n".join(json.dumps(line) for line in lines)


def page():
    dice = Dice("page")
    rows = "\n".join(f'    <li class="entry"><a href="/entries/{dice.between(100, 999)}">The {dice.pick(NOUNS)} that would not {dice.pick(VERBS)}</a> <time>2025-0{dice.between(1, 9)}-1{dice.below(10)}</time></li>' for _ in range(40))
    return f'<!doctype html>\n<html lang="en">\n<head><title>Entries</title><meta charset="utf-8"></head>\n<body>\n  <ul>\n{rows}\n  </ul>\n</body>\n</html>\n'


def report():
    """Prose, then JSON in a fence, then a table, then prose."""
    return "\n".join([
        "# Nightly report", "", "Everything ran. The people who have not logged in for a while are below; ask before removing anyone.", "",
        "```json", pretty(users()[40:75]), "```", "", "The pods at that time:", "", aligned(*pods()), "",
        "Nothing else happened. The next report comes tomorrow.", ""])


def session():
    """A terminal session: prompts, a diff, a search, a log."""
    dice = Dice("session")
    clock = Clock(dice, "2025-05-05T05:05:05", 100, 9000)
    hits = [f"{path}:{number}:// see the {dice.pick(NOUNS)}" for path in ours.files("crates/desk") for number in (3, 40)]
    log = [f"{clock.iso()} INFO yard::{dice.pick(NOUNS)}: {dice.pick(VERBS)} took {dice.between(1, 90)} ms" for _ in range(60)]
    change = ours.git("show", "--format=", "bc163b0")
    return "\n".join(["$ git diff", change, "$ grep -rn see crates/desk", *hits, "", "$ tail -60 yard.log", *log, "$ "])


def imitation():
    """Lines that look like ours, between JSON that is worth it."""
    return "%json table\n%end\n%%end\n% not ours\n" + pretty(users()[80:120]) + "\n%end\n%tree 3 entries\nsrc a b c\n%\n"
