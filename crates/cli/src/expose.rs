//! `linkspan expose`: HTTP in front, a server behind.

use linkspan_bridge::{Bridge, ServeOptions};
use linkspan_ports::FrontOptions;
use linkspan_wire::Limits;

use crate::exit::{Exit, Failure};
use crate::expose_args::ExposeArgs;
use crate::front::{self, front_options, limit};
use crate::signals::Signals;
use crate::target::{self, Target};

pub(crate) async fn run(args: ExposeArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let options = FrontOptions {
        limits: Limits::new(args.remote.max_message),
        max_sessions: args.servers.max_sessions,
        max_in_flight: args.servers.max_in_flight,
        idle: limit(args.servers.idle_timeout),
        ..front_options(&args.listen, &args.guard)?
    };
    let options = ServeOptions {
        front: options,
        share: args.servers.share,
        park: args.servers.park_timeout,
    };
    let target = Target::new(args.url, args.command)?;
    // The token is for clients; the server must not see it.
    let backend = target.backend(&args.remote, args.guard.token_env.as_deref())?;
    target::check(&backend)?;
    backend.warn_if_unreachable();
    let bridge = Bridge::new(backend)
        .server_era(args.eras.server_era.forced())
        .client_era(args.eras.client_era.forced())
        .timeout(limit(args.remote.timeout));
    let bridge = args.shrink.add_to(bridge)?;
    front::serve_http(signals, bridge, &args.listen, options).await
}
