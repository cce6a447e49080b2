//! `/mcp/protected`: the same server for clients with an access token, and the authorization server that
//! gives one to any client (grant `client_credentials`). It shows what a sign-in costs a call.

use linkspan_bench::http::Head;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};

const PATH: &str = "/mcp/protected";
const TOKEN: &str = "bench-token";

/// The result of checking a request.
pub enum Access {
    Granted,
    /// The request has been answered.
    Answered,
    /// The request is for another path.
    Elsewhere,
}

/// Answers the requests of the sign-in, and requests without a token.
pub fn access(stream: &TcpStream, head: &Head, path: &str) -> io::Result<Access> {
    let body = match path {
        PATH if bearer(head) == Some(TOKEN) => return Ok(Access::Granted),
        PATH => {
            challenge(stream)?;
            return Ok(Access::Answered);
        }
        "/.well-known/oauth-protected-resource/mcp/protected" => resource(stream.local_addr()?),
        "/.well-known/oauth-authorization-server" => issuer(stream.local_addr()?),
        "/token" => {
            format!(r#"{{"access_token":"{TOKEN}","token_type":"Bearer","expires_in":86400}}"#)
        }
        _ => return Ok(Access::Elsewhere),
    };
    let length = body.len();
    write!(
        &mut &*stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )?;
    Ok(Access::Answered)
}

fn bearer(head: &Head) -> Option<&str> {
    head.authorization.as_deref()?.strip_prefix("Bearer ")
}

fn challenge(mut stream: &TcpStream) -> io::Result<()> {
    let address = stream.local_addr()?;
    write!(
        stream,
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer resource_metadata=\"http://{address}/.well-known/oauth-protected-resource{PATH}\"\r\nContent-Length: 0\r\n\r\n"
    )
}

fn resource(address: SocketAddr) -> String {
    format!(
        r#"{{"resource":"http://{address}{PATH}","authorization_servers":["http://{address}"]}}"#
    )
}

fn issuer(address: SocketAddr) -> String {
    format!(
        r#"{{"issuer":"http://{address}","authorization_endpoint":"http://{address}/authorize","token_endpoint":"http://{address}/token","response_types_supported":["code"],"grant_types_supported":["client_credentials"],"code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["client_secret_basic"]}}"#
    )
}
