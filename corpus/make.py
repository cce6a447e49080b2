#!/usr/bin/env python3
"""Makes the corpus anew: `corpus/make.py [ROW…]`. README.md says what is what.

The same bytes every time: the dice are our own, and what comes from this repository comes from one
commit of it.
"""

import sys
from pathlib import Path

from maker import (diffs, flat, irregular, issues, listings, logs, nested, numbered, others, search,
                   sheets, small, trees)

HERE = Path(__file__).parent
MAKERS = [flat, nested, issues, irregular, trees, listings, search, numbered, logs, diffs, sheets,
          small, others]


def main():
    wanted = sys.argv[1:]
    for maker in MAKERS:
        for name, text in maker.samples():
            row = name.split("/")[0]
            if wanted and row not in wanted:
                continue
            path = HERE / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode())
            print(f"{len(text.encode()):8} {name}")


if __name__ == "__main__":
    main()
