//! `linkspan bcp mcp`: the reader server behind the fronts of `connect` and `expose`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_desk::Workers;
use linkspan_mcp::Era;
use linkspan_mcp::era::PARK;
use linkspan_ports::FrontOptions;
use linkspan_session::Config;
use linkspan_wire::Limits;

use super::args::McpArgs;
use super::engine::Codec;
use super::files::{Roots, remove_unfinished};
use super::reader::{Reader, Shelf};
use super::settings::{Settings, variable};
use crate::connect::{StdioOptions, over_stdio};
use crate::exit::{Exit, Failure};
use crate::expose::{front_options, over_http};
use crate::house::{InnOptions, Server};
use crate::shrink::Shrinking;
use crate::signals::Signals;
use crate::target::Opener;
use crate::waiting;

/// Whoever pipes a few requests into us has closed stdin before the first answer.
const DRAIN: Duration = Duration::from_secs(10);
/// How long a job may take to notice that it has to stop.
const LEAVING: Duration = Duration::from_secs(1);

pub(crate) async fn run(args: McpArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let workers = Workers::new();
    let shrinking = Shrinking::of(args.shrink)?;
    let server = server(&args.root, !args.http, &workers)?.shrinking(shrinking);
    let ended = match args.http {
        true => http(signals, server, &args).await,
        false => stdio(signals, server).await,
    };
    leave(workers).await;
    ended
}

/// The same on stdin and stdout, without any flags.
pub(crate) async fn on_stdio(roots: Vec<PathBuf>) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let workers = Workers::new();
    let ended = stdio(signals, server(&roots, true, &workers)?).await;
    leave(workers).await;
    ended
}

fn server(given: &[PathBuf], client_roots: bool, workers: &Workers) -> Result<Server, Failure> {
    let shelf = Arc::new(Shelf {
        engine: Codec,
        roots: roots(given)?,
        settings: Settings::read(variable)?,
        client_roots,
        workers: workers.clone(),
    });
    let common = workers.clone();
    let open = move || linkspan_desk::port("the reader", &common, Reader::new(shelf.clone()));
    Ok(Server::new(Opener::local(open), Some(Era::Legacy)))
}

async fn leave(workers: Workers) {
    workers.finish(LEAVING).await;
    remove_unfinished();
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
