//! `linkspan connect`: stdio in front, a server behind.

use linkspan_bridge::{Bridge, OutputFile, StdioOptions};
use linkspan_wire::Limits;

use crate::args::ConnectArgs;
use crate::exit::{Exit, Failure};
use crate::front::{self, limit};
use crate::signals::Signals;
use crate::target::{self, Target};
use crate::waiting;

pub(crate) async fn run(args: ConnectArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let try_it = waiting::tools_of(
        &args.remote.credentials(),
        args.url.as_deref(),
        &args.command,
    );
    let backend = Target::new(args.url, args.command)?.backend(&args.remote, None)?;
    if target::check(&backend).is_ok() {
        waiting::for_client(&try_it);
        if waiting::at_terminal() {
            backend.warn_if_unreachable();
        }
    }
    let options = StdioOptions {
        drain: args.drain,
        limits: Limits::new(args.remote.max_message),
        record: args.record.as_deref().map(OutputFile::open).transpose()?,
        front: None,
    };
    let bridge = Bridge::new(backend)
        .server_era(args.eras.server_era.forced())
        .client_era(args.eras.client_era.forced())
        .timeout(limit(args.remote.timeout));
    let bridge = args.shrink.add_to(bridge)?;
    front::serve_stdio(signals, bridge, options).await
}
