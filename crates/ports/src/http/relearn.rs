//! Lists the tools of a server again, for the headers that they need.
//!
//! A call whose headers do not match its body was made with an outdated list of tools, or without one.

use std::collections::HashSet;
use std::time::Duration;

use linkspan_mcp::{mirror, names};
use linkspan_session::Inbound;
use linkspan_wire::{Id, Json, Kind, Message, quote};
use tokio::sync::mpsc;
use tokio::time::timeout;
use url::Url;

use super::endpoint::Endpoint;
use super::renew::ask;
use super::request::SessionContext;

/// Limit of all pages together, and of their number.
const ALL: Duration = Duration::from_secs(30);
const PAGES: usize = 100;

/// Lists the tools in the name of `call`.
pub(super) async fn relearn(
    endpoint: Endpoint,
    url: Url,
    call: Message,
    tx: mpsc::Sender<Inbound>,
) -> Vec<Message> {
    let mut pages = Vec::new();
    let reading = async {
        let mut cursor = None;
        let mut seen = HashSet::new();
        while pages.len() < PAGES {
            let request = list(&call, cursor.as_deref());
            let headers: Vec<_> = mirror(&request)
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect();
            let asked = ask(
                &endpoint,
                &url,
                &SessionContext::default(),
                &request,
                &headers,
                &tx,
            )
            .await;
            let Ok((page, _)) = asked else { return };
            if page.kind() != Kind::Result {
                return;
            }
            let next = page.body().and_then(|b| b.get("nextCursor")?.as_str());
            let next = next.map(|cursor| cursor.into_owned());
            // A repeated cursor would give the same pages again.
            let goes_on = next.as_ref().is_some_and(|next| seen.insert(next.clone()));
            cursor = next;
            pages.push(page);
            if !goes_on {
                return;
            }
        }
    };
    let _ = timeout(ALL, reading).await;
    pages
}

/// `tools/list` with the envelope of another request.
fn list(call: &Message, cursor: Option<&str>) -> Message {
    let meta = call.params().and_then(|p| p.get("_meta"));
    // The progress token belongs to the call.
    let meta: Vec<String> = meta
        .into_iter()
        .flat_map(Json::members)
        .filter(|(key, _)| key != "progressToken")
        .map(|(key, value)| format!("{}:{}", quote(&key), value.text()))
        .collect();
    let meta = format!("{{{}}}", meta.join(","));
    let cursor = cursor.map_or_else(String::new, |c| format!(r#","cursor":{}"#, quote(c)));
    let params = format!(r#"{{"_meta":{meta}{cursor}}}"#);
    // The id need not be unique: the stream of this request carries no other answer.
    Message::request(&Id::number(0), names::TOOLS_LIST, Some(&params))
}
