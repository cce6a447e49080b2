//! The agent at the end of the chain.

use std::io;

use crate::lines::{deep, number, read, stdin, stdout, text, write};

/// The most updates that one request may ask for.
const MOST: u64 = 1_000_000;

/// Serves until stdin closes.
pub fn serve() -> io::Result<()> {
    let (mut from, mut to) = (stdin(), stdout()?);
    let (mut line, mut out) = (Vec::new(), Vec::new());
    while read(&mut from, &mut line)? {
        let (Some(id), Some(method)) = (deep(&line, &["id"]), text(&line, &["method"])) else {
            // Notifications, and answers without a request.
            continue;
        };
        let result: &[u8] = match method {
            b"initialize" => br#"{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}"#,
            b"session/new" => br#"{"sessionId":"s1"}"#,
            b"_bench/echo" => deep(&line, &["params"]).unwrap_or(b"null"),
            b"_bench/flood" => {
                let count = deep(&line, &["params", "count"]).and_then(number);
                flood(&mut to, &mut out, count.unwrap_or(0).min(MOST))?;
                b"{}"
            }
            _ => {
                let error: &[u8] = br#","error":{"code":-32601,"message":"method not found"}}"#;
                write(
                    &mut to,
                    &mut out,
                    &[br#"{"jsonrpc":"2.0","id":"#, id, error],
                )?;
                continue;
            }
        };
        let parts = [
            br#"{"jsonrpc":"2.0","id":"#,
            id,
            br#","result":"#,
            result,
            b"}",
        ];
        write(&mut to, &mut out, &parts)?;
    }
    Ok(())
}

/// Writes numbered updates, whose order can be checked; each is its own write, like those of a model.
fn flood(to: &mut impl io::Write, out: &mut Vec<u8>, count: u64) -> io::Result<()> {
    const HEAD: &[u8] = br#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""#;
    for at in 0..count {
        write(to, out, &[HEAD, at.to_string().as_bytes(), br#""}}}}"#])?;
    }
    Ok(())
}
