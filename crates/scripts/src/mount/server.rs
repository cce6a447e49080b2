//! The task that owns a mounted server.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use linkspan_local::Caller;
use linkspan_mcp::{Level, names};
use linkspan_wire::{
    Frame, Hop, Id, Json, Kind, Limits, Line, Lines, Message, Resync, RpcError, WireError,
};
use tokio::io::AsyncReadExt;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use super::MountContext;
use crate::folder::Tool;
use crate::os::pipe;
use crate::run::capture::Tail;
use crate::run::clock::Clock;
use crate::run::control::List;
use crate::run::guard::Guard;
use crate::run::observer::{ChangeEvents, News, Threshold};
use crate::run::outbox::Outbox;
use crate::worker::Pipes;

/// Interval between checks for requests whose caller is gone.
const LOOK: Duration = Duration::from_millis(250);

/// How long a request waits for a proper answer after one that was embedded in other text.
const DOUBT: Duration = Duration::from_secs(3);

/// Limit of open questions per server.
const MOST_QUESTIONS: usize = 64;

/// A command for the server task.
pub(super) enum Order {
    Ask(Box<Request>),
    Tell(Message),
}

pub(super) struct Request {
    pub(super) method: String,
    pub(super) params: String,
    pub(super) caller: Caller,
    /// The spelling of the client.
    pub(super) token: Option<String>,
    /// The time limit; `None` if the caller has its own.
    pub(super) clock: Option<Clock>,
    pub(super) reply: oneshot::Sender<Result<Message, RpcError>>,
}

pub(super) struct Server {
    name: String,
    events: ChangeEvents,
    threshold: Threshold,
    orders: mpsc::Receiver<Order>,
    stale: Arc<AtomicBool>,
    waiting: HashMap<Hop, Request>,
    /// Requests whose answer was embedded in other text on a line, and when each fails unless another answer
    /// arrives: the line may have been a log.
    quoted: HashMap<Hop, Instant>,
    last: Hop,
    /// Signals that no call is left that a question could belong to.
    over: watch::Sender<()>,
    out: Outbox,
    lines: Lines,
    resync: Resync,
    tail: Tail,
}

impl Server {
    pub(super) fn new(
        entry: &Tool,
        context: &MountContext<'_>,
        orders: mpsc::Receiver<Order>,
        stale: Arc<AtomicBool>,
    ) -> Self {
        let limits = Limits::new(entry.run.max_output.saturating_mul(2));
        Self {
            name: entry.name.clone(),
            events: context.events.clone(),
            threshold: context.threshold.clone(),
            orders,
            stale,
            waiting: HashMap::new(),
            quoted: HashMap::new(),
            last: Hop(0),
            over: watch::Sender::new(()),
            out: Outbox::default(),
            lines: Lines::new(limits),
            resync: Resync::new(limits),
            tail: Tail::default(),
        }
    }

