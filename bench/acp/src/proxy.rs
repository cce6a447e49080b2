//! A proxy that forwards everything, in both directions.
//!
//! Messages to the agent are wrapped in `proxy/successor`; messages in that wrapping are from the agent's side. An id
//! is valid on one connection only, so each request gets a new one.

use std::collections::HashMap;
use std::io;

use linkspan_bench::json::member;

use crate::lines::{deep, number, read, stdin, stdout, text, write};

const CALL: &[u8] = br#"{"jsonrpc":"2.0","id":"#;
const TELL: &[u8] = br#"{"jsonrpc":"2.0""#;
const WRAPPED: &[u8] = br#","method":"proxy/successor","params":{"method":""#;
const NO_PARAMS: &[u8] = b"{}";

/// Serves until stdin closes.
pub fn serve() -> io::Result<()> {
    let (mut from, mut to) = (stdin(), stdout()?);
    let (mut line, mut out) = (Vec::new(), Vec::new());
    let mut asked: HashMap<u64, Vec<u8>> = HashMap::new();
    let mut last = 0;
    while read(&mut from, &mut line)? {
        let id = deep(&line, &["id"]);
        let Some(method) = text(&line, &["method"]) else {
            answer(&line, id, &mut asked, &mut to, &mut out)?;
            continue;
        };
        // A cancellation is for one hop, and the benchmark cancels no request.
        if method == b"$/cancel_request" {
            continue;
        }
        let number;
        let head: [&[u8]; 2] = match id {
            Some(id) => {
                last += 1;
                asked.insert(last, id.to_vec());
                number = last.to_string();
                [CALL, number.as_bytes()]
            }
            None => [TELL, b""],
        };
        let params = deep(&line, &["params"]).unwrap_or(NO_PARAMS);
        let [first, second] = head;
        if method == b"proxy/successor" {
            let inner = text(params, &["method"]).unwrap_or(b"");
            let params = member(params, "params").unwrap_or(NO_PARAMS);
            let start: &[u8] = br#","method":""#;
            let parts = [first, second, start, inner, br#"","params":"#, params, b"}"];
            write(&mut to, &mut out, &parts)?;
        } else {
            let inner: &[u8] = if method == b"proxy/initialize" {
                b"initialize"
            } else {
                method
            };
            let parts = [
                first,
                second,
                WRAPPED,
                inner,
                br#"","params":"#,
                params,
                b"}}",
            ];
            write(&mut to, &mut out, &parts)?;
        }
    }
    Ok(())
}

/// Restores the id of an answer.
fn answer(
    line: &[u8],
    id: Option<&[u8]>,
    asked: &mut HashMap<u64, Vec<u8>>,
    to: &mut impl io::Write,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let Some(theirs) = id.and_then(number).and_then(|id| asked.remove(&id)) else {
        return Ok(());
    };
    let (name, what): (&[u8], _) = match member(line, "error") {
        Some(error) => (br#","error":"#, error),
        None => (br#","result":"#, member(line, "result").unwrap_or(b"null")),
    };
    write(to, out, &[CALL, &theirs, name, what, b"}"])
}
