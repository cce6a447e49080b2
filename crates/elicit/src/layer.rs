//! The layer of one session: questions of the server become questions to the user.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use linkspan_mcp::era::may_ask;
use linkspan_mcp::{SERVER_INFO, names};
use linkspan_session::{Envelope, Layer, Verdict, Way};
use linkspan_wire::{Id, IdKey, Json, Kind, Message, Object, RpcError};
use tokio::sync::oneshot;

use crate::asker::{Question, Questions};
use crate::capability::{ELICIT, Lacks, amended};
use crate::form::cut;

/// Requests whose answers are looked at, and questions that wait at once.
const MOST_OPEN: usize = 4096;
/// Bytes of the requests whose answers are looked at.
const MOST_BYTES: usize = 64 << 20;
const MOST_ASKED: usize = 64;
/// How often a server may ask in the course of one request.
const MAX_ROUNDS: u32 = 16;
/// The longest name of a server that is shown, in bytes.
const LONGEST_NAME: usize = 200;

pub(crate) struct ElicitLayer {
    questions: Arc<Questions>,
    /// What the client of a handshake lacks.
    lacks: Lacks,
    server: Option<String>,
    /// Requests whose answers are looked at.
    open: HashMap<IdKey, Open>,
    /// Dropped when a question of the server (to the front), or the request that waits for it, is cancelled.
    asked: HashMap<(Way, IdKey), oneshot::Sender<()>>,
}

enum Open {
    /// The answer names the server.
    Hello,
    /// A request of the modern era, as the server got it first.
    Call {
        request: Message,
        lacks: Lacks,
        rounds: u32,
    },
}

impl Open {
    fn len(&self) -> usize {
        match self {
            Self::Hello => 0,
            Self::Call { request, .. } => request.len(),
        }
    }
}

impl ElicitLayer {
    pub(crate) fn new(questions: Arc<Questions>) -> Self {
        Self {
            questions,
            lacks: Lacks::default(),
            server: None,
            open: HashMap::new(),
            asked: HashMap::new(),
        }
    }

    fn request(&mut self, mut envelope: Envelope) -> Verdict {
        if !self.has_room(&envelope.msg) {
            // Nothing is declared that could not be kept.
            return Verdict::Pass(envelope);
        }
        let method = envelope.msg.method().into_owned();
        let amended = amended(&envelope.msg);
        if let Some((seen, _)) = &amended {
            envelope.msg = seen.clone();
        }
        let open = match (&*method, amended) {
            (names::INITIALIZE, amended) => {
                self.lacks = amended.map(|(_, lacks)| lacks).unwrap_or_default();
                Some(Open::Hello)
            }
            (names::DISCOVER, _) => Some(Open::Hello),
            (method, Some((request, lacks))) if may_ask(method) => Some(Open::Call {
                request,
                lacks,
                rounds: 0,
            }),
            _ => None,
        };
        if let (Some(open), Some(id)) = (open, envelope.msg.id()) {
            self.open.insert(id.key(), open);
        }
        Verdict::Pass(envelope)
    }

    /// Whether the answer to one more request can be looked at. Only a hostile client has so many open.
    fn has_room(&self, request: &Message) -> bool {
        let bytes = self.open.values().map(Open::len);
        let bytes = bytes.fold(request.len(), usize::saturating_add);
        self.open.len() < MOST_OPEN && bytes <= MOST_BYTES
    }

    /// A question of a server of the handshake era.
    fn question(&mut self, envelope: Envelope) -> Verdict {
        let params = envelope.msg.params();
        let Some(id) = envelope.msg.id().filter(|_| self.lacks.takes(params)) else {
            return Verdict::Pass(envelope);
        };
        let Some(gone) = self.ask_under(Way::ToFront, &id) else {
            let error = RpcError::server("too many questions at once");
            return Verdict::Back(Envelope::new(error.answer(&id)));
        };
        let (questions, question) = (self.questions.clone(), self.of(params));
        Verdict::BackLater(Box::pin(async move {
            let result = questions.ask(question, gone).await;
            Envelope::new(Message::result(&id, &result))
        }))
    }

    fn of(&self, params: Option<Json<'_>>) -> Question {
        Question {
            server: self.server.clone(),
            params: params.map_or("{}", Json::text).to_owned(),
        }
    }

    /// Notes a question; resolves when it is cancelled. `None` if too many are open.
    fn ask_under(&mut self, way: Way, id: &Id) -> Option<oneshot::Receiver<()>> {
        self.asked.retain(|_, asked| !asked.is_closed());
        if self.asked.len() >= MOST_ASKED {
            return None;
        }
        let (sender, gone) = oneshot::channel();
        self.asked.insert((way, id.key()), sender);
        Some(gone)
    }

    fn answered(&mut self, envelope: Envelope) -> Verdict {
        let Some(id) = envelope.msg.id() else {
            return Verdict::Pass(envelope);
        };
        match self.open.remove(&id.key()) {
            Some(Open::Hello) => {
                self.server = name_in(&envelope.msg).or(self.server.take());
                Verdict::Pass(envelope)
            }
            Some(Open::Call {
                request,
                lacks,
                rounds,
            }) => self.called(envelope, id, (request, lacks, rounds)),
            None => Verdict::Pass(envelope),
        }
    }

