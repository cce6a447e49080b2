//! The layer: handles calls and lists of tools; everything else passes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use linkspan_mcp::{CLIENT_INFO, era_of, names};
use linkspan_ports::Principal;
use linkspan_session::{Envelope, Later, Layer, Verdict, Way};
use linkspan_shrink::Stop;
use linkspan_wire::{Id, IdKey, Json, Kind, Message};
use parking_lot::Mutex;
use tokio::time::timeout;

use crate::originals::Originals;
use crate::repeats::Repeats;
use crate::shared::{Caller, Shared};

/// How many pending requests are remembered; well-behaved clients have far fewer.
const MOST_PENDING: usize = 4096;

/// How long a call of a tool of the layer waits for a free slot.
const LONGEST_QUEUE: Duration = Duration::from_secs(60);
const BUSY: &str = "too many concurrent calls of this tool: try again later";

/// Requests whose responses we rewrite or read.
enum Pending {
    Call(String, Caller),
    /// A page of the list of tools.
    List(Caller),
    /// `initialize` or `server/discover`: names the server.
    Hello,
}

/// The layer of one session.
pub(crate) struct ShrinkLayer {
    shared: Arc<Shared>,
    pending: HashMap<IdKey, Pending>,
    /// The client's name from its handshake; without a handshake each request carries it.
    client: Option<String>,
    /// Texts already sent in this session; `None` if several clients share the session.
    repeats: Option<Arc<Mutex<Repeats>>>,
    /// The originals of the session's principal.
    originals: Originals,
}

impl ShrinkLayer {
    /// `one_client`: the session has one client, which gets every answer.
    pub(crate) fn new(shared: Arc<Shared>, one_client: bool, principal: &Principal) -> Self {
        let repeats = shared.options.dedup && one_client;
        Self {
            originals: shared.originals(principal),
            shared,
            pending: HashMap::new(),
            client: None,
            repeats: repeats.then(Arc::default),
        }
    }

    fn request(&mut self, envelope: Envelope) -> Verdict {
        let (Some(id), params) = (envelope.msg.id(), envelope.msg.params()) else {
            return Verdict::Pass(envelope);
        };
        let pending = match &*envelope.msg.method() {
            names::TOOLS_CALL => {
                let name = params.and_then(|p| p.get("name")?.as_str());
                let Some(name) = name else {
                    return Verdict::Pass(envelope);
                };
                if let Some(local) = self.shared.local(&name) {
                    let arguments = params.and_then(|p| p.get("arguments"));
                    let arguments = arguments.map_or("{}", Json::text).to_owned();
                    return Verdict::BackLater(self.answer(local, arguments, &envelope.msg, id));
                }
                self.shared.warm_up();
                Pending::Call(name.into_owned(), self.caller(params))
            }
            names::TASKS_RESULT => Pending::Call("(task)".to_owned(), self.caller(params)),
            names::TOOLS_LIST => Pending::List(self.caller(params)),
            names::INITIALIZE => {
                self.client = name_in(params.and_then(|p| p.get("clientInfo")));
                Pending::Hello
            }
            names::DISCOVER => Pending::Hello,
            _ => return Verdict::Pass(envelope),
        };
        if self.pending.len() >= MOST_PENDING {
            // Only a hostile client gets here; its results pass unchanged.
            self.pending.clear();
        }
        self.pending.insert(id.key(), pending);
        Verdict::Pass(envelope)
    }

    /// The client that sent a request. Several clients may share a session, so the name in the request has priority.
    fn caller(&self, params: Option<Json<'_>>) -> Caller {
        let own = name_in(params.and_then(|p| p.path(&["_meta", CLIENT_INFO])));
        Caller {
            client: own.or_else(|| self.client.clone()),
        }
    }

