//! The `Mcp-Param-*` headers of tools, from forwarded `tools/list` results.

use std::collections::HashMap;
use std::sync::Arc;

use linkspan_mcp::{Given, ParamHeaders, names};
use linkspan_wire::{Kind, Message, RpcError};
use parking_lot::{Mutex, MutexGuard};

use super::principal::Principal;

/// When this limit is reached, the oldest entry is dropped; the next list of tools restores it.
const MAX_PRINCIPALS: usize = 64;

/// The schemas per principal: servers may show them different tools.
#[derive(Default)]
pub(super) struct Knowledge(Mutex<HashMap<Principal, Known>>);

/// The tool schemas that one principal has received.
#[derive(Default)]
struct Known {
    headers: ParamHeaders,
    /// Grows with each update.
    told: u64,
}

/// Learns from the answer to a request.
pub(super) struct Lesson {
    knowledge: Arc<Knowledge>,
    principal: Principal,
}

impl Knowledge {
    /// What to learn from the answer to `request`; almost always `None`.
    pub(super) fn lesson(self: &Arc<Self>, request: &Message, who: &Principal) -> Option<Lesson> {
        (request.method() == names::TOOLS_LIST).then(|| Lesson {
            knowledge: Arc::clone(self),
            principal: who.clone(),
        })
    }

    /// Checks a call against the known schemas; `None` if the tool is not known.
    pub(super) fn check<'h>(
        &self,
        call: &Message,
        who: &Principal,
        header: impl Fn(&str) -> Given<'h>,
    ) -> Option<Result<(), RpcError>> {
        let known = self.lock();
        Some(known.get(who)?.headers.check(call, header))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Principal, Known>> {
        self.0.lock()
    }
}

impl Lesson {
    /// Learns from an answer.
    pub(super) fn hear(&self, answer: &Message) {
        let Some(result) = answer.body().filter(|_| answer.kind() == Kind::Result) else {
            return;
        };
        let mut known = self.knowledge.lock();
        if known.len() >= MAX_PRINCIPALS && !known.contains_key(&self.principal) {
            // Evicts a single entry: a new principal must not switch off the check for all other clients.
            let oldest = known.iter().min_by_key(|(_, known)| known.told);
            let oldest = oldest.map(|(who, _)| who.clone());
            oldest.map(|who| known.remove(&who));
        }
        let last = known.values().map(|known| known.told).max();
        let mine = known.entry(self.principal.clone()).or_default();
        mine.told = last.unwrap_or(0) + 1;
        mine.headers.learn(result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Id;

    #[test]
    fn a_new_principal_replaces_the_oldest_one_only() {
        let knowledge = Arc::<Knowledge>::default();
        let who = |n: usize| Principal::of_credentials(n.to_string().as_bytes());
        let list = Message::request(&Id::number(1), names::TOOLS_LIST, None);
        let answer = Message::result(&Id::number(1), r#"{"tools":[]}"#);
        let tell = |n| knowledge.lesson(&list, &who(n)).unwrap().hear(&answer);
        (0..MAX_PRINCIPALS).for_each(tell);
        tell(0);
        tell(MAX_PRINCIPALS);
        let knows = |n| {
            knowledge
                .check(&list, &who(n), |_| Given::Nothing)
                .is_some()
        };
        assert!(knows(0) && !knows(1));
        assert!((2..=MAX_PRINCIPALS).all(knows));
    }
}