    pub(super) async fn run(mut self, mut guard: Guard, pipes: Pipes) {
        let Pipes {
            stdin,
            mut stdout,
            mut stderr,
        } = pipes;
        let why = self
            .serve(&mut guard, &stdin, &mut stdout, &mut stderr)
            .await;
        self.orders.close();
        let said = self.tail.text();
        let last = said
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty());
        let why = match last {
            Some(last) => format!("`{}` has gone: {why}: {last}", self.name),
            None => format!("`{}` has gone: {why}", self.name),
        };
        for (_, request) in self.waiting.drain() {
            let _ = request.reply.send(Err(RpcError::internal(why.clone())));
        }
        drop(stdin);
        if timeout(guard.grace(), guard.wait()).await.is_ok() {
            guard.clear().await;
        }
    }

    /// Serves until the process has ended or no client is left; returns the reason.
    async fn serve(
        &mut self,
        guard: &mut Guard,
        stdin: &pipe::Sender,
        stdout: &mut pipe::Receiver,
        stderr: &mut pipe::Receiver,
    ) -> &'static str {
        let mut questions: JoinSet<Message> = JoinSet::new();
        let (mut err, mut err_open) = (vec![0; 4 << 10], true);
        let (mut look, mut ended) = (Instant::now(), false);
        loop {
            tokio::select! {
                order = self.orders.recv() => match order {
                    None => return "it is no longer needed",
                    Some(order) => self.take(order),
                },
                read = stdout.read_buf(self.lines.buffer()) => match read {
                    Ok(0) | Err(_) => return "it closed its output",
                    Ok(_) => {
                        self.listen(&mut questions);
                        if self.out.flush(stdin).is_err() {
                            return "it does not read its input";
                        }
                    }
                },
                _ = guard.wait(), if !ended => {
                    // A descendant that keeps the pipes open would hide the end of output.
                    guard.kill();
                    guard.sweep().await;
                    ended = true;
                    look = Instant::now() + LOOK;
                }
                read = stderr.read(&mut err), if err_open => match read {
                    Ok(0) | Err(_) => err_open = false,
                    Ok(n) => self.tail.take(&err[..n]),
                },
                Some(answer) = questions.join_next() => {
                    if let Ok(answer) = answer {
                        self.answer(&answer);
                    }
                    if questions.is_empty() {
                        self.clocks().for_each(Clock::go_on);
                    }
                }
                ready = stdin.writable(), if !self.out.is_empty() => {
                    if ready.is_err() || self.out.flush(stdin).is_err() {
                        return "it closed its input";
                    }
                }
                () = sleep_until(look), if ended || !self.waiting.is_empty() => {
                    if ended {
                        return "it has ended";
                    }
                    self.give_up();
                    look = Instant::now() + LOOK;
                }
            }
        }
    }

    fn take(&mut self, order: Order) {
        match order {
            Order::Tell(note) => self.tell(&note),
            Order::Ask(request) => {
                self.last = self.last.next();
                let id = self.last.id();
                let asked = Message::request(&id, &request.method, Some(&request.params));
                self.tell(&asked);
                self.waiting.insert(self.last, *request);
            }
        }
    }

    fn tell(&mut self, msg: &Message) {
        self.out.tell(&linkspan_wire::one_line(msg.to_bytes()));
        self.out.tell(b"\n");
    }

    fn answer(&mut self, msg: &Message) {
        self.out.answer(&linkspan_wire::one_line(msg.to_bytes()));
        self.out.tell(b"\n");
    }

    fn clocks(&mut self) -> impl Iterator<Item = &mut Clock> {
        let clocks = self.waiting.values_mut();
        clocks.filter_map(|request| request.clock.as_mut())
    }

    /// Removes a request; the server's open questions end with the last request.
    fn take_out(&mut self, number: Hop) -> Option<Request> {
        let request = self.waiting.remove(&number)?;
        self.quoted.remove(&number);
        if self.waiting.is_empty() {
            self.over.send_replace(());
        }
        Some(request)
    }

    fn listen(&mut self, questions: &mut JoinSet<Message>) {
        while let Some(line) = self.lines.next().or_else(|| self.lines.ended_by_cr()) {
            match line {
                Line::TooLarge(why) => self.bad(&why),
                Line::Text(text) => self.resync.push(text),
            }
            while let Some(frame) = self.resync.next() {
                match frame {
                    Frame::Blank => {}
                    Frame::One(msg) => self.hear(msg, questions),
                    Frame::Batch(entries) => {
                        for msg in entries.into_iter().flatten() {
                            self.hear(msg, questions);
                        }
                    }
                    Frame::Other { why, .. } => self.bad(&why),
                }
            }
        }
    }

    /// Handles an invalid message; the request that it answers fails.
    fn bad(&mut self, why: &WireError) {
        tracing::warn!("`{}` sent an invalid message: {why}", self.name);
        if let Some(number) = why.quoted_hop().filter(|n| self.waiting.contains_key(n)) {
            let due = Instant::now() + DOUBT;
            self.quoted.entry(number).or_insert(due);
            return;
        }
        let only = self.waiting.keys().next().copied();
        let only = only.filter(|_| self.waiting.len() == 1 && why.is_nameless_answer());
        if let Some(request) = why
            .answered_hop()
            .or(only)
            .and_then(|number| self.take_out(number))
        {
            self.refuse(request, why);
        }
    }

    fn refuse(&self, request: Request, why: &WireError) {
        let error = RpcError::internal(format!("`{}` sent no valid answer: {why}", self.name));
        let _ = request.reply.send(Err(error));
    }

    fn hear(&mut self, msg: Message, questions: &mut JoinSet<Message>) {
        match msg.kind() {
            Kind::Result | Kind::Error => {
                let number = msg.hop();
                if let Some(request) = number.and_then(|n| self.take_out(n)) {
                    let _ = request.reply.send(Ok(msg));
                }
            }
            Kind::Notification => self.note(&msg),
            Kind::Request => {
                let Some(id) = msg.id() else { return };
                // All calls come from the same client, so any of them can carry the question.
                let caller = self.waiting.iter().max_by_key(|(n, _)| **n);
                let caller = caller.map(|(_, request)| request.caller.clone());
                match (&*msg.method(), caller) {
                    (names::PING, _) => self.answer(&Message::result(&id, "{}")),
                    (
                        "elicitation/create" | "sampling/createMessage" | names::ROOTS_LIST,
                        Some(_),
                    ) if questions.len() >= MOST_QUESTIONS => {
                        let why = RpcError::server("too many questions at once");
                        self.answer(&why.answer(&id));
                    }
                    (
                        "elicitation/create" | "sampling/createMessage" | names::ROOTS_LIST,
                        Some(caller),
                    ) => {
                        self.clocks().for_each(Clock::stop);
                        questions.spawn(ask(caller, id, msg, self.over.subscribe()));
                    }
                    (method, _) => self.answer(&RpcError::method_not_found(method).answer(&id)),
                }
            }
        }
    }

    fn note(&mut self, note: &Message) {
        let params = note.params();
        match &*note.method() {
            names::PROGRESS => {
                let token = params.and_then(|p| p.get("progressToken")).map(Json::text);
                let request = self
                    .waiting
                    .values_mut()
                    .find(|r| r.token.as_deref() == token);
                if let (Some(request), Some(params)) =
                    (request.filter(|r| r.token.is_some()), params)
                {
                    if let Some(clock) = &mut request.clock {
                        clock.sign_of_life();
                    }
                    request.caller.offer(names::PROGRESS, params.text());
                }
            }
            names::MESSAGE => {
                let level = params.and_then(|p| p.get("level")).and_then(Level::parse);
                let caller = self.waiting.values().next().map(|r| &r.caller);
                if let (Some(level), Some(caller), Some(params)) = (level, caller, params)
                    && self.threshold.lets(level)
                {
                    caller.offer(names::MESSAGE, params.text());
                }
            }
            "notifications/tools/list_changed" => {
                self.stale.store(true, Ordering::Relaxed);
                let _ = self.events.send(News::Changed(List::Tools));
            }
            _ => {}
        }
    }

    /// Cancels requests whose caller is gone or whose time limit is over.
    fn give_up(&mut self) {
        let now = Instant::now();
        let due: Vec<Hop> = self
            .quoted
            .extract_if(|_, due| *due <= now)
            .map(|(number, _)| number)
            .collect();
        for number in due {
            if let Some(request) = self.take_out(number) {
                let id = number.id().bytes().clone();
                self.refuse(request, &WireError::Quoted { id });
            }
        }
        let is_late = |r: &Request| r.clock.as_ref().is_some_and(|c| c.deadline() <= now);
        let done = self
            .waiting
            .iter()
            .filter(|(_, r)| r.reply.is_closed() || is_late(r));
        let done: Vec<Hop> = done.map(|(number, _)| *number).collect();
        for number in done {
            let params = format!(r#"{{"requestId":{number}}}"#);
            self.tell(&Message::notification(names::CANCELLED, Some(&params)));
            if let Some(request) = self.take_out(number) {
                let why = format!("`{}` took too long", self.name);
                let _ = request.reply.send(Err(RpcError::internal(why)));
            }
        }
    }
}

async fn ask(caller: Caller, id: Id, msg: Message, mut over: watch::Receiver<()>) -> Message {
    let params = msg.params().map(|params| params.text().to_owned());
    let (method, none) = (msg.method(), |why| RpcError::server(why).answer(&id));
    tokio::select! {
        answer = caller.ask(&method, params.as_deref()) => match answer {
            Some(answer) => answer.with_id(id.clone()),
            None => none("the client has gone"),
        },
        _ = over.changed() => none("the call that this question belongs to has ended"),
    }
}
