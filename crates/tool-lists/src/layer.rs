//! The layer of one session: shortens lists of tools, answers calls of its own tools, and checks the arguments of calls
//! of tools whose definitions were shortened.
//!
//! It speaks the client's era, and needs no state to be correct: a call of a tool that it does not know passes, and a
//! call of a tool of its own fetches the list first.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use linkspan_gateway::{ListKind, ServerList};
use linkspan_mcp::{CLIENT_INFO, Era, era_of, names, tool_text};
use linkspan_session::{Envelope, Layer, Verdict, Way};
use linkspan_wire::{Id, IdKey, Json, Kind, Message, Object};
use parking_lot::Mutex;
use tokio::task::spawn_blocking;

use crate::clients::defers;
use crate::factory::Shared;
use crate::level::Level;
use crate::list::{ToolList, edited};
use crate::options::Choice;
use crate::own::{OwnTool, answer};
use crate::pages::{Joined, Pages};

mod calls;

/// Requests whose answers are looked at, and lists that are read at once. Further lists are shortened page by page.
const MOST_OPEN: usize = 1024;
const MOST_READING: usize = 8;

pub(crate) struct ToolListLayer {
    shared: Arc<Shared>,
    /// The client's name from its handshake; without a handshake each request carries it.
    client: Option<String>,
    known: Arc<Mutex<Known>>,
    open: HashMap<IdKey, Open>,
}

/// The server's list of tools, if it is known.
#[derive(Default)]
pub(crate) struct Known {
    list: Option<Arc<ToolList>>,
    /// How often it has changed.
    generation: u64,
}

/// Requests to the server whose answers are looked at.
enum Open {
    /// One page of a list that is too long to be read as a whole.
    Page,
    /// A list for the client with this name.
    List(Box<Pages>, Option<String>),
    /// A list for a call of what may be a tool of ours.
    Own(Box<Pages>, Option<String>),
}

impl ToolListLayer {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            client: None,
            known: Arc::default(),
            open: HashMap::new(),
        }
    }

    fn request(&mut self, envelope: Envelope) -> Verdict {
        let Some(id) = envelope.msg.id() else {
            return Verdict::Pass(envelope);
        };
        let params = envelope.msg.params();
        match &*envelope.msg.method() {
            names::INITIALIZE => {
                self.client = name_in(params.and_then(|it| it.get("clientInfo")));
                Verdict::Pass(envelope)
            }
            names::TOOLS_LIST => {
                let client = self.client_of(&envelope.msg);
                if self.gets_everything(client.as_deref()) || self.open.len() >= MOST_OPEN {
                    return Verdict::Pass(envelope);
                }
                let is_first = params.and_then(|it| it.get("cursor")).is_none();
                let open = if is_first && self.may_read() {
                    Open::List(Box::new(self.pages(&envelope.msg)), client)
                } else {
                    Open::Page
                };
                self.open.insert(id.key(), open);
                Verdict::Pass(envelope)
            }
            names::TOOLS_CALL => self.call(envelope, &id),
            _ => Verdict::Pass(envelope),
        }
    }

    /// The client that sent a request. Several clients may share a session, so the name in the request has priority.
    fn client_of(&self, request: &Message) -> Option<String> {
        let meta = request
            .params()
            .and_then(|it| it.path(&["_meta", CLIENT_INFO]));
        name_in(meta).or_else(|| self.client.clone())
    }

    /// Whether a client gets the server's list whatever is in it.
    fn gets_everything(&self, client: Option<&str>) -> bool {
        let options = &self.shared.options;
        let is_deferring = options.choice == Choice::Auto && defers(client, 1);
        is_deferring && !options.drop_output_schema
    }

    fn may_read(&self) -> bool {
        let reading = self
            .open
            .values()
            .filter(|open| !matches!(open, Open::Page));
        reading.count() < MOST_READING
    }

    fn pages(&self, request: &Message) -> Pages {
        Pages::new(request.clone(), self.known.lock().generation)
    }

    /// The answer to a request for a list.
    fn answered(&mut self, envelope: Envelope) -> Verdict {
        let Some(id) = envelope.msg.id() else {
            return Verdict::Pass(envelope);
        };
        let open = self.open.remove(&id.key());
        if envelope.msg.kind() != Kind::Result {
            return Verdict::Pass(envelope);
        }
        match open {
            None => Verdict::Pass(envelope),
            Some(Open::Page) => self.page(envelope),
            Some(Open::List(mut pages, client)) => match pages.add(&envelope.msg) {
                Ok(Some(cursor)) => {
                    let next = pages.ask(&id, Some(&cursor));
                    self.open.insert(id.key(), Open::List(pages, client));
                    Verdict::Back(Envelope::new(next))
                }
                Ok(None) => self.listed(*pages, client, envelope),
                Err(why) => {
                    tracing::info!("the list of tools is passed on page by page: {why}");
                    self.open.insert(id.key(), Open::Page);
                    Verdict::Back(Envelope::new(pages.request))
                }
            },
            Some(Open::Own(mut pages, client)) => match pages.add(&envelope.msg) {
                Ok(Some(cursor)) => {
                    let next = pages.ask(&id, Some(&cursor));
                    self.open.insert(id.key(), Open::Own(pages, client));
                    Verdict::Back(Envelope::new(next))
                }
                Ok(None) => self.fetched(*pages, client, &id),
                // No client has seen a tool of ours beside such a list.
                Err(_) => Verdict::Back(Envelope::new(pages.request)),
            },
        }
    }

    /// One page of a list that is not read as a whole.
    fn page(&self, envelope: Envelope) -> Verdict {
        let options = self.shared.options;
        let level = match options.choice {
            Choice::Full => Level::Full,
            Choice::Brief => Level::Brief,
            Choice::Thin | Choice::Auto | Choice::Search => Level::Thin,
        };
        let message = envelope.msg.clone();
        let shorten = move || {
            let tools = message.body()?.get("tools")?;
            let each = tools.elements().map(|tool| {
                let edited = edited(tool, level, options.drop_output_schema);
                edited.unwrap_or_else(|| tool.text().to_owned())
            });
            let each: Vec<String> = each.collect();
            Some(message.with_value(tools, &format!("[{}]", each.join(","))))
        };
        detour(envelope, shorten)
    }

    /// The whole list has arrived.
    fn listed(&self, pages: Pages, client: Option<String>, envelope: Envelope) -> Verdict {
        let remember = self.remember(&pages);
        let shorten = move || {
            let (list, joined) = pages.finish();
            let list = remember(list);
            shown(&list, client.as_deref(), &joined)
        };
        detour(envelope, shorten)
    }

    /// Keeps a list, unless it has changed since it was asked for.
    fn remember(&self, pages: &Pages) -> impl FnOnce(ServerList) -> Arc<ToolList> + Send + use<> {
        let (shared, known) = (self.shared.clone(), self.known.clone());
        let generation = pages.generation;
        move |list| {
            let (list, is_kept) = shared.list(list);
            let mut known = known.lock();
            if is_kept && known.generation == generation {
                known.list = Some(list.clone());
            }
            list
        }
    }

    /// The server's list has changed.
    fn changed(&self) {
        let mut known = self.known.lock();
        known.generation += 1;
        known.list = None;
    }
}

