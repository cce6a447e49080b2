"""JSON with objects and arrays in it: orders, traces, courses, bookings."""

from .dice import CITIES, NOUNS, VERBS, Clock, Dice, slug
from .flat import pretty


def samples():
    yield "json-nested/orders.json", pretty(orders())
    yield "json-nested/traces.json", pretty(traces())
    yield "json-nested/courses.json", pretty(courses()) + "\n"
    yield "json-nested/bookings.json", pretty(bookings(), 4)


def orders():
    dice = Dice("orders")
    clock = Clock(dice, "2025-01-14T07:12:09", 60_000, 2_400_000)
    goods = [(f"A{dice.between(1000, 9999)}", f"{dice.pick(['Blue', 'Heavy', 'Short', 'Plain'])} {noun}",
              dice.between(3, 120) + 0.99) for noun in NOUNS[:16]]
    rows = []
    for number in range(70):
        first, last = dice.person()
        items = [{"sku": sku, "title": title, "quantity": dice.between(1, 5), "unit_price": price}
                 for sku, title, price in dice.some(goods, dice.between(1, 4))]
        rows.append({
            "order_id": f"ORD-2025-{number + 3120:06}",
            "status": dice.weighted(shipped=60, paid=25, cancelled=8, returned=7),
            "placed_at": clock.iso(),
            "customer": {
                "id": dice.between(500, 900),
                "name": f"{first} {last}",
                "email": f"{slug(first)}{dice.between(1, 99)}@mail.example",
                "address": {
                    "street": f"{dice.pick(['Mill', 'Station', 'Garden', 'North', 'Church'])} Street {dice.between(1, 180)}",
                    "city": dice.pick(CITIES),
                    "zip": f"{dice.between(1000, 99999):05}",
                    "country": dice.pick(["PT", "NO", "FR", "IT", "AT"]),
                },
            },
            "items": items,
            "total": round(sum(item["quantity"] * item["unit_price"] for item in items), 2),
            "currency": "EUR",
            "notes": "Leave at the door" if dice.chance(12) else None,
        })
    return rows


def traces():
    """A wrapper with one big array; members with dots in their names."""
    dice = Dice("traces")
    start, found = 1_750_412_800_000_000_000, []
    for _ in range(32):
        start += dice.between(1_000_000, 900_000_000)
        spans, offset = [], 0
        for depth in range(dice.between(2, 5)):
            offset += dice.between(0, 9)
            spans.append({
                "spanId": dice.hex(16),
                "name": f"{dice.pick(VERBS)}_{dice.pick(NOUNS)}",
                "kind": "SERVER" if depth == 0 else dice.pick(["CLIENT", "INTERNAL"]),
                "offsetMs": offset,
                "durationMs": dice.decimal(0.1, 80, 1),
                "attributes": {
                    "http.request.method": dice.weighted(GET=70, POST=30),
                    "http.response.status_code": dice.pick([200, 200, 200, 204, 404, 500]),
                    "server.address": f"{dice.pick(NOUNS)}.internal",
                },
            })
        found.append({
            "traceId": dice.hex(32),
            "startTimeUnixNano": str(start),
            "service": {"name": dice.pick(["cart", "quotes", "stock"]), "version": "2.8.1"},
            "spans": spans,
        })
    return {"query": {"service": "*", "limit": 32, "lookback": "1h"}, "found": len(found), "traces": found}


def courses():
    """Arrays within arrays."""
    dice = Dice("courses")
    rows = []
    for number in range(24):
        first, last = dice.person()
        topic = f"{dice.pick(VERBS)} a {dice.pick(NOUNS)}"
        rows.append({
            "slug": f"{slug(topic)}-{number + 1}",
            "title": f"How to {topic}",
            "level": dice.pick(["beginner", "intermediate", "advanced"]),
            "teacher": {"name": f"{first} {last}", "city": dice.pick(CITIES), "verified": dice.chance(70)},
            "tags": dice.some(NOUNS, dice.between(1, 4)),
            "modules": [{
                "title": f"Part {part + 1}: {dice.pick(NOUNS)}",
                "lessons": [{
                    "n": lesson + 1,
                    "title": f"{dice.pick(VERBS).capitalize()} the {dice.pick(NOUNS)}",
                    "minutes": dice.between(3, 28),
                    "free": lesson == 0,
                } for lesson in range(dice.between(2, 4))],
            } for part in range(dice.between(1, 3))],
        })
    return {"data": rows, "page": {"number": 1, "size": 24, "total": 311}}


def bookings():
    """Optional objects, arrays of plain values, keys in camelCase."""
    dice = Dice("bookings")
    rows = []
    for number in range(60):
        day = dice.between(1, 27)
        first, last = dice.person()
        row = {
            "bookingRef": dice.letters(6, "ABCDEFGHJKLMNPQRSTUVWXYZ"),
            "guest": {"firstName": first, "lastName": last, "loyalty": dice.chance(30)},
            "stay": {"from": f"2025-08-{day:02}", "to": f"2025-08-{min(day + dice.between(1, 6), 31):02}", "nights": dice.between(1, 6)},
            "room": {"number": dice.between(101, 530), "type": dice.pick(["single", "double", "suite"]), "floor": dice.between(1, 5)},
            "ages": [dice.between(1, 80) for _ in range(dice.between(1, 4))],
            "price": {"amount": dice.between(60, 900), "currency": "CHF", "paid": dice.chance(60)},
        }
        if dice.chance(30):
            row["request"] = {"kind": dice.pick(["crib", "late arrival", "quiet room"]), "granted": dice.chance(50)}
        rows.append(row)
    return rows
