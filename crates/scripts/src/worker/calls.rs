//! The calls of one process and its messages about them. Sans-IO.

use std::collections::HashMap;
use std::time::Duration;

use linkspan_local::Caller;
use linkspan_wire::RpcError;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::run::clock::Clock;
use crate::run::control::{Question, ReportedError, Said, Word};
use crate::run::observer::{CallObserver, Heard, refusal};

/// Limit of open questions per process.
const MOST_QUESTIONS: usize = 64;

/// How a call ended.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The result as the process wrote it.
    Result(String),
    /// The error as the process wrote it.
    Error(String),
    /// The error to answer the request with.
    Fail(RpcError),
    /// The call exceeded this time limit.
    TimedOut(Duration),
    /// The process died; the reason.
    Died(String),
    /// The process ended before it received the call.
    NotBegun,
}

/// The outcome of a call for its caller.
pub(super) struct Told {
    pub(super) answer: Answer,
    pub(super) observer: CallObserver,
}

/// A call of the process.
pub(super) struct Waiting {
    pub(super) observer: CallObserver,
    pub(super) clock: Clock,
    pub(super) reply: oneshot::Sender<Told>,
    /// The slots that it occupies.
    pub(super) place: Box<dyn Send>,
}

/// An action for the process task.
pub(super) enum Action {
    /// Write this line to the process.
    Write(String),
    /// Ask a client; the answer is for the process.
    Ask(Caller, u64, String, Question),
    Nothing,
}

#[derive(Default)]
pub(super) struct Calls {
    calls: HashMap<u64, Waiting>,
    /// Cancelled calls, with the deadline for the confirmation of the process.
    given_up: HashMap<u64, (Instant, Box<dyn Send>)>,
    asking: HashMap<u64, Asking>,
}

/// Open questions of a call, cancelled when it ends.
#[derive(Default)]
struct Asking(Vec<AbortHandle>);

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.iter().for_each(AbortHandle::abort);
    }
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.given_up.is_empty()
    }

    pub(super) fn begin(&mut self, call: u64, waiting: Waiting) {
        self.calls.insert(call, waiting);
    }

    /// Handles a message of the process.
    pub(super) fn hear(&mut self, said: Said) -> Action {
        if let Word::Answer { id, told } = said.word {
            self.given_up.remove(&id);
            let answer = match told {
                Ok(result) => Answer::Result(result),
                Err(ReportedError(error)) => Answer::Error(error),
            };
            self.finish(id, answer);
            return Action::Nothing;
        }
        let call = match said.call {
            Some(call) => Some(call),
            // A process with only one call may leave out its id.
            None if self.calls.len() == 1 => self.calls.keys().next().copied(),
            None => None,
        };
        let questions: usize = self.asking.values().map(|asking| asking.0.len()).sum();
        let waiting = call.and_then(|call| Some((call, self.calls.get_mut(&call)?)));
        let Some((call, waiting)) = waiting else {
            return match said.word {
                Word::Ask { id, .. } => {
                    let why =
                        RpcError::invalid_params("unknown call: `call` must be the id of a call");
                    Action::Write(refusal(&id, &why))
                }
                _ => Action::Nothing,
            };
        };
        match waiting.observer.hear(said.word) {
            Heard::Nothing => Action::Nothing,
            Heard::Progress => {
                waiting.clock.sign_of_life();
                Action::Nothing
            }
            Heard::Fail(error) => {
                self.finish(call, Answer::Fail(error));
                Action::Nothing
            }
            Heard::Ask(id, _) if questions >= MOST_QUESTIONS => {
                let why = RpcError::server("too many questions at once");
                Action::Write(refusal(&id, &why))
            }
            Heard::Ask(id, question) => {
                waiting.clock.stop();
                Action::Ask(waiting.observer.caller.clone(), call, id, question)
            }
        }
    }

    /// Records an open question of a call.
    pub(super) fn asks(&mut self, call: u64, task: AbortHandle) {
        self.asking.entry(call).or_default().0.push(task);
    }

    /// Records that a question of a call was answered.
    pub(super) fn asked(&mut self, call: u64) {
        let Some(asking) = self.asking.get_mut(&call) else {
            return;
        };
        asking.0.retain(|task| !task.is_finished());
        if asking.0.is_empty() {
            self.asking.remove(&call);
            if let Some(waiting) = self.calls.get_mut(&call) {
                waiting.clock.go_on();
            }
        }
    }

    fn finish(&mut self, call: u64, answer: Answer) {
        self.asking.remove(&call);
        if let Some(waiting) = self.calls.remove(&call) {
            let Waiting {
                observer,
                reply,
                place,
                ..
            } = waiting;
            drop(place);
            let _ = reply.send(Told { answer, observer });
        }
    }

    /// Cancels a call; returns the line that tells the process.
    pub(super) fn cancel(&mut self, call: u64) -> Option<String> {
        let waiting = self.calls.remove(&call)?;
        Some(self.give_up(call, waiting.clock.grace, waiting.place))
    }

    fn give_up(&mut self, call: u64, grace: Duration, place: Box<dyn Send>) -> String {
        self.asking.remove(&call);
        self.given_up.insert(call, (Instant::now() + grace, place));
        format!("{{\"method\":\"cancel\",\"params\":{{\"call\":{call}}}}}\n")
    }

    /// The next time at which a timeout has to be handled.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let calls = self.calls.values().map(|waiting| waiting.clock.deadline());
        let given_up = self.given_up.values().map(|(until, _)| *until);
        calls.chain(given_up).min()
    }

    /// Cancels late calls; returns the lines that tell the process. `None` if the process ignores cancellations
    /// and has to be ended.
    pub(super) fn late(&mut self) -> Option<Vec<String>> {
        let now = Instant::now();
        if self.given_up.values().any(|(until, _)| *until <= now) {
            return None;
        }
        let late = self.calls.iter().filter(|(_, w)| w.clock.deadline() <= now);
        let late: Vec<u64> = late.map(|(call, _)| *call).collect();
        let mut lines = Vec::new();
        for call in late {
            if let Some(waiting) = self.calls.remove(&call) {
                let Waiting {
                    observer,
                    clock,
                    reply,
                    place,
                } = waiting;
                lines.push(self.give_up(call, clock.grace, place));
                let answer = Answer::TimedOut(clock.allowed());
                let _ = reply.send(Told { answer, observer });
            }
        }
        Some(lines)
    }

    /// Ends all calls, because the process died.
    pub(super) fn died(&mut self, why: &str) {
        let calls: Vec<u64> = self.calls.keys().copied().collect();
        for call in calls {
            self.finish(call, Answer::Died(why.to_owned()));
        }
        self.given_up.clear();
    }
}
