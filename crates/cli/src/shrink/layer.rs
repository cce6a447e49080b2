//! The layer: looks at calls and lists of tools, and at nothing else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use linkspan_mcp::{CLIENT_INFO, era_of, names};
use linkspan_ports::Principal;
use linkspan_session::{Envelope, Later, Layer, Verdict, Way};
use linkspan_shrink::Stop;
use linkspan_wire::{Id, IdKey, Json, Kind, Message};
use tokio::time::timeout;

use super::kept::Originals;
use super::repeats::Repeats;
use super::shared::{Asker, Shared};

/// Requests that are remembered; a client has far fewer under way.
const MOST_ASKED: usize = 4096;

/// How long a call of one of our own tools waits for others to end.
const LONGEST_QUEUE: Duration = Duration::from_secs(60);
const BUSY: &str = "too many calls of this tool are under way: try again when they have ended";

/// Requests whose answers are looked at.
enum Asked {
    Call(String, Asker),
    /// A page of the list of tools.
    List(Asker),
    /// `initialize` or `server/discover`: says who the server is.
    Hello,
}

/// One session's view of what all of them share.
pub(crate) struct ShrinkLayer {
    shared: Arc<Shared>,
    asked: HashMap<IdKey, Asked>,
    /// What the client called itself when it shook hands. Without a handshake each request says it.
    client: Option<String>,
    /// What this session has seen; none if many clients share it.
    repeats: Option<Arc<Mutex<Repeats>>>,
    /// Those of the principal that this session belongs to.
    originals: Originals,
}

impl ShrinkLayer {
    /// `alone`: there is one client, and it sees everything that passes.
    pub(crate) fn new(shared: Arc<Shared>, alone: bool, principal: &Principal) -> Self {
        let repeats = shared.options.dedup && alone;
        Self {
            originals: shared.originals(principal),
            shared,
            asked: HashMap::new(),
            client: None,
            repeats: repeats.then(Arc::default),
        }
    }

    fn request(&mut self, envelope: Envelope) -> Verdict {
        let (Some(id), params) = (envelope.msg.id(), envelope.msg.params()) else {
            return Verdict::Pass(envelope);
        };
        let asked = match &*envelope.msg.method() {
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
                Asked::Call(name.into_owned(), self.asker(params))
            }
            names::TASKS_RESULT => Asked::Call("(task)".to_owned(), self.asker(params)),
            names::TOOLS_LIST => Asked::List(self.asker(params)),
            names::INITIALIZE => {
                self.client = name_in(params.and_then(|p| p.get("clientInfo")));
                Asked::Hello
            }
            names::DISCOVER => Asked::Hello,
            _ => return Verdict::Pass(envelope),
        };
        if self.asked.len() >= MOST_ASKED {
            // Only a peer that plays with us gets here; its results pass as they are.
            self.asked.clear();
        }
        self.asked.insert(id.key(), asked);
        Verdict::Pass(envelope)
    }

    /// Who asks: many clients may share a session, so that a request's own word counts.
    fn asker(&self, params: Option<Json<'_>>) -> Asker {
        let own = name_in(params.and_then(|p| p.path(&["_meta", CLIENT_INFO])));
        Asker {
            client: own.or_else(|| self.client.clone()),
        }
    }

    /// A tool of ours, called on a thread that may wait.
    fn answer(&self, local: &'static str, arguments: String, call: &Message, id: Id) -> Later {
        let (shared, era) = (self.shared.clone(), era_of(call));
        let originals = self.originals.clone();
        Box::pin(async move {
            let turn = timeout(LONGEST_QUEUE, shared.local_turns.clone().acquire_owned());
            let Ok(Ok(turn)) = turn.await else {
                let busy = linkspan_mcp::tool_text(BUSY, true);
                return Envelope::new(Message::result(&id, &busy));
            };
            let work = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                let json = Json::parse(&arguments).or_else(|_| Json::parse("{}"));
                json.map_or_else(
                    |_| String::new(),
                    |json| shared.locals.call(local, json, era, &originals),
                )
            });
            let result = match work.await {
                Ok(result) => result,
                Err(_) => linkspan_mcp::tool_text("this call has met a bug in linkspan", true),
            };
            Envelope::new(Message::result(&id, &result))
        })
    }

    fn answered(&mut self, envelope: Envelope) -> Verdict {
        let asked = envelope
            .msg
            .id()
            .and_then(|id| self.asked.remove(&id.key()));
        let is_result = envelope.msg.kind() == Kind::Result;
        match asked.filter(|_| is_result) {
            None => Verdict::Pass(envelope),
            Some(Asked::Hello) => {
                self.shared.learn_server(&envelope.msg);
                Verdict::Pass(envelope)
            }
            Some(Asked::List(asker)) => self.list(asker, envelope),
            Some(Asked::Call(tool, _)) if !self.shared.is_wanted(&tool, &envelope.msg) => {
                Verdict::Pass(envelope)
            }
            Some(Asked::Call(tool, asker)) => Verdict::Detour(self.shorten(tool, asker, envelope)),
        }
    }

    /// A page of the list of tools. Where its tokens are counted that takes a while, and then a thread.
    fn list(&self, asker: Asker, mut envelope: Envelope) -> Verdict {
        let (shared, message) = (self.shared.clone(), envelope.msg.clone());
        let edit = move || shared.list(&message, &asker);
        if !self.shared.options.slim {
            envelope.msg = edit().unwrap_or(envelope.msg);
            return Verdict::Pass(envelope);
        }
        Verdict::Detour(Box::pin(async move {
            let edited = tokio::task::spawn_blocking(edit).await;
            envelope.msg = edited.ok().flatten().unwrap_or(envelope.msg);
            envelope
        }))
    }

    /// The work on a thread of its own, and no longer than the user wants to wait.
    fn shorten(&self, tool: String, asker: Asker, mut envelope: Envelope) -> Later {
        let (shared, repeats) = (self.shared.clone(), self.repeats.clone());
        let (message, originals) = (envelope.msg.clone(), self.originals.clone());
        Box::pin(async move {
            let stop = Stop::default();
            let (limit, given_up) = (shared.options.time_box, stop.clone());
            let work = async move {
                // So that many large results at once take turns, and not all the memory.
                let turn = shared.turns.clone().acquire_owned().await;
                let work = tokio::task::spawn_blocking(move || {
                    let _turn = turn;
                    let mut repeats = repeats
                        .as_deref()
                        .map(|it| it.lock().unwrap_or_else(PoisonError::into_inner));
                    let repeats = repeats.as_deref_mut();
                    shared.shorten(&message, &tool, &asker, &originals, repeats, &stop)
                });
                work.await.ok().flatten()
            };
            match timeout(limit, work).await {
                Ok(Some(shorter)) => envelope.msg = shorter,
                Ok(None) => {}
                Err(_) => {
                    given_up.set();
                    tracing::info!("a result took longer than {limit:?} and passes as it is");
                }
            }
            envelope
        })
    }
}

/// What somebody calls itself.
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
