//! A command behind one port, which is restarted after it has exited.
//!
//! The session in front goes on: open calls get an error, and the next request restarts the command and repeats the
//! client's handshake. A command that exits before its first answer is broken, and ends the session.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use linkspan_mcp::names;
use linkspan_ports::SessionReplay;
use linkspan_session::{Envelope, Fault, Inbound, Outbound, Port, PortEnd};
use linkspan_wire::{Hop, Id, IdKey, Kind, Message};
use tokio::sync::mpsc::error::SendError;
use tokio::time::timeout;

use crate::server::Server;
use crate::setbacks::Cause;

/// Envelopes that may wait in each direction.
const QUEUE: usize = 64;
/// How long a restarted command may take to answer a repeated request.
const STEP: Duration = Duration::from_secs(120);
/// Limit of the remembered questions of a process, and of the messages that wait for its start.
const MOST: usize = 1024;

/// A port in front of `first` and its successors; `works` if it has already answered.
pub(crate) fn restarting(first: Port, server: Arc<Server>, works: bool) -> Port {
    let (port, end) = Port::pair(first.name.clone(), QUEUE);
    let restarting = Restarting {
        server,
        replay: SessionReplay::default(),
        newest: None,
        questions: HashMap::new(),
        works,
        answered: works,
        began: Instant::now(),
        inward: VecDeque::new(),
    };
    tokio::spawn(restarting.run(first, end));
    port
}

struct Restarting {
    server: Arc<Server>,
    replay: SessionReplay,
    /// The newest request that was sent to the process.
    newest: Option<Hop>,
    /// Unanswered questions of the process.
    questions: HashMap<IdKey, Id>,
    /// Whether any process has sent an answer.
    works: bool,
    /// Whether the newest process has answered.
    answered: bool,
    began: Instant,
    /// Messages that wait for the session.
    inward: VecDeque<Inbound>,
}

impl Restarting {
    async fn run(mut self, first: Port, end: PortEnd) {
        let PortEnd {
            tx,
            mut rx,
            last_word,
            done,
        } = end;
        let mut process = Some(first);
        let mut outward: Option<Outbound> = None;
        loop {
            if process.is_none()
                && let Some(outbound) = outward.take()
            {
                let Some(hop) = hop(&outbound) else {
                    // Notifications for an ended process are not sent to the next one.
                    continue;
                };
                tokio::select! {
                    started = self.start() => match started {
                        Ok(port) => {
                            process = Some(port);
                            outward = Some(outbound);
                        }
                        Err(why) => self.inward.push_back(Inbound::Failed { hop, why }),
                    },
                    () = tx.closed() => break,
                }
                continue;
            }
            let (to_process, from_process) = match &mut process {
                Some(port) => (Some(&port.tx), Some(&mut port.rx)),
                None => (None, None),
            };
            let mut gone = false;
            let (may_read, is_owed) = (outward.is_none(), !self.inward.is_empty());
            tokio::select! {
                outbound = rx.recv(), if may_read => match outbound {
                    None => break,
                    Some(outbound) => outward = self.outgoing(outbound),
                },
                room = reserve(to_process), if !may_read => {
                    if let (Ok(room), Some(outbound)) = (room, outward.take()) {
                        room.send(outbound);
                    }
                }
                room = tx.reserve(), if is_owed => match (room, self.inward.pop_front()) {
                    (Ok(room), Some(inbound)) => room.send(inbound),
                    _ => break,
                },
                inbound = receive(from_process), if !is_owed => {
                    gone = matches!(inbound, None | Some(Inbound::Closed(_)));
                    if !self.incoming(inbound) {
                        let last = self.inward.pop_front();
                        if let Some(last) = last {
                            let _ = tx.send(last).await;
                        }
                        break;
                    }
                }
            }
            if gone && let Some(port) = process.take() {
                port.close().await;
            }
        }
        drop(last_word);
        if let Some(port) = process {
            let rest = async {
                if let Some(outbound) = outward {
                    let _ = port.tx.send(outbound).await;
                }
            };
            let _ = timeout(Duration::from_secs(1), rest).await;
            port.close().await;
        }
        drop(done);
    }

    /// The message to send to the process; `None` if it answers a question of an earlier process.
    fn outgoing(&mut self, outbound: Outbound) -> Option<Outbound> {
        let Outbound::One(envelope) = &outbound else {
            return Some(outbound);
        };
        let msg = &envelope.msg;
        match msg.kind() {
            Kind::Request => self.newest = hop(&outbound).or(self.newest),
            Kind::Result | Kind::Error => {
                let key = msg.id().map(|id| id.key());
                key.and_then(|key| self.questions.remove(&key))?;
            }
            Kind::Notification => {}
        }
        self.replay.note(msg);
        Some(outbound)
    }

