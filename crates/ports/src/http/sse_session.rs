//! HTTP+SSE of 2024-11-05: one stream for all messages of the server, and a URL for POSTs.
//!
//! mcp-hub 4 uses it too, at its `/mcp`.

use std::time::Duration;

use http::Method;
use linkspan_session::{Envelope, Fault, Inbound};
use linkspan_wire::{Frame, Message};
use tokio::sync::mpsc;
use tokio::time::timeout;
use url::Url;

use super::answer::{self, Events, Media, media};
use super::body::{Sent, Telling};
use super::endpoint::Endpoint;
use super::job::{self, Delivery, Refusal, Report};
use super::listen::pump;
use super::request::{self, SessionContext};
use super::sending::{persist, send};
use crate::owed::Shared;
use crate::session_replay::SessionReplay;

/// How long it may take to accept a message, and to answer `initialize` in a new session.
const STEP: Duration = Duration::from_secs(30);

/// An open stream and where to POST.
pub(super) struct Line {
    pub(super) post_to: Url,
    pub(super) events: Events,
}

/// Opens the stream; if the client had initialized before, initializes again in its name.
pub(super) async fn open(
    endpoint: Endpoint,
    url: Url,
    replay: Option<SessionReplay>,
    tx: mpsc::Sender<Inbound>,
    limit: Duration,
    retries: u32,
) -> Result<Line, Fault> {
    let once = || open_once(&endpoint, &url, replay.as_ref(), &tx, limit);
    persist(&endpoint, retries, once).await
}

async fn open_once(
    endpoint: &Endpoint,
    url: &Url,
    replay: Option<&SessionReplay>,
    tx: &mpsc::Sender<Inbound>,
    limit: Duration,
) -> Result<Line, Fault> {
    let greeting = timeout(limit, greet(endpoint, url)).await;
    let mut line = greeting.map_err(|_| Fault::Timeout { after: limit })??;
    let Some(replay) = replay else {
        return Ok(line);
    };
    let Some(initialize) = &replay.initialize else {
        return Ok(line);
    };
    tracing::info!("{} lost the stream; opening a new session", endpoint.peer);
    deliver(endpoint, &line.post_to, initialize).await?;
    let answered = timeout(
        STEP,
        await_answer(endpoint, &mut line.events, initialize, tx),
    );
    answered
        .await
        .map_err(|_| Fault::Timeout { after: STEP })??;
    let rest = replay.initialized.iter().chain(replay.restore());
    for msg in rest {
        deliver(endpoint, &line.post_to, msg).await?;
    }
    Ok(line)
}

async fn greet(endpoint: &Endpoint, url: &Url) -> Result<Line, Fault> {
    let headers = request::get(endpoint, &SessionContext::default(), None);
    let (response, url) = send(endpoint, Method::GET, url, &headers, Telling::empty).await?;
    if !response.status().is_success() {
        return Err(answer::status_fault(endpoint, response).await);
    }
    if media(&response) != Media::Events {
        return Err(bad(endpoint, "a GET gives no event stream"));
    }
    let mut events = Events::new(endpoint, response);
    let Some(greeting) = events.next_or_fault(endpoint).await? else {
        return Err(cut(endpoint, "its stream ended before it had begun"));
    };
    let Some(data) = Some(greeting).filter(|data| data.name == "endpoint") else {
        return Err(bad(
            endpoint,
            "its stream does not begin with an endpoint event",
        ));
    };
    let place = String::from_utf8_lossy(&data.text);
    let post_to = url
        .join(place.trim())
        .map_err(|_| bad(endpoint, "its endpoint event holds no URL"))?;
    if post_to.origin() != url.origin() {
        // Our headers carry credentials; another origin must not get them.
        return Err(bad(endpoint, "its endpoint event points at another origin"));
    }
    Ok(Line { post_to, events })
}

async fn await_answer(
    endpoint: &Endpoint,
    events: &mut Events,
    initialize: &Message,
    tx: &mpsc::Sender<Inbound>,
) -> Result<(), Fault> {
    let hop = initialize.hop();
    while let Some(data) = events.next_or_fault(endpoint).await? {
        match Frame::parse(data.text, &endpoint.limits()) {
            Frame::One(msg) if msg.is_answer() && msg.hop() == hop => {
                return match job::negotiated(&msg) {
                    Some(_) => Ok(()),
                    None => Err(bad(endpoint, "it refused the new session")),
                };
            }
            Frame::One(msg) => {
                let _ = tx.send(Inbound::Message(Envelope::new(msg))).await;
            }
            _ => {}
        }
    }
    Err(cut(endpoint, "its stream ended before it had answered"))
}

/// Reads the stream to its end.
pub(super) async fn read(
    endpoint: Endpoint,
    mut events: Events,
    tx: mpsc::Sender<Inbound>,
    owed: Shared,
) -> Report {
    pump(&endpoint, &mut events, &tx, Some(&owed)).await;
    Report::SseEnded(Fault::AnswerLost {
        peer: endpoint.peer.to_string(),
        why: "its stream of events ended".to_owned(),
    })
}

/// POSTs a message. Its answer arrives on the stream.
pub(super) async fn post(
    endpoint: Endpoint,
    post_to: Url,
    delivery: Delivery,
    sent: Option<Sent>,
    tx: mpsc::Sender<Inbound>,
) -> Report {
    let body = delivery.msg.to_bytes();
    let headers = request::post(&endpoint, &SessionContext::default(), &[]);
    let make = || Telling::new(body.clone(), sent.clone());
    let exchange = async {
        let (response, _) = send(&endpoint, Method::POST, &post_to, &headers, make).await?;
        let status = response.status();
        tracing::debug!("POST {} -> {}", job::label(&delivery.msg), status.as_u16());
        let body = answer::refusal(response).await;
        Ok((status, body))
    };
    // Some servers accept a call only when it is done, so a call has no limit here.
    let limit = match delivery.hop {
        Some(_) => Duration::MAX,
        None => STEP,
    };
    match timeout(limit, exchange).await {
        Ok(Ok((status, _))) if status.is_success() => {}
        Ok(Ok((status, body))) => {
            let status = status.as_u16();
            let refusal = Refusal { status, body };
            if status == 404 {
                return Report::SseGone(delivery, refusal);
            }
            job::refuse(&endpoint, &tx, &delivery, refusal).await;
        }
        Ok(Err(why)) => job::fail(&tx, &delivery, why).await,
        Err(_) => job::fail(&tx, &delivery, Fault::Timeout { after: STEP }).await,
    }
    Report::SsePosted(delivery)
}

async fn deliver(endpoint: &Endpoint, post_to: &Url, msg: &Message) -> Result<(), Fault> {
    let headers = request::post(endpoint, &SessionContext::default(), &[]);
    let body = msg.to_bytes();
    let make = || Telling::new(body.clone(), None);
    let exchange = async {
        let (response, _) = send(endpoint, Method::POST, post_to, &headers, make).await?;
        if !response.status().is_success() {
            return Err(answer::status_fault(endpoint, response).await);
        }
        answer::refusal(response).await;
        Ok(())
    };
    let accepted = timeout(STEP, exchange).await;
    accepted.map_err(|_| Fault::Timeout { after: STEP })?
}

fn cut(endpoint: &Endpoint, why: &str) -> Fault {
    Fault::AnswerLost {
        peer: endpoint.peer.to_string(),
        why: why.to_owned(),
    }
}

fn bad(endpoint: &Endpoint, why: &str) -> Fault {
    Fault::BadAnswer {
        peer: endpoint.peer.to_string(),
        why: why.to_owned(),
    }
}
