//! The messages that a new session needs to replace a lost one.

use linkspan_mcp::names;
use linkspan_wire::{Kind, Message};

/// Limit of the subscriptions that are renewed in a new session.
const MAX_SUBSCRIPTIONS: usize = 1024;

/// The client's messages that define the state of a session, so that a new session can be given the same state.
#[derive(Debug, Clone, Default)]
pub struct SessionReplay {
    /// The client's `initialize`.
    pub initialize: Option<Message>,
    /// The client's `notifications/initialized`.
    pub initialized: Option<Message>,
    level: Option<Message>,
    subscriptions: Vec<(String, Message)>,
}

impl SessionReplay {
    /// Records an outgoing message if it defines state.
    pub fn note(&mut self, msg: &Message) {
        if !matches!(msg.kind(), Kind::Request | Kind::Notification) {
            return;
        }
        match &*msg.method() {
            names::INITIALIZE => {
                *self = Self {
                    initialize: Some(msg.clone()),
                    ..Self::default()
                };
            }
            names::INITIALIZED => self.initialized = Some(msg.clone()),
            names::SET_LEVEL => self.level = Some(msg.clone()),
            names::SUBSCRIBE => {
                if let Some(uri) = uri(msg)
                    && self.subscriptions.len() < MAX_SUBSCRIPTIONS
                {
                    self.subscriptions.retain(|(known, _)| *known != uri);
                    self.subscriptions.push((uri, msg.clone()));
                }
            }
            names::UNSUBSCRIBE => {
                if let Some(uri) = uri(msg) {
                    self.subscriptions.retain(|(known, _)| *known != uri);
                }
            }
            _ => {}
        }
    }

    /// The messages to send after the handshake of a new session.
    pub fn restore(&self) -> impl Iterator<Item = &Message> {
        let subscriptions = self.subscriptions.iter().map(|(_, msg)| msg);
        self.level.iter().chain(subscriptions)
    }
}

fn uri(msg: &Message) -> Option<String> {
    Some(msg.params()?.get("uri")?.as_str()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(method: &str, params: &str) -> Message {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        Message::parse(text.into()).unwrap()
    }

    #[test]
    fn a_new_session_gets_the_level_and_the_subscriptions_that_still_hold() {
        let mut replay = SessionReplay::default();
        replay.note(&message("initialize", "{}"));
        replay.note(&message("logging/setLevel", r#"{"level":"info"}"#));
        replay.note(&message("logging/setLevel", r#"{"level":"debug"}"#));
        replay.note(&message("resources/subscribe", r#"{"uri":"a"}"#));
        replay.note(&message("resources/subscribe", r#"{"uri":"b"}"#));
        replay.note(&message("resources/unsubscribe", r#"{"uri":"a"}"#));
        let restored: Vec<_> = replay
            .restore()
            .map(|m| m.params().unwrap().text().to_owned())
            .collect();
        assert_eq!(restored, [r#"{"level":"debug"}"#, r#"{"uri":"b"}"#]);
    }

    #[test]
    fn a_client_that_initializes_again_starts_afresh() {
        let mut replay = SessionReplay::default();
        replay.note(&message("logging/setLevel", r#"{"level":"info"}"#));
        replay.note(&message("initialize", "{}"));
        assert_eq!(replay.restore().count(), 0);
    }
}