    /// Handles a message of the process. `false` if the process has exited and is not restarted.
    fn incoming(&mut self, inbound: Option<Inbound>) -> bool {
        match inbound {
            Some(Inbound::Closed(why)) => self.ended(why),
            None => self.ended(Fault::PeerClosed {
                peer: "the server".to_owned(),
                why: "the connection closed without an error".to_owned(),
            }),
            Some(inbound) => {
                if let Inbound::Message(envelope) = &inbound {
                    self.heard(&envelope.msg);
                }
                self.inward.push_back(inbound);
                true
            }
        }
    }

    fn heard(&mut self, msg: &Message) {
        if msg.is_answer() {
            self.works = true;
            self.answered = true;
        }
        let initialize = self.replay.initialize.as_ref();
        if msg.kind() == Kind::Error && msg.id() == initialize.and_then(Message::id) {
            // A server without a handshake: the next process gets none either.
            self.replay = SessionReplay::default();
        }
        if let (Kind::Request, Some(id)) = (msg.kind(), msg.id())
            && self.questions.len() < MOST
        {
            self.questions.insert(id.key(), id);
        }
    }

    fn ended(&mut self, why: Fault) -> bool {
        if !self.works {
            self.inward.push_back(Inbound::Closed(why));
            return false;
        }
        tracing::warn!("{why}; the next request starts it again");
        self.note_end();
        if let Some(up_to) = self.newest.take() {
            let except = Vec::new();
            self.inward.push_back(Inbound::Lost { up_to, except, why });
        }
        // Its questions need no answer.
        for (_, id) in self.questions.drain() {
            let params = format!(r#"{{"requestId":{}}}"#, id.text());
            let cancel = Message::notification(names::CANCELLED, Some(&params));
            let cancel = Inbound::Message(Envelope::new(cancel));
            self.inward.push_back(cancel);
        }
        true
    }

    /// Starts the command and repeats the client's handshake, log level and subscriptions.
    async fn start(&mut self) -> Result<Port, Fault> {
        let mut port = self.server.open(&Cause::only()).await?;
        self.began = Instant::now();
        self.answered = false;
        let replay = self.replay.clone();
        let Some(initialize) = &replay.initialize else {
            return Ok(port);
        };
        let answer = self.ask(&mut port, initialize).await?;
        if answer.kind() != Kind::Result {
            return Err(Fault::SessionLost {
                peer: port.name,
                why: "it was restarted and refused the handshake".to_owned(),
            });
        }
        if let Some(initialized) = &replay.initialized {
            let initialized = Outbound::One(Envelope::new(initialized.clone()));
            let _ = timeout(STEP, port.tx.send(initialized)).await;
        }
        for msg in replay.restore() {
            if let Err(why) = self.ask(&mut port, msg).await {
                tracing::warn!(
                    "`{}` was not repeated to the restarted server: {why}",
                    msg.method()
                );
            }
        }
        Ok(port)
    }

    /// Sends a repeated request and waits for its answer, which the client does not see.
    async fn ask(&mut self, port: &mut Port, msg: &Message) -> Result<Message, Fault> {
        let asked = async {
            let outbound = Outbound::One(Envelope::new(msg.clone()));
            let _ = port.tx.send(outbound).await;
            loop {
                match port.rx.recv().await {
                    Some(Inbound::Message(envelope))
                        if envelope.msg.is_answer() && envelope.msg.id() == msg.id() =>
                    {
                        return Ok(envelope.msg);
                    }
                    Some(Inbound::Closed(why)) => return Err(why),
                    None => {
                        return Err(Fault::PeerClosed {
                            peer: port.name.clone(),
                            why: "it exited during the restart".to_owned(),
                        });
                    }
                    Some(Inbound::Message(envelope)) if self.inward.len() < MOST => {
                        self.heard(&envelope.msg);
                        self.inward.push_back(Inbound::Message(envelope));
                    }
                    Some(_) => {}
                }
            }
        };
        let answer = timeout(STEP, asked).await;
        let answer = answer.unwrap_or(Err(Fault::Timeout { after: STEP }));
        match &answer {
            Ok(_) => self.answered = true,
            Err(_) => self.note_end(),
        }
        answer
    }

    /// Notes that the newest process has ended.
    fn note_end(&self) {
        let lived = self.began.elapsed();
        self.server.ended(&Cause::only(), self.answered, lived);
    }
}

/// The hop number of a request.
fn hop(outbound: &Outbound) -> Option<Hop> {
    match outbound {
        Outbound::One(envelope) if envelope.msg.kind() == Kind::Request => envelope.msg.hop(),
        _ => None,
    }
}

type Sender = tokio::sync::mpsc::Sender<Outbound>;

/// Resolves when the process can take a message; never, if there is no process.
async fn reserve(
    to: Option<&Sender>,
) -> Result<tokio::sync::mpsc::Permit<'_, Outbound>, SendError<()>> {
    match to {
        Some(to) => to.reserve().await,
        None => std::future::pending().await,
    }
}

/// The next message of the process; never resolves if there is no process.
async fn receive(from: Option<&mut tokio::sync::mpsc::Receiver<Inbound>>) -> Option<Inbound> {
    match from {
        Some(from) => from.recv().await,
        None => std::future::pending().await,
    }
}
