"""Changes of our own, as git and diff print them."""

import difflib
import re

from . import ours


def samples():
    for name, commit in (("fix", "bc163b0"), ("review", "151ea8c"), ("several", "baff940")):
        yield f"diff/{name}.diff", cut(shown("show", commit))
    yield "diff/plain.diff", cut(shown("diff", "151ea8c~6", "151ea8c", "--", "crates/scripts/src"))
    yield "diff/log.diff", cut(shown("log", "-p", "-2", "--stat", "151ea8c", "--", "crates/cli/src"))
    yield "diff/no-git.diff", no_git()


def shown(*args):
    return re.sub("(?m)^Author: .*", "Author: Ada Berg <ada@example.com>", ours.git(*args))


def cut(text):
    """Whole files as far as 28 KB go."""
    if len(text) <= 28_000:
        return text
    at = text.rfind("\ndiff --git ", 0, 28_000)
    return text[:at + 1] if at > 0 else text[:text.rfind("\n", 0, 28_000) + 1]


def no_git():
    """`diff -ru old new`: two files of today against their first versions."""
    out = []
    for path in ("crates/wire/src/lib.rs", "bench/harness/table.py", "xtask/src/main.rs"):
        first = ours.git("log", "--format=%h", "--diff-filter=A", "--", path).split()[-1]
        old, new = ours.git("show", f"{first}:{path}").splitlines(), ours.file(path).splitlines()
        lines = difflib.unified_diff(old, new, f"old/{path}\t2025-05-02 10:11:12.000000000 +0000", f"new/{path}\t2025-06-02 10:11:12.000000000 +0000", lineterm="")
        out.append(f"diff -ru old/{path} new/{path}")
        out += lines
    return "\n".join(out) + "\n"
