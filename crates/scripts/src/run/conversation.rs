//! The exchange of messages between a running program and its client.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use linkspan_wire::{Limits, Line, Lines, RpcError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::clock::Clock;
use super::control::{LONGEST, LineError, Odd, Said};
use super::observer::{CallObserver, Heard, ask, refusal};
use super::outbox::MOST_UNREAD;
use crate::os::{UnixStream, pipe};

/// Limit of open questions per call.
const MOST_QUESTIONS: usize = 16;

/// Dropping it ends all its tasks and cancels open questions.
pub(super) struct Conversation {
    told: mpsc::Receiver<Result<Said, Odd>>,
    tell: Option<mpsc::Sender<Result<Said, Odd>>>,
    /// Whether the program may still send messages.
    open: bool,
    questions: JoinSet<String>,
    replies: mpsc::Sender<String>,
    waiting: Option<mpsc::Receiver<String>>,
    tasks: JoinSet<()>,
    /// The error that the program answered the request with.
    error: Option<RpcError>,
}

impl Conversation {
    pub(super) fn new() -> Self {
        let (tell, told) = mpsc::channel(16);
        let (replies, waiting) = mpsc::channel(MOST_UNREAD);
        Self {
            told,
            tell: Some(tell),
            open: true,
            questions: JoinSet::new(),
            replies,
            waiting: Some(waiting),
            tasks: JoinSet::new(),
            error: None,
        }
    }

    /// Reads messages from the control channel, and writes answers to it.
    pub(super) fn control(&mut self, socket: Arc<UnixStream>) {
        if let (Some(tell), Some(waiting)) = (self.tell.clone(), self.waiting.take()) {
            self.tasks.spawn(listen_to_socket(socket.clone(), tell));
            self.tasks.spawn(reply(socket, waiting));
        }
    }

    /// Reads messages from a pipe as well.
    pub(super) fn stream(&mut self, pipe: pipe::Receiver) {
        if let Some(tell) = self.tell.clone() {
            self.tasks.spawn(listen_to_pipe(pipe, tell));
        }
    }

    /// Writes the rest of the program's stdin.
    pub(super) fn write(&mut self, mut pipe: pipe::Sender, bytes: Bytes) {
        self.tasks.spawn(async move {
            // The program need not read it.
            let _ = pipe.write_all(&bytes).await;
        });
    }

    /// Declares that no more channels will be added.
    pub(super) fn complete(&mut self) {
        self.tell = None;
    }

    /// The error that the program answered the request with, if any. Ends the conversation.
    pub(super) fn end(self) -> Option<RpcError> {
        self.error
    }

    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// Waits for a message or an answer and handles it.
    pub(super) async fn next(&mut self, observer: Option<&mut CallObserver>, clock: &mut Clock) {
        tokio::select! {
            said = next_word(&mut self.told, &self.replies), if self.open => match said {
                None => self.open = false,
                Some(Err(odd)) => self.complain(&odd),
                Some(Ok(said)) => if let Some(observer) = observer {
                    self.hear(said, observer, clock);
                }
            },
            Some(answered) = self.questions.join_next() => {
                if let Ok(line) = answered {
                    let _ = self.replies.try_send(line);
                }
                if self.questions.is_empty() {
                    clock.go_on();
                }
            }
            else => std::future::pending().await,
        }
    }

    /// Sends an error to a tool that waits for an answer.
    fn complain(&self, odd: &Odd) {
        tracing::debug!("a tool sent an invalid line: {}", odd.why);
        if let Some(id) = &odd.id {
            let why = RpcError::invalid_params(odd.why.to_string());
            let _ = self.replies.try_send(refusal(id, &why));
        }
    }

    fn hear(&mut self, said: Said, observer: &mut CallObserver, clock: &mut Clock) {
        match observer.hear(said.word) {
            Heard::Nothing => {}
            Heard::Progress => clock.sign_of_life(),
            Heard::Ask(id, _) if self.questions.len() >= MOST_QUESTIONS => {
                let why = RpcError::server("too many questions at once");
                let _ = self.replies.try_send(refusal(&id, &why));
            }
            Heard::Fail(error) => self.error = Some(error),
            Heard::Ask(id, question) => {
                clock.stop();
                self.questions
                    .spawn(ask(observer.caller.clone(), id, question));
            }
        }
    }
}

/// The next message, once there is room for its answer and the answers of all open questions: a tool that does
/// not read answers is not read from meanwhile, and no answer is lost.
async fn next_word(
    told: &mut mpsc::Receiver<Result<Said, Odd>>,
    replies: &mpsc::Sender<String>,
) -> Option<Result<Said, Odd>> {
    // This task is the only sender, so the reserved room stays free. A closed channel needs no room.
    let _room = replies.reserve_many(MOST_QUESTIONS + 1).await;
    told.recv().await
}

async fn listen_to_socket(socket: Arc<UnixStream>, tell: mpsc::Sender<Result<Said, Odd>>) {
    let mut lines = Lines::new(Limits::new(LONGEST));
    loop {
        if socket.readable().await.is_err() {
            return;
        }
        match socket.try_read_buf(lines.buffer()) {
            Ok(0) => return,
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => continue,
            Err(_) => return,
        }
        if !pass_on(&mut lines, &tell).await {
            return;
        }
    }
}

async fn listen_to_pipe(mut pipe: pipe::Receiver, tell: mpsc::Sender<Result<Said, Odd>>) {
    let mut lines = Lines::new(Limits::new(LONGEST));
    while pipe.read_buf(lines.buffer()).await.is_ok_and(|n| n > 0) {
        if !pass_on(&mut lines, &tell).await {
            return;
        }
    }
}

/// Forwards complete lines. `false` if the receiver is gone.
async fn pass_on(lines: &mut Lines, tell: &mpsc::Sender<Result<Said, Odd>>) -> bool {
    while let Some(line) = lines.next() {
        let said = match line {
            Line::TooLarge(e) => Err(LineError::TooLarge(e).into()),
            Line::Text(text) => match std::str::from_utf8(&text) {
                Err(_) => Err(LineError::NoUtf8.into()),
                Ok(text) if text.trim().is_empty() => continue,
                Ok(text) => Said::parse(text),
            },
        };
        if tell.send(said).await.is_err() {
            return false;
        }
    }
    true
}

/// Writes answers to the socket.
async fn reply(socket: Arc<UnixStream>, mut replies: mpsc::Receiver<String>) {
    while let Some(line) = replies.recv().await {
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            if socket.writable().await.is_err() {
                return;
            }
            match socket.try_write(rest) {
                Ok(n) => rest = &rest[n..],
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return,
            }
        }
    }
}
