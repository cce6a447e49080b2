"""The usual work: what every command that runs for hours does, once and in small."""

import http.client
import json
import socket
import subprocess
import sys
import time

from . import acp
from .paths import ECHO, REPO

# Everything is some fifty times slower while it is recorded.
LIMIT = 120
LEGACY = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "layout", "version": "1"}}
INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'


class Line:
    """A program on its stdin and stdout, asked one thing after the other."""

    def __init__(self, words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.last = 0

    def ask(self, method, params):
        self.last += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}))
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"{method}: no answer")
            told = json.loads(line)
            if told.get("id") == self.last and "method" not in told:
                if "error" in told:
                    sys.exit(f"{method}: {told['error']}")
                return told["result"]

    def send(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def end(self):
        self.process.stdin.close()
        self.process.wait(LIMIT)


def mcp(words, tool, arguments):
    """A client of MCP: the handshake, the list, some calls, and the end."""
    line = Line(words)
    line.ask("initialize", LEGACY)
    line.send(INITIALIZED)
    line.ask("tools/list", {})
    for _ in range(5):
        line.ask("tools/call", {"name": tool, "arguments": arguments})
    line.end()


def conduct(linkspan):
    line = Line(acp.command([*linkspan, "conduct"], 5))
    line.ask("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    line.ask("session/new", {"cwd": "/", "mcpServers": []})
    for at in range(10):
        line.ask("_bench/echo", {"n": str(at), "text": "x" * 200})
    line.ask("_bench/flood", {"count": 300})
    line.end()


def connect(linkspan):
    server = subprocess.Popen([str(ECHO), "--until-stdin-closes"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    url = server.stdout.readline().split()[-1]
    mcp([*linkspan, "connect", url], "echo", {"text": "x" * 200})
    server.stdin.close()
    server.wait(LIMIT)


def expose(linkspan):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([*linkspan, "expose", "--port", str(port), "--", str(ECHO), "--stdio"])
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    for _ in range(10 * LIMIT):
        try:
            client.connect()
            break
        except ConnectionRefusedError:
            time.sleep(0.1)
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    call = {"name": "echo", "arguments": {"text": "x" * 200}}
    for at, (method, params) in enumerate([("initialize", LEGACY), *[("tools/call", call)] * 5]):
        body = json.dumps({"jsonrpc": "2.0", "id": at, "method": method, "params": params})
        client.request("POST", "/mcp", body, headers)
        answer = client.getresponse()
        if answer.status != 200:
            sys.exit(f"{method}: {answer.status} {answer.read()}")
        answer.read()
        headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"] or headers["Mcp-Session-Id"]
    client.request("DELETE", "/mcp", headers=headers)
    client.getresponse().read()
    process.terminate()
    process.wait(LIMIT)


def serve(linkspan):
    mcp([*linkspan, "serve", str(REPO / "examples" / "00-hello-tool")], "hello", {})


def shrink(linkspan):
    mcp([*linkspan, "shrink", "--", str(ECHO), "--stdio"], "echo", {"text": json.dumps([{"a": 1, "b": "x"}] * 99)})


ALL = {work.__name__: work for work in (conduct, connect, expose, serve, shrink)}
