//! Starts a new session with the client's own messages when the server has forgotten the old one.

use std::time::Duration;

use http::Method;
use linkspan_session::{Fault, Inbound};
use linkspan_wire::{Frame, Kind, Message};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use url::Url;

use super::answer::{self, Events, Media, media};
use super::body::Telling;
use super::endpoint::Endpoint;
use super::job::negotiated;
use super::request::{self, SessionContext};
use super::sending::{Response, persist, send};
use crate::session_replay::SessionReplay;

/// Limit of each step, and of all of them.
const STEP: Duration = Duration::from_secs(30);
const ALL: Duration = Duration::from_secs(90);

/// Replays the client's `initialize`, `initialized`, log level and subscriptions.
pub(super) async fn renew(
    endpoint: Endpoint,
    url: Url,
    replay: SessionReplay,
    tx: mpsc::Sender<Inbound>,
) -> Result<SessionContext, Fault> {
    let Some(initialize) = &replay.initialize else {
        return Err(refusal(&endpoint, "the client has not initialized"));
    };
    tracing::info!("{} forgot the session; opening a new one", endpoint.peer);
    let initialized = replay.initialized.as_ref();
    let once = || begin(&endpoint, &url, initialize, initialized, &tx);
    let context = persist(&endpoint, endpoint.options.retries, once).await?;
    let start = Instant::now();
    for msg in replay.restore().take_while(|_| start.elapsed() < ALL) {
        if let Err(why) = within(ask(&endpoint, &url, &context, msg, &[], &tx)).await {
            tracing::warn!("`{}` failed in the new session: {why}", msg.method());
        }
    }
    Ok(context)
}

async fn begin(
    endpoint: &Endpoint,
    url: &Url,
    initialize: &Message,
    initialized: Option<&Message>,
    tx: &mpsc::Sender<Inbound>,
) -> Result<SessionContext, Fault> {
    let nowhere = SessionContext::default();
    let opening = ask(endpoint, url, &nowhere, initialize, &[], tx);
    let (answer, begun) = within(opening).await?;
    let Some(version) = negotiated(&answer) else {
        return Err(refusal(endpoint, "it refused the new session"));
    };
    let context = SessionContext {
        version: Some(version),
        ..begun
    };
    if let Some(initialized) = initialized {
        within(tell(endpoint, url, &context, initialized)).await?;
    }
    Ok(context)
}

async fn within<T>(step: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    match timeout(STEP, step).await {
        Ok(done) => done,
        Err(_) => Err(Fault::Timeout { after: STEP }),
    }
}

async fn tell(
    endpoint: &Endpoint,
    url: &Url,
    context: &SessionContext,
    msg: &Message,
) -> Result<(), Fault> {
    let response = post(endpoint, url, context, msg, &[]).await?;
    answer::refusal(response).await;
    Ok(())
}

/// Sends a request and waits for its answer; other messages are forwarded to the session.
pub(super) async fn ask(
    endpoint: &Endpoint,
    url: &Url,
    context: &SessionContext,
    msg: &Message,
    extra: &[(String, String)],
    tx: &mpsc::Sender<Inbound>,
) -> Result<(Message, SessionContext), Fault> {
    let response = post(endpoint, url, context, msg, extra).await?;
    let begun = SessionContext::opened(response.headers());
    let hop = msg.hop();
    let answers = |msg: &Message| msg.is_answer() && msg.hop() == hop;
    if media(&response) == Media::Events {
        let mut events = Events::new(endpoint, response);
        while let Some(data) = events.next_or_fault(endpoint).await? {
            match Frame::parse(data.text, &endpoint.limits()) {
                Frame::One(msg) if answers(&msg) => return Ok((msg, begun)),
                Frame::One(msg) if msg.kind() == Kind::Notification => {
                    let envelope = linkspan_session::Envelope::new(msg);
                    let _ = tx.send(Inbound::Message(envelope)).await;
                }
                _ => {}
            }
        }
        return Err(Fault::AnswerLost {
            peer: endpoint.peer.to_string(),
            why: "its stream ended before it had answered".to_owned(),
        });
    }
    let (text, _) = answer::whole(endpoint, response).await?;
    if let Frame::One(msg) = Frame::parse(text, &endpoint.limits())
        && answers(&msg)
    {
        return Ok((msg, begun));
    }
    Err(refusal(endpoint, "it did not answer"))
}

async fn post(
    endpoint: &Endpoint,
    url: &Url,
    context: &SessionContext,
    msg: &Message,
    extra: &[(String, String)],
) -> Result<Response, Fault> {
    let headers = request::post(endpoint, context, extra);
    let body = msg.to_bytes();
    let make = || Telling::new(body.clone(), None);
    let (response, _) = send(endpoint, Method::POST, url, &headers, make).await?;
    if response.status().is_success() {
        return Ok(response);
    }
    Err(answer::status_fault(endpoint, response).await)
}

fn refusal(endpoint: &Endpoint, why: &str) -> Fault {
    Fault::SessionLost {
        peer: endpoint.peer.to_string(),
        why: why.to_owned(),
    }
}
