"""Sign-in of the Python SDK with the browser that BROWSER names."""

import asyncio
import os
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata


class Memory:
    """What the SDK asks to be kept."""

    tokens = None
    client_info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens) -> None:
        self.tokens = tokens

    async def get_client_info(self):
        return self.client_info

    async def set_client_info(self, client_info) -> None:
        self.client_info = client_info


class Callback:
    """Listens for the last redirect."""

    def __init__(self) -> None:
        self.came = asyncio.Event()
        self.query: dict[str, list[str]] = {}

    async def start(self) -> str:
        server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/callback"

    async def answer(self, reader, writer) -> None:
        line = await reader.readline()
        self.query = parse_qs(urlsplit(line.split()[1].decode()).query)
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()
        self.came.set()

    async def result(self) -> AuthorizationCodeResult:
        await self.came.wait()
        first = {name: values[0] for name, values in self.query.items()}
        return AuthorizationCodeResult(code=first["code"], state=first.get("state"), iss=first.get("iss"))


async def open_browser(url: str) -> None:
    await asyncio.create_subprocess_exec(os.environ["BROWSER"], url)


async def transport(url: str):
    """A transport that signs in when the server asks for it."""
    callback = Callback()
    metadata = OAuthClientMetadata(client_name="Python peer", redirect_uris=[await callback.start()])
    provider = OAuthClientProvider(url, metadata, Memory(), open_browser, callback.result)
    return streamable_http_client(url, http_client=httpx2.AsyncClient(auth=provider, follow_redirects=True))
