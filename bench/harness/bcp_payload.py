"""Makes the manifest that `bench/run bcp` measures with, in a process of its own: a process that has
held its text stays large, and a child's peak memory is never less than its parent's.

    python3 bcp_payload.py FILE BYTES

The same bytes on every machine: mixed types and sizes, text as in source files and logs."""

import json
import random
import sys

SEED = 20260728
WORDS = (
    "fn let mut return if else match self value error result block offset length bytes read write "
    "the of and to in is that for it with as on be at by this from or an are not was but which "
    "tide quay ferry harbour berth lorry ramp deck anchor pilot Høybro Ærø naïve “quoted” 漢字"
).split()
LANGUAGES = ["rust", "python", "typescript", "go", "shell", "c", "zig"]
PRIORITIES = ["critical", "high", "normal", "low", "background"]


def line(dice, indented):
    words = dice.choices(WORDS, k=dice.randint(2, 14))
    return "    " * (dice.randint(0, 3) if indented else 0) + " ".join(words)


def text(dice, size, indented):
    """About `size` bytes. Lines come again, as they do in real files, but far from always."""
    fresh = [line(dice, indented) for _ in range(max(4, size // 200))]
    lines, length = [], 0
    while length < size:
        one = dice.choice(fresh) if dice.random() < 0.6 else f"{line(dice, indented)} {dice.random()}"
        lines.append(one)
        length += len(one.encode()) + 1
    return "\n".join(lines) + "\n"


def block(dice, number, size):
    kind = dice.choices(
        ["code", "conversation", "tool_result", "document", "structured_data"], [5, 3, 3, 2, 2])[0]
    out = {"type": kind}
    if kind == "code":
        out |= {"lang": dice.choice(LANGUAGES), "path": f"src/part{number % 40}/file{number}.rs"}
    elif kind == "conversation":
        out |= {"role": dice.choice(["system", "user", "assistant", "tool"])}
    elif kind == "tool_result":
        out |= {"name": dice.choice(["rg", "cargo", "ls"]), "status": dice.choice(["ok", "error"])}
    elif kind == "document":
        out |= {"title": f"Page {number}", "format": dice.choice(["markdown", "plain", "html"])}
    else:
        out |= {"format": dice.choice(["json", "yaml", "toml", "csv"])}
    out["content"] = text(dice, size, indented=kind == "code")
    if kind not in ("tool_result", "structured_data") and dice.random() < 0.3:
        out |= {"summary": line(dice, False), "priority": dice.choice(PRIORITIES)}
    return out


def main(path, wanted):
    dice, done, number = random.Random(SEED), 0, 0
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"blocks":[\n')
        while done < wanted:
            # As many of 100 bytes as of 100 KB, so most bytes are in the large ones.
            size = int(10 ** dice.uniform(1.5, 5.5))
            one = block(dice, number, min(size, wanted - done + 100))
            done += len(one["content"].encode())
            out.write(",\n" * (number > 0) + json.dumps(one, ensure_ascii=False))
            number += 1
        out.write("\n]}\n")
    print(json.dumps({"blocks": number, "bytes": done}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