    /// Calls a tool of the layer on a blocking thread.
    fn answer(&self, local: &'static str, arguments: String, call: &Message, id: Id) -> Later {
        let (shared, era) = (self.shared.clone(), era_of(call));
        let originals = self.originals.clone();
        Box::pin(async move {
            let slot = timeout(LONGEST_QUEUE, shared.local_slots.clone().acquire_owned());
            let Ok(Ok(slot)) = slot.await else {
                let busy = linkspan_mcp::tool_text(BUSY, true);
                return Envelope::new(Message::result(&id, &busy));
            };
            let work = tokio::task::spawn_blocking(move || {
                let _slot = slot;
                let json = Json::parse(&arguments).or_else(|_| Json::parse("{}"));
                json.map_or_else(
                    |_| String::new(),
                    |json| shared.locals.call(local, json, era, &originals),
                )
            });
            let result = match work.await {
                Ok(result) => result,
                Err(_) => linkspan_mcp::tool_text("internal error in linkspan", true),
            };
            Envelope::new(Message::result(&id, &result))
        })
    }

    fn answered(&mut self, envelope: Envelope) -> Verdict {
        let pending = envelope
            .msg
            .id()
            .and_then(|id| self.pending.remove(&id.key()));
        let is_result = envelope.msg.kind() == Kind::Result;
        match pending.filter(|_| is_result) {
            None => Verdict::Pass(envelope),
            Some(Pending::Hello) => {
                self.shared.learn_server(&envelope.msg);
                Verdict::Pass(envelope)
            }
            Some(Pending::List(caller)) => self.list(&caller, envelope),
            Some(Pending::Call(tool, _)) if !self.shared.is_eligible(&tool, &envelope.msg) => {
                Verdict::Pass(envelope)
            }
            Some(Pending::Call(tool, caller)) => {
                Verdict::Detour(self.shorten(tool, caller, envelope))
            }
        }
    }

    /// A page of the list of tools.
    fn list(&self, caller: &Caller, mut envelope: Envelope) -> Verdict {
        let edited = self.shared.list(&envelope.msg, caller);
        envelope.msg = edited.unwrap_or(envelope.msg);
        Verdict::Pass(envelope)
    }

    /// Shortens a result on a blocking thread, within the time box.
    fn shorten(&self, tool: String, caller: Caller, mut envelope: Envelope) -> Later {
        let (shared, repeats) = (self.shared.clone(), self.repeats.clone());
        let (message, originals) = (envelope.msg.clone(), self.originals.clone());
        Box::pin(async move {
            let stop = Stop::default();
            let (limit, given_up) = (shared.options.time_box, stop.clone());
            let work = async move {
                // Bounds the memory that many large results take at once.
                let slot = shared.slots.clone().acquire_owned().await;
                let work = tokio::task::spawn_blocking(move || {
                    let _slot = slot;
                    let mut repeats = repeats.as_deref().map(Mutex::lock);
                    let repeats = repeats.as_deref_mut();
                    shared.shorten(&message, &tool, &caller, &originals, repeats, &stop)
                });
                work.await.ok().flatten()
            };
            match timeout(limit, work).await {
                Ok(Some(shorter)) => envelope.msg = shorter,
                Ok(None) => {}
                Err(_) => {
                    given_up.set();
                    tracing::info!(
                        "shortening a result took longer than {limit:?}; it passes unchanged"
                    );
                }
            }
            envelope
        })
    }
}

/// The name of a client.
fn name_in(info: Option<Json<'_>>) -> Option<String> {
    Some(info?.get("name")?.as_str()?.into_owned())
}

impl Layer for ShrinkLayer {
    fn on(&mut self, way: Way, envelope: Envelope, _: Instant) -> Verdict {
        match (way, envelope.msg.kind()) {
            (Way::ToBack, Kind::Request) => self.request(envelope),
            (Way::ToFront, Kind::Result | Kind::Error) => self.answered(envelope),
            _ => Verdict::Pass(envelope),
        }
    }
}

#[cfg(test)]
#[path = "layer_tests.rs"]
mod tests;
