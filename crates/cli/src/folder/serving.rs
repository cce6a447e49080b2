//! A folder as the server behind a bridge.

use std::path::Path;
use std::time::Duration;

use linkspan_bridge::{Bridge, StdioOptions, tools_of_folder};
use linkspan_console::Signals;
use linkspan_mcp_bash::Served;
use linkspan_ports::{raise_file_limit, stdio_parts};
use linkspan_wire::Limits;

use super::local;
use crate::exit::{Exit, Failure};
use crate::front;
use crate::waiting;

/// The bridge to a folder. Every script has a time limit of its own.
pub(crate) fn bridge(served: &Served) -> Bridge {
    // Every call opens several files.
    raise_file_limit();
    Bridge::new(local(served.folder.clone())).timeout(None)
}

/// Serves the client on stdin and stdout.
pub(crate) async fn on_stdio(
    signals: Signals,
    bridge: Bridge,
    served: Served,
    dir: &Path,
    drain: Duration,
) -> Result<Exit, Failure> {
    let front = served.project.and_then(|project| {
        let (reader, writer) = stdio_parts();
        project.stdio_port(reader, writer, Limits::default())
    });
    let front = front
        .transpose()
        .map_err(|e| Failure::usage(e.to_string()).hint("use a long random secret"))?;
    let options = StdioOptions {
        drain,
        front,
        ..StdioOptions::default()
    };
    // The client may ask the server to exit.
    let signals = signals.or(async move { served.folder.left().await });
    waiting::for_client(&tools_of_folder(dir));
    front::serve_stdio(signals, bridge, options).await
}
