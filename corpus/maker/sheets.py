"""Tables: Markdown, drawn ones, aligned ones, CSV and TSV."""

import csv
import io
import re

from . import ours
from .dice import CITIES, NOUNS, VERBS, Clock, Dice


def samples():
    yield "table/results.md", widest_table(ours.file("bench/RESULTS.md"))
    yield "table/padded.md", markdown(*endpoints())
    yield "table/psql.txt", psql(*accounts())
    yield "table/mysql.txt", mysql(*jobs())
    yield "table/box.txt", box(*packages())
    yield "table/pods.txt", aligned(*pods())
    yield "table/orders.csv", separated(*orders(), ",")
    yield "table/stations.csv", separated(*stations(), ";")
    yield "table/export.tsv", separated(*accounts(), "\t")


def widest_table(text):
    """The tables of our own results, as they are in the document."""
    tables = re.findall(r"(?:^\|.*\n)+", text, re.M)
    return "\n".join(tables[:6])


def endpoints():
    dice = Dice("endpoints")
    head = ["Method", "Path", "Handler", "Auth", "p95 (ms)", "Owner"]
    rows = []
    for noun in NOUNS * 2:
        rows.append([dice.pick(["GET", "POST", "PUT", "DELETE"]), f"/api/v2/{noun}s/{{id}}", f"`{noun}s::{dice.pick(VERBS)}`",
                     dice.pick(["none", "session", "api key"]), str(dice.between(4, 800)), f"@team-{dice.pick(['core', 'web', 'data'])}"])
    return head, rows


def accounts():
    dice = Dice("accounts")
    clock = Clock(dice, "2024-11-02T10:00:00", 3_000_000, 80_000_000)
    rows = []
    for number in range(64):
        first, last = dice.person()
        rows.append([str(10_440 + number), f"{first} {last}", dice.pick(CITIES), dice.weighted(active=80, locked=10, closed=10),
                     f"{dice.between(-20_000, 900_000) / 100:.2f}", clock.tick().strftime("%Y-%m-%d %H:%M:%S")])
    return ["id", "holder", "city", "state", "balance", "opened"], rows


def jobs():
    dice = Dice("jobs")
    rows = []
    for number in range(48):
        rows.append([str(77_000 + number), f"{dice.pick(VERBS)}_{dice.pick(NOUNS)}", dice.weighted(done=70, queued=20, failed=10),
                     "NULL" if dice.chance(20) else f"host-{dice.between(1, 9)}", str(dice.between(0, 5)), dice.pick(["high", "normal", "low"])])
    return ["job_id", "task", "state", "host", "attempts", "priority"], rows


def packages():
    dice = Dice("packages")
    rows = []
    for noun in NOUNS:
        major, minor = dice.between(0, 5), dice.between(0, 30)
        rows.append([f"lib{noun}", f"{major}.{minor}.{dice.between(0, 9)}", f"{major}.{minor + dice.between(0, 4)}.0", dice.pick(["dependencies", "devDependencies"]), dice.pick(["MIT", "Apache-2.0", "ISC"])])
    return ["Package", "Current", "Latest", "Type", "License"], rows


def pods():
    dice = Dice("kubectl")
    rows = []
    for _ in range(56):
        rows.append([f"{dice.pick(NOUNS)}-{dice.hex(9)}-{dice.letters(5, 'bcdfghjklmnpqrstvwxz')}", dice.weighted(**{"1/1": 80, "2/2": 15, "0/1": 5}),
                     dice.weighted(Running=90, Completed=6, Error=4), str(dice.below(4)), f"{dice.between(1, 40)}d", f"10.1.{dice.between(0, 9)}.{dice.between(2, 250)}", f"node-{dice.between(1, 6)}"])
    return ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE"], rows


def orders():
    dice = Dice("csv orders")
    clock = Clock(dice, "2025-04-01T00:00:00", 100_000, 9_000_000)
    rows = []
    for number in range(150):
        first, last = dice.person()
        price = dice.between(1, 200) + 0.5
        rows.append([f"SO-2025-{number + 7001}", clock.iso(), f"{last}, {first}", f"https://shop.example/orders/SO-2025-{number + 7001}",
                     dice.pick(["standard", "express"]), f"{price:.2f}", "EUR", "true" if dice.chance(90) else "false"])
    return ["order", "placed", "customer", "link", "shipping", "total", "currency", "paid"], rows


def stations():
    dice = Dice("stations")
    rows = []
    for number in range(120):
        rows.append([f"{10_100 + 7 * number}", f"{dice.pick(CITIES)} {dice.pick(['Hbf', 'Nord', 'Süd', 'Flughafen', 'Ost'])}", f"{dice.decimal(46, 54, 4)}", f"{dice.decimal(6, 14, 4)}", str(dice.between(0, 900)), "DE" if dice.chance(70) else "AT", "1" if dice.chance(80) else "0"])
    return ["station_id", "name", "lat", "lon", "height_m", "country", "active"], rows


def widths(head, rows):
    return [max(len(row[at]) for row in [head, *rows]) for at in range(len(head))]


def markdown(head, rows):
    wide = widths(head, rows)
    line = lambda row: "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, wide)) + " |"
    rule = "|" + "|".join("-" * (width + 2) for width in wide) + "|"
    return "\n".join([line(head), rule, *map(line, rows)]) + "\n"


def psql(head, rows):
    wide = widths(head, rows)
    numeric = [all(re.fullmatch(r"-?[\d.]+", row[at]) for row in rows) for at in range(len(head))]
    line = lambda row: "|".join(f" {cell.rjust(w) if right else cell.ljust(w)} " for cell, w, right in zip(row, wide, numeric)).rstrip()
    title = "|".join(f" {name.center(w)} " for name, w in zip(head, wide))
    rule = "+".join("-" * (w + 2) for w in wide)
    return "\n".join([title, rule, *map(line, rows), f"({len(rows)} rows)", ""]) + "\n"


def mysql(head, rows):
    wide = widths(head, rows)
    line = lambda row: "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, wide)) + " |"
    rule = "+" + "+".join("-" * (w + 2) for w in wide) + "+"
    return "\n".join([rule, line(head), rule, *map(line, rows), rule, f"{len(rows)} rows in set (0.00 sec)"]) + "\n"


def box(head, rows):
    wide = widths(head, rows)
    line = lambda row: "│ " + " │ ".join(cell.ljust(w) for cell, w in zip(row, wide)) + " │"
    rule = lambda left, mid, right: left + mid.join("─" * (w + 2) for w in wide) + right
    return "\n".join([rule("┌", "┬", "┐"), line(head), rule("├", "┼", "┤"), *map(line, rows), rule("└", "┴", "┘")]) + "\n"


def aligned(head, rows):
    wide = widths(head, rows)
    line = lambda row: "   ".join(cell.ljust(w) for cell, w in zip(row, wide)).rstrip()
    return "\n".join(map(line, [head, *rows])) + "\n"


def separated(head, rows, by):
    out = io.StringIO()
    csv.writer(out, delimiter=by, lineterminator="\n").writerows([head, *rows])
    return out.getvalue()
