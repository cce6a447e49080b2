//! `linkspan bcp mcp`: the reader server behind the fronts of `connect` and `expose`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_bridge::{Backend, Bridge, StdioOptions};
use linkspan_desk::Workers;
use linkspan_mcp::Era;

use super::args::McpArgs;
use super::engine::Codec;
use super::files::{Roots, remove_unfinished};
use super::reader::{Reader, Shelf};
use super::settings::{Settings, variable};
use crate::exit::{Exit, Failure};
use crate::front::{self, front_options};
use crate::shrink::Shrinking;
use crate::signals::Signals;
use crate::waiting;

/// A script that pipes a few requests into us closes stdin before the first answer.
const DRAIN: Duration = Duration::from_secs(10);
/// How long a job may take to notice that it has to stop.
const LEAVING: Duration = Duration::from_secs(1);

pub(crate) async fn run(args: McpArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let workers = Workers::new();
    let bridge = bridge(&args.root, !args.http, &workers)?;
    let bridge = Shrinking::add_to(bridge, args.shrink)?;
    let ended = if args.http {
        let options = front_options(&args.listen, &args.guard)?;
        front::serve_http(signals, bridge, &args.listen, options).await
    } else {
        stdio(signals, bridge).await
    };
    leave(workers).await;
    ended
}

/// The same on stdin and stdout, without any flags.
pub(crate) async fn on_stdio(roots: Vec<PathBuf>) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let workers = Workers::new();
    let ended = stdio(signals, bridge(&roots, true, &workers)?).await;
    leave(workers).await;
    ended
}

fn bridge(given: &[PathBuf], client_roots: bool, workers: &Workers) -> Result<Bridge, Failure> {
    let shelf = Arc::new(Shelf {
        engine: Codec,
        roots: roots(given)?,
        settings: Settings::read(variable)?,
        client_roots,
        workers: workers.clone(),
    });
    let common = workers.clone();
    let open = move || linkspan_desk::port("the reader", &common, Reader::new(shelf.clone()));
    // The reader has a time limit of its own.
    Ok(Bridge::new(Backend::local(open, Some(Era::Legacy))).timeout(None))
}

async fn leave(workers: Workers) {
    workers.finish(LEAVING).await;
    remove_unfinished();
}

async fn stdio(signals: Signals, bridge: Bridge) -> Result<Exit, Failure> {
    waiting::for_client("linkspan tools -- linkspan bcp mcp");
    let options = StdioOptions {
        drain: DRAIN,
        ..StdioOptions::default()
    };
    front::serve_stdio(signals, bridge, options).await
}

/// The folders that may be used; the current one if none is given.
pub(super) fn roots(given: &[PathBuf]) -> Result<Roots, Failure> {
    let here = [PathBuf::from(".")];
    let given = if given.is_empty() { &here[..] } else { given };
    let mut roots = Roots::default();
    for folder in given {
        roots.add(folder).map_err(|e| {
            Failure::usage(format!("--root {}: {e}", folder.display()))
                .hint("it must be a folder that exists")
        })?;
    }
    Ok(roots)
}
