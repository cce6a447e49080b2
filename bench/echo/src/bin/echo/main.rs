//! A very fast MCP server over Streamable HTTP, to measure what stands in front of it.
//!
//! `bench-echo [--port N] [--sse] [--until-stdin-closes]` listens on 127.0.0.1, prints
//! `listening URL` and serves `/mcp`, and `/mcp/protected` to clients with a token, with one thread per
//! connection. Sessions are named but not checked: a lookup would only add noise. `bench-echo --stdio` answers on stdin
//! and stdout instead: what a client's pipes cost before any bridge does anything, and what
//! a bridge in the other direction has behind it. `--stdio-both-eras` does so for clients of
//! the revision 2026-07-28 as well. `--text FILE` before them gives the tool `text` something to say.

mod answer;
mod blob;
mod protected;
mod serve;
mod stdio;
mod told;

use answer::Eras;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// More than any bridge opens at 64 calls in flight.
const MAX_CONNECTIONS: usize = 1024;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("bench-echo: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut port = 0u16;
    let mut sse = false;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--port" => {
                let value = args.next().ok_or("--port needs a number")?;
                port = value.parse().map_err(|_| format!("not a port: {value}"))?;
            }
            "--sse" => sse = true,
            "--text" => told::prepare(&args.next().ok_or("--text needs a file")?)?,
            "--stdio" => return stdio::serve(Eras::Legacy).map_err(|e| e.to_string()),
            "--stdio-both-eras" => return stdio::serve(Eras::Both).map_err(|e| e.to_string()),
            "--until-stdin-closes" => exit_with_stdin(),
            other => return Err(format!("unknown argument {other}")),
        }
    }
    blob::prepare();
    let listener = TcpListener::bind(("127.0.0.1", port)).map_err(|e| e.to_string())?;
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    let mut out = std::io::stdout();
    writeln!(out, "listening http://{address}/mcp").map_err(|e| e.to_string())?;
    out.flush().map_err(|e| e.to_string())?;

    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        if open.load(Ordering::Relaxed) >= MAX_CONNECTIONS {
            continue; // dropped: closes it
        }
        open.fetch_add(1, Ordering::Relaxed);
        let open = Arc::clone(&open);
        std::thread::spawn(move || {
            // The client notices the end of a connection, clean or not.
            let _ = serve::connection(&stream, sse);
            open.fetch_sub(1, Ordering::Relaxed);
        });
    }
    Ok(())
}

/// The process that started us holds our stdin open; when it ends, even by SIGKILL, so do we.
fn exit_with_stdin() {
    std::thread::spawn(|| {
        let mut byte = [0u8; 64];
        while matches!(std::io::stdin().read(&mut byte), Ok(n) if n > 0) {}
        std::process::exit(0);
    });
}
