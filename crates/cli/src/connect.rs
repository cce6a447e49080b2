//! `linkspan connect`: stdio in front, a server behind.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_mcp::Era;
use linkspan_mcp::era::UpOptions;
use linkspan_ports::{Principal, stdio};
use linkspan_session::{Config, Ended, Envelope, Fault, Inbound, Layer, Outbound, Port, Session};

use linkspan_wire::Limits;
use tokio::sync::mpsc;

use crate::args::ConnectArgs;
use crate::exit::{Exit, Failure};
use crate::first;
use crate::house::{Cause, Questions, Server, legacy_layers, modern_layers, secret};
use crate::mask::Mask;
use crate::orphan::{Pulse, orphaned};
use crate::record::Record;
use crate::restart::restarting;
use crate::shrink::Shrinking;
use crate::signals::Signals;
use crate::target::Target;
use crate::waiting;

/// How often we look whether the client is still there while the server starts.
const LOOK: Duration = Duration::from_millis(250);

/// How the client on stdio is served, whatever stands behind.
pub(crate) struct StdioOptions {
    /// What the client speaks, if it is not to be found out.
    pub(crate) client_era: Option<Era>,
    /// How long a call may go without a sign of life; `None` waits for ever.
    pub(crate) timeout: Option<Duration>,
    /// How long answers in flight may still arrive after stdin has closed.
    pub(crate) drain: Duration,
    /// The largest message.
    pub(crate) max_message: usize,
    /// Where every message is written to.
    pub(crate) record: Option<PathBuf>,
    /// The client, if it is not plainly on stdin and stdout.
    pub(crate) front: Option<Port>,
}

pub(crate) async fn run(args: ConnectArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let try_it = waiting::tools_of(
        &args.remote.credentials(),
        args.url.as_deref(),
        &args.command,
    );
    let opener = Target::new(args.url, args.command)?.opener(&args.remote)?;
    if opener.check().is_ok() {
        waiting::for_client(&try_it);
        opener.warn_if_unreachable(waiting::at_terminal());
    }
    let shrinking = Shrinking::of(args.shrink)?;
    let server = Server::new(opener, args.eras.server_era.forced()).shrinking(shrinking);
    let options = StdioOptions {
        client_era: args.eras.client_era.forced(),
        timeout: Some(args.remote.timeout).filter(|timeout| !timeout.is_zero()),
        drain: args.drain,
        max_message: args.remote.max_message,
        record: args.record,
        front: None,
    };
    over_stdio(signals, server, options).await
}

/// Joins the client on stdin and stdout to a server, until the client has gone. A command that has worked and
/// ends is started again.
pub(crate) async fn over_stdio(
    signals: Signals,
    server: Server,
    options: StdioOptions,
) -> Result<Exit, Failure> {
    let server = Arc::new(server);
    let pulse = Pulse::default();
    let mut layers: Vec<Box<dyn Layer>> = vec![Box::new(pulse.clone())];
    if let Some(path) = &options.record {
        let mask = Mask::new(server.secrets().to_vec());
        layers.push(Box::new(Record::start(path, mask)?));
    }
    let config = Config {
        timeout: options.timeout,
        drain: options.drain,
        ..Config::default()
    };
    let signal = Cell::new(None);
    let stop = async {
        tokio::select! {
            exit = signals.stop() => signal.set(Some(exit)),
            () = orphaned(pulse) => {}
        }
    };
    tokio::pin!(stop);
    let plain = || stdio(Limits::new(options.max_message));
    let mut front = options.front.unwrap_or_else(plain);
    // A command that does not exist is not worth waiting for.
    let mut back = Some(server.start()?);
    let joined = tokio::select! {
        joined = join(&mut front, &mut back, &server, options.client_era, options.drain) => joined?,
        () = &mut stop => {
            if let Some(back) = back {
                farewell(back).await;
            }
            return Ok(signal.get().unwrap_or(Exit::Ok));
        }
    };
    let Some(joined) = joined else {
        farewell(front).await;
        return Ok(Exit::Ok);
    };
    tracing::debug!("stdio <-> {}", joined.back.name);
    layers.extend(joined.layers);
    let back = match server.is_command() {
        true => restarting(joined.back, server.clone(), joined.works),
        false => joined.back,
    };
    let session = Session::new(config, front, back, layers).begun_with(joined.word);
    let ended = session.run(stop).await;
    tracing::debug!("the session has ended: {ended:?}");
    match (ended, signal.get()) {
        (Ended::BackClosed(why), _) => Err(why.into()),
        (_, Some(exit)) => Ok(exit),
        (Ended::FrontClosed | Ended::Stopped, None) => Ok(Exit::Ok),
    }
}

/// What is needed to begin.
pub(crate) struct Joined {
    pub(crate) back: Port,
    pub(crate) layers: Vec<Box<dyn Layer>>,
    /// What the client has said, if it is still to be answered.
    pub(crate) word: Option<Inbound>,
    /// Whether the server has answered anything.
    pub(crate) works: bool,
}

/// Waits for the client's first word, and finds out what lies between it and the server.
pub(crate) async fn join(
    front: &mut Port,
    back: &mut Option<Port>,
    server: &Arc<Server>,
    client_era: Option<Era>,
    drain: Duration,
) -> Result<Option<Joined>, Failure> {
    loop {
        let first = first::word(front).await;
        let port = match back.take() {
            Some(port) => port,
            None if first.word.is_none() => return Ok(None),
            None => server.start()?,
        };
        if client_era.unwrap_or(first.era) == Era::Legacy {
            return Ok(Some(Joined {
                back: port,
                layers: legacy_layers(server, &Principal(None)),
                word: first.word,
                works: false,
            }));
        }
        let questions = Questions::of(first.request(), None).with_discover(first.discover());
        let cause = Cause::only();
        let known = tokio::select! {
            known = server.known(port, &questions, &cause) => known,
            () = gone(&front.rx, drain) => {
                first::refuse(front, first.word, &Fault::Closing).await;
                while let Ok(word) = front.rx.try_recv() {
                    first::refuse(front, Some(word), &Fault::Closing).await;
                }
                return Ok(None);
            }
        };
        let known = match known {
            Ok(known) => known,
            Err(why) => {
                // It may be there when the client asks again.
                first::refuse(front, first.word, &why).await;
                continue;
            }
        };
        let mut word = first.word;
        if let Some(answer) = known.answer {
            // The client itself has asked, and this is its answer.
            word = None;
            let _ = front.tx.send(Outbound::One(Envelope::new(answer))).await;
        }
        let options = UpOptions::new("connect".to_owned(), secret);
        return Ok(Some(Joined {
            back: known.port,
            layers: modern_layers(server, known.era, options, true, &Principal(None)),
            word,
            works: true,
        }));
    }
}

/// Resolves when the client has gone and was given some time to be answered all the same.
async fn gone(front: &mpsc::Receiver<Inbound>, drain: Duration) {
    while !front.is_closed() {
        tokio::time::sleep(LOOK).await;
    }
    tokio::time::sleep(drain).await;
}

/// Ends what has not begun.
pub(crate) async fn farewell(mut port: Port) {
    drop(port.tx);
    port.rx.close();
    let _ = tokio::time::timeout(Config::default().farewell, port.done).await;
}