/// The answer that a client gets.
fn shown(list: &ToolList, client: Option<&str>, joined: &Joined) -> Option<Message> {
    let own = list.tools().map(Json::text).collect();
    joined.with(list.shown(client), &own)
}

/// Replaces the message of an envelope by what `work` makes of it on a blocking thread.
fn detour(
    mut envelope: Envelope,
    work: impl FnOnce() -> Option<Message> + Send + 'static,
) -> Verdict {
    Verdict::Detour(Box::pin(async move {
        let done = spawn_blocking(work).await;
        envelope.msg = done.ok().flatten().unwrap_or(envelope.msg);
        envelope
    }))
}

/// The name of a client.
fn name_in(info: Option<Json<'_>>) -> Option<String> {
    Some(info?.get("name")?.as_str()?.into_owned())
}

/// The name of the tool that a request calls.
fn name_of(request: &Message) -> Option<String> {
    Some(request.params()?.get("name")?.as_str()?.into_owned())
}

/// A result of a tool for a client of this era.
fn result(id: &Id, era: Era, (text, is_error): (String, bool)) -> Message {
    let result = tool_text(&text, is_error);
    match era {
        Era::Legacy => Message::result(id, &result),
        Era::Modern => {
            let result = Object::of(Json::parse(&result).ok());
            Message::result(id, &result.with("resultType", r#""complete""#).text())
        }
    }
}

impl Layer for ToolListLayer {
    fn on(&mut self, way: Way, envelope: Envelope, _: Instant) -> Verdict {
        let msg = &envelope.msg;
        match (way, msg.kind()) {
            (Way::ToBack, Kind::Request) => self.request(envelope),
            (Way::ToBack, Kind::Notification) if msg.method() == names::CANCELLED => {
                let params = msg.params();
                let id = params.and_then(|it| Id::parse(it.get("requestId")?));
                id.map(|id| self.open.remove(&id.key()));
                Verdict::Pass(envelope)
            }
            (Way::ToFront, Kind::Result | Kind::Error) => self.answered(envelope),
            (Way::ToFront, Kind::Notification) if msg.method() == ListKind::Tools.changed() => {
                self.changed();
                Verdict::Pass(envelope)
            }
            _ => Verdict::Pass(envelope),
        }
    }
}

#[cfg(test)]
mod tests;
