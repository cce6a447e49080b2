//! What the agent asks: put to the client in its own protocol.

use linkspan_acp::client::{CANCELLED, Choice, Permission, Reachable, selected};
use linkspan_desk::Caller;
use linkspan_wire::{Json, Kind, Object, RpcError, quote};
use tokio::sync::watch;

use crate::options::PermissionPolicy;

const ELICIT: &str = "elicitation/create";

/// Somebody who can be asked: the client whose prompt is under way, until that is over.
pub(crate) struct Audience {
    pub(crate) caller: Caller,
    pub(crate) over: watch::Receiver<bool>,
}

/// What was decided, and by whom.
pub(crate) struct Decision {
    /// The result of the agent's request.
    pub(crate) outcome: String,
    /// For the one who reads the answer to the prompt, as JSON.
    pub(crate) record: String,
}

/// How the client can be asked something. Without further words it has forms.
pub(crate) fn reachable(caller: &Caller) -> Reachable {
    let can = |way: &[&str]| caller.client_can(way);
    let url = can(&["elicitation", "url"]);
    Reachable {
        form: can(&["elicitation"]) && (!url || can(&["elicitation", "form"])),
        url,
    }
}

/// Decides whether the agent may do what it wants to do.
pub(crate) async fn decide(
    permission: &Permission,
    policy: PermissionPolicy,
    audience: Option<Audience>,
) -> Decision {
    let audience = audience.filter(|a| reachable(&a.caller).form && !permission.choices.is_empty());
    match (policy, audience) {
        (PermissionPolicy::Allow, _) => settle(permission, permission.allow(), "flag"),
        (PermissionPolicy::Deny, _) => settle(permission, permission.deny(), "flag"),
        (PermissionPolicy::Ask, None) => settle(permission, permission.deny(), "nobody"),
        (PermissionPolicy::Ask, Some(mut audience)) => {
            let form = permission.form();
            let answer = tokio::select! {
                answer = audience.caller.ask(ELICIT, Some(&form)) => answer,
                _ = audience.over.wait_for(|over| *over) => None,
            };
            let Some(answer) = answer else {
                return settle(permission, None, "nobody");
            };
            let chosen = permission.chosen(&answer).or_else(|| permission.deny());
            settle(permission, chosen, "client")
        }
    }
}

fn settle(permission: &Permission, choice: Option<&Choice>, by: &str) -> Decision {
    let outcome = choice.map_or_else(|| CANCELLED.to_owned(), |choice| selected(&choice.id));
    let allowed = choice.is_some_and(Choice::allows);
    let record = Object::empty()
        .with("title", &quote(&permission.title))
        .with("allowed", if allowed { "true" } else { "false" })
        .with_some("choice", choice.map(|c| quote(&c.name)).as_deref())
        .with("by", &quote(by))
        .text();
    Decision { outcome, record }
}

/// Passes a question for information on; both protocols spell it alike, but for whose it is.
pub(crate) async fn elicit(
    params: Json<'_>,
    audience: Option<Audience>,
) -> Result<String, RpcError> {
    const NOBODY: &str = r#"{"action":"cancel"}"#;
    let mode = params.get("mode").and_then(Json::as_str);
    let can = audience.as_ref().map(|a| reachable(&a.caller));
    let can = can.is_some_and(|can| match mode.as_deref() {
        None | Some("form") => can.form,
        Some("url") => can.url,
        Some(_) => false,
    });
    let Some(mut audience) = audience.filter(|_| can) else {
        return Ok(NOBODY.to_owned());
    };
    let question = Object::of(Some(params))
        .without(&["sessionId", "toolCallId", "requestId"])
        .text();
    let answer = tokio::select! {
        answer = audience.caller.ask(ELICIT, Some(&question)) => answer,
        _ = audience.over.wait_for(|over| *over) => None,
    };
    let answer = answer.filter(|answer| answer.kind() == Kind::Result);
    let result = answer.as_ref().and_then(|answer| answer.body());
    let Some(action) = result.and_then(|result| result.get("action")) else {
        return Ok(NOBODY.to_owned());
    };
    let content = result.and_then(|result| result.get("content"));
    Ok(Object::empty()
        .with("action", action.text())
        .with_some("content", content.map(Json::text))
        .text())
}
