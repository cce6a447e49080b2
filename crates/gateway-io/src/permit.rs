//! What the rules say about a request before it is sent to its server.

use std::sync::Arc;
use std::time::Duration;

use linkspan_gateway::policy::{Denial, Rate};
use linkspan_gateway::{Decision, ListKind, ServerList};
use linkspan_session::now;
use linkspan_wire::{Json, Message, RpcError, quote};
use tokio::time::Instant;

use crate::asked::{Asked, Refusal};
use crate::audited::Audited;
use crate::confirm::{Accepted, Answer};
use crate::gateway::{PATIENCE, Shared};
use crate::tables::unknown;
use crate::upstream::Upstream;

/// How long a server may take to list what pins may hide, before a call of it is refused.
const LISTING: Duration = Duration::from_secs(60);

/// A request that may go on.
pub(crate) enum Permit {
    /// It is sent like this.
    Send(Message, Condition),
    /// Its result is this, and no server gets it.
    Result(String),
}

/// What the question of a server, in place of a result, does.
pub(crate) enum Condition {
    None,
    /// It gets a mark, so that the request is not confirmed again with its answer.
    Confirmed(Accepted),
    /// The request with its answer counts, this one does not.
    Limited(usize, Rate),
}

/// Asks the rules about a request for an item of a server.
pub(crate) async fn permit(
    shared: &Shared,
    asked: &Asked,
    kind: ListKind,
    (upstream, own): (&Arc<Upstream>, &str),
    call: &Message,
) -> Result<Permit, Refusal> {
    let policy = &asked.set.policy;
    let decided = |decision| {
        asked
            .audited
            .iter()
            .for_each(|audited| audited.decided(decision))
    };
    let hides = upstream.pins.hides() && matches!(kind, ListKind::Tools | ListKind::Prompts);
    if policy.rules.is_empty() && asked.view.is_none() && !hides {
        decided("allow");
        return Ok(Permit::Send(call.clone(), Condition::None));
    }
    let list = list_of(asked, upstream, kind, hides).await;
    let items = list.iter().flat_map(|list| &list.items);
    let item = items.into_iter().find(|item| *item.own == *own);
    if hides && item.is_none() {
        decided("pins");
        return Err(match list {
            Some(_) => unknown(kind, own).into(),
            None => not_listed(upstream).into(),
        });
    }
    // What a tool says about itself counts only if it is known; otherwise it may do anything.
    let definition = item.and_then(|item| Json::parse(&item.text).ok());
    let access = asked.access(kind, upstream.alias(), own, definition);
    let arguments = call.params().and_then(|params| params.get("arguments"));
    // A completion is no use of what it is for, but it must not reveal what is hidden.
    let is_use = call.method() != "completion/complete";
    match policy.decide(&access, arguments) {
        Decision::Deny(Denial::View(_)) => {
            decided("view");
            Err(unknown(kind, access.name()).into())
        }
        Decision::Deny(denial) => {
            decided("deny");
            Err(denied(&denial).into())
        }
        Decision::Limit { rule, rate } if is_use => {
            decided("limit");
            take(shared, asked, rule, rate)?;
            Ok(Permit::Send(call.clone(), Condition::Limited(rule, rate)))
        }
        Decision::Confirm { question, .. } if is_use => {
            decided("confirm");
            confirmed(shared, asked, kind, call, &question)
        }
        Decision::Allow | Decision::Limit { .. } | Decision::Confirm { .. } => {
            decided("allow");
            Ok(Permit::Send(call.clone(), Condition::None))
        }
    }
}

/// The list that has the item. If pins may hide it, it has to be that of the server that runs now.
async fn list_of(
    asked: &Asked,
    upstream: &Arc<Upstream>,
    kind: ListKind,
    hides: bool,
) -> Option<Arc<ServerList>> {
    let asking = upstream.asking(&asked.request, &asked.caller);
    if hides {
        let deadline = Instant::now() + LISTING;
        return upstream.current_list(kind, &asking, deadline).await;
    }
    match upstream.recent_list(&asking.caller.principal, kind) {
        Some(recent) => Some(recent),
        None => {
            let deadline = Instant::now() + PATIENCE;
            upstream.list(kind, &asking, deadline).await
        }
    }
}

/// Asks the user, or looks at the answer.
fn confirmed(
    shared: &Shared,
    asked: &Asked,
    kind: ListKind,
    call: &Message,
    question: &str,
) -> Result<Permit, Refusal> {
    let Some(confirmations) = &shared.confirmations else {
        let why = "the system has no randomness, so no call can be confirmed";
        return Err(RpcError::internal(why).into());
    };
    let sender = asked.caller.principal.key().unwrap_or_default();
    Ok(match confirmations.check(call, sender, question)? {
        Answer::Accepted(msg, mark) => Permit::Send(msg, Condition::Confirmed(mark)),
        Answer::Ask(result) => Permit::Result(result),
        Answer::Refused => {
            let audited = asked.audited.iter();
            audited.for_each(Audited::declined);
            Permit::Result(refused(kind)?)
        }
    })
}

fn take(shared: &Shared, asked: &Asked, rule: usize, rate: Rate) -> Result<(), RpcError> {
    let taken = shared.limits.lock().take(&asked.sender, rule, rate, now());
    taken.map_err(|wait| {
        let seconds = wait.as_secs_f64().ceil();
        let why = format!("rule {rule} of the gateway limits this call: try again in {seconds} s");
        let data = format!(
            r#"{{"kind":"limited","rule":{rule},"retryAfterSeconds":{seconds},"hint":"do not repeat the call before that"}}"#
        );
        RpcError::server(why).with_data(data)
    })
}

/// The error for a call of a server whose definitions cannot be compared with the pins.
fn not_listed(upstream: &Upstream) -> RpcError {
    let why = format!(
        "{} has not listed what it has, so it cannot be compared with the pins",
        upstream.name()
    );
    let data = r#"{"kind":"not_listed","hint":"try again when the server answers"}"#;
    RpcError::server(why).with_data(data.to_owned())
}

fn denied(denial: &Denial<'_>) -> RpcError {
    let rule = match denial {
        Denial::Rule { rule, .. } => *rule,
        Denial::View(_) => 0,
    };
    let hint = quote("the user of the gateway can change its rules; do not repeat the call");
    let data = format!(r#"{{"kind":"denied","rule":{rule},"hint":{hint}}}"#);
    RpcError::server(denial.to_string()).with_data(data)
}

/// The result of a call that the user has not accepted.
fn refused(kind: ListKind) -> Result<String, RpcError> {
    let why = "the user has declined this call";
    if kind != ListKind::Tools {
        return Err(RpcError::server(why));
    }
    Ok(format!(
        r#"{{"resultType":"complete","content":[{{"type":"text","text":"{why}"}}],"isError":true}}"#
    ))
}
