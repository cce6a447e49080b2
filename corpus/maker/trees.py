"""Folders as `tree` draws them and as server-filesystem's directory_tree gives them."""

import json

from . import ours
from .dice import NOUNS, VERBS, Dice

UTF8 = ("├── ", "└── ", "│\u00a0\u00a0 ", "    ")
SPACES = ("├── ", "└── ", "│   ", "    ")
ASCII = ("|-- ", "`-- ", "|   ", "    ")


def samples():
    ours_tree = nest(ours.files("crates/bcp/src", "crates/mcp", "crates/session", "crates/wire", "docs", "bench"))
    yield "tree/linkspan.txt", drawn(ours_tree, UTF8)
    yield "tree/webshop.txt", drawn(webshop(), ASCII, root="webshop")
    yield "tree/java.txt", drawn(java(), SPACES, root="inventory-service/", summary=False, slash=True)
    sizes = dict(ours.sizes("crates/scripts", "crates/ports", "bench"))
    yield "tree/sizes.txt", drawn(nest(sizes), UTF8, sizes=sizes)
    yield "directory-tree/linkspan.json", listed(nest(ours.files("crates/cli/src", "crates/ports")))
    yield "directory-tree/webshop.json", listed(webshop())
    yield "directory-tree/dataset.json", listed(dataset())


def nest(paths):
    """{name: {…} or None}, by name as both tools have it."""
    root = {}
    for path in sorted(paths):
        *folders, name = path.split("/")
        at = root
        for folder in folders:
            at = at.setdefault(folder, {})
        at[name] = None
    return root


def drawn(tree, style, root=".", summary=True, slash=False, sizes=None):
    lines, counts = [root], [0, 0]
    fork, last, bar, blank = style

    def size(path, inside):
        if sizes is None:
            return ""
        bytes_ = 4096 if inside is not None else sizes[path]
        short = f"{bytes_}" if bytes_ < 1024 else f"{bytes_ / 1024:.1f}K" if bytes_ < 10_240 else f"{round(bytes_ / 1024)}K"
        return f"[{short:>4}]  "

    def walk(inside, margin, above):
        entries = sorted(inside.items())
        for at, (name, below) in enumerate(entries):
            end = at == len(entries) - 1
            counts[0 if below is not None else 1] += 1
            tail = "/" if slash and below is not None else ""
            lines.append(margin + (last if end else fork) + size(above + name, below) + name + tail)
            if below is not None:
                walk(below, margin + (blank if end else bar), f"{above}{name}/")

    walk(tree, "", "")
    if summary:
        lines.append(f"\n{counts[0]} directories, {counts[1]} files")
    return "\n".join(lines) + "\n"


def listed(tree):
    def entries(inside):
        return [{"name": name, "type": "file"} if below is None else
                {"name": name, "type": "directory", "children": entries(below)}
                for name, below in sorted(inside.items())]
    return json.dumps(entries(tree), indent=2, ensure_ascii=False)


def webshop():
    dice = Dice("webshop")
    paths = ["package.json", "package-lock.json", "tsconfig.json", "README.md", ".gitignore", ".env.example",
             "public/favicon.ico", "public/robots.txt", "src/main.tsx", "src/routes.ts", "src/vite-env.d.ts"]
    for noun in dice.some(NOUNS, 14):
        name = noun.capitalize()
        paths += [f"src/components/{name}/{name}.tsx", f"src/components/{name}/{name}.module.css", f"src/components/{name}/index.ts"]
        if dice.chance(60):
            paths.append(f"src/components/{name}/{name}.test.tsx")
        if dice.chance(40):
            paths.append(f"src/components/{name}/use{name}.ts")
    for verb in VERBS:
        if dice.chance(70):
            paths.append(f"src/api/{verb}.ts")
        paths += [f"src/pages/{verb}/page.tsx"] + [f"src/pages/{verb}/layout.tsx"] * dice.below(2)
    for language in ("de", "en", "fr", "it", "pt-BR"):
        paths += [f"src/locales/{language}/{part}.json" for part in ("common", "checkout", "errors")]
    paths += [f"e2e/{verb}-{dice.pick(NOUNS)}.spec.ts" for verb in VERBS[:9]]
    paths += [f"src/assets/icons/{noun}.svg" for noun in NOUNS] + [f"db/migrations/{n:04}_{dice.pick(VERBS)}_{dice.pick(NOUNS)}.sql" for n in range(1, 31)]
    return nest(set(paths))


def java():
    """Deep folders with few files each, names with capitals."""
    dice = Dice("java")
    base = "src/main/java/com/example/inventory"
    test = "src/test/java/com/example/inventory"
    paths = ["pom.xml", "mvnw", "Dockerfile", "src/main/resources/application.yml", "src/main/resources/logback.xml",
             f"{base}/InventoryApplication.java"]
    for noun in NOUNS:
        name = noun.capitalize()
        paths += [f"{base}/{noun}/{name}{part}.java" for part in ("Controller", "Service", "Repository", "Mapper")]
        paths += [f"{base}/{noun}/dto/{name}{part}.java" for part in dice.some(["Request", "Response", "Summary"], 2)]
        paths.append(f"{test}/{noun}/{name}{dice.pick(['Controller', 'Service'])}Test.java")
    paths += [f"src/main/resources/db/changelog/{n:03}-{dice.pick(VERBS)}.xml" for n in range(1, 26)]
    return nest(set(paths))


def dataset():
    """Numbered files, spaces and other letters in names, an empty-looking corner."""
    dice = Dice("dataset")
    paths = ["LICENSE", "labels.csv", "notes on méthode.txt", "Übersicht.pdf"]
    for split, count in (("train", 90), ("test", 40)):
        for number in range(count):
            kind = dice.pick(["cat", "dog", "bird"])
            paths.append(f"images/{split}/{kind}/{kind}_{dice.between(1, 9999):05}.jpg")
    paths += [f"runs/2025-06-{day:02}/{part}" for day in range(2, 20, 3) for part in ("config.yaml", "metrics.jsonl", "model.ckpt")]
    return nest(set(paths))
