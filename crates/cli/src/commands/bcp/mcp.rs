//! `linkspan bcp mcp`: the reader server on stdio or HTTP.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_bcp_tools::Codec;
use linkspan_bcp_tools::files::{PartialFiles, Roots};
use linkspan_bcp_tools::reader::{Reader, ReaderOptions};
use linkspan_bridge::{Backend, Bridge, StdioOptions};
use linkspan_local::Workers;
use linkspan_mcp::Era;

use super::args::McpArgs;
use crate::environment::{reader_settings, variable};
use crate::exit::{Exit, Failure};
use crate::front::{self, front_options};
use crate::shrink::Shrinking;
use crate::signals::Signals;
use crate::waiting;

/// How long answers may take after stdin is closed, as after a few requests that were piped in.
const DRAIN: Duration = Duration::from_secs(10);
/// How long a running call may take to notice that it has to stop.
const LEAVING: Duration = Duration::from_secs(1);

pub(crate) async fn run(args: McpArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let work = Work::new();
    let bridge = bridge(&args.root, !args.http, &work)?;
    let bridge = Shrinking::add_to(bridge, args.shrink)?;
    let ended = if args.http {
        let options = front_options(&args.listen, &args.guard)?;
        front::serve_http(signals, bridge, &args.listen, options).await
    } else {
        stdio(signals, bridge).await
    };
    work.finish().await;
    ended
}

/// The same on stdin and stdout, without any flags.
pub(crate) async fn on_stdio(roots: &[PathBuf]) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let work = Work::new();
    let ended = stdio(signals, bridge(roots, true, &work)?).await;
    work.finish().await;
    ended
}

/// The threads that run calls, and the files that they write.
struct Work {
    workers: Workers,
    partial: PartialFiles,
}

impl Work {
    fn new() -> Self {
        Self {
            workers: Workers::new(),
            partial: PartialFiles::new(std::env::temp_dir()),
        }
    }

    async fn finish(self) {
        self.workers.finish(LEAVING).await;
        drop(self.partial.clear());
    }
}

fn bridge(roots: &[PathBuf], client_roots: bool, work: &Work) -> Result<Bridge, Failure> {
    let options = Arc::new(ReaderOptions {
        engine: Codec,
        roots: Roots::new(roots)?,
        settings: reader_settings(variable)?,
        client_roots,
        workers: work.workers.clone(),
        partial: work.partial.clone(),
    });
    let common = work.workers.clone();
    let open = move || linkspan_local::port("the reader", &common, Reader::new(options.clone()));
    // The reader has a time limit of its own.
    Ok(Bridge::new(Backend::local(open, Some(Era::Legacy))).timeout(None))
}

async fn stdio(signals: Signals, bridge: Bridge) -> Result<Exit, Failure> {
    waiting::for_client("linkspan tools -- linkspan bcp mcp");
    let options = StdioOptions {
        drain: DRAIN,
        ..StdioOptions::default()
    };
    front::serve_stdio(signals, bridge, options).await
}
