//! Moves the events of a stream to the socket, and notices when the client has closed it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::conn::{Conn, Cut};
use crate::request::Request;
use crate::serve::Flow;
use crate::state::{Shared, State, StreamKey};

enum Step {
    Start,
    Write(usize, Arc<str>),
    Cut(Cut),
    Finish,
    Die,
    Yield,
}

/// Streams events from number `from` on (default: from the first one held).
pub(crate) fn pump(
    request: &Request,
    conn: &mut Conn,
    shared: &Shared,
    key: StreamKey,
    from: Option<usize>,
    headers: &[(&str, &str)],
) -> Flow {
    let owner = shared.with(|state| attach(state, key));
    let mut at =
        from.unwrap_or_else(|| shared.with(|state| state.streams.get(&key).map_or(0, |s| s.first)));
    // A client that reconnects has had its broken connection.
    let resumed = request.method == "GET" && from.is_some();
    let lead = if resumed {
        String::new()
    } else {
        prime(shared, key)
    };
    // A POST without an event gets no head either, so that a tool may die before it.
    let mut head = Some(lead);
    let mut at_once = request.method == "GET" || shared.config.event_ids;
    loop {
        let step = if std::mem::take(&mut at_once) {
            Some(Step::Start)
        } else {
            shared.until(|| conn.gone(), |state| step(state, key, owner, at, resumed))
        };
        if !matches!(step, None | Some(Step::Die))
            && let Some(lead) = head.take()
            && conn
                .start_sse(headers)
                .and_then(|()| conn.chunk(&lead))
                .is_err()
        {
            return leave(request, shared, key, owner);
        }
        let written = match step {
            Some(Step::Start) => Ok(()),
            Some(Step::Write(number, text)) => {
                at = number + 1;
                let id = shared.config.event_ids.then(|| event_id(key, number));
                conn.chunk(&frame(id.as_deref(), &text))
            }
            Some(Step::Cut(how)) => {
                conn.cut(how);
                if how == Cut::Half {
                    conn.wait_until_gone();
                }
                return detach(
                    shared,
                    key,
                    owner,
                    if how == Cut::End {
                        Flow::Done
                    } else {
                        Flow::Close
                    },
                );
            }
            Some(Step::Finish) => return detach(shared, key, owner, Flow::written(conn.end())),
            Some(Step::Yield) => return Flow::written(conn.end()),
            Some(Step::Die) => return detach(shared, key, owner, Flow::Close),
            None => return leave(request, shared, key, owner),
        };
        if written.is_err() {
            return leave(request, shared, key, owner);
        }
    }
}

/// The stream and the number of the next event that a `Last-Event-ID` asks for.
pub(crate) fn resume_point(last: &str) -> Option<(StreamKey, usize)> {
    let (key, number) = last.split_once('-')?;
    Some((key.parse().ok()?, number.parse().ok()?))
}

/// One event as SSE.
pub(crate) fn frame(id: Option<&str>, text: &str) -> String {
    match (id, text.strip_prefix("event: ")) {
        (Some(id), None) => format!("id: {id}\nevent: message\ndata: {text}\n\n"),
        (None, None) => format!("event: message\ndata: {text}\n\n"),
        (_, Some(_)) => text.to_owned(),
    }
}

/// Names the event after which the next one follows, so that the empty first event is number 0.
fn event_id(key: StreamKey, number: usize) -> String {
    format!("{key}-{}", number + 1)
}

fn prime(shared: &Shared, key: StreamKey) -> String {
    let retry = shared
        .config
        .retry
        .map(|ms| format!("retry: {ms}\n"))
        .unwrap_or_default();
    if shared.config.event_ids {
        format!("id: {key}-0\n{retry}data: \n\n")
    } else if retry.is_empty() {
        String::new()
    } else {
        format!("{retry}\n")
    }
}

fn step(state: &mut State, key: StreamKey, owner: usize, at: usize, resumed: bool) -> Option<Step> {
    let Some(stream) = state.streams.get_mut(&key) else {
        return Some(Step::Finish);
    };
    if stream.owner != owner {
        return Some(Step::Yield);
    }
    if stream.dead {
        return Some(Step::Die);
    }
    if let Some((number, how)) = stream.cut
        && number <= at
        && !resumed
    {
        return Some(Step::Cut(how));
    }
    let Some(text) = stream.events.get(at.wrapping_sub(stream.first)).cloned() else {
        return stream.done.then_some(Step::Finish);
    };
    if !stream.keep {
        stream.events.pop_front();
        stream.first += 1;
    }
    state.sent += 1;
    Some(Step::Write(at, text))
}

fn attach(state: &mut State, key: StreamKey) -> usize {
    let owner = state.number();
    if let Some(stream) = state.streams.get_mut(&key) {
        stream.owner = owner;
        stream.attached = true;
    }
    owner
}

fn detach(shared: &Shared, key: StreamKey, owner: usize, flow: Flow) -> Flow {
    shared.with(|state| {
        if let Some(stream) = state
            .streams
            .get_mut(&key)
            .filter(|stream| stream.owner == owner)
        {
            stream.attached = false;
        }
    });
    flow
}

fn leave(request: &Request, shared: &Shared, key: StreamKey, owner: usize) -> Flow {
    shared.with(|_| request.left.store(true, Ordering::SeqCst));
    detach(shared, key, owner, Flow::Close)
}
