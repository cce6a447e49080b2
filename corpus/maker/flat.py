"""JSON arrays of flat objects, 200 with 8 members each, as APIs and databases print them."""

import json

from .dice import CITIES, Clock, Dice, slug


def samples():
    yield "json-flat/users.json", pretty(users())
    yield "json-flat/readings.json", pretty(readings())
    yield "json-flat/payments.json", pretty(payments(), 4)
    yield "json-flat/pods.json", pretty(pods())
    yield "json-flat/products.json", pretty(products()) + "\n"


def pretty(value, indent=2):
    return json.dumps(value, indent=indent, ensure_ascii=False)


def users():
    dice = Dice("users")
    clock = Clock(dice, "2023-02-01T08:00:00", 3_600_000, 90_000_000)
    rows = []
    for number in range(1, 201):
        first, last = dice.person()
        active = dice.chance(85)
        rows.append({
            "id": number,
            "name": f"{first} {last}",
            "email": f"{first}.{last}@example.com".lower(),
            "role": dice.weighted(member=80, admin=6, billing=9, guest=5),
            "team": dice.pick(["platform", "payments", "search", "mobile", "design"]),
            "active": active,
            "created_at": clock.iso(),
            "logins": dice.between(0, 900) if active else 0,
        })
    return rows


def readings():
    """A dozen sensors that report in turn."""
    dice = Dice("readings")
    clock = Clock(dice, "2025-03-04T06:00:00", 24_000, 26_000)
    sites = [("th-%04d" % dice.between(11, 96), dice.pick(["Hall 1", "Hall 2", "Cold store", "Roof"]))
             for _ in range(12)]
    rows = []
    for number in range(200):
        sensor, site = sites[number % 12]
        rows.append({
            "sensor": sensor,
            "site": site,
            "taken": clock.iso(end="+01:00"),
            "celsius": dice.decimal(-4, 31, 1),
            "humidity": dice.between(22, 91),
            "volts": dice.decimal(3.1, 3.7, 2),
            "rssi": -dice.between(48, 97),
            "valid": not dice.chance(3),
        })
    return rows


def payments():
    """Ids without any order, amounts as strings, times as numbers."""
    dice = Dice("payments")
    now, rows = 1_741_000_000_000, []
    for _ in range(200):
        now += dice.between(400, 700_000)
        cents = dice.between(199, 48_000)
        rows.append({
            "paymentId": "pay_" + dice.letters(14, "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789"),
            "customerRef": f"C-{dice.between(10_000, 14_000)}",
            "amount": f"{cents // 100}.{cents % 100:02}",
            "currency": dice.weighted(EUR=80, SEK=12, CHF=8),
            "method": dice.weighted(card=60, sepa_debit=25, paypal=15),
            "status": dice.weighted(succeeded=88, pending=7, failed=5),
            "createdAtMillis": now,
            "refundedAt": None,
        })
    return rows


def pods():
    dice = Dice("pods")
    services = [(name, dice.letters(10, "0123456789bcdf"), f"{dice.between(0, 4)}.{dice.between(0, 30)}.{dice.between(0, 9)}")
                for name in ("checkout", "catalog", "search-api", "mailer", "image-proxy", "auth", "ledger")]
    rows = []
    for _ in range(200):
        name, replica, version = dice.pick(services)
        rows.append({
            "name": f"{name}-{replica}-{dice.letters(5, 'bcdfghjklmnpqrstvwxz2456789')}",
            "namespace": dice.weighted(production=70, staging=30),
            "node": f"worker-{dice.between(1, 24):02}",
            "phase": dice.weighted(Running=93, Pending=4, CrashLoopBackOff=3),
            "restarts": dice.between(0, 3) if dice.chance(20) else 0,
            "ip": f"10.244.{dice.between(0, 23)}.{dice.between(2, 254)}",
            "image": f"images.example.net/shop/{name}:{version}",
            "startedAt": f"2025-05-{dice.between(1, 28):02}T{dice.between(0, 23):02}:{dice.between(0, 59):02}:{dice.between(0, 59):02}Z",
        })
    return rows


def products():
    dice = Dice("products")
    things = ("Lamp Chair Kettle Rug Shelf Mirror Bottle Clock Basket Cushion Vase Tray Stool Blanket").split()
    looks = "Oak Linen Copper Grey Striped Round Folding Small Enamel Cork Walnut Felt".split()
    rows = []
    for number in range(200):
        title = f"{dice.pick(looks)} {dice.pick(looks)} {dice.pick(things)}"
        rows.append({
            "sku": f"HM-{20_417 + 3 * number}",
            "title": title,
            "url": f"https://shop.example.org/items/{slug(title)}-{20_417 + 3 * number}",
            "price": dice.between(4, 240) + dice.pick([0, 0.5, 0.9, 0.95]),
            "currency": "EUR",
            "stock": dice.between(0, 140),
            "rating": dice.decimal(2.5, 5, 1) if dice.chance(80) else None,
            "warehouse": dice.pick(CITIES[:4]),
        })
    return rows