    /// The answer to a request of the modern era, which may ask for input.
    fn called(
        &mut self,
        envelope: Envelope,
        id: Id,
        (request, lacks, rounds): (Message, Lacks, u32),
    ) -> Verdict {
        let Some(asked) = input_requests(&envelope.msg) else {
            return Verdict::Pass(envelope);
        };
        let ours = asked
            .iter()
            .filter(|(_, method, params)| method == ELICIT && lacks.takes(*params));
        let ours = ours.count();
        if ours == 0 {
            return Verdict::Pass(envelope);
        }
        let refuse = |why: String| {
            let answer = Envelope::new(RpcError::server(why).answer(&id));
            Verdict::Pass(Envelope {
                about: envelope.about.clone(),
                ..answer
            })
        };
        if ours < asked.len() {
            return refuse(
                "the server asks for elicitation and other input at once, and the client has no elicitation"
                    .to_owned(),
            );
        }
        if rounds >= MAX_ROUNDS {
            return refuse(format!("the server has asked {MAX_ROUNDS} times"));
        }
        let Some(gone) = self.ask_under(Way::ToBack, &id) else {
            return refuse("too many questions at once".to_owned());
        };
        let asked: Vec<(String, Question)> = asked
            .iter()
            .map(|(key, _, params)| (key.clone(), self.of(*params)))
            .collect();
        let state = envelope
            .msg
            .body()
            .and_then(|body| body.get("requestState"));
        let state = state.map(|state| state.text().to_owned());
        let open = Open::Call {
            request: request.clone(),
            lacks,
            rounds: rounds + 1,
        };
        self.open.insert(id.key(), open);
        let questions = self.questions.clone();
        Verdict::BackLater(Box::pin(async move {
            let next = again(&questions, &request, asked, state, gone).await;
            // Its client has cancelled the request, which the server does not know any more.
            Envelope::new(next.unwrap_or_else(|| cancelled(&id)))
        }))
    }

    /// A cancellation of the client's request, or of the server's question.
    fn cancelled(&mut self, way: Way, envelope: Envelope) -> Verdict {
        let params = envelope.msg.params();
        let Some(id) = params.and_then(|params| Id::parse(params.get("requestId")?)) else {
            return Verdict::Pass(envelope);
        };
        if way == Way::ToBack {
            self.open.remove(&id.key());
        }
        match (self.asked.remove(&(way, id.key())), way) {
            (Some(_), Way::ToFront) => Verdict::Drop,
            _ => Verdict::Pass(envelope),
        }
    }
}

/// Asks the user, and repeats the request with the answers; `None` if it was cancelled meanwhile.
async fn again(
    questions: &Questions,
    request: &Message,
    asked: Vec<(String, Question)>,
    state: Option<String>,
    gone: oneshot::Receiver<()>,
) -> Option<Message> {
    let mut gone = gone;
    let mut responses = Object::empty();
    for (key, question) in asked {
        let (alive, stops) = oneshot::channel();
        let result = tokio::select! {
            result = questions.ask(question, stops) => result,
            _ = &mut gone => return None,
        };
        drop(alive);
        responses = responses.with(&key, &result);
    }
    let params = Object::of(request.params()).without(&["inputResponses", "requestState"]);
    let params = params
        .with("inputResponses", &responses.text())
        .with_some("requestState", state.as_deref());
    let id = request.id()?;
    Some(Message::request(
        &id,
        &request.method(),
        Some(&params.text()),
    ))
}

/// The key, method and parameters of each question in a result that asks for input.
fn input_requests(answer: &Message) -> Option<Vec<(String, String, Option<Json<'_>>)>> {
    let result = answer.body().filter(|_| answer.kind() == Kind::Result)?;
    let kind = result.get("resultType")?.as_str()?;
    let requests = result.get("inputRequests")?;
    let asked = requests.members().map(|(key, request)| {
        let method = request.get("method").and_then(Json::as_str);
        let method = method.unwrap_or_default().into_owned();
        (key.into_owned(), method, request.get("params"))
    });
    (kind == "input_required").then(|| asked.collect())
}

fn cancelled(id: &Id) -> Message {
    let params = format!(r#"{{"requestId":{id}}}"#);
    Message::notification(names::CANCELLED, Some(&params))
}

/// The name of the server in its answer to the handshake.
fn name_in(answer: &Message) -> Option<String> {
    let body = answer.body()?;
    let info = body
        .get("serverInfo")
        .or(body.path(&["_meta", SERVER_INFO]))?;
    let name = info.get("title").or(info.get("name"))?.as_str()?;
    (name.len() <= LONGEST_NAME).then(|| cut(&name))
}

impl Layer for ElicitLayer {
    fn on(&mut self, way: Way, envelope: Envelope, _: Instant) -> Verdict {
        match (way, envelope.msg.kind()) {
            (Way::ToBack, Kind::Request) => self.request(envelope),
            (Way::ToFront, Kind::Request) if envelope.msg.method() == ELICIT => {
                self.question(envelope)
            }
            (Way::ToFront, Kind::Result | Kind::Error) => self.answered(envelope),
            (way, Kind::Notification) if envelope.msg.method() == names::CANCELLED => {
                self.cancelled(way, envelope)
            }
            _ => Verdict::Pass(envelope),
        }
    }
}
