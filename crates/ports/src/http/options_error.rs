//! Errors of options, with hints for the user.

use linkspan_wire::escape_line;

/// An error of the options.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// Not a URL.
    #[error("`{0}` is not a URL")]
    Url(String),
    /// A URL whose scheme is not supported.
    #[error("`{0}:` is not a scheme that MCP uses; give an http:// or https:// URL")]
    Scheme(String),
    /// A Unix socket without its path.
    #[error("a Unix socket is written `unix:/path/to.sock`, or `unix:/path/to.sock:/mcp`")]
    UnixSocket,
    /// A Unix socket on a system where that is not supported.
    #[error("Unix sockets are not supported on this system")]
    NoUnixSockets,
    /// Credentials and tool results would cross the network in the clear.
    #[error("plain http:// to `{0}`, which is not this machine")]
    PlainHttp(String),
    /// A header without a colon. It may be a secret and is not shown.
    #[error("a header has the form 'NAME: VALUE'")]
    HeaderForm,
    /// The variable of a header or a token is not set.
    #[error("the environment variable {0} is not set")]
    NotSet(String),
    /// The variable of a token is empty.
    #[error("the environment variable {} is empty", escape_line(.0))]
    Empty(String),
    /// A flag whose value is not the name of a variable. It may be a token and is not shown.
    #[error("{0} takes the name of an environment variable, not the token")]
    NotAVariable(String),
    /// A header that HTTP does not allow. Its value may be a secret and is not shown.
    #[error("the header `{0}` has a name or value that HTTP does not allow")]
    Header(String),
    /// A header that belongs to the connection, which the HTTP client sets itself.
    #[error("the header `{0}` is a part of the connection and cannot be set")]
    Framing(String),
    /// A proxy URL that cannot be used. The value may hold a password and is not shown.
    #[error("the environment variable {name} names no proxy that can be used: {why}")]
    Proxy {
        /// Which variable.
        name: String,
        /// The error in its value.
        why: String,
    },
    /// The certificates cannot be read, or TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}

impl OptionsError {
    /// A hint for the user.
    pub fn hint(&self) -> String {
        let hint = match self {
            Self::PlainHttp(_) => "use https://, or --insecure-http if the network is yours alone",
            Self::Url(_) | Self::Scheme(_) => {
                "for example https://mcp.example.com/mcp; a command goes after `--`"
            }
            Self::UnixSocket => "the path of the endpoint is /mcp unless it is given",
            Self::NoUnixSockets => "use http://127.0.0.1:PORT/mcp",
            Self::Proxy { .. } => {
                "give an http:// or socks5:// URL, or unset the variable; NO_PROXY names hosts that need no proxy"
            }
            Self::Framing(_) => {
                "leave out this -H (--header); linkspan sends it where it is needed"
            }
            Self::HeaderForm => "for example -H 'X-Api-Key: ${API_KEY}'",
            Self::NotSet(name) => {
                return format!(
                    "export {name}=… before starting, or put it into the client's `env`"
                );
            }
            Self::Empty(_) => "it must have the token as its value",
            Self::NotAVariable(flag) => {
                return format!("export TOKEN=… before starting, and give {flag} TOKEN");
            }
            Self::Header(_) => "a header has the form 'NAME: VALUE', on one line",
            Self::Tls(_) => "check the file given with --ca",
        };
        hint.to_owned()
    }
}
