"""An MCP server that checks the AWS signature of each request with botocore.

    python aws_server.py PORT ID KEY SERVICE REGION [AHEAD]

Its clock is AHEAD seconds ahead. A request without a valid signature, or more than five minutes away, gets what AWS
answers: a 403 with a name and a text. The path of the endpoint and its query are those of Bedrock AgentCore.
"""

import datetime
import sys
import time
from email.utils import formatdate
from urllib.parse import parse_qsl

import botocore.auth
import uvicorn
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from mcp.server import MCPServer
from starlette.applications import Starlette
from starlette.responses import JSONResponse

port, key_id, key, service, region, *ahead = sys.argv[1:]
skew = int(ahead[0]) if ahead else 0
server = MCPServer("linkspan-aws-peer", version="1.0.0")


@server.tool()
def echo(message: str) -> str:
    """Return the message as it came."""
    return f"Echo: {message}"


def refuse(code: str, text: str) -> JSONResponse:
    headers = {"x-amzn-errortype": code, "date": formatdate(time.time() + skew, usegmt=True)}
    return JSONResponse({"__type": code, "message": text}, 403, headers)


def refusal(scope, headers: list[tuple[str, str]], body: bytes) -> JSONResponse | None:
    """Why the request is refused: botocore signs what came, and the signatures must be equal."""
    found = dict(headers)
    given = found.get("authorization", "")
    if not given.startswith("AWS4-HMAC-SHA256 "):
        return refuse("MissingAuthenticationTokenException", "Missing Authentication Token")
    moment = datetime.datetime.strptime(found["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
    if abs(moment.timestamp() - time.time() - skew) > 300:
        return refuse("RequestTimeTooSkewed", "The difference between the request time and the server's time is too large")
    signed = given.split("SignedHeaders=")[1].split(",")[0].split(";")
    url = f"http://{found['host']}{scope['raw_path'].decode()}"
    params = parse_qsl(scope["query_string"].decode(), keep_blank_values=True)
    request = AWSRequest(method=scope["method"], url=url, params=params, data=body)
    for name, value in headers:
        if name in signed and name not in ("x-amz-date", "x-amz-security-token"):
            request.headers.add_header(name, value)
    botocore.auth.get_current_datetime = lambda *_: moment
    credentials = Credentials(key_id, key, found.get("x-amz-security-token"))
    botocore.auth.SigV4Auth(credentials, service, region).add_auth(request)
    if request.headers["Authorization"] != given:
        return refuse("SignatureDoesNotMatch", "The request signature we calculated does not match")
    needed = {"host", "x-amz-date"} | {name for name in found if name == "content-type" or name.startswith("mcp-")}
    if not needed <= set(signed):
        return refuse("SignatureDoesNotMatch", f"not signed: {needed - set(signed)}")
    return None


class Checked:
    """The application behind the check."""

    def __init__(self, app: Starlette) -> None:
        self.app = app

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        body, more = b"", True
        while more:
            event = await receive()
            body, more = body + event.get("body", b""), event.get("more_body", False)
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        why = refusal(scope, headers, body)
        if why is not None:
            print(scope["method"], why.body.decode(), file=sys.stderr, flush=True)
            return await why(scope, receive, send)
        print(scope["method"], "signed", file=sys.stderr, flush=True)
        events = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay():
            return events.pop() if events else await receive()

        await self.app({**scope, "path": "/mcp", "raw_path": b"/mcp"}, replay, send)


# uvicorn's own `Date` would be that of the real clock.
app = Checked(server.streamable_http_app())
uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="warning", date_header=False)
