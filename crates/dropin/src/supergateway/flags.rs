//! The flags of supergateway.

use crate::flags::{Flag, listed};

/// All flags, with what they do here. `--host` is our own.
pub const FLAGS: &[Flag] = &[
    Flag::with(
        "--stdio",
        "COMMAND",
        "serve this command, a server on stdin and stdout",
    ),
    Flag::with(
        "--sse",
        "URL",
        "connect a client on stdio to this HTTP+SSE server",
    ),
    Flag::with(
        "--streamableHttp",
        "URL",
        "connect a client on stdio to this server",
    ),
    Flag::with(
        "--outputTransport",
        "TRANSPORT",
        "stdio, sse, ws or streamableHttp",
    ),
    Flag::with("--port", "PORT", "listen on this port [default: 8000]"),
    Flag::with(
        "--host",
        "ADDRESS",
        "listen on this address only [default: all]",
    ),
    Flag::with(
        "--baseUrl",
        "URL",
        "prefix of the message endpoint that SSE clients are told",
    ),
    Flag::with(
        "--ssePath",
        "PATH",
        "path of the SSE stream [default: /sse]",
    ),
    Flag::with(
        "--messagePath",
        "PATH",
        "path for messages, or of the WebSocket [default: /message]",
    ),
    Flag::with(
        "--streamableHttpPath",
        "PATH",
        "path of the MCP endpoint [default: /mcp]",
    ),
    Flag::bare("--stateful", "clients of Streamable HTTP have sessions"),
    Flag::with(
        "--sessionTimeout",
        "MS",
        "end sessions after this long without use",
    ),
    Flag::with(
        "--header",
        "'NAME: VALUE'",
        "send this header to the URL, or with responses",
    ),
    Flag::with(
        "--oauth2Bearer",
        "TOKEN",
        "send this bearer token to the URL",
    ),
    Flag::with(
        "--cors",
        "[ORIGIN…]",
        "let web pages of these origins call; of all without a value",
    ),
    Flag::with("--healthEndpoint", "PATH", "answer `ok` at this path"),
    Flag::with("--logLevel", "LEVEL", "debug, info or none"),
    Flag::with(
        "--protocolVersion",
        "VERSION",
        "revision for clients without a session that name none",
    ),
];

/// The help.
pub fn supergateway_help() -> String {
    format!("{HELP}\nFlags:\n{}", listed(FLAGS))
}

const HELP: &str = "\
Usage: linkspan supergateway (--stdio COMMAND | --sse URL | --streamableHttp URL) [FLAGS]

Bridges stdio and the network, with the command line of supergateway.
";
