//! One server: how to open it, and what is known of it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use linkspan_mcp::Era;
use linkspan_ports::Principal;
use linkspan_session::{Fault, Layer, Port};
use linkspan_wire::Message;

use super::greeted::greeted;
use super::probe::{self, Probed, Questions};
use super::setbacks::{Cause, Setbacks};

use crate::exit::Failure;
use crate::shrink::Shrinking;
use crate::target::Opener;

pub(crate) struct Server {
    opener: Opener,
    known: Mutex<Known>,
    setbacks: Setbacks,
    shrinking: Option<Shrinking>,
}

#[derive(Default)]
struct Known {
    /// What a modern request meets; [`Era::Modern`] for a server that speaks both.
    era: Option<Era>,
    /// Whether it takes `initialize`.
    shakes_hands: Option<bool>,
}

impl Server {
    /// `era` if the user knows it; of a server of our own we know better.
    pub(crate) fn new(opener: Opener, era: Option<Era>) -> Self {
        let era = opener.era().or(era);
        let known = Known {
            era,
            shakes_hands: era.map(|era| era == Era::Legacy),
        };
        Self {
            opener,
            known: Mutex::new(known),
            setbacks: Setbacks::default(),
            shrinking: None,
        }
    }

    /// With results in fewer tokens, if that is wanted.
    pub(crate) fn shrinking(mut self, shrinking: Option<Shrinking>) -> Self {
        self.shrinking = shrinking;
        self
    }

    /// What makes results shorter in one session; `alone` if that has one client.
    pub(crate) fn shrink_layer(
        &self,
        alone: bool,
        principal: &Principal,
    ) -> Option<Box<dyn Layer>> {
        let shrinking = self.shrinking.as_ref();
        shrinking.map(|one| one.layer(alone, principal))
    }

    /// The era that requests of a modern client meet, if it is known.
    pub(crate) fn era(&self) -> Option<Era> {
        self.with(|known| known.era)
    }

    /// It turned out to be something else than it seemed.
    pub(crate) fn forget_era(&self) {
        self.with(|known| known.era = None);
    }

    /// Whether it is a process of ours.
    pub(crate) fn is_command(&self) -> bool {
        self.opener.is_command()
    }

    /// Whether one client's calls must all come to the same one.
    pub(crate) fn keeps_sessions(&self) -> bool {
        self.opener.keeps_sessions()
    }

    /// Whether it takes a legacy client's `initialize`, if that is known.
    pub(crate) fn shakes_hands(&self) -> Option<bool> {
        self.with(|known| known.shakes_hands)
    }

    /// Notes that it has refused `initialize` and is a modern server.
    pub(crate) fn learn_modern_only(&self) {
        self.with(|known| {
            known.era = Some(Era::Modern);
            known.shakes_hands = Some(false);
        });
    }

    /// Opens it for the first time; what stands in the way is the user's to mend.
    pub(crate) fn start(&self) -> Result<Port, Failure> {
        self.opener.open()
    }

    /// What must never be shown.
    pub(crate) fn secrets(&self) -> &[String] {
        &self.opener.secrets
    }

    /// Opens a connection or starts a process; not too often if that keeps failing for this cause.
    pub(crate) async fn open(&self, cause: &Cause) -> Result<Port, Fault> {
        if let Some(wait) = self.setbacks.wait(cause, Instant::now()) {
            tracing::info!("the server does not start; the next start is in {wait:?}");
            tokio::time::sleep(wait).await;
        }
        self.opener.open().map_err(|failure| {
            self.ended(cause, false, Duration::ZERO);
            Fault::ConnectFailed {
                peer: "the server".to_owned(),
                why: failure.what().to_owned(),
                tries: 1,
            }
        })
    }

    /// Opens a connection and finds out which era the server speaks.
    pub(crate) async fn open_known(
        &self,
        questions: &Questions<'_>,
        cause: &Cause,
    ) -> Result<(Port, Era), Fault> {
        let port = self.open(cause).await?;
        let known = self.known(port, questions, cause).await?;
        Ok((known.port, known.era))
    }

    /// Finds out which era the server behind `port` speaks.
    pub(crate) async fn known(
        &self,
        port: Port,
        questions: &Questions<'_>,
        cause: &Cause,
    ) -> Result<Met, Fault> {
        if let Some(era) = self.era() {
            let answer = None;
            return Ok(Met { port, era, answer });
        }
        let mut port = port;
        let is_command = self.opener.is_command();
        let mut probed = probe::ask(&mut port, questions, is_command).await?;
        if matches!(probed, Probed::Died) {
            // Of the question, or of something else? Another one is asked to shake hands first.
            port = self.open(cause).await?;
            let shaken = probe::shake(&mut port, questions).await;
            probed = shaken.inspect_err(|_| self.ended(cause, false, Duration::ZERO))?;
        }
        if matches!(probed, Probed::Refused) {
            probed = probe::ask(&mut port, questions, is_command).await?;
        }
        let era = probed.era();
        if matches!(probed, Probed::ModernSpent(_) | Probed::Died) {
            // It died of a question that it did not know, or may be about to shake hands.
            probe::end(port);
            port = self.open(cause).await?;
        }
        let answer = match probed {
            Probed::Modern(answer) => answer,
            Probed::ModernSpent(answer) => Some(answer),
            Probed::Greeted(answer) => {
                self.with(|known| known.shakes_hands = Some(true));
                port = greeted(port, answer);
                None
            }
            Probed::Legacy | Probed::Died | Probed::Refused => None,
        };
        if let (Some(shrinking), Some(answer)) = (&self.shrinking, &answer) {
            // Asked by us, so that no layer has seen it.
            shrinking.learn_server(answer);
        }
        let own = questions.discover.and_then(Message::id);
        let answer = own.zip(answer).map(|(id, answer)| answer.with_id(id));
        tracing::info!("the server speaks the {era:?} era");
        self.with(|known| known.era = Some(era));
        Ok(Met { port, era, answer })
    }

    /// Notes how long it lived, and whether it has `answered` anything.
    pub(crate) fn ended(&self, cause: &Cause, answered: bool, lived: Duration) {
        self.setbacks.ended(cause, answered, lived, Instant::now());
    }

    fn with<T>(&self, look: impl FnOnce(&mut Known) -> T) -> T {
        look(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A server of which it is known what it speaks.
pub(crate) struct Met {
    /// Not always the one that the question went through: some die of it.
    pub(crate) port: Port,
    pub(crate) era: Era,
    /// The answer to the client's own `server/discover`.
    pub(crate) answer: Option<Message>,
}

/// The text of a capabilities object with everything that a client can be asked.
pub(crate) const EVERYTHING: &str =
    r#"{"roots":{"listChanged":false},"sampling":{},"elicitation":{"form":{},"url":{}}}"#;

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Json;

    #[test]
    fn our_own_words_are_json() {
        assert!(Json::parse(EVERYTHING).is_ok());
    }
}
