"""JSON that is no table: metadata of packages, schemas, settings, an API described."""

import tomllib

from . import ours
from .dice import NOUNS, VERBS, Dice
from .flat import pretty


def samples():
    yield "json-irregular/packages.json", pretty(packages())
    yield "json-irregular/tools.json", pretty(tools())
    yield "json-irregular/openapi.json", pretty(openapi())
    yield "json-irregular/settings.json", pretty(settings(), 4) + "\n"
    yield "json-irregular/lock.json", pretty(lock())


def packages():
    """Our own crates in the shape of `cargo metadata`."""
    found = []
    for name in ("wire", "mcp", "session", "bcp", "desk", "spawn"):
        manifest = tomllib.loads(ours.file(f"crates/{name}/Cargo.toml"))
        root = f"/home/dev/linkspan/crates/{name}"
        wanted = []
        for kind, table in ((None, "dependencies"), ("dev", "dev-dependencies")):
            for dependency, how in manifest.get(table, {}).items():
                how = {"version": how} if isinstance(how, str) else how
                wanted.append({
                    "name": dependency, "req": "^" + how.get("version", "0.1.0"), "kind": kind, "rename": None,
                    "optional": how.get("optional", False), "uses_default_features": how.get("default-features", True),
                    "features": how.get("features", []), "target": None,
                })
        tests = [path for path in ours.files(f"crates/{name}/tests") if path.count("/") == 3 and path.endswith(".rs")]
        targets = [("lib", manifest["package"]["name"].replace("-", "_"), "src/lib.rs")]
        targets += [("test", path.split("/")[-1][:-3], path.split("/", 2)[2]) for path in tests]
        found.append({
            "name": manifest["package"]["name"], "version": "0.1.0", "id": f"path+file://{root}#0.1.0",
            "license": "MIT OR Apache-2.0", "license_file": None, "description": manifest["package"].get("description"),
            "source": None, "dependencies": wanted,
            "targets": [{"kind": [kind], "crate_types": [kind if kind == "lib" else "bin"], "name": target, "src_path": f"{root}/{path}", "edition": "2024", "doc": kind == "lib", "doctest": kind == "lib", "test": True} for kind, target, path in targets],
            "features": manifest.get("features", {}), "manifest_path": f"{root}/Cargo.toml", "metadata": None, "publish": None,
            "authors": [], "categories": [], "keywords": [], "readme": None, "edition": "2024", "links": None, "rust_version": "1.95",
        })
    return {"packages": found, "workspace_members": [one["id"] for one in found], "resolve": None, "target_directory": "/home/dev/linkspan/target", "version": 1, "workspace_root": "/home/dev/linkspan"}


def tools():
    """Tools with the schemas of their arguments, as a server lists them."""
    dice = Dice("tools")
    listed = []
    for verb in VERBS[:11]:
        noun = dice.pick(NOUNS)
        properties = {"id": {"type": "string", "description": f"Which {noun}"}}
        if dice.chance(60):
            properties["limit"] = {"type": "integer", "minimum": 1, "maximum": 500, "default": 50, "description": "At most so many"}
        if dice.chance(50):
            properties["mode"] = {"type": "string", "enum": ["fast", "careful", "dry run"]}
        if dice.chance(40):
            properties["tags"] = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
        if dice.chance(30):
            properties["range"] = {"type": "object", "properties": {"from": {"type": "string", "format": "date-time"}, "to": {"type": "string", "format": "date-time"}}, "required": ["from"]}
        tool = {
            "name": f"{verb}_{noun}", "title": f"{verb.capitalize()} a {noun}",
            "description": f"Tries to {verb} one {noun}. Nothing happens if it was done before.",
            "inputSchema": {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": properties, "required": ["id"], "additionalProperties": False},
        }
        if dice.chance(50):
            tool["annotations"] = {"readOnlyHint": dice.chance(50), "destructiveHint": False, "idempotentHint": True}
        listed.append(tool)
    return {"tools": listed}


def openapi():
    dice = Dice("openapi")
    paths = {}
    for noun in NOUNS[:7]:
        ref = {"$ref": f"#/components/schemas/{noun.capitalize()}"}
        one = {"get": {"operationId": f"get{noun.capitalize()}", "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}], "responses": {"200": {"description": "Found", "content": {"application/json": {"schema": ref}}}, "404": {"description": "Not found"}}}}
        if dice.chance(50):
            one["delete"] = {"operationId": f"delete{noun.capitalize()}", "security": [{"token": ["write"]}], "responses": {"204": {"description": "Gone"}}}
        paths[f"/{noun}s/{{id}}"] = one
        paths[f"/{noun}s"] = {"post": {"operationId": f"create{noun.capitalize()}", "requestBody": {"content": {"application/json": {"schema": ref}}}, "responses": {"201": {"description": "Made"}}}}
    schemas = {noun.capitalize(): {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "format": "uuid"}, **{dice.pick(NOUNS): {"type": dice.pick(["string", "integer", "boolean"])} for _ in range(dice.between(1, 4))}}} for noun in NOUNS[:7]}
    return {"openapi": "3.1.0", "info": {"title": "Yard", "version": "0.4.2"}, "servers": [{"url": "https://yard.example/api"}], "paths": paths, "components": {"schemas": schemas, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}}}


def settings():
    dice = Dice("settings")
    def part(depth):
        made = {}
        for _ in range(dice.between(2, 5)):
            key = f"{dice.pick(VERBS)}{dice.pick(NOUNS).capitalize()}"
            kind = dice.below(7 if depth else 5)
            made[key] = [dice.chance(50), dice.between(0, 600), dice.pick(NOUNS), None, [dice.pick(NOUNS) for _ in range(dice.between(0, 4))]][kind] if kind < 5 else part(depth - 1)
        return made
    return {f"[{noun}]": part(3) for noun in NOUNS[:10]}


def lock():
    """A map whose keys are paths and whose values differ."""
    dice = Dice("lock")
    found = {"": {"name": "webshop", "version": "1.2.0", "license": "MIT", "workspaces": ["apps/*"]}}
    for number in range(44):
        name = f"{dice.pick(NOUNS)}-{dice.pick(VERBS)}"
        one = {"version": f"{dice.between(0, 9)}.{dice.between(0, 20)}.{dice.between(0, 9)}", "integrity": "sha512-" + dice.letters(86, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") + "=="}
        if dice.chance(60):
            one["dev"] = True
        if dice.chance(40):
            one["engines"] = {"node": f">={dice.pick([16, 18, 20])}"}
        if dice.chance(50):
            one["dependencies"] = {f"{dice.pick(NOUNS)}-{dice.pick(VERBS)}": f"^{dice.between(1, 9)}.0.0" for _ in range(dice.between(1, 4))}
        found[f"node_modules/{name}"] = one
    return {"name": "webshop", "lockfileVersion": 3, "requires": True, "packages": found}
