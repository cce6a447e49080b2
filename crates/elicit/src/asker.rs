//! How the user is asked, and how many questions wait.

use std::sync::Arc;
use std::time::Duration;

use linkspan_client::{Person, ask_person};
use linkspan_wire::Json;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{sleep, timeout};

use crate::form::Form;
use crate::page;

/// How long a question waits for the user.
const PATIENCE: Duration = Duration::from_secs(600);
/// Pages that are open at once.
const PAGES: usize = 4;
/// How long a page on which nothing was decided counts as open.
const WITHDRAWN: Duration = Duration::from_secs(30);

pub(crate) const CANCEL: &str = r#"{"action":"cancel"}"#;
pub(crate) const DECLINE: &str = r#"{"action":"decline"}"#;

/// Opens the URL of a page of this machine in a browser; `false` if there is none. May block.
pub type OpenPage = dyn Fn(&str) -> bool + Send + Sync;

/// Where the user is asked.
#[derive(Clone)]
pub enum Asker {
    /// On a page that only this machine reaches.
    Page(Arc<OpenPage>),
    /// At a terminal.
    Terminal(Arc<dyn Person>),
}

/// A question of a server.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The server's own name.
    pub(crate) server: Option<String>,
    /// The parameters of the request, as spelled.
    pub(crate) params: String,
}

/// The questions of all sessions.
pub(crate) struct Questions {
    asker: Asker,
    slots: Arc<Semaphore>,
}

impl Questions {
    pub(crate) fn new(asker: Asker) -> Self {
        let most = match asker {
            Asker::Page(_) => PAGES,
            Asker::Terminal(_) => 1,
        };
        Self {
            asker,
            slots: Arc::new(Semaphore::new(most)),
        }
    }

    /// The result of the question. It is cancelled if nothing was decided in time, or `gone` resolves.
    pub(crate) async fn ask(&self, question: Question, gone: oneshot::Receiver<()>) -> String {
        tokio::select! {
            asked = timeout(PATIENCE, self.ask_in_turn(question)) => {
                asked.unwrap_or_else(|_| CANCEL.to_owned())
            }
            // An error means that the session has ended.
            _ = gone => CANCEL.to_owned(),
        }
    }

    async fn ask_in_turn(&self, question: Question) -> String {
        let params: Value = serde_json::from_str(&question.params).unwrap_or_default();
        let form = match Form::of(&params) {
            Ok(form) => form,
            Err(why) => {
                tracing::warn!("a question of the server is declined: {why}");
                return DECLINE.to_owned();
            }
        };
        let Ok(slot) = self.slots.clone().acquire_owned().await else {
            return CANCEL.to_owned();
        };
        match &self.asker {
            Asker::Page(open) => {
                let place = Place(Some(slot));
                let result = page::ask(question.server, form, open).await;
                place.leave();
                result.unwrap_or_else(|error| {
                    tracing::warn!("the user cannot be asked: {error}");
                    CANCEL.to_owned()
                })
            }
            Asker::Terminal(person) => {
                let person = person.clone();
                // The reading of a line cannot be interrupted, so the next question waits for it.
                let asked = tokio::spawn(async move {
                    let _slot = slot;
                    ask_person(&person, Json::parse(&question.params).ok()).await
                });
                asked.await.unwrap_or_else(|_| CANCEL.to_owned())
            }
        }
    }
}

/// The place of a page. If nothing is decided on it, it stays taken for a while: a server that withdraws its questions
/// must not open one tab after the other.
struct Place(Option<OwnedSemaphorePermit>);

impl Place {
    fn leave(mut self) {
        self.0 = None;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let (Some(slot), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(async move {
                sleep(WITHDRAWN).await;
                drop(slot);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn withdrawn_questions_do_not_open_one_page_after_the_other() {
        let shown = Arc::new(AtomicUsize::new(0));
        let counted = shown.clone();
        let open = move |_: &str| counted.fetch_add(1, Ordering::Relaxed) < usize::MAX;
        let questions = Questions::new(Asker::Page(Arc::new(open)));
        let began = tokio::time::Instant::now();
        for number in 1..=2 * PAGES {
            let question = Question {
                server: None,
                params: r#"{"message":"?"}"#.to_owned(),
            };
            let (_alive, gone) = oneshot::channel();
            let asked = questions.ask(question, gone);
            let is_shown = async {
                while shown.load(Ordering::Relaxed) < number {
                    tokio::task::yield_now().await;
                    sleep(Duration::from_millis(10)).await;
                }
            };
            tokio::select! {
                result = asked => panic!("{result}"),
                () = is_shown => {}
            }
            assert_eq!(began.elapsed() >= WITHDRAWN, number > PAGES, "{number}");
        }
    }
}
