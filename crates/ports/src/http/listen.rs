//! The standing stream of server messages.

use std::time::Duration;

use http::{Method, StatusCode};
use linkspan_session::{Inbound, now};
use linkspan_wire::Resync;
use tokio::sync::mpsc;
use tokio::time::{sleep, sleep_until};
use url::Url;

use super::answer::{Broken, Events, Media, media};
use super::body::Telling;
use super::endpoint::Endpoint;
use super::job::Report;
use super::pace::Pace;
use super::request::{self, SessionContext};
use super::sending::{may_pass, send};
use crate::framing::inbound;
use crate::owed::Shared;

/// The first wait where the server names none, and the longest wait.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Reads the standing stream until the server says that it offers none.
///
/// A broken stream is resumed after `retry`, with back-off while no message arrives.
pub(super) async fn listen(
    endpoint: Endpoint,
    url: Url,
    context: SessionContext,
    tx: mpsc::Sender<Inbound>,
) -> Report {
    let endpoint = endpoint.in_background();
    let mut last_id: Option<String> = None;
    let mut pace = Pace::new(FIRST_WAIT, MAX_WAIT);
    // Some servers answer 404 where they offer no stream; only one that did can have forgotten us.
    let mut worked = false;
    loop {
        let headers = request::get(&endpoint, &context, last_id.as_deref());
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
                if !pump(&endpoint, &mut events, &tx, None).await {
                    return Report::ListenEnded { forgotten: false };
                }
                last_id = events.last_id.take().or(last_id);
                asked = events.retry;
                if events.seen_data {
                    pace.reset();
                }
            }
            Err(why) => tracing::debug!("the stream of server messages: {why}"),
        }
        sleep(pace.wait(asked)).await;
    }
}

/// Forwards the messages of a stream until it ends; `false` if the session has ended. `owed` holds the requests that
/// are answered on it, if there are any.
pub(super) async fn pump(
    endpoint: &Endpoint,
    events: &mut Events,
    tx: &mpsc::Sender<Inbound>,
    owed: Option<&Shared>,
) -> bool {
    loop {
        let wake = owed.and_then(|owed| owed.lock().next_wake());
        let next = tokio::select! {
            biased;
            next = events.next(endpoint) => next,
            () = sleep_until(wake.unwrap_or_else(now).into()), if wake.is_some() => {
                let due = owed.map(|owed| owed.lock().on_time(now()));
                for inbound in due.into_iter().flatten() {
                    if tx.send(inbound).await.is_err() {
                        return false;
                    }
                }
                continue;
            }
        };
        let (frames, mut credit) = match next {
            Ok(Some(data)) if !data.is_message() => continue,
            Ok(Some(data)) => (Resync::frames(data.text, endpoint.limits()), data.credit),
            Ok(None) => return true,
            Err(Broken::TooLarge(why)) => {
                let bad = match owed {
                    Some(owed) => owed.lock().bad(why, now()),
                    None => Some(Inbound::Bad(why)),
                };
                if let Some(bad) = bad
                    && tx.send(bad).await.is_err()
                {
                    return false;
                }
                continue;
            }
            Err(Broken::Lost(why)) => {
                tracing::debug!("a stream broke: {why}");
                return true;
            }
        };
        for frame in frames {
            let heard = match owed {
                Some(owed) => owed.lock().heard(frame, now()),
                None => inbound(frame),
            };
            let Some(mut inbound) = heard else { continue };
            if let Inbound::Message(envelope) = &mut inbound {
                envelope.credit = std::mem::take(&mut credit);
            }
            if tx.send(inbound).await.is_err() {
                return false;
            }
        }
    }
}
