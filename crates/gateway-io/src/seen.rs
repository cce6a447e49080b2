//! Which server the URIs and tasks in results came from.

use std::collections::{HashMap, HashSet};

use linkspan_gateway::Alias;
use linkspan_gateway::uris::{self, Seen, in_result};
use linkspan_ports::Principal;
use linkspan_wire::{Json, Kind, Message, quote};
use parking_lot::Mutex;

/// Principals that are remembered.
const MOST: usize = 256;
/// Larger results are not searched for URIs.
const LARGEST: usize = 4 << 20;

/// What each principal has seen. The same task id may be another task for another principal.
#[derive(Default)]
pub(crate) struct SeenByPrincipal(Mutex<HashMap<Principal, SeenByOne>>);

#[derive(Default)]
struct SeenByOne {
    uris: Seen,
    /// By the ids that the client has.
    tasks: Seen,
}

impl SeenByPrincipal {
    /// Notes what an answer mentions, and returns it as the client gets it: with another id of its task if that is the
    /// id of a task of another server.
    pub(crate) fn note(&self, principal: &Principal, alias: &Alias, answer: Message) -> Message {
        let Some(result) = answer.body().filter(|_| answer.kind() == Kind::Result) else {
            return answer;
        };
        let text = result.text();
        if text.len() > LARGEST {
            return answer;
        }
        let mut uris = HashSet::new();
        if text.contains("uri\"") || text.contains("Uri\"") {
            uris = in_result(result);
        }
        let spelled = result.get("taskId");
        let task = spelled.and_then(Json::as_str);
        if uris.is_empty() && task.is_none() {
            return answer;
        }
        let mut all = self.0.lock();
        if all.len() >= MOST && !all.contains_key(principal) {
            let other = all.keys().next().cloned();
            other.map(|other| all.remove(&other));
        }
        let seen = all.entry(principal.clone()).or_default();
        uris.iter().for_each(|uri| seen.uris.note(uri, alias));
        let (Some(spelled), Some(own)) = (spelled, task) else {
            return answer;
        };
        let of_client = seen.task_of_client(alias, &own);
        seen.tasks.note(&of_client, alias);
        match of_client == own {
            true => answer,
            false => answer.with_value(spelled, &quote(&of_client)),
        }
    }

    /// The server that has sent a URI last.
    pub(crate) fn uri(&self, principal: &Principal, uri: &str) -> Option<Alias> {
        self.0.lock().get(principal)?.uris.owner(uri).cloned()
    }

    /// The server that has started a task, and the id of the task there.
    pub(crate) fn task<'t>(
        &self,
        principal: &Principal,
        task: &'t str,
    ) -> Option<(Alias, &'t str)> {
        let alias = self.0.lock().get(principal)?.tasks.owner(task)?.clone();
        let own = task
            .strip_prefix(alias.as_str())
            .and_then(|rest| rest.strip_prefix('+'));
        Some((alias, own.unwrap_or(task)))
    }
}

impl SeenByOne {
    /// The id that the client gets for a task: `alias+ID` if another server has a task of the same id, or if the id
    /// itself looks like that.
    fn task_of_client(&self, alias: &Alias, own: &str) -> String {
        let is_of_other = self.tasks.owner(own).is_some_and(|owner| owner != alias);
        let rest = own.strip_prefix(alias.as_str());
        match is_of_other || rest.is_some_and(|rest| rest.starts_with('+')) {
            true => uris::with_alias(alias, own),
            false => own.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Id;

    fn alias(text: &str) -> Alias {
        Alias::new(text).unwrap()
    }

    fn started(task: &str) -> Message {
        let task = format!(r#"{{"resultType":"task","taskId":"{task}","n":1.0}}"#);
        Message::result(&Id::number(1), &task)
    }

    #[test]
    fn equal_task_ids_of_two_principals_are_different_tasks() {
        let seen = SeenByPrincipal::default();
        let (ada, bob) = (
            Principal::of_credentials(b"a"),
            Principal::of_credentials(b"b"),
        );
        seen.note(&ada, &alias("one"), started("t"));
        assert_eq!(seen.task(&ada, "t"), Some((alias("one"), "t")));
        assert_eq!(seen.task(&bob, "t"), None);
        seen.note(&bob, &alias("two"), started("t"));
        assert_eq!(seen.task(&ada, "t"), Some((alias("one"), "t")));
        assert_eq!(seen.task(&bob, "t"), Some((alias("two"), "t")));
    }

    #[test]
    fn equal_task_ids_of_two_servers_get_different_ids() {
        let (seen, client) = (SeenByPrincipal::default(), Principal::anonymous());
        let given = |server: &str, task: &str| {
            let noted = seen.note(&client, &alias(server), started(task));
            let id = noted.body().unwrap().get("taskId").unwrap();
            id.as_str().unwrap().into_owned()
        };
        let all = [
            ("a", "t", "t"),
            ("b", "t", "b+t"),
            ("a", "t", "t"),
            ("b", "t", "b+t"),
            ("b", "b+t", "b+b+t"),
            ("a", "b+t", "a+b+t"),
        ];
        for (server, own, id) in all {
            assert_eq!(given(server, own), id);
            assert_eq!(seen.task(&client, id), Some((alias(server), own)));
        }
    }

    #[test]
    fn an_answer_is_changed_in_the_id_of_its_task_only() {
        let (seen, client) = (SeenByPrincipal::default(), Principal::anonymous());
        let first = seen.note(&client, &alias("a"), started("t"));
        assert_eq!(first.text(), started("t").text());
        let second = seen.note(&client, &alias("b"), started("t"));
        assert_eq!(second.text(), started("b+t").text());
    }

    #[test]
    fn many_uris_displace_no_task() {
        let (seen, client) = (SeenByPrincipal::default(), Principal::anonymous());
        seen.note(&client, &alias("a"), started("t"));
        for n in 0..10_000 {
            let link = format!(r#"{{"content":[{{"uri":"x://{n}"}}]}}"#);
            seen.note(&client, &alias("b"), Message::result(&Id::number(1), &link));
        }
        assert_eq!(seen.task(&client, "t"), Some((alias("a"), "t")));
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
                Message::result(&Id::number(1), link),
            );
            assert_eq!(seen.uri(&principal, "x://1"), Some(alias("one")));
        }
        assert_eq!(seen.0.lock().len(), MOST);
    }
}
