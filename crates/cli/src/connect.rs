//! `linkspan connect`: stdio in front, a remote server behind.

use std::cell::Cell;

use linkspan_ports::{http, stdio};
use linkspan_session::{Config, Ended, Layer, Session};
use linkspan_wire::Limits;

use crate::args::ConnectArgs;
use crate::exit::{Exit, Failure};
use crate::mask::Mask;
use crate::orphan::{Pulse, orphaned};
use crate::record::Record;
use crate::remote::{explain, remote};
use crate::signals::Signals;

pub(crate) async fn run(args: ConnectArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let remote = remote(&args.url, &args.remote)?;
    let pulse = Pulse::default();
    let mut layers: Vec<Box<dyn Layer>> = vec![Box::new(pulse.clone())];
    if let Some(path) = &args.record {
        layers.push(Box::new(Record::start(path, Mask::new(remote.secrets))?));
    }
    let back = http(remote.options).map_err(explain)?;
    let front = stdio(Limits::new(args.remote.max_message));
    tracing::debug!("stdio <-> {}", back.name);
    let config = Config {
        timeout: Some(args.remote.timeout).filter(|timeout| !timeout.is_zero()),
        drain: args.drain,
        ..Config::default()
    };
    let signal = Cell::new(None);
    let stop = async {
        tokio::select! {
            exit = signals.stop() => signal.set(Some(exit)),
            () = orphaned(pulse) => {}
        }
    };
    let ended = Session::new(config, front, back, layers).run(stop).await;
    tracing::debug!("the session has ended: {ended:?}");
    match (ended, signal.get()) {
        (Ended::BackClosed(why), _) => Err(why.into()),
        (_, Some(exit)) => Ok(exit),
        (Ended::FrontClosed | Ended::Stopped, None) => Ok(Exit::Ok),
    }
}
