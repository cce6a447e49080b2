"""Direction `expose`: an HTTP client, the bridge, a stdio server."""

import json
import shlex

from . import expose_table
from .paths import ECHO, WORK
from .peers import Target, inside, node, older, peer

NAME = "expose"
TITLE = "# Results: `expose`, HTTP clients before a stdio server"

document = expose_table.document

LEGACY = [str(ECHO), "--stdio"]
BOTH = [str(ECHO), "--stdio-both-eras"]


def gateway_config(server):
    """The configuration of a gateway with three of the servers. They have the same tools, so rules hide all but one's."""
    one = {"command": server[0], "args": server[1:]}
    config = {
        "mcpServers": {"a": one, "b": one, "c": one},
        "linkspan": {"prefix": "never", "rules": [{"server": ["b", "c"], "then": "deny"}]},
    }
    WORK.mkdir(parents=True, exist_ok=True)
    file = WORK / f"gateway{''.join(server[1:])}.json"
    file.write_text(json.dumps(config))
    return file


def targets(linkspan, before=None):
    """All rows, in the order of the table. `{port}` becomes a free one; the commands take the
    server's, as words or, where a bridge wants it so, as one. `before` is an older linkspan."""
    supergateway = inside("npm-supergateway", "node_modules", "supergateway", "dist", "index.js")
    npm_proxy = inside("npm-mcp-proxy", "node_modules", "mcp-proxy", "dist", "bin", "mcp-proxy.mjs")
    python = inside("pypi-mcp-proxy", "venv", "bin", "mcp-proxy")
    mcpway = inside("mcpway", "bin", "mcpway")
    return [
        Target("stdio", "direct stdio (no bridge)", lambda server: server, baseline=True),
        Target("direct", "direct HTTP (no bridge, no stdio)", baseline=True),
        Target(
            "linkspan", "**linkspan** (rust)",
            lambda server: [str(linkspan), "expose", "--port", "{port}", "--", *server],
        ),
        Target(
            "linkspan-gateway", "**linkspan gateway**, 3 servers",
            lambda server: [
                str(linkspan), "gateway", "-c", str(gateway_config(server)), "--http", "--port", "{port}",
            ],
        ),
        *older(before, lambda server: [str(before), "expose", "--port", "{port}", "--", *server]),
        peer("npm-supergateway", lambda server: [
            node(), supergateway, "--stdio", shlex.join(server),
            "--outputTransport", "streamableHttp", "--stateful", "--port", "{port}",
        ]),
        peer("npm-mcp-proxy", lambda server: [
            node(), npm_proxy, "--host", "127.0.0.1", "--port", "{port}", "--", *server,
        ]),
        peer("pypi-mcp-proxy", lambda server: [python, "--port", "{port}", "--", *server]),
        peer("mcpway", lambda server: [
            mcpway, "--stdio", shlex.join(server),
            "--output-transport", "streamable-http", "--port", "{port}",
        ]),
    ]


def kinds(args):
    """What is measured of each target: titles of sections, and what `words` needs to know."""
    return [
        ("A client of 2025-11-25", (False, LEGACY)),
        ("A client of 2026-07-28, a server of the same", (True, BOTH)),
        ("A client of 2026-07-28, a server of 2025-11-25", (True, LEGACY)),
    ]


def words(target, kind):
    """For the load generator; None if there is nothing to measure."""
    modern, server = kind
    if target.baseline and modern:
        return None
    if target.command is None:
        return ["direct"]
    how = "bridge" if target.baseline else "exposed"
    return ["--modern"] * modern + [how, *target.command(server)]
