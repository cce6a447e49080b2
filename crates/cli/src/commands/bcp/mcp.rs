//! `linkspan bcp mcp`: the reader server on stdio or HTTP.

use std::path::PathBuf;
use std::time::Duration;

use linkspan_bcp_tools::files::Roots;
use linkspan_bcp_tools::{ReaderServer, Settings};
use linkspan_bridge::{Backend, Bridge};
use linkspan_console::Signals;
use linkspan_mcp::Era;

use super::args::McpArgs;
use crate::environment::variable;
use crate::exit::{Exit, Failure};
use crate::front;

/// How long answers may take after stdin is closed, as after a few requests that were piped in.
const DRAIN: Duration = Duration::from_secs(10);
const TRY_IT: &str = "linkspan tools -- linkspan bcp mcp";

pub(crate) async fn run(args: McpArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let bridge = args.shrink.add_to(bridge(&args.root, !args.http)?)?;
    let web = args.http.then_some((&args.listen, &args.guard));
    front::serve(signals, bridge, web, DRAIN, TRY_IT).await
}

/// The same on stdin and stdout, without any flags.
pub(crate) async fn on_stdio(roots: &[PathBuf]) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    front::serve(signals, bridge(roots, true)?, None, DRAIN, TRY_IT).await
}

fn bridge(roots: &[PathBuf], client_roots: bool) -> Result<Bridge, Failure> {
    let (roots, settings) = (Roots::new(roots)?, Settings::of_variables(variable)?);
    let server = ReaderServer::new(roots, settings, client_roots, std::env::temp_dir());
    let finished = server.clone();
    let backend = Backend::local(move || server.open(), Some(Era::Legacy))
        .closing(move || finished.clone().finish());
    // The reader has a time limit of its own.
    Ok(Bridge::new(backend).timeout(None))
}
