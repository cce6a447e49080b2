//! Answers of the chain, and their effect on the form and the connection.

use std::time::Instant;

use linkspan_session::Side;
use linkspan_wire::{Hop, Id, Json, Kind, Message};

use super::form::Form;
use super::{Carrier, Held, Link, Out, Own, fault};

impl Carrier {
    pub(super) fn answered(&mut self, msg: Message, now: Instant) -> Vec<Out> {
        let Some(number) = msg.hop() else {
            return Vec::new();
        };
        if self.calls.owed(Side::Back, number).is_some() {
            return self.call_answered(number, msg, now);
        }
        match self.own.remove(&number) {
            Some(Own::Connect) => self.connected(&msg, now),
            Some(Own::Unwanted) => {
                let form = self.form.unwrap_or(Form::Native);
                let connection = Form::connection(&msg).filter(|_| msg.kind() == Kind::Result);
                Vec::from_iter(connection.map(|connection| self.disconnect(form, &connection)))
            }
            Some(Own::Disconnect) => Vec::new(),
            None => {
                tracing::debug!("an answer to no pending request");
                Vec::new()
            }
        }
    }

    fn call_answered(&mut self, number: Hop, msg: Message, now: Instant) -> Vec<Out> {
        // `kept` is only set while the form was unconfirmed; another request may have determined it
        // meanwhile.
        if let Some(call) = self.calls.get_mut(number)
            && let Some(kept) = call.data.kept.take()
            && matches!(fault::code(&msg), Some(-32601 | -32602))
        {
            // The provider does not know this form, so it has not run anything.
            call.data.refusal = Some(msg);
            call.data.until = None;
            return match &self.link {
                Link::None => vec![self.connect(Form::Native, number, kept, now)],
                Link::Connecting { .. } | Link::Up(_) => self.send(number, kept, now),
            };
        }
        let Some(call) = self.calls.take(number) else {
            return Vec::new();
        };
        let msg = match self.form.unwrap_or(Form::Scoped) {
            _ if msg.kind() == Kind::Error => fault::restored(msg, &call.id),
            Form::Scoped => self.unpacked(&msg, &call.id),
            Form::Draft => {
                let inner = msg.body().and_then(|body| body.get("message"));
                opened(inner, &call.id)
            }
            Form::Native | Form::Underscore | Form::Symposium => msg.with_id(call.id.clone()),
        };
        vec![Out::Mcp {
            msg,
            about: Some(call.id),
        }]
    }

    /// Unpacks `{result}` or `{error}` into an answer.
    fn unpacked(&mut self, msg: &Message, id: &Id) -> Message {
        let answer = opened(msg.body(), id);
        let is_carrier = msg
            .body()
            .is_some_and(|body| body.get("result").or_else(|| body.get("error")).is_some());
        if self.form.is_none() && is_carrier {
            self.learn(Form::Scoped);
        }
        answer
    }

    fn connected(&mut self, msg: &Message, now: Instant) -> Vec<Out> {
        let connection = Form::connection(msg).filter(|_| msg.kind() == Kind::Result);
        let Some(connection) = connection else {
            let said = msg.clone();
            return self.unconnected(|id| match said.kind() {
                Kind::Error => fault::restored(said.clone(), id),
                _ => fault::malformed("the answer to connect names no connection").answer(id),
            });
        };
        if self.form.is_none() {
            self.learn(Form::Native);
        }
        let link = std::mem::replace(&mut self.link, Link::Up(connection));
        let Link::Connecting { held, .. } = link else {
            return Vec::new();
        };
        let mut outs = Vec::new();
        for Held { number, msg } in held {
            outs.extend(match number {
                Some(number) => self.send(number, msg, now),
                None => self.note(msg),
            });
        }
        outs
    }

    /// The connection could not be opened. Answers every request that waits for it: with the provider's
    /// refusal of that request, if there was one, otherwise with `answer`. The next request tries to connect
    /// again.
    pub(super) fn unconnected(&mut self, answer: impl Fn(&Id) -> Message) -> Vec<Out> {
        let link = std::mem::replace(&mut self.link, Link::None);
        let Link::Connecting { held, .. } = link else {
            return Vec::new();
        };
        let mut outs = Vec::new();
        for number in held.into_iter().filter_map(|held| held.number) {
            if let Some(call) = self.calls.take(number) {
                let msg = match call.data.refusal {
                    Some(refusal) => refusal.with_id(call.id.clone()),
                    None => answer(&call.id),
                };
                outs.push(Out::mcp(msg));
            }
        }
        outs
    }
}

/// The answer in an object with `result` or `error`.
fn opened(inner: Option<Json<'_>>, id: &Id) -> Message {
    let result = inner.and_then(|inner| inner.get("result"));
    let error = inner.and_then(|inner| inner.get("error"));
    let answer = match (result, error) {
        (Some(result), _) => Some(Message::result(id, result.text())),
        (None, Some(error)) => fault::rebuilt(id, error.text()),
        (None, None) => None,
    };
    answer.unwrap_or_else(|| {
        fault::malformed("the provider's answer has neither a result nor an error").answer(id)
    })
}
