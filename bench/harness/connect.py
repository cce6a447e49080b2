"""Direction `connect`: a stdio client, the bridge, an HTTP server."""

from . import table
from .paths import ECHO
from .peers import Target, inside, node, older, peer

NAME = "connect"
TITLE = "# Results: `connect`, a stdio client before an HTTP server"

document = table.document


def targets(linkspan, before=None):
    """All rows, in the order of the table. `{url}` becomes the server's; `before` is an older linkspan."""
    remote = inside("npm-mcp-remote", "node_modules", "mcp-remote", "dist", "proxy.js")
    wrapper = inside("npm-mcp-proxy", "npm-mcp-proxy.mjs")
    python = inside("pypi-mcp-proxy", "venv", "bin", "mcp-proxy")
    mcpway = inside("mcpway", "bin", "mcpway")
    stdio_proxy = inside("mcp-stdio-proxy", "bin", "mcp-proxy")
    return [
        Target("direct", "direct HTTP (no bridge)", baseline=True),
        Target(
            "stdio", "direct stdio (no bridge, no HTTP)",
            lambda: [str(ECHO), "--stdio"], baseline=True,
        ),
        Target("linkspan", "**linkspan** (rust)", lambda: [str(linkspan), "connect", "{url}"]),
        Target("linkspan-signed-in", "linkspan with an access token", lambda: [
            str(linkspan), "connect", "{url}/protected", "--grant", "client-credentials",
            "--client-id", "bench", "--client-secret-env", "BENCH_SECRET",
        ]),
        *older(before, lambda: [str(before), "connect", "{url}"]),
        peer("npm-mcp-remote", lambda: [node(), remote, "{url}"]),
        peer("npm-mcp-proxy", lambda: [node(), wrapper, "{url}"]),
        peer("pypi-mcp-proxy", lambda: [python, "--transport", "streamablehttp", "{url}"]),
        peer("mcpway", lambda: [mcpway, "--streamable-http", "{url}"]),
        peer("mcp-stdio-proxy", lambda: [stdio_proxy, "convert", "{url}"]),
    ]


def kinds(args):
    """What is measured of each target: titles of sections, and what `words` needs to know."""
    return [("JSON answers", False)] + [("SSE answers", True)] * args.sse


def words(target, sse):
    """For the load generator."""
    how = ["direct"] if target.command is None else ["bridge", *target.command()]
    return ["--sse"] * sse + how
