//! `linkspan bcp mcp`: the reader server on stdio or over HTTP.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_bcp_tools::Codec;
use linkspan_bcp_tools::files::{PartialFiles, Roots};
use linkspan_bcp_tools::reader::{Reader, ReaderOptions};
use linkspan_desk::Workers;
use linkspan_mcp::Era;
use linkspan_mcp::era::PARK;
use linkspan_ports::FrontOptions;
use linkspan_session::Config;
use linkspan_wire::Limits;

use super::args::McpArgs;
use crate::connect::{StdioOptions, over_stdio};
use crate::environment::{reader_settings, variable};
use crate::exit::{Exit, Failure};
use crate::expose::{front_options, over_http};
use crate::house::{InnOptions, Server};
use crate::shrink::Shrinking;
use crate::signals::Signals;
use crate::target::Opener;
use crate::waiting;

/// How long answers may take after stdin is closed, as after a few requests that were piped in.
const DRAIN: Duration = Duration::from_secs(10);
/// How long a running call may take to notice that it has to stop.
const LEAVING: Duration = Duration::from_secs(1);

pub(crate) async fn run(args: McpArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let work = Work::new();
    let shrinking = Shrinking::of(args.shrink)?;
    let server = server(&args.root, !args.http, &work)?.shrinking(shrinking);
    let ended = if args.http {
        http(signals, server, &args).await
    } else {
        stdio(signals, server).await
    };
    work.finish().await;
    ended
}

/// The same on stdin and stdout, without any flags.
pub(crate) async fn on_stdio(roots: &[PathBuf]) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let work = Work::new();
    let ended = stdio(signals, server(roots, true, &work)?).await;
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

fn server(roots: &[PathBuf], client_roots: bool, work: &Work) -> Result<Server, Failure> {
    let options = Arc::new(ReaderOptions {
        engine: Codec,
        roots: Roots::new(roots)?,
        settings: reader_settings(variable)?,
        client_roots,
        workers: work.workers.clone(),
        partial: work.partial.clone(),
    });
    let common = work.workers.clone();
    let open = move || linkspan_desk::port("the reader", &common, Reader::new(options.clone()));
    Ok(Server::new(Opener::local(open), Some(Era::Legacy)))
}

async fn stdio(signals: Signals, server: Server) -> Result<Exit, Failure> {
    let options = StdioOptions {
        client_era: None,
        // The reader has a limit of its own.
        timeout: None,
        drain: DRAIN,
        max_message: Limits::default().max_bytes(),
        record: None,
        front: None,
    };
    waiting::for_client("linkspan tools -- linkspan bcp mcp");
    over_stdio(signals, server, options).await
}

async fn http(signals: Signals, server: Server, args: &McpArgs) -> Result<Exit, Failure> {
    linkspan_ports::raise_file_limit();
    let options: FrontOptions = front_options(&args.listen, &args.guard)?;
    let inn = InnOptions {
        share: false,
        park: PARK,
        idle: options.idle,
        max_servers: options.max_sessions,
        session: Config {
            timeout: None,
            ..Config::default()
        },
    };
    over_http(signals, server, &args.listen, options, inn).await
}
