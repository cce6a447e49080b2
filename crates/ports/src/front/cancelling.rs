//! Cancellations in a POST.

use linkspan_session::now;
use std::collections::HashMap;

use linkspan_mcp::names;
use linkspan_wire::{Id, IdKey, Kind, Message};

use super::session::Session;

/// Ends the requests that these messages cancel. They get no answer, because the server must not send one.
pub(super) fn cancel(session: &Session, messages: &[&Message]) {
    for id in cancelled(messages) {
        session.streams().cancel(&id, now());
    }
}

/// The ids of the requests that are cancelled, in order.
fn cancelled(messages: &[&Message]) -> Vec<Id> {
    let named = messages.iter().enumerate().filter_map(|(at, message)| {
        let cancels = message.method() == names::CANCELLED;
        let id = cancels.then(|| message.params()?.get("requestId"))?;
        Some((at, Id::parse(id?)?))
    });
    let named: Vec<(usize, Id)> = named.collect();
    if named.is_empty() || messages.len() == 1 {
        return named.into_iter().map(|(_, id)| id).collect();
    }
    // A batch is read in order: a cancellation before its request has no effect.
    let mut asked: HashMap<IdKey, usize> = HashMap::new();
    for (at, message) in messages.iter().enumerate().rev() {
        if let (Kind::Request, Some(id)) = (message.kind(), message.id()) {
            asked.insert(id.key(), at);
        }
    }
    let in_time = |at: usize, id: &Id| asked.get(&id.key()).is_none_or(|asked| *asked < at);
    let named = named.into_iter().filter(|(at, id)| in_time(*at, id));
    named.map(|(_, id)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_cancels_earlier_requests() {
        let cancel = |id: u32| {
            let params = format!(r#"{{"requestId":{id}}}"#);
            Message::notification(names::CANCELLED, Some(&params))
        };
        let ask = |id| Message::request(&Id::number(id), "tools/call", None);
        let batch = [cancel(1), ask(1), ask(2), cancel(2), cancel(3)];
        let batch: Vec<&Message> = batch.iter().collect();
        assert_eq!(cancelled(&batch), [Id::number(2), Id::number(3)]);
        assert_eq!(cancelled(&batch[..1]), [Id::number(1)]);
        assert_eq!(cancelled(&batch[1..3]), []);
    }
}
