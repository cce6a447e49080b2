"""The official Python SDK's own stdio client, with a bridge as its server.

    python pyclient.py legacy|auto BRIDGE… URL

Prints the negotiated revision, the tools' names and the answer of one call, a line each.
"""

import asyncio
import sys

from mcp import Client, StdioServerParameters


async def main(mode: str, command: str, *args: str) -> None:
    bridge = StdioServerParameters(command=command, args=list(args))
    async with Client(bridge, mode=mode, read_timeout_seconds=20) as client:
        tools = (await client.list_tools()).tools
        answer = await client.call_tool("echo", {"message": "ahoy"})
        print(client.session.protocol_version)
        print(" ".join(sorted(tool.name for tool in tools)))
        print(answer.content[0].text)


asyncio.run(main(*sys.argv[1:]))
