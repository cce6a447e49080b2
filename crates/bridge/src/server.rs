//! A backend, and what is known about its server.

use std::time::Duration;

use linkspan_auth_io::Account;
use linkspan_mcp::Era;
use linkspan_session::{Fault, Layer, Port, now};
use linkspan_wire::Message;
use parking_lot::Mutex;

use crate::backend::Backend;
use crate::caller::CallerInfo;
use crate::error::BridgeError;
use crate::greeted::greeted;
use crate::layers::{LayerFactory, SessionInfo};
use crate::probe::{self, Probed, Questions};
use crate::setbacks::{Cause, Setbacks};

pub(crate) struct Server {
    backend: Backend,
    known: Mutex<Known>,
    setbacks: Setbacks,
    callers: CallerInfo,
    /// The last one is next to the client.
    layers: Vec<Box<dyn LayerFactory>>,
    /// In front of the translation between eras, in the same order.
    client_layers: Vec<Box<dyn LayerFactory>>,
}

#[derive(Default)]
struct Known {
    /// The era for modern requests; [`Era::Modern`] for a server of both eras.
    era: Option<Era>,
    /// Whether it accepts `initialize`.
    shakes_hands: Option<bool>,
}

impl Server {
    pub(crate) fn new(backend: Backend) -> Self {
        let era = backend.era();
        Self {
            backend,
            known: Mutex::new(Known::of(era)),
            setbacks: Setbacks::default(),
            callers: CallerInfo::default(),
            layers: Vec::new(),
            client_layers: Vec::new(),
        }
    }

    /// Sets the era from the command line. The era of a local server is known and takes precedence.
    pub(crate) fn force_era(&mut self, era: Option<Era>) {
        *self.known.get_mut() = Known::of(self.backend.era().or(era));
    }

    /// Sets what the server gets to know about callers.
    pub(crate) fn tell_callers(&mut self, callers: CallerInfo) {
        self.callers = callers;
    }

    pub(crate) fn add_layer(&mut self, factory: Box<dyn LayerFactory>) {
        self.layers.push(factory);
    }

    pub(crate) fn add_client_layer(&mut self, factory: Box<dyn LayerFactory>) {
        self.client_layers.push(factory);
    }

    /// The layers of one session in front of the translation, from the client to the server.
    pub(crate) fn client_layers(&self, session: SessionInfo<'_>) -> Vec<Box<dyn Layer>> {
        let layers = self.client_layers.iter().rev();
        layers.map(|factory| factory.layer(session)).collect()
    }

    /// A client's request as its layers in front of the translation pass it on.
    pub(crate) fn seen(&self, request: &Message) -> Message {
        let layers = self.client_layers.iter().rev();
        layers.fold(request.clone(), |seen, factory| {
            factory.amended(&seen).unwrap_or(seen)
        })
    }

    /// The layers of one session behind the translation, from the client to the server.
    pub(crate) fn layers(&self, session: SessionInfo<'_>) -> Vec<Box<dyn Layer>> {
        let layers = self.layers.iter().rev();
        layers.map(|factory| factory.layer(session)).collect()
    }

    /// The era for requests of a modern client, if it is known.
    pub(crate) fn era(&self) -> Option<Era> {
        self.known.lock().era
    }

    /// The era turned out to be wrong; the next request detects it again.
    pub(crate) fn forget_era(&self) {
        self.known.lock().era = None;
    }

    /// Whether it is a child process.
    pub(crate) fn is_command(&self) -> bool {
        self.backend.is_command()
    }

    /// Whether all calls of one client have to use the same connection.
    pub(crate) fn keeps_sessions(&self) -> bool {
        self.backend.keeps_sessions()
    }

    /// Whether it answers single requests; those of legacy clients are marked.
    pub(crate) fn takes_requests(&self) -> bool {
        self.backend.takes_requests()
    }

    /// Whether it has a view of this name.
    pub(crate) fn has_view(&self, name: &str) -> bool {
        self.backend.has_view(name)
    }

    /// Whether it accepts a legacy client's `initialize`, if that is known.
    pub(crate) fn shakes_hands(&self) -> Option<bool> {
        self.known.lock().shakes_hands
    }

    /// Notes that it has refused `initialize` and is a modern server.
    pub(crate) fn learn_modern_only(&self) {
        *self.known.lock() = Known::of(Some(Era::Modern));
    }

