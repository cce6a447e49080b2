"""A small MCP server on the official Python SDK, as a peer that linkspan did not write.

    python pyserver.py PORT        # Streamable HTTP on http://127.0.0.1:PORT/mcp
"""

import sys
import warnings

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import SamplingMessage, TextContent
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
async def ask_model(question: str, ctx: Context) -> str:
    """Ask the client's model."""
    answer = await ctx.session.create_message(
        [SamplingMessage(role="user", content=TextContent(type="text", text=question))],
        max_tokens=20,
        related_request_id=ctx.request_id,
    )
    return f"{answer.model} said: {answer.content.text}"


@server.tool()
async def ask_user(ctx: Context) -> str:
    """Ask the client's user."""
    answer = await ctx.elicit("Who is the captain?", Crew)
    return f"{answer.action}: {answer.data.name}" if answer.action == "accept" else answer.action


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


if __name__ == "__main__":
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
