//! The flags of mcp-remote.

use crate::flags::{Flag, listed};

/// All flags, with what they do here.
pub const FLAGS: &[Flag] = &[
    Flag::with(
        "--header",
        "'NAME: VALUE'",
        "send this header; ${VAR} is replaced from the environment",
    ),
    Flag::with(
        "--header-file",
        "FILE",
        "send the headers in FILE, one `Name: value` a line",
    ),
    Flag::with(
        "--transport",
        "STRATEGY",
        "http-first, sse-first, http-only or sse-only",
    ),
    Flag::with(
        "--protocol",
        "MODE",
        "no effect: the era of the server is detected",
    ),
    Flag::bare("--allow-http", "allow plain http to other machines"),
    Flag::with(
        "--ignore-tool",
        "PATTERN",
        "hide and refuse these tools; * stands for any text",
    ),
    Flag::with(
        "--connect-timeout",
        "SECONDS",
        "give up one connection attempt after this long",
    ),
    Flag::with(
        "--headers-timeout",
        "SECONDS",
        "give up if a response does not begin in time; 0: never",
    ),
    Flag::with(
        "--body-timeout",
        "SECONDS",
        "no effect: a broken stream is resumed",
    ),
    Flag::bare("--keep-alive", "ping the server every 30 seconds"),
    Flag::with("--ping-interval", "SECONDS", "ping the server this often"),
    Flag::bare("--ipv4", "connect over IPv4 only"),
    Flag::bare(
        "--disable-cookies",
        "do not send cookies of the server back",
    ),
    Flag::bare(
        "--enable-proxy",
        "no effect: HTTPS_PROXY and NO_PROXY always count",
    ),
    Flag::bare("--debug", "log everything to stderr"),
    Flag::bare("--silent", "log nothing"),
    Flag::with("--host", "HOST", "host in the redirect URI of the sign-in"),
    Flag::with("--callback-path", "PATH", "path in the redirect URI"),
    Flag::with(
        "--auth-success-url",
        "URL",
        "send the browser there after the sign-in",
    ),
    Flag::with(
        "--auth-timeout",
        "SECONDS",
        "wait this long for a person to sign in",
    ),
    Flag::with(
        "--resource",
        "URI",
        "ask for tokens for this resource; separates sign-ins",
    ),
    Flag::bare(
        "--disable-resource-parameter",
        "leave out the `resource` parameter",
    ),
    Flag::with(
        "--authorize-param",
        "NAME=VALUE",
        "add a parameter to the authorization request",
    ),
    Flag::with(
        "--static-oauth-client-info",
        "JSON|@FILE",
        "a client that is registered already",
    ),
    Flag::with(
        "--static-oauth-client-metadata",
        "JSON|@FILE",
        "members of the client's registration",
    ),
    Flag::with(
        "--client-metadata-url",
        "URL",
        "a client metadata document, as client id",
    ),
    Flag::bare(
        "--client-credentials",
        "sign in as the client itself, without a user",
    ),
    Flag::with(
        "--token-endpoint",
        "URL",
        "the token endpoint for --client-credentials",
    ),
    Flag::bare("--device-code", "sign in with a code on another device"),
    Flag::bare(
        "--use-id-token",
        "send the ID token in place of the access token",
    ),
    Flag::bare(
        "--clean",
        "no effect: `linkspan logout URL` removes a sign-in",
    ),
];

/// The help.
pub fn mcp_remote_help() -> String {
    format!("{HELP}\nFlags:\n{}", listed(FLAGS))
}

const HELP: &str = "\
Usage: linkspan mcp-remote URL [CALLBACK-PORT] [FLAGS]

Connects a client on stdio to the server at URL, with the command line of mcp-remote. A sign-in of mcp-remote in
~/.mcp-auth (or MCP_REMOTE_CONFIG_DIR) is taken over; it is only read. `linkspan mcp-remote-client URL` takes the same
flags, signs in, and lists tools and resources.
";
