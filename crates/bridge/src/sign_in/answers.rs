//! What is said in the place of a server that waits for a sign-in.

use std::time::Instant;

use linkspan_auth_io::Prompt;
use linkspan_mcp::{CLIENT_CAPABILITIES, Era, Revision, names};
use linkspan_session::{Envelope, Way};
use linkspan_wire::{Id, Json, Kind, Message, RpcError, quote};

use super::asking::Reply;

/// The tool that shows the page.
const TOOL: &str = "sign_in";
/// What a call of it is answered with in the end.
pub(super) const SIGNED_IN: &str = "Signed in. The tools of the server are available now; if your client does not show them, reconnect this server.";
/// The latest revision with a handshake.
const LATEST_LEGACY: &str = "2025-11-25";
const ELICIT: &str = "elicitation/create";

/// Whether a client says that it can show pages (`elicitation.url` of 2025-11-25).
pub(super) fn shows_pages(initialize: &Message) -> bool {
    let url = initialize
        .params()
        .and_then(|params| params.path(&["capabilities", "elicitation", "url"]));
    url.is_some()
}

/// Whether a modern client says with its request that it can show pages.
pub(crate) fn modern_shows_pages(request: &Message) -> bool {
    let capabilities = request
        .params()
        .and_then(|params| params.path(&["_meta", CLIENT_CAPABILITIES]));
    capabilities.is_some_and(|it| it.path(&["elicitation", "url"]).is_some())
}

/// Our answer to `initialize`.
pub(super) fn greeting(initialize: &Message, prompt: &Prompt) -> Option<Message> {
    let id = initialize.id()?;
    let wanted = initialize.params().and_then(|params| {
        params
            .get("protocolVersion")?
            .as_str()
            .map(|it| it.into_owned())
    });
    let is_legacy = |text: &String| Revision::parse(text).is_some_and(|it| it.era() == Era::Legacy);
    let version = wanted.filter(is_legacy);
    let version = version.as_deref().unwrap_or(LATEST_LEGACY);
    let changes = r#"{"listChanged":true}"#;
    let result = format!(
        r#"{{"protocolVersion":{},"capabilities":{{"tools":{changes},"prompts":{changes},"resources":{changes}}},"serverInfo":{{"name":"linkspan","title":{},"version":"{}"}},"instructions":{}}}"#,
        quote(version),
        quote(&format!("{} (not signed in)", prompt.server)),
        env!("CARGO_PKG_VERSION"),
        quote(&instructions(prompt)),
    );
    Some(Message::result(&id, &result))
}

fn instructions(prompt: &Prompt) -> String {
    format!("Not signed in. {}", what_to_do(prompt))
}

fn what_to_do(prompt: &Prompt) -> String {
    let Prompt { url, server, .. } = prompt;
    match &prompt.user_code {
        Some(code) => {
            format!("To use {server}, open {url} in a browser and enter the code {code}.")
        }
        None => format!("To use {server}, open this page in a browser: {url}"),
    }
}

/// What a waiting call of the tool is answered with.
pub(super) fn waiting(prompt: Option<&Prompt>) -> String {
    let what = prompt.map_or_else(|| "The sign-in is under way.".to_owned(), what_to_do);
    format!("{what}\nCall {TOOL} again after the sign-in.")
}

pub(super) fn failed(why: &str) -> String {
    format!("The sign-in did not work: {why}\nCall {TOOL} to try again.")
}

/// Why the server's own answer is an error.
pub(super) fn reason(answer: &Message) -> String {
    let message = answer
        .body()
        .and_then(|error| Some(error.get("message")?.as_str()?.into_owned()));
    message.unwrap_or_else(|| "the server refused".to_owned())
}

pub(super) fn is_call_of_tool(msg: &Message) -> bool {
    let name = msg.params().and_then(|params| params.get("name")?.as_str());
    msg.method() == names::TOOLS_CALL && name.as_deref() == Some(TOOL)
}

/// The answer to a request for a server that is not there yet.
pub(super) fn to(id: &Id, method: &str, prompt: Option<&Prompt>, failed: Option<&str>) -> Message {
    match method {
        names::PING => Message::result(id, "{}"),
        names::TOOLS_LIST => {
            let description = format!(
                "Signs in to the server behind this connection. {}",
                waiting(prompt)
            );
            let tool = format!(
                r#"{{"tools":[{{"name":"{TOOL}","title":"Sign in","description":{},"inputSchema":{{"type":"object"}},"annotations":{{"readOnlyHint":true}}}}]}}"#,
                quote(&description)
            );
            Message::result(id, &tool)
        }
        method => match empty(method) {
            Some(list) => Message::result(id, list),
            None => {
                let what = prompt.map_or_else(|| "the sign-in is under way".to_owned(), what_to_do);
                let why = failed.map_or_else(|| format!("not signed in: {what}"), str::to_owned);
                let data = format!(
                    r#"{{"kind":"not_signed_in","hint":{}}}"#,
                    quote("call the tool sign_in, or run `linkspan login URL`")
                );
                RpcError::server(why).with_data(data).answer(id)
            }
        },
    }
}