    /// Opens it for the first time. The user has to fix the errors of this call.
    pub(crate) fn start(&self) -> Result<Port, BridgeError> {
        self.backend.open()
    }

    /// Ends a local server, after its last connection.
    pub(crate) async fn close(&self) {
        self.backend.close().await;
    }

    /// The account that signs in to it.
    pub(crate) fn account(&self) -> Option<&Account> {
        self.backend.account()
    }

    /// The values that transcripts must not show.
    pub(crate) fn secrets(&self) -> &[String] {
        self.backend.secrets()
    }

    /// Opens a connection or starts a process, after a pause if that keeps failing for this cause.
    pub(crate) async fn open(&self, cause: &Cause) -> Result<Port, Fault> {
        if let Some(wait) = self.setbacks.wait(cause, now()) {
            tracing::info!("the server does not start; the next start is in {wait:?}");
            tokio::time::sleep(wait).await;
        }
        let opened = self.backend.open_for(&cause.principal, &self.callers);
        opened.map_err(|error| {
            self.ended(cause, false, Duration::ZERO);
            Fault::ConnectFailed {
                peer: "the server".to_owned(),
                why: error.to_string(),
                tries: 1,
            }
        })
    }

    /// Opens a connection and detects the era of the server.
    pub(crate) async fn open_known(
        &self,
        questions: &Questions<'_>,
        cause: &Cause,
    ) -> Result<(Port, Era), Fault> {
        let port = self.open(cause).await?;
        let probed = self.probe(port, questions, cause).await?;
        Ok((probed.port, probed.era))
    }

    /// Detects the era of the server behind `port`.
    pub(crate) async fn probe(
        &self,
        port: Port,
        questions: &Questions<'_>,
        cause: &Cause,
    ) -> Result<Opened, Fault> {
        if let Some(era) = self.era() {
            let answer = None;
            return Ok(Opened { port, era, answer });
        }
        let mut port = port;
        let is_command = self.backend.is_command();
        let mut probed = probe::ask(&mut port, questions, is_command).await?;
        if matches!(probed, Probed::Died) {
            // The probe may be the reason for the exit, so the next process gets `initialize` first.
            port = self.open(cause).await?;
            let shaken = probe::shake(&mut port, questions).await;
            probed = shaken.inspect_err(|_| self.ended(cause, false, Duration::ZERO))?;
        }
        if matches!(probed, Probed::Refused) {
            probed = probe::ask(&mut port, questions, is_command).await?;
        }
        let era = probed.era();
        if matches!(probed, Probed::ModernSpent(_) | Probed::Died) {
            // The process died of the probe, or may still answer the `initialize`.
            probe::end(port);
            port = self.open(cause).await?;
        }
        let answer = match probed {
            Probed::Modern(answer) => answer,
            Probed::ModernSpent(answer) => Some(answer),
            Probed::Greeted(answer) => {
                self.known.lock().shakes_hands = Some(true);
                port = greeted(port, answer);
                None
            }
            Probed::Legacy | Probed::Died | Probed::Refused => None,
        };
        if let Some(answer) = &answer {
            self.layers
                .iter()
                .for_each(|factory| factory.discovered(answer));
        }
        let own = questions.discover.and_then(Message::id);
        let answer = own.zip(answer).map(|(id, answer)| answer.with_id(id));
        tracing::info!("the server speaks the {era:?} era");
        self.known.lock().era = Some(era);
        Ok(Opened { port, era, answer })
    }

    /// Records how long a process ran, and whether it has `answered` a request.
    pub(crate) fn ended(&self, cause: &Cause, answered: bool, lived: Duration) {
        self.setbacks.ended(cause, answered, lived, now());
    }
}

impl Known {
    fn of(era: Option<Era>) -> Self {
        Self {
            era,
            shakes_hands: era.map(|era| era == Era::Legacy),
        }
    }
}

/// A connection to a server whose era is known.
pub(crate) struct Opened {
    /// Not always the probed connection: some servers exit on the probe.
    pub(crate) port: Port,
    pub(crate) era: Era,
    /// The answer to the client's own `server/discover`.
    pub(crate) answer: Option<Message>,
}

/// A capabilities object with everything that a server can ask for.
pub(crate) const EVERYTHING: &str =
    r#"{"roots":{"listChanged":false},"sampling":{},"elicitation":{"form":{},"url":{}}}"#;

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Json;

    #[test]
    fn the_capabilities_are_json() {
        assert!(Json::parse(EVERYTHING).is_ok());
    }
}
