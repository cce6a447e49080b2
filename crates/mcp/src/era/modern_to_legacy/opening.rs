//! The handshake with a legacy server, and other requests of our own.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use linkspan_wire::{Id, Kind, Message, RpcError, quote};

use super::ModernToLegacy;
use crate::era::claims::Claims;
use crate::era::discovery::{Evidence, Server, weigh};
use crate::era::{Step, ids, question};
use crate::level::Level;
use crate::method::names;

/// How long a server may take to shake hands; `npx` may have to fetch it first.
const HANDSHAKE: Duration = Duration::from_secs(60);
/// How long a server may take to answer the ping before it gets requests.
const SETTLING: Duration = Duration::from_secs(1);
/// Limit of requests that wait for it.
const MAX_WAITING: usize = 1024;

pub(super) enum Phase {
    /// The server has not been sent anything.
    Fresh,
    /// Requests wait for the handshake.
    Opening {
        waiting: Vec<Message>,
        until: Instant,
    },
    /// Requests wait for the answer to the ping after `initialized`: a server may handle messages concurrently, so a
    /// question of a call could otherwise arrive before that answer and be taken for one of its start.
    Settling {
        waiting: Vec<Message>,
        until: Instant,
        /// It has asked a question, and gets time to process the answer.
        asked: bool,
    },
    Ready,
}

impl Phase {
    pub(super) fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Opening { until, .. } | Self::Settling { until, .. } => Some(*until),
            _ => None,
        }
    }
}

/// A request of our own, by the purpose of its answer.
pub(super) enum OwnRequest {
    Initialize,
    /// A ping: the server has asked its questions of the start before it answers this.
    Settle,
    /// The log level; these requests wait for it.
    Level(Vec<Message>),
    /// A subscription; the listeners of this resource are notified.
    Subscribe {
        uri: String,
    },
    Nothing,
}

impl ModernToLegacy {
    /// Whether a request of this method cannot go to the server yet.
    pub(super) fn must_wait(&self, method: &str) -> bool {
        match self.phase {
            Phase::Fresh | Phase::Opening { .. } => true,
            // The capabilities of a server may depend on its roots. Without roots, lists may be requested already,
            // because no question belongs to them.
            Phase::Settling { .. } => self.roots.are_declared() || question::may_ask(method),
            Phase::Ready => false,
        }
    }

    /// Begins the handshake, or queues the request until it is done.
    pub(super) fn open(&mut self, msg: Message, claims: &Claims, now: Instant) -> Vec<Step> {
        if let Phase::Opening { waiting, .. } | Phase::Settling { waiting, .. } = &mut self.phase {
            if waiting.len() < MAX_WAITING {
                waiting.push(msg);
                return Vec::new();
            }
            let error = RpcError::server("too many requests wait for the server to start");
            let id = msg.id().unwrap_or_else(Id::null);
            return vec![Step::refuse(&id, &error)];
        }
        self.phase = Phase::Opening {
            waiting: vec![msg],
            until: now + HANDSHAKE,
        };
        if self
            .own_requests
            .values()
            .any(|e| matches!(e, OwnRequest::Initialize))
        {
            // The server is slow, and must not get a second `initialize`.
            return Vec::new();
        }
        let capabilities = self.options.capabilities.as_deref();
        self.roots
            .declare(capabilities.unwrap_or(&claims.capabilities));
        let params = claims.initialize(capabilities);
        vec![self.own_request(OwnRequest::Initialize, names::INITIALIZE, &params)]
    }

    pub(super) fn own_request(&mut self, request: OwnRequest, method: &str, params: &str) -> Step {
        let number = self.next();
        self.own_requests.insert(number, request);
        let id = ids::request(number);
        Step::Back(Message::request(&id, method, Some(params)))
    }

    /// The log level to set before a request; `None` if the server logs enough.
    pub(super) fn level_for(&mut self, claims: &Claims) -> Option<Level> {
        self.has_default_level |= claims.is_legacy && claims.level.is_none();
        let wanted = match claims.level {
            Some(level) if self.has_default_level => level.min(Level::DEFAULT),
            Some(level) => level,
            // The server's own default is enough, as long as no other level was set.
            None if claims.is_legacy && self.level.is_some() => Level::DEFAULT,
            None => return None,
        };
        let is_new = self.level.is_none_or(|set| wanted < set);
        (is_new && self.server.can(&["logging"])).then_some(wanted)
    }

