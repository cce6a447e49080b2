"""Lists as forges and trackers give them, 60 with 20 members: much is the same, much follows from a number."""

import base64
import datetime

from .dice import NOUNS, VERBS, Clock, Dice
from .flat import pretty

PEOPLE = ["mvarga", "ito-k", "lena-berg", "okafor7", "rosa", "tdubois", "svenl", "bot-release"]


def samples():
    yield "json-issues/issues.json", pretty(issues())
    yield "json-issues/merge-requests.json", pretty(merge_requests())
    yield "json-issues/tickets.json", pretty(tickets())
    yield "json-issues/runs.json", pretty(runs()) + "\n"


def title(dice):
    return dice.pick([
        f"{dice.pick(VERBS).capitalize()} fails when the {dice.pick(NOUNS)} is empty",
        f"Add a way to {dice.pick(VERBS)} the {dice.pick(NOUNS)}",
        f"{dice.pick(NOUNS).capitalize()} {dice.pick(NOUNS)} leaks after {dice.between(2, 90)} minutes",
        f"Document how to {dice.pick(VERBS)} a {dice.pick(NOUNS)}",
    ])


def issues():
    dice = Dice("issues")
    clock = Clock(dice, "2025-02-03T09:00:00", 1_800_000, 40_000_000)
    api, html = "https://api.forge.example/repos/acme/bridge", "https://forge.example/acme/bridge"
    rows = []
    for number in range(401, 461):
        opened = clock.iso()
        touched = (clock.now + datetime.timedelta(seconds=dice.between(60, 2_000_000))).isoformat(timespec="seconds") + "Z"
        who = dice.pick(PEOPLE)
        closed = dice.chance(40)
        labels = dice.some([("bug", "d73a4a"), ("docs", "0075ca"), ("feature", "a2eeef"), ("good first issue", "7057ff")], dice.below(3))
        rows.append({
            "url": f"{api}/issues/{number}",
            "repository_url": api,
            "comments_url": f"{api}/issues/{number}/comments",
            "events_url": f"{api}/issues/{number}/events",
            "html_url": f"{html}/issues/{number}",
            "id": 2_900_000_000 + 7919 * number + dice.below(900),
            "node_id": "I_" + base64.b64encode(f"0:Issue{2_900_000 + number}".encode()).decode(),
            "number": number,
            "title": title(dice),
            "user": {"login": who, "id": 7000 + 13 * PEOPLE.index(who), "type": "User", "site_admin": False},
            "labels": [{"name": name, "color": color} for name, color in labels],
            "state": "closed" if closed else "open",
            "locked": False,
            "assignee": None,
            "milestone": None,
            "comments": dice.between(0, 14),
            "created_at": opened,
            "updated_at": touched,
            "closed_at": touched if closed else None,
            "author_association": dice.weighted(CONTRIBUTOR=50, MEMBER=30, NONE=20),
        })
    return rows


def merge_requests():
    dice = Dice("merge requests")
    clock = Clock(dice, "2025-04-22T06:30:00.100", 900_000, 30_000_000)
    web = "https://code.example.com/tools/sync"
    rows = []
    for iid in range(910, 970):
        name = dice.pick(["Elif Weber", "Mateo Rossi", "Hana Ueda", "Olu Peters"])
        user = name.lower().replace(" ", ".")
        created = clock.iso("milliseconds")
        merged = dice.chance(55)
        rows.append({
            "id": 5_100_000 + 41 * iid,
            "iid": iid,
            "project_id": 2217,
            "title": title(dice),
            "description": "",
            "state": "merged" if merged else "opened",
            "created_at": created,
            "merged_at": clock.iso("milliseconds") if merged else None,
            "target_branch": "main",
            "source_branch": f"{dice.pick(VERBS)}-{dice.pick(NOUNS)}-{iid}",
            "author": {"id": 300 + len(name), "username": user, "name": name, "state": "active", "web_url": f"https://code.example.com/{user}"},
            "upvotes": dice.between(0, 4),
            "draft": dice.chance(10),
            "labels": dice.some(["backend", "ci", "urgent", "ux"], dice.below(3)),
            "merge_status": "can_be_merged",
            "sha": dice.hex(40),
            "user_notes_count": dice.between(0, 30),
            "web_url": f"{web}/-/merge_requests/{iid}",
            "references": {"short": f"!{iid}", "full": f"tools/sync!{iid}"},
            "has_conflicts": False,
        })
    return rows


def tickets():
    """A wrapper, and most members one level down."""
    dice = Dice("tickets")
    clock = Clock(dice, "2025-06-02T10:05:00.000", 600_000, 20_000_000)
    site = "https://desk.example.io/rest/api/2"
    states = {"3": "In Progress", "1": "Open", "10001": "Done"}
    rows = []
    for number in range(60):
        key, state, who = 1840 + number, dice.pick(list(states)), dice.pick(["adahl", "cnovak", "yhaddad"])
        ident = str(30_200 + 3 * number)
        rows.append({
            "expand": "operations,changelog,transitions",
            "id": ident,
            "self": f"{site}/issue/{ident}",
            "key": f"OPS-{key}",
            "fields": {
                "summary": title(dice),
                "issuetype": {"self": f"{site}/issuetype/10002", "name": "Task", "subtask": False},
                "project": {"self": f"{site}/project/10100", "key": "OPS", "name": "Operations"},
                "status": {"self": f"{site}/status/{state}", "id": state, "name": states[state]},
                "priority": {"self": f"{site}/priority/3", "name": "Medium", "id": "3"},
                "assignee": None if dice.chance(25) else {"name": who, "emailAddress": f"{who}@example.io", "active": True},
                "created": clock.iso("milliseconds", "+0200"),
                "updated": clock.iso("milliseconds", "+0200"),
                "labels": dice.some(["network", "oncall", "storage"], dice.below(3)),
                "resolution": None,
                "timeestimate": dice.pick([None, 3600, 7200, 14400]),
            },
        })
    return {"startAt": 0, "maxResults": 60, "total": 412, "issues": rows}


def runs():
    dice = Dice("runs")
    clock = Clock(dice, "2025-07-01T00:10:00", 300_000, 9_000_000)
    api = "https://api.forge.example/repos/acme/bridge/actions"
    rows = []
    for number in range(60):
        ident = 16_020_400_000 + 52_711 * number + dice.below(50_000)
        began, ended = clock.iso(), clock.iso()
        rows.append({
            "id": ident,
            "name": dice.weighted(CI=70, Release=10, Nightly=20),
            "head_branch": dice.weighted(main=60, develop=25, release=15),
            "head_sha": dice.hex(40),
            "path": ".forge/workflows/ci.yml",
            "display_title": title(dice),
            "run_number": 2204 + number,
            "event": dice.weighted(push=70, schedule=20, pull_request=10),
            "status": "completed",
            "conclusion": dice.weighted(success=85, failure=12, cancelled=3),
            "workflow_id": 7_710_021,
            "url": f"{api}/runs/{ident}",
            "jobs_url": f"{api}/runs/{ident}/jobs",
            "logs_url": f"{api}/runs/{ident}/logs",
            "rerun_url": f"{api}/runs/{ident}/rerun",
            "created_at": began,
            "run_started_at": began,
            "updated_at": ended,
            "run_attempt": 1,
            "actor": {"login": dice.pick(PEOPLE), "type": "User"},
        })
    return {"total_count": 2263, "workflow_runs": rows}
