//! Requests of the agent to the user, forwarded to the client as MCP elicitation.

use linkspan_acp::client::{CANCELLED, Choice, Permission, Reachable, selected};
use linkspan_local::Caller;
use linkspan_wire::{Json, Kind, Object, RpcError, quote};
use tokio::sync::watch;

use crate::options::PermissionPolicy;

const ELICIT: &str = "elicitation/create";

/// The client whose prompt is running; it can be asked until the prompt ends.
pub(crate) struct AskableClient {
    pub(crate) caller: Caller,
    pub(crate) over: watch::Receiver<bool>,
}

/// The answer to a permission request.
pub(crate) struct Decision {
    /// The result of the agent's request.
    pub(crate) outcome: String,
    /// The entry in `permissions` of the prompt's result, as JSON.
    pub(crate) record: String,
}

/// The ways of elicitation that the client declares; one that declares no details has forms.
pub(crate) fn reachable(caller: &Caller) -> Reachable {
    let can = |way: &[&str]| caller.client_can(way);
    let url = can(&["elicitation", "url"]);
    Reachable {
        form: can(&["elicitation"]) && (!url || can(&["elicitation", "form"])),
        url,
    }
}

/// Answers a permission request by the policy.
pub(crate) async fn decide(
    permission: &Permission,
    policy: PermissionPolicy,
    client: Option<AskableClient>,
) -> Decision {
    let client = client.filter(|c| reachable(&c.caller).form && !permission.choices.is_empty());
    match (policy, client) {
        (PermissionPolicy::Allow, _) => decision(permission, permission.allow(), "flag"),
        (PermissionPolicy::Deny, _) => decision(permission, permission.deny(), "flag"),
        (PermissionPolicy::Ask, None) => decision(permission, permission.deny(), "nobody"),
        (PermissionPolicy::Ask, Some(mut client)) => {
            let form = permission.form();
            let answer = tokio::select! {
                answer = client.caller.ask(ELICIT, Some(&form)) => answer,
                _ = client.over.wait_for(|over| *over) => None,
            };
            let Some(answer) = answer else {
                return decision(permission, None, "nobody");
            };
            let chosen = permission.chosen(&answer).or_else(|| permission.deny());
            decision(permission, chosen, "client")
        }
    }
}

fn decision(permission: &Permission, choice: Option<&Choice>, by: &str) -> Decision {
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

/// Forwards an elicitation. Its form is the same in both protocols, except for the ids of ACP.
pub(crate) async fn elicit(
    params: Json<'_>,
    client: Option<AskableClient>,
) -> Result<String, RpcError> {
    const CANCEL: &str = r#"{"action":"cancel"}"#;
    let mode = params.get("mode").and_then(Json::as_str);
    let can = client.as_ref().map(|c| reachable(&c.caller));
    let can = can.is_some_and(|can| match mode.as_deref() {
        None | Some("form") => can.form,
        Some("url") => can.url,
        Some(_) => false,
    });
    let Some(mut client) = client.filter(|_| can) else {
        return Ok(CANCEL.to_owned());
    };
    let question = Object::of(Some(params))
        .without(&["sessionId", "toolCallId", "requestId"])
        .text();
    let answer = tokio::select! {
        answer = client.caller.ask(ELICIT, Some(&question)) => answer,
        _ = client.over.wait_for(|over| *over) => None,
    };
    let answer = answer.filter(|answer| answer.kind() == Kind::Result);
    let result = answer.as_ref().and_then(|answer| answer.body());
    let Some(action) = result.and_then(|result| result.get("action")) else {
        return Ok(CANCEL.to_owned());
    };
    let content = result.and_then(|result| result.get("content"));
    Ok(Object::empty()
        .with("action", action.text())
        .with_some("content", content.map(Json::text))
        .text())
}
