//! Requests of the gateway itself to a server: its description and its lists.

use std::time::Duration;

use linkspan_bridge::RequestService;
use linkspan_gateway::{ListKind, ListReader, ServerList};
use linkspan_mcp::names;
use linkspan_session::{Envelope, Fault};
use linkspan_wire::{Id, Kind, Message};
use tokio::time::{Instant, timeout};

use crate::asking::Asking;
use crate::known::Freshness;
use crate::outcome::Outcome;
use crate::upstream::Upstream;

/// How long a server may take for a list. A client waits for a shorter time.
const LONGEST: Duration = Duration::from_secs(120);
/// The largest description that is kept.
const LARGEST_DESCRIPTION: usize = 1 << 20;

/// What a server says about itself: the result of `server/discover`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Description(pub(crate) String);

impl Description {
    /// Whether the server declares a capability.
    pub(crate) fn has(&self, capability: &str) -> bool {
        let parsed = linkspan_wire::Json::parse(&self.0).ok();
        parsed.is_some_and(|result| result.path(&["capabilities", capability]).is_some())
    }
}

/// Sends a request and waits for its answer.
async fn answer(
    upstream: &Upstream,
    asking: &Asking,
    method: &str,
    params: &str,
) -> Result<Message, Fault> {
    let request = Message::request(&Id::number(0), method, Some(params));
    let asked = upstream
        .calls
        .request(Envelope::new(request), &asking.caller);
    let answered = async {
        let mut answering = asked.await?;
        while let Some(envelope) = answering.recv().await {
            if envelope.msg.is_answer() {
                return Ok(envelope.msg);
            }
        }
        Err(Fault::Closing)
    };
    let limit = Fault::Timeout { after: LONGEST };
    timeout(LONGEST, answered).await.unwrap_or(Err(limit))
}

/// Fetches the description of a server.
pub(crate) async fn description(
    upstream: &Upstream,
    asking: &Asking,
) -> Result<(Description, Freshness), Fault> {
    let params = format!(r#"{{"_meta":{}}}"#, asking.meta);
    let answer = answer(upstream, asking, names::DISCOVER, &params).await?;
    let result = result_of(upstream, &answer)?;
    if result.len() > LARGEST_DESCRIPTION {
        return Err(Fault::TooLarge {
            peer: upstream.name().to_owned(),
            limit: LARGEST_DESCRIPTION,
        });
    }
    // It changes only with the process of the server.
    Ok((Description(result.to_owned()), Freshness::UntilChange))
}

/// Fetches all pages of a list.
pub(crate) async fn list(
    upstream: &Upstream,
    asking: &Asking,
    kind: ListKind,
) -> Result<ServerList, Fault> {
    let mut reader = ListReader::new(kind);
    let mut cursor = String::new();
    loop {
        let params = format!(r#"{{{cursor}"_meta":{}}}"#, asking.meta);
        let answer = answer(upstream, asking, kind.method(), &params).await?;
        let result = match result_of(upstream, &answer) {
            Ok(_) => answer.body(),
            // Servers without a capability may lack its methods as well.
            Err(_) if is_unknown_method(&answer) => return Ok(reader.finish()),
            Err(why) => return Err(why),
        };
        let Some(result) = result else {
            return Ok(reader.finish());
        };
        let next = reader.page(result).map_err(|why| Fault::BadAnswer {
            peer: upstream.name().to_owned(),
            why: format!("{}: {why}", kind.method()),
        })?;
        match next {
            Some(next) => cursor = format!(r#""cursor":{next},"#),
            None => return Ok(reader.finish()),
        }
    }
}

/// Until when a list that was just fetched is fresh.
pub(crate) fn freshness(list: &ServerList, is_watched: bool) -> Freshness {
    /// No list is believed for longer than a day.
    const LONGEST: u64 = 24 * 60 * 60 * 1000;
    match list.ttl {
        _ if is_watched => Freshness::UntilChange,
        0 | u64::MAX => Freshness::Stale,
        ttl => Freshness::Until(Instant::now() + Duration::from_millis(ttl.min(LONGEST))),
    }
}

fn result_of<'m>(upstream: &Upstream, answer: &'m Message) -> Result<&'m str, Fault> {
    let body = answer.body().map(|body| body.text());
    match body {
        Some(body) if answer.kind() == Kind::Result => Ok(body),
        body if Outcome::of_answer(answer) == Outcome::Failed => Err(Fault::AnswerLost {
            peer: upstream.name().to_owned(),
            why: body.unwrap_or_default().chars().take(500).collect(),
        }),
        body => Err(Fault::BadAnswer {
            peer: upstream.name().to_owned(),
            why: body.unwrap_or_default().chars().take(500).collect(),
        }),
    }
}

fn is_unknown_method(answer: &Message) -> bool {
    let code = answer.body().and_then(|error| error.get("code"));
    answer.kind() == Kind::Error
        && code.and_then(linkspan_wire::Json::as_i64)
            == Some(linkspan_wire::Code::MethodNotFound.number())
}
