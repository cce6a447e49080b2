//! What passing `tools/list` results have told about `Mcp-Param-*` headers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use linkspan_mcp::{Given, ParamHeaders, names};
use linkspan_wire::{Kind, Message, RpcError};

use super::house::Principal;

/// Who came and went long ago is forgotten: another list tells it again.
const MAX_PRINCIPALS: usize = 64;

/// What is known, for each principal: servers may show them different tools.
#[derive(Default)]
pub(super) struct Knowledge(Mutex<HashMap<Principal, ParamHeaders>>);

/// What an answer will teach.
pub(super) struct Lesson {
    knowledge: Arc<Knowledge>,
    principal: Principal,
}

impl Knowledge {
    /// What the answer to `request` will teach; almost always nothing.
    pub(super) fn lesson(self: &Arc<Self>, request: &Message, who: &Principal) -> Option<Lesson> {
        (request.method() == names::TOOLS_LIST).then(|| Lesson {
            knowledge: Arc::clone(self),
            principal: who.clone(),
        })
    }

    /// Checks a call against what is known; `None` if nothing is.
    pub(super) fn check<'h>(
        &self,
        call: &Message,
        who: &Principal,
        header: impl Fn(&str) -> Given<'h>,
    ) -> Option<Result<(), RpcError>> {
        let known = self.lock();
        Some(known.get(who)?.check(call, header))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Principal, ParamHeaders>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
            known.clear();
        }
        known
            .entry(self.principal.clone())
            .or_default()
            .learn(result);
    }
}