    /// Sets the log level, and sends the request after the answer.
    pub(super) fn set_level(&mut self, level: Level, msg: Message) -> Vec<Step> {
        self.level = Some(level);
        let params = format!(r#"{{"level":{}}}"#, quote(level.name()));
        vec![self.own_request(OwnRequest::Level(vec![msg]), names::SET_LEVEL, &params)]
    }

    /// A request of our own has been answered.
    pub(super) fn run(&mut self, request: OwnRequest, answer: &Message, now: Instant) -> Vec<Step> {
        match request {
            OwnRequest::Initialize if answer.kind() == Kind::Result => self.opened(answer, now),
            OwnRequest::Initialize => self.not_opened(answer),
            OwnRequest::Settle => {
                self.has_settled = true;
                match &self.phase {
                    Phase::Settling { asked: false, .. } => self.settled(now),
                    _ => Vec::new(),
                }
            }
            OwnRequest::Level(waiting) => self.go_on(waiting, now),
            OwnRequest::Subscribe { uri } => {
                let number = answer.id().as_ref().and_then(ids::request_number);
                self.subscription_answered(number, &uri, answer.kind() == Kind::Result)
            }
            OwnRequest::Nothing => Vec::new(),
        }
    }

    fn opened(&mut self, answer: &Message, now: Instant) -> Vec<Step> {
        if let Some(result) = answer.body() {
            self.server = Server::initialized(result);
        }
        let waiting = match std::mem::replace(&mut self.phase, Phase::Fresh) {
            Phase::Opening { waiting, .. } => waiting,
            _ => Vec::new(),
        };
        self.ready_at = Some(now);
        self.phase = Phase::Settling {
            waiting: Vec::new(),
            until: now + SETTLING,
            asked: false,
        };
        let mut steps = vec![Step::Back(Message::notification(names::INITIALIZED, None))];
        steps.push(self.own_request(OwnRequest::Settle, names::PING, "{}"));
        // Requests that still have to wait are queued again.
        steps.extend(self.go_on(waiting, now));
        steps
    }

    /// The server is ready: sends the queued requests.
    fn settled(&mut self, now: Instant) -> Vec<Step> {
        match std::mem::replace(&mut self.phase, Phase::Ready) {
            Phase::Settling { waiting, .. } => self.go_on(waiting, now),
            _ => Vec::new(),
        }
    }

    fn go_on(&mut self, waiting: Vec<Message>, now: Instant) -> Vec<Step> {
        waiting
            .into_iter()
            .flat_map(|msg| self.request(msg, now))
            .collect()
    }

    /// The server would not shake hands: every waiting request gets its error, and the next request
    /// tries again.
    fn not_opened(&mut self, answer: &Message) -> Vec<Step> {
        if answer.kind() == Kind::Error && weigh(answer) == Evidence::Modern {
            self.options.status.wrong.store(true, Ordering::Relaxed);
        }
        let Phase::Opening { waiting, .. } = std::mem::replace(&mut self.phase, Phase::Fresh)
        else {
            return Vec::new();
        };
        waiting
            .iter()
            .filter_map(|msg| {
                let id = msg.id()?;
                Some(Step::to_front(answer.clone().with_id(id.clone()), &id))
            })
            .collect()
    }

    pub(super) fn opening_late(&mut self, now: Instant) -> Vec<Step> {
        if self.phase.deadline().is_none_or(|until| now < until) {
            return Vec::new();
        }
        if matches!(self.phase, Phase::Settling { .. }) {
            return self.settled(now);
        }
        let error = RpcError::server(format!(
            "the server has not answered `initialize` within {} s",
            HANDSHAKE.as_secs()
        ))
        .with_data(r#"{"kind":"timeout","hint":"is it an MCP server? -v shows what it says"}"#);
        self.not_opened(&error.answer(&Id::null()))
    }
}
