//! The part of a client's subscription that concerns one server.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use linkspan_gateway::uris::with_member;
use linkspan_mcp::{SUBSCRIPTION_ID, names};
use linkspan_session::Envelope;
use linkspan_wire::{Id, Json, Kind, Message, Object, quote};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use crate::asked::Asked;
use crate::outcome::{answer_may_pass, may_pass};
use crate::upstream::Upstream;

/// Between the end of a subscription and the next one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Resources and tasks of one server that a client wants to be told about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// The names that the server knows, and those that the client knows.
    pub(crate) uris: Vec<(String, String)>,
    pub(crate) tasks: Vec<(String, String)>,
}

/// What a server's part yields.
pub(crate) enum Told {
    /// The server tells about these from now on; none if it has refused, or could not be reached.
    Accepted(Wanted),
    /// A notification for the client.
    Message(Message),
}

/// How the subscription at the server has ended.
enum Ended {
    /// The server does not want it.
    Refused,
    /// The connection has ended, or was not made.
    Lost,
}

/// Keeps a subscription at one server until it is dropped.
pub(crate) struct Relay {
    asked: Asked,
    request: Message,
    upstream: Arc<Upstream>,
    wanted: Wanted,
    /// Names of the server that the client knows as others, by the member of a notification that has them.
    renames: [(&'static str, HashMap<String, String>); 2],
    told: mpsc::Sender<Told>,
}

impl Relay {
    pub(crate) fn new(
        asked: Asked,
        request: Message,
        (upstream, wanted): (Arc<Upstream>, Wanted),
        told: mpsc::Sender<Told>,
    ) -> Self {
        let renames = |names: &[(String, String)]| -> HashMap<String, String> {
            let others = names.iter().filter(|(own, known)| own != known);
            others.cloned().collect()
        };
        Self {
            asked,
            request,
            upstream,
            renames: [
                ("uri", renames(&wanted.uris)),
                ("taskId", renames(&wanted.tasks)),
            ],
            wanted,
            told,
        }
    }

    /// Subscribes, and again whenever that ends. The client is told that everything has changed after a gap.
    pub(crate) async fn run(self) {
        let mut is_first = true;
        let mut pause = FIRST_PAUSE;
        while !self.told.is_closed() {
            let began = Instant::now();
            let ended = self.subscribe(&mut is_first).await;
            if is_first {
                is_first = false;
                let nothing = Told::Accepted(Wanted::default());
                let _ = self.told.send(nothing).await;
            }
            match ended {
                Ended::Refused => return,
                Ended::Lost if began.elapsed() > LONGEST_PAUSE => pause = FIRST_PAUSE,
                Ended::Lost => {}
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn subscribe(&self, is_first: &mut bool) -> Ended {
        let listen = Envelope::new(self.request_of_server());
        let mut listening = match self.upstream.listen(listen, &self.asked.caller).await {
            Ok(listening) => listening,
            Err(why) if may_pass(&why) => return Ended::Lost,
            Err(_) => return Ended::Refused,
        };
        while let Some(envelope) = listening.recv().await {
            let msg = envelope.msg;
            if msg.is_answer() {
                let is_lost = msg.kind() == Kind::Result || answer_may_pass(&msg);
                return if is_lost { Ended::Lost } else { Ended::Refused };
            }
            if msg.method() != names::ACKNOWLEDGED {
                let _ = self.told.send(Told::Message(self.renamed(&msg))).await;
                continue;
            }
            let accepted = self.accepted(&msg);
            if std::mem::take(is_first) {
                let _ = self.told.send(Told::Accepted(accepted)).await;
                continue;
            }
            for (_, uri) in &accepted.uris {
                let _ = self.told.send(Told::Message(self.updated(uri))).await;
            }
        }
        Ended::Lost
    }

    /// The client's request, with what the server knows.
    fn request_of_server(&self) -> Message {
        let own = |names: &[(String, String)]| {
            let all: Vec<String> = names.iter().map(|(own, _)| quote(own)).collect();
            format!("[{}]", all.join(","))
        };
        let filter = Object::empty().with("resourceSubscriptions", &own(&self.wanted.uris));
        let tasks = (!self.wanted.tasks.is_empty()).then(|| own(&self.wanted.tasks));
        let filter = filter.with_some("taskIds", tasks.as_deref());
        let Some(params) = self.request.params() else {
            return self.request.clone();
        };
        let of_server = Object::of(Some(params)).with("notifications", &filter.text());
        self.request.with_value(params, &of_server.text())
    }

    /// What the server has accepted of what was wanted.
    fn accepted(&self, acknowledgement: &Message) -> Wanted {
        let params = acknowledgement.params();
        let filter = params.and_then(|params| params.get("notifications"));
        let accepted = |member: &str, wanted: &[(String, String)]| {
            let names = texts(filter, member);
            let is_accepted = |(own, _): &&(String, String)| names.contains(own);
            wanted.iter().filter(is_accepted).cloned().collect()
        };
        Wanted {
            uris: accepted("resourceSubscriptions", &self.wanted.uris),
            tasks: accepted("taskIds", &self.wanted.tasks),
        }
    }

    /// A notification with the names that the client knows.
    fn renamed(&self, msg: &Message) -> Message {
        for (member, names) in &self.renames {
            let text = msg.params().and_then(|params| params.get(member)?.as_str());
            let known = text.and_then(|text| names.get(&*text));
            if let (Some(params), Some(known)) = (msg.params(), known) {
                return msg.with_value(params, &with_member(params, member, known));
            }
        }
        msg.clone()
    }

    fn updated(&self, uri: &str) -> Message {
        let id = self.request.id().unwrap_or_else(Id::null);
        let params = format!(
            r#"{{"uri":{},"_meta":{{"{SUBSCRIPTION_ID}":{id}}}}}"#,
            quote(uri)
        );
        Message::notification(names::RESOURCE_UPDATED, Some(&params))
    }
}

/// The texts of a list in a filter.
pub(crate) fn texts(filter: Option<Json<'_>>, member: &str) -> Vec<String> {
    let all = filter.and_then(|filter| filter.get(member));
    let all = all.into_iter().flat_map(Json::elements);
    all.filter_map(|one| Some(one.as_str()?.into_owned()))
        .collect()
}
