//! What the rules say about a request before it is sent to its server.

use std::sync::Arc;

use linkspan_gateway::policy::{Denial, Rate};
use linkspan_gateway::{Decision, ListKind};
use linkspan_session::now;
use linkspan_wire::{Json, Message, RpcError, quote};
use tokio::time::Instant;

use crate::asked::{Asked, Refusal};
use crate::confirm::{Accepted, Answer};
use crate::gateway::{PATIENCE, Shared};
use crate::tables::unknown;
use crate::upstream::Upstream;

/// A request that may go on.
pub(crate) enum Permit {
    /// It is sent like this.
    Send(Message),
    /// The same; questions of the server get a mark.
    SendMarked(Message, Accepted),
    /// Its result is this, and no server gets it.
    Result(String),
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
        return Ok(Permit::Send(call.clone()));
    }
    // What a tool says about itself counts only if it is known; otherwise it may do anything.
    let asking = upstream.asking(&asked.request, &asked.caller);
    let list = upstream
        .list(kind, &asking, Instant::now() + PATIENCE)
        .await;
    let item = list
        .iter()
        .flat_map(|list| &list.items)
        .find(|item| *item.own == *own);
    if hides && list.is_some() && item.is_none() {
        decided("pins");
        return Err(unknown(kind, own).into());
    }
    let definition = item.and_then(|item| Json::parse(&item.text).ok());
    let access = asked.access(kind, upstream.alias(), own, definition);
    let arguments = call.params().and_then(|params| params.get("arguments"));
    match policy.decide(&access, arguments) {
        Decision::Allow => {
            decided("allow");
            Ok(Permit::Send(call.clone()))
        }
        Decision::Deny(Denial::View(_)) => {
            decided("view");
            Err(unknown(kind, access.name()).into())
        }
        Decision::Deny(denial) => {
            decided("deny");
            Err(denied(&denial).into())
        }
        Decision::Limit { rule, rate } => {
            decided("limit");
            take(shared, asked, rule, rate)?;
            Ok(Permit::Send(call.clone()))
        }
        Decision::Confirm { question, .. } => {
            decided("confirm");
            let Some(confirmations) = &shared.confirmations else {
                let why = "the system has no randomness, so no call can be confirmed";
                return Err(RpcError::internal(why).into());
            };
            let sender = asked.caller.principal.key().unwrap_or_default();
            let answer = confirmations.check(call, sender, &question)?;
            Ok(match answer {
                Answer::Accepted(msg, mark) => Permit::SendMarked(msg, mark),
                Answer::Ask(result) => Permit::Result(result),
                Answer::Refused => Permit::Result(refused(kind)?),
            })
        }
    }
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
