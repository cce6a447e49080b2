"""A small MCP server on the official Python SDK, as a peer that linkspan did not write.

    python pyserver.py PORT        # Streamable HTTP on http://127.0.0.1:PORT/mcp
    python pyserver.py /PATH       # the same on a Unix socket
    python pyserver.py stdio

It speaks both eras. With `--modern` before that, it knows the stateless era only.
"""

import asyncio
import sys
import warnings
from typing import Annotated

import uvicorn
from mcp.server import MCPServer, runner, streamable_http_manager
from mcp.server.mcpserver import Context, Elicit, ListRoots, Resolve, Sample
from mcp.types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

# Sampling and logging are deprecated since 2026-07-28; clients of today still use them.
warnings.simplefilter("ignore")

server = MCPServer("linkspan-python-peer", version="1.0.0", instructions="A quay for tests.")


class Crew(BaseModel):
    name: str


class Tide(BaseModel):
    metres: float
    rising: bool


@server.tool()
def echo(message: str) -> str:
    """Return the message as it came."""
    return f"Echo: {message}"


@server.tool()
def tide(hour: int) -> Tide:
    """Return structured content with a float in it."""
    return Tide(metres=hour * 1.0, rising=hour < 6)


@server.tool()
async def load(cars: int, ctx: Context) -> str:
    """Report progress for each car, and log once."""
    await ctx.info("loading")
    for car in range(1, cars + 1):
        await ctx.report_progress(car, cars, f"car {car}")
    return f"{cars} cars aboard"


@server.tool()
async def dawdle(seconds: float) -> str:
    """Take that long, silently."""
    await asyncio.sleep(seconds)
    return f"done after {seconds} s"


@server.tool()
async def announce(ctx: Context) -> str:
    """Announce changes of the tools and of a resource."""
    await ctx.notify_tools_changed()
    await ctx.notify_resource_updated("quay://notice")
    return "announced"


def model(question: str) -> Sample:
    text = TextContent(type="text", text=question)
    return Sample([SamplingMessage(role="user", content=text)], max_tokens=20)


def captain() -> Elicit[Crew]:
    return Elicit("Who is the captain?", Crew)


def mate(first: Annotated[Crew, Resolve(captain)]) -> Elicit[Crew]:
    return Elicit(f"Who sails with {first.name}?", Crew)


def roots() -> ListRoots:
    return ListRoots()


@server.tool()
async def ask_model(question: str, said: Annotated[CreateMessageResult, Resolve(model)]) -> str:
    """Ask the client's model."""
    return f"{said.model} said: {said.content.text}"


@server.tool()
async def ask_user(crew: Annotated[Crew, Resolve(captain)]) -> str:
    """Ask the client's user."""
    return f"accept: {crew.name}"


@server.tool()
async def ask_roots(found: Annotated[ListRootsResult, Resolve(roots)]) -> str:
    """Ask for the client's roots."""
    return " ".join(f"{root.name} at {root.uri}" for root in found.roots)


@server.tool()
async def ask_twice(
    first: Annotated[Crew, Resolve(captain)], second: Annotated[Crew, Resolve(mate)]
) -> str:
    """Ask the client's user, and ask again because of the answer."""
    return f"{first.name} and {second.name}"


@server.tool()
async def ask_everything(
    question: str,
    said: Annotated[CreateMessageResult, Resolve(model)],
    crew: Annotated[Crew, Resolve(captain)],
    found: Annotated[ListRootsResult, Resolve(roots)],
) -> str:
    """Ask for everything at once."""
    return f"{said.model}, {crew.name}, {len(found.roots)} root"


@server.resource("quay://notice", mime_type="text/plain")
def notice() -> str:
    """The notice on the quay."""
    return "Mind the gap — “ø” & \t tabs"


@server.resource("quay://berth/{number}", mime_type="text/plain")
def berth(number: str) -> str:
    """One berth."""
    return f"berth {number}"


@server.prompt()
def greet(ship: str) -> str:
    """Greet a ship."""
    return f"Welcome, {ship}."


def refuse_handshakes() -> None:
    """Serves every client as the SDK serves a modern one: it has no switch for that."""

    async def serve_stream(server, read, write, *, lifespan_state, raise_exceptions, **_) -> None:
        serve = runner._serve_modern_stream
        await serve(server, read, write, lifespan_state=lifespan_state, raise_exceptions=raise_exceptions)

    async def handle(self, scope, receive, send) -> None:
        serve = streamable_http_manager.handle_modern_request
        state = (self.app, self.security_settings, self.json_response, self._lifespan_state)
        await serve(*state, scope, receive, send)

    runner._serve_legacy_stream = serve_stream
    streamable_http_manager.StreamableHTTPSessionManager._handle_request = handle


if __name__ == "__main__":
    *flags, where = sys.argv[1:]
    if flags == ["--modern"]:
        refuse_handshakes()
    if where == "stdio":
        server.run("stdio")
    elif where.startswith("/"):
        uvicorn.run(server.streamable_http_app(), uds=where)
    else:
        server.run("streamable-http", host="127.0.0.1", port=int(where))
