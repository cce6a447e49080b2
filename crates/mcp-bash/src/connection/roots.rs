//! The roots of a connection's client.

use std::time::Duration;

use linkspan_local::Notifier;
use linkspan_mcp::names;
use linkspan_wire::{Json, Kind, Message};
use tokio::sync::watch;
use tokio::time::timeout;

use super::super::project::Project;
use super::super::roots::{Root, fallback, of_client};
use super::super::vars::Vars;

/// Limit of roots per client.
const MOST: usize = 64;

/// The roots of a client. They are requested when the client is initialized and when it sends `list_changed`;
/// calls wait for the answer.
pub(super) struct Roots(watch::Sender<State>);

#[derive(Debug, Clone, Default)]
struct State {
    /// The number of requests.
    asked: u64,
    /// The number of the newest request that was answered.
    answered: u64,
    /// `None` if the client did not answer with roots.
    named: Option<Vec<Root>>,
}

impl Default for Roots {
    fn default() -> Self {
        Self(watch::Sender::new(State::default()))
    }
}

impl Roots {
    /// Requests the roots if the client declares them.
    pub(super) fn ask(&self, notifier: Notifier, vars: &Vars) {
        if !notifier.client_can(&["roots"]) {
            return;
        }
        let mut question = 0;
        self.0.send_modify(|state| {
            state.asked += 1;
            question = state.asked;
        });
        let (state, patience) = (self.0.clone(), patience(vars));
        tokio::spawn(async move {
            let answer = timeout(patience, notifier.ask(names::ROOTS_LIST, None)).await;
            let named = match answer {
                Ok(answer) => answer.as_ref().and_then(named),
                Err(_) => {
                    tracing::warn!("the client did not answer roots/list");
                    None
                }
            };
            state.send_modify(|state| {
                // An answer to an older request is out of date.
                if state.answered < question {
                    state.answered = question;
                    state.named = named;
                }
            });
        });
    }

    /// The client's roots, or those that the operator and the project name.
    pub(super) async fn get(&self, project: &Project, vars: &Vars) -> Vec<Root> {
        let mut state = self.0.subscribe();
        let known = state.wait_for(|state| state.answered >= state.asked);
        let named = match timeout(patience(vars), known).await {
            Ok(Ok(state)) => state.named.clone(),
            _ => None,
        };
        named.unwrap_or_else(|| fallback(&project.places, vars))
    }
}

fn patience(vars: &Vars) -> Duration {
    Duration::from_secs(vars.number("MCPBASH_ROOTS_REQUEST_TIMEOUT").unwrap_or(5))
}

fn named(answer: &Message) -> Option<Vec<Root>> {
    if answer.kind() != Kind::Result {
        return None;
    }
    let roots = answer.body()?.get("roots")?;
    let text = |root: Json<'_>, name: &str| {
        let text = root.get(name).and_then(Json::as_str);
        text.map(|text| text.into_owned())
    };
    let named = roots
        .elements()
        .filter_map(|root| Some((text(root, "uri")?, text(root, "name").unwrap_or_default())));
    Some(of_client(named.take(MOST)))
}
