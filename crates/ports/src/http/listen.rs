//! The stream on which a server speaks without having been asked.

use std::time::Duration;

use http::{Method, StatusCode};
use linkspan_session::{Envelope, Inbound};
use linkspan_wire::Frame;
use tokio::sync::mpsc;
use tokio::time::sleep;
use url::Url;

use super::answer::{Broken, Events, Media, media};
use super::body::Telling;
use super::endpoint::Endpoint;
use super::job::Report;
use super::request::{self, Place};
use super::sending::{may_pass, send};

const FIRST_WAIT: Duration = Duration::from_secs(1);
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Listens until the server says that it offers no such stream.
///
/// A stream that breaks is resumed: after `retry`, with back-off as long as nothing comes.
pub(super) async fn listen(
    endpoint: Endpoint,
    url: Url,
    place: Place,
    tx: mpsc::Sender<Inbound>,
) -> Report {
    let mut last_id: Option<String> = None;
    let mut backoff = FIRST_WAIT;
    // Some servers answer 404 where they offer no stream; only one that did can have forgotten us.
    let mut worked = false;
    loop {
        let headers = request::get(&endpoint, &place, last_id.as_deref());
        let mut asked = None;
        match send(&endpoint, Method::GET, &url, &headers, Telling::empty).await {
            Ok((response, _)) if !response.status().is_success() => {
                let status = response.status();
                if !may_pass(status) {
                    tracing::debug!("no stream of server messages: HTTP {}", status.as_u16());
                    return Report::ListenEnded {
                        forgotten: worked && status == StatusCode::NOT_FOUND,
                    };
                }
            }
            Ok((response, _)) if media(&response) != Media::Events => {
                tracing::debug!("no stream of server messages: not an event stream");
                return Report::ListenEnded { forgotten: false };
            }
            Ok((response, _)) => {
                let mut events = Events::new(&endpoint, response);
                worked = true;
                if !pump(&endpoint, &mut events, &tx).await {
                    return Report::ListenEnded { forgotten: false };
                }
                last_id = events.last_id.take().or(last_id);
                asked = events.retry;
                if events.seen_any {
                    backoff = FIRST_WAIT;
                }
            }
            Err(why) => tracing::debug!("the stream of server messages: {why}"),
        }
        sleep(
            asked
                .unwrap_or(backoff)
                .clamp(Duration::from_millis(50), MAX_WAIT),
        )
        .await;
        backoff = (backoff * 2).min(MAX_WAIT);
    }
}

/// Passes on what a stream brings until it ends; `false` if the session is gone.
pub(super) async fn pump(
    endpoint: &Endpoint,
    events: &mut Events,
    tx: &mpsc::Sender<Inbound>,
) -> bool {
    loop {
        let data = match events.next(endpoint).await {
            Ok(Some(data)) => data,
            Ok(None) => return true,
            Err(Broken::TooLarge(why)) => {
                if tx.send(Inbound::Bad(why)).await.is_err() {
                    return false;
                }
                continue;
            }
            Err(Broken::Lost(why)) => {
                tracing::debug!("a stream broke: {why}");
                return true;
            }
        };
        if !data.is_message() {
            continue;
        }
        let inbound = match Frame::parse(data.text, &endpoint.limits()) {
            Frame::One(msg) => Inbound::Message(Envelope {
                credit: data.credit,
                ..Envelope::new(msg)
            }),
            Frame::Batch(entries) => Inbound::Batch(entries),
            Frame::Other { why, .. } => Inbound::Bad(why),
            Frame::Blank => continue,
        };
        if tx.send(inbound).await.is_err() {
            return false;
        }
    }
}
