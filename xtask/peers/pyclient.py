"""A client on the official Python SDK.

    python pyclient.py legacy|modern CALLS TARGET…

CALLS is a JSON array of [method, params]; TARGET is a URL, unix:PATH of a socket, or the words that start a stdio server.
The modern client is the SDK's default: it asks for the server's era, and must find the modern one.
Prints one line of JSON: the server's name, the results, what was asked, the progress of each call.
CLIENT_NAME is the name that its user gives when asked for one, CLIENT_ROOT the URI of its only root.
With CLIENT_SIGNS_IN it signs in at a URL, with the browser that BROWSER names.
"""

import asyncio
import json
import os
import sys
import warnings

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import (
    CreateMessageResult,
    ElicitResult,
    ListRootsResult,
    PromptReference,
    ResourceTemplateReference,
    Root,
    TextContent,
)

import pysignin

# Sampling and roots are deprecated since 2026-07-28; clients of today still use them.
warnings.simplefilter("ignore")

REVISIONS = {"legacy": "2025-11-25", "modern": "2026-07-28"}
asked: list[str] = []


async def sample(context, params) -> CreateMessageResult:
    asked.append("sampling/createMessage")
    text = TextContent(type="text", text="tide ø and “quay”")
    return CreateMessageResult(role="assistant", model="stub", content=text, stop_reason="endTurn")


async def elicit(context, params) -> ElicitResult:
    asked.append("elicitation/create")
    return ElicitResult(action="accept", content={"name": os.environ.get("CLIENT_NAME", "Ada")})


async def list_roots(context) -> ListRootsResult:
    asked.append("roots/list")
    uri = os.environ.get("CLIENT_ROOT", "file:///harbour")
    return ListRootsResult(roots=[Root(uri=uri, name="Høybro")])


async def call(client: Client, method: str, params: dict, progress: list) -> dict:
    async def note(done: float, total: float | None, message: str | None) -> None:
        progress.append([done, total])

    verbs = {
        "tools/list": client.list_tools,
        "tools/call": client.call_tool,
        "resources/list": client.list_resources,
        "resources/templates/list": client.list_resource_templates,
        "resources/read": client.read_resource,
        "prompts/list": client.list_prompts,
        "prompts/get": client.get_prompt,
        "completion/complete": client.complete,
    }
    if method == "completion/complete":
        kind = PromptReference if params["ref"]["type"] == "ref/prompt" else ResourceTemplateReference
        params = {**params, "ref": kind(**params["ref"])}
    if method == "tools/call":
        params = {**params, "progress_callback": note}
    try:
        result = await verbs[method](**params)
    except MCPError as error:
        return {"error": error.code}
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)


async def main(era: str, calls: str, first: str, *args: str) -> None:
    if os.environ.get("CLIENT_SIGNS_IN"):
        target = await pysignin.transport(first)
    elif first.startswith("unix:"):
        http = httpx2.AsyncClient(transport=httpx2.AsyncHTTPTransport(uds=first.removeprefix("unix:")))
        target = streamable_http_client("http://localhost/mcp", http_client=http)
    else:
        target = first if first.startswith("http") else StdioServerParameters(command=first, args=list(args))
    client = Client(
        target,
        mode="legacy" if era == "legacy" else "auto",
        read_timeout_seconds=20,
        sampling_callback=sample,
        elicitation_callback=elicit,
        list_roots_callback=list_roots,
    )
    results, progress = [], []
    async with client:
        assert client.protocol_version == REVISIONS[era], client.protocol_version
        server = client.server_info.name if client.server_info else None
        for method, params in json.loads(calls):
            steps: list = []
            results.append(await call(client, method, params, steps))
            progress.append(steps)
    print(json.dumps({"server": server, "results": results, "asked": asked, "progress": progress}))


asyncio.run(main(*sys.argv[1:]))
