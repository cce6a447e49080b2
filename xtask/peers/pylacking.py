"""A client on the official Python SDK that ends each call after a few seconds and cannot ask its user.

    python pylacking.py legacy|modern LIMIT TOOL ARGUMENTS TARGET…

LIMIT is in seconds, ARGUMENTS a JSON object; TARGET is a URL or the words that start a stdio server. Lists the tools,
calls the tool, and calls `wait_for` as long as it is told to. Prints one line of JSON: the names of the tools, the text
of each result, and the message of the error that ended this, if one did.
"""

import asyncio
import json
import re
import sys

from mcp import Client, MCPError, StdioServerParameters


async def main(era: str, limit: str, tool: str, arguments: str, first: str, *args: str) -> None:
    target = first if first.startswith("http") else StdioServerParameters(command=first, args=list(args))
    client = Client(target, mode="legacy" if era == "legacy" else "auto", read_timeout_seconds=float(limit))
    told: dict = {"texts": [], "error": None}
    async with client:
        told["tools"] = [tool.name for tool in (await client.list_tools()).tools]
        call = (tool, json.loads(arguments))
        try:
            while call:
                result = await client.call_tool(*call)
                text = result.content[0].text
                told["texts"].append(text)
                handle = re.search(r'"call":"(\w+)"', text)
                call = ("wait_for", {"call": handle[1]}) if handle else None
        except (MCPError, RuntimeError) as error:
            told["error"] = str(error)
    print(json.dumps(told))


asyncio.run(main(*sys.argv[1:]))
