//! One client, on stdin and stdout.

use std::sync::Arc;
use std::time::Duration;

use linkspan_mcp::Era;
use linkspan_ports::stdio;
use linkspan_session::{Config, Ended, Layer, Port, Session};
use linkspan_wire::Limits;

use crate::error::BridgeError;
use crate::join::join;
use crate::orphan::{Activity, orphaned};
use crate::record::{Mask, OutputFile, Record};
use crate::restart::restarting;
use crate::server::Server;

/// How the client on stdio is served.
pub struct StdioOptions {
    /// How long answers in flight may still arrive after stdin has closed.
    pub drain: Duration,
    /// The size limit of messages.
    pub limits: Limits,
    /// The transcript that every message is written to.
    pub record: Option<OutputFile>,
    /// The client's port, if it is not plainly stdin and stdout.
    pub front: Option<Port>,
}

impl Default for StdioOptions {
    fn default() -> Self {
        Self {
            drain: Config::default().drain,
            limits: Limits::default(),
            record: None,
            front: None,
        }
    }
}

/// A bridge for the client on stdin and stdout.
pub struct StdioBridge {
    server: Arc<Server>,
    client_era: Option<Era>,
    config: Config,
    front: Port,
    record: Option<OutputFile>,
}

impl StdioBridge {
    pub(crate) fn new(
        server: Arc<Server>,
        client_era: Option<Era>,
        config: Config,
        options: StdioOptions,
    ) -> Self {
        let limits = options.limits;
        Self {
            server,
            client_era,
            config,
            front: options.front.unwrap_or_else(|| stdio(limits)),
            record: options.record,
        }
    }

    /// Serves until the client has gone or `stop` resolves. A command that has worked and ends is started
    /// again.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<(), BridgeError> {
        let server = self.server.clone();
        let ended = self.serve(stop).await;
        server.close().await;
        ended
    }

    async fn serve(self, stop: impl Future<Output = ()>) -> Result<(), BridgeError> {
        let Self {
            server,
            client_era,
            config,
            mut front,
            record,
        } = self;
        let activity = Activity::default();
        let mut layers: Vec<Box<dyn Layer>> = vec![Box::new(activity.clone())];
        if let Some(file) = record {
            let mask = Mask::new(server.secrets().to_vec());
            let prompts = server.account().map(|account| account.prompts());
            layers.push(Box::new(Record::start(file, mask, prompts)));
        }
        let stop = async {
            tokio::select! {
                () = stop => {}
                () = orphaned(activity) => {}
            }
        };
        tokio::pin!(stop);
        // Started before the client's first message, so that a missing program is reported at once.
        let mut back = Some(server.start()?);
        let joined = tokio::select! {
            joined = join(&mut front, &mut back, &server, client_era, config.drain) => joined?,
            () = &mut stop => {
                if let Some(back) = back {
                    back.close().await;
                }
                return Ok(());
            }
        };
        let Some(joined) = joined else {
            front.close().await;
            return Ok(());
        };
        tracing::debug!("stdio <-> {}", joined.back.name);
        layers.extend(joined.layers);
        let back = if server.is_command() {
            restarting(joined.back, server, joined.works)
        } else {
            joined.back
        };
        let session = Session::new(config, front, back, layers).begun_with(joined.first);
        let ended = session.run(stop).await;
        tracing::debug!("the session has ended: {ended:?}");
        match ended {
            Ended::BackClosed(why) => Err(why.into()),
            Ended::FrontClosed | Ended::Stopped => Ok(()),
        }
    }
}
