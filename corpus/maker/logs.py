"""Logs of services in the styles of their frameworks, and of our own test runner."""

from . import ours
from .dice import NOUNS, VERBS, Clock, Dice
from .tests_log import cargo_test


def samples():
    yield "log/service.log", service()
    yield "log/spring.log", spring()
    yield "log/access.log", access()
    yield "log/journal.log", journal()
    yield "log/workers.log", workers()
    yield "log/compose.log", compose()
    yield "log/cargo-test.txt", cargo_test(ours)


def service():
    """Time to the microsecond, level, module, message, fields."""
    dice = Dice("service")
    clock = Clock(dice, "2025-06-03T08:14:22.104512", 3, 900)
    out = []
    for _ in range(200):
        now = clock.tick().isoformat(timespec="microseconds") + "Z"
        kind = dice.below(100)
        if kind < 60:
            out.append(f"{now}  INFO gateway::http: request finished method={dice.weighted(GET=70, POST=25, DELETE=5)} "
                       f"path=/v1/{dice.pick(NOUNS)}s/{dice.between(1, 9000)} status={dice.pick([200, 200, 200, 201, 404])} latency_ms={dice.between(1, 220)}")
        elif kind < 80:
            out.append(f"{now} DEBUG gateway::pool: connection reused host={dice.pick(NOUNS)}.svc.local idle_ms={dice.between(1, 9000)} in_use={dice.between(1, 32)}")
        elif kind < 95:
            out.append(f"{now}  INFO gateway::cache: refreshed key={dice.pick(NOUNS)}:{dice.between(100, 999)} entries={dice.between(1, 5000)}")
        else:
            out.append(f"{now}  WARN gateway::http: upstream is slow host={dice.pick(NOUNS)}.svc.local waited_ms={dice.between(1000, 9000)} attempt={dice.between(1, 3)}")
    return "\n".join(out) + "\n"


def spring():
    """Padded columns, and a stack trace now and then."""
    dice = Dice("spring")
    clock = Clock(dice, "2025-02-11T09:15:02.113", 1, 2500)
    out = []
    for _ in range(150):
        now = clock.tick().isoformat(sep=" ", timespec="milliseconds")
        noun = dice.pick(NOUNS[:9])
        name = noun.capitalize()
        thread = f"nio-8080-exec-{dice.between(1, 10)}"
        if dice.chance(4):
            out.append(f"{now} ERROR 4127 --- [{thread:>16}] {'c.e.i.' + noun + '.' + name + 'Service':<40} : {dice.pick(VERBS)} of {noun} {dice.between(1, 999)} failed")
            out.append(f"java.lang.IllegalStateException: {noun} is closed")
            for frame in (f"{name}Service.{dice.pick(VERBS)}({name}Service.java:{dice.between(20, 300)})",
                          f"{name}Controller.{dice.pick(VERBS)}({name}Controller.java:{dice.between(20, 200)})"):
                out.append(f"\tat com.example.inventory.{noun}.{frame}")
        else:
            out.append(f"{now}  {dice.weighted(INFO=90, WARN=10)} 4127 --- [{thread:>16}] {'c.e.i.' + noun + '.' + name + 'Controller':<40} : "
                       f"{dice.pick(VERBS)} {noun} {dice.between(1, 999)} took {dice.between(1, 400)} ms")
    return "\n".join(out) + "\n"


def access():
    dice = Dice("access")
    clock = Clock(dice, "2025-05-19T03:04:05", 10, 4000)
    agents = ["Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "curl/8.5.0",
              "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"]
    out = []
    for _ in range(130):
        now = clock.tick().strftime("%d/%b/%Y:%H:%M:%S +0000")
        path = dice.pick(["/", "/health", "/static/app.js", f"/items/{dice.between(1, 800)}", f"/search?q={dice.pick(NOUNS)}"])
        out.append(f'198.51.100.{dice.between(1, 60)} - - [{now}] "GET {path} HTTP/1.1" {dice.pick([200, 200, 200, 304, 404])} {dice.between(90, 40_000)} "-" "{dice.pick(agents)}"')
    return "\n".join(out) + "\n"


def journal():
    dice = Dice("journal")
    clock = Clock(dice, "2025-06-30T22:58:00", 200, 30_000)
    out = []
    for _ in range(150):
        now = clock.tick().strftime("%b %d %H:%M:%S")
        out.append(f"{now} edge-07 " + dice.pick([
            f"systemd[1]: Started {dice.pick(NOUNS)}.service - the {dice.pick(NOUNS)} of the site.",
            f"sshd[{dice.between(2000, 9000)}]: Connection closed by 203.0.113.{dice.between(1, 200)} port {dice.between(20_000, 60_000)} [preauth]",
            f"kernel: eth0: link up, 1000 Mbps, full duplex, lpa 0x{dice.hex(4)}",
            f"chronyd[712]: Selected source 192.0.2.{dice.between(1, 9)} (pool.example.net)",
        ]))
    return "\n".join(out) + "\n"


def workers():
    """Brackets, a name with dots, ids without order."""
    dice = Dice("workers")
    clock = Clock(dice, "2025-03-08T17:00:00.000", 5, 1500)
    out = []
    for _ in range(130):
        now = clock.tick().isoformat(sep=" ", timespec="milliseconds").replace(".", ",")
        task = f"billing.tasks.{dice.pick(VERBS)}_{dice.pick(NOUNS)}"
        ident = dice.uuid()
        out.append(f"[{now}: INFO/MainProcess] Task {task}[{ident}] received" if dice.chance(50) else
                   f"[{now}: INFO/ForkPoolWorker-{dice.between(1, 4)}] Task {task}[{ident}] succeeded in {dice.decimal(0, 3, 6)}s: None")
    return "\n".join(out)


def compose():
    """Several services in one stream, some in JSON, a progress line, the same line again and again."""
    dice = Dice("compose")
    clock = Clock(dice, "2025-07-07T12:00:00", 100, 5000)
    out = []
    for number in range(160):
        now = clock.tick()
        who = dice.pick(["api-1     ", "db-1      ", "worker-1  ", "worker-2  "])
        if who.startswith("api"):
            text = f'{{"level":"info","ts":{int(now.timestamp())},"msg":"{dice.pick(VERBS)} done","rows":{dice.between(0, 80)}}}'
        elif who.startswith("db"):
            text = f"{now.isoformat(sep=' ')}.000 UTC [{dice.between(60, 70)}] LOG:  checkpoint complete: wrote {dice.between(1, 900)} buffers ({dice.decimal(0, 9, 1)}%)"
        else:
            text = "waiting for jobs" if dice.chance(60) else f"job {9000 + number} done in {dice.between(1, 90)}s"
        out.append(f"{who}| {text}")
    return "\n".join(out) + "\n"
