"""Random numbers that are the same everywhere and for ever, and what people and things are called."""

import datetime
import hashlib

FIRST = ("Ada Boris Chiara Dmitri Elif Fatima Goran Hana Ivan Jia Kofi Lena Mateo Nadia Olu Petra Quentin "
         "Rosa Sven Tomas Uma Viktor Wanda Ximena Yusuf Zoe Anders Beatriz Cem Dalia").split()
LAST = ("Almeida Berg Castro Dubois Eriksen Fischer Garcia Hoffmann Ito Jansen Kowalski Larsen Moreau Novak "
        "Okafor Peters Quispe Rossi Schmidt Tanaka Ueda Varga Weber Yilmaz Zhang Lindqvist Haddad").split()
CITIES = ("Lisbon Oslo Lyon Turin Graz Ghent Porto Malmö Brno Split Zürich Łódź Kyoto Lima Accra "
          "Izmir Cork Bergen").split()
NOUNS = ("engine cache router parser buffer ticket invoice report session queue worker token channel "
         "schema index cursor bucket lease policy ledger gateway profile").split()
VERBS = ("load store refresh cancel retry merge split encode decode render resolve verify publish "
         "archive restore schedule").split()
MASK = (1 << 64) - 1


class Dice:
    def __init__(self, seed):
        self.state = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, end):
        return self.next() % end

    def between(self, low, high):
        """Both ends are included."""
        return low + self.below(high - low + 1)

    def chance(self, percent):
        return self.below(100) < percent

    def pick(self, things):
        return things[self.below(len(things))]

    def weighted(self, **things):
        """One of the names, each as often as its number says."""
        at = self.below(sum(things.values()))
        for name, weight in things.items():
            if at < weight:
                return name
            at -= weight

    def some(self, things, count):
        """That many different ones, in their order."""
        left = list(range(len(things)))
        while len(left) > count:
            del left[self.below(len(left))]
        return [things[at] for at in left]

    def letters(self, count, alphabet):
        return "".join(self.pick(alphabet) for _ in range(count))

    def hex(self, count):
        return self.letters(count, "0123456789abcdef")

    def decimal(self, low, high, places):
        scale = 10 ** places
        return self.between(int(low * scale), int(high * scale)) / scale

    def person(self):
        return self.pick(FIRST), self.pick(LAST)

    def uuid(self):
        return "-".join(self.hex(n) for n in (8, 4, 4, 4, 12))


class Clock:
    """A time that goes on by itself."""

    def __init__(self, dice, start, low, high):
        """From `start` on, in steps of `low` to `high` milliseconds."""
        self.dice, self.low, self.high = dice, low, high
        self.now = datetime.datetime.fromisoformat(start)

    def tick(self):
        self.now += datetime.timedelta(milliseconds=self.dice.between(self.low, self.high))
        return self.now

    def iso(self, spec="seconds", end="Z"):
        return self.tick().isoformat(timespec=spec) + end


def slug(text):
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
