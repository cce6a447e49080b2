//! Which server the URIs and tasks in results came from.

use std::collections::HashMap;

use linkspan_gateway::Alias;
use linkspan_gateway::uris::{Seen, in_result};
use linkspan_ports::Principal;
use linkspan_wire::{Json, Kind, Message};
use parking_lot::Mutex;

/// Principals that are remembered.
const MOST: usize = 256;
/// Larger results are not searched for URIs.
const LARGEST: usize = 4 << 20;

/// What each principal has seen. The same task id may be another task for another principal.
#[derive(Default)]
pub(crate) struct SeenByPrincipal(Mutex<HashMap<Principal, Seen>>);

impl SeenByPrincipal {
    /// Notes what a result mentions.
    pub(crate) fn note(&self, principal: &Principal, alias: &Alias, answer: &Message) {
        let Some(result) = answer.body().filter(|_| answer.kind() == Kind::Result) else {
            return;
        };
        let text = result.text();
        if text.len() > LARGEST {
            return;
        }
        let mut mentioned = Vec::new();
        if text.contains("uri\"") || text.contains("Uri\"") {
            mentioned.extend(in_result(result));
        }
        if let Some(task) = result.get("taskId").and_then(Json::as_str) {
            mentioned.push(task_key(&task));
        }
        if mentioned.is_empty() {
            return;
        }
        let mut all = self.0.lock();
        if all.len() >= MOST && !all.contains_key(principal) {
            let other = all.keys().next().cloned();
            other.map(|other| all.remove(&other));
        }
        let seen = all.entry(principal.clone()).or_default();
        mentioned.iter().for_each(|one| seen.note(one, alias));
    }

    /// The server that has sent a URI last.
    pub(crate) fn uri(&self, principal: &Principal, uri: &str) -> Option<Alias> {
        self.0.lock().get(principal)?.owner(uri).cloned()
    }

    /// The server that has started a task.
    pub(crate) fn task(&self, principal: &Principal, task: &str) -> Option<Alias> {
        self.uri(principal, &task_key(task))
    }
}

/// No URI has a space.
fn task_key(task: &str) -> String {
    format!("task {task}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Id;

    fn alias(text: &str) -> Alias {
        Alias::new(text).unwrap()
    }

    #[test]
    fn equal_task_ids_of_two_principals_are_different_tasks() {
        let seen = SeenByPrincipal::default();
        let (ada, bob) = (
            Principal::of_credentials(b"a"),
            Principal::of_credentials(b"b"),
        );
        let started = Message::result(&Id::number(1), r#"{"resultType":"task","taskId":"t"}"#);
        seen.note(&ada, &alias("one"), &started);
        assert_eq!(seen.task(&ada, "t"), Some(alias("one")));
        assert_eq!(seen.task(&bob, "t"), None);
        seen.note(&bob, &alias("two"), &started);
        assert_eq!(seen.task(&ada, "t"), Some(alias("one")));
        assert_eq!(seen.task(&bob, "t"), Some(alias("two")));
    }

    #[test]
    fn the_number_of_principals_is_bounded() {
        let seen = SeenByPrincipal::default();
        let link = r#"{"content":[{"type":"resource_link","uri":"x://1"}]}"#;
        for i in 0..2 * MOST {
            let principal = Principal::of_credentials(&i.to_le_bytes());
            seen.note(
                &principal,
                &alias("one"),
                &Message::result(&Id::number(1), link),
            );
            assert_eq!(seen.uri(&principal, "x://1"), Some(alias("one")));
        }
        assert_eq!(seen.0.lock().len(), MOST);
    }
}