/// A list without entries.
fn empty(method: &str) -> Option<&'static str> {
    Some(match method {
        names::TOOLS_LIST => r#"{"tools":[]}"#,
        names::PROMPTS_LIST => r#"{"prompts":[]}"#,
        names::RESOURCES_LIST => r#"{"resources":[]}"#,
        names::TEMPLATES_LIST => r#"{"resourceTemplates":[]}"#,
        _ => return None,
    })
}

/// A request to show the page.
pub(super) fn question(id: &Id, prompt: &Prompt) -> Message {
    let params = format!(
        r#"{{"mode":"url","elicitationId":{},"url":{},"message":{}}}"#,
        id.text(),
        quote(&prompt.url),
        quote(&what_to_do(prompt)),
    );
    Message::request(id, ELICIT, Some(&params))
}

/// The same for a modern client, as the answer to a call that goes on.
pub(super) fn input_required(call: &Id, question: &Id, prompt: &Prompt) -> Message {
    let result = format!(
        r#"{{"resultType":"input_required","inputRequests":{{{name}:{{"method":"{ELICIT}","params":{{"mode":"url","url":{},"message":{}}}}}}},"requestState":{name}}}"#,
        quote(&prompt.url),
        quote(&what_to_do(prompt)),
        name = question.text(),
    );
    Message::result(call, &result)
}

/// What a client says to a question.
pub(super) fn reply(result: Option<Json<'_>>) -> Reply {
    let action = result.and_then(|result| result.get("action")?.as_str());
    if action.as_deref() == Some("accept") {
        Reply::Accepted
    } else {
        Reply::Declined
    }
}

/// Tells the client that the page of a question has served its purpose.
pub(super) fn complete(question: &Id) -> Message {
    let params = format!(r#"{{"elicitationId":{question}}}"#);
    Message::notification("notifications/elicitation/complete", Some(&params))
}

/// Takes a request back.
pub(super) fn cancelled(request: &Id) -> Message {
    let params = format!(r#"{{"requestId":{request},"reason":"the sign-in has ended"}}"#);
    Message::notification(names::CANCELLED, Some(&params))
}

/// The request that a `notifications/cancelled` names.
pub(super) fn cancelled_id(msg: &Message) -> Option<Id> {
    Id::parse(msg.params()?.get("requestId")?)
}

/// Whether this is what a request gets that has waited too long for a sign-in. Such a request has not run.
pub(super) fn is_not_signed_in(answer: &Message) -> bool {
    if answer.kind() != Kind::Error {
        return false;
    }
    let kind = answer
        .body()
        .and_then(|error| error.path(&["data", "kind"])?.as_str());
    kind.as_deref() == Some("not_signed_in")
}

/// The result of the tool.
pub(super) fn result(id: &Id, text: &str, is_error: bool) -> Message {
    let error = if is_error { r#","isError":true"# } else { "" };
    let result = format!(
        r#"{{"content":[{{"type":"text","text":{}}}]{error}}}"#,
        quote(text)
    );
    Message::result(id, &result)
}

/// The same result for several calls.
pub(super) fn results(
    calls: Vec<(Id, Instant)>,
    text: &str,
    is_error: bool,
) -> Vec<(Way, Envelope)> {
    let results = calls.into_iter().map(|(id, _)| result(&id, text, is_error));
    results
        .map(|answer| (Way::ToFront, Envelope::new(answer)))
        .collect()
}

/// Tells the client that what it knows of the server is out of date.
pub(super) fn lists_changed() -> impl Iterator<Item = Message> {
    let lists = ["tools", "prompts", "resources"].into_iter();
    lists.map(|list| Message::notification(&format!("notifications/{list}/list_changed"), None))
}

/// Lists that we have promised and the server does not have.
#[derive(Default)]
pub(super) struct Lists(Vec<&'static str>);

impl Lists {
    pub(super) fn missing_in(initialized: &Message) -> Self {
        let capabilities = initialized
            .body()
            .and_then(|result| result.get("capabilities"));
        let has = |name: &str| capabilities.is_some_and(|it: Json<'_>| it.get(name).is_some());
        let all = [
            ("tools", names::TOOLS_LIST),
            ("prompts", names::PROMPTS_LIST),
            ("resources", names::RESOURCES_LIST),
            ("resources", names::TEMPLATES_LIST),
        ];
        let missing = all.into_iter().filter(|(name, _)| !has(name));
        Self(missing.map(|(_, method)| method).collect())
    }

    /// The answer to a request for a list that the server does not have.
    pub(super) fn answer(&self, msg: &Message) -> Option<Message> {
        if self.0.is_empty() || msg.kind() != Kind::Request {
            return None;
        }
        let method = msg.method();
        let missing = self.0.iter().find(|missing| **missing == method)?;
        Some(Message::result(&msg.id()?, empty(missing)?))
    }
}
