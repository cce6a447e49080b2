//! A client's subscription: changes of the merged lists, and what servers tell about resources and tasks.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use linkspan_bridge::Caller;
use linkspan_gateway::ListKind;
use linkspan_mcp::{SUBSCRIPTION_ID, names};
use linkspan_ports::Answering;
use linkspan_session::Envelope;
use linkspan_wire::{Message, Object, quote};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::asked::{Asked, Refusal};
use crate::change::Change;
use crate::gateway::{self, Gateway};
use crate::relay::{Relay, Told, Wanted, texts};
use crate::scope::subscription;
use crate::upstream::Upstream;

/// Messages that may wait for a client that does not read.
const QUEUE: usize = 64;
/// How long servers may take to acknowledge.
const PATIENCE: Duration = Duration::from_secs(10);
/// Resources and tasks of one subscription.
const MOST: usize = 4096;
/// Changes within this time are told at once: several servers start, or change several lists.
const TOGETHER: Duration = Duration::from_millis(100);

/// Serves a subscription until the client ends it.
pub(crate) async fn listen(
    gateway: Gateway,
    asked: Asked,
    request: Message,
) -> Result<Answering, Refusal> {
    let filter = request
        .params()
        .and_then(|params| params.get("notifications"));
    let wants = |name: &str| filter.and_then(|f| f.get(name)?.as_bool()) == Some(true);
    let kinds = ListKind::ALL
        .into_iter()
        .filter(|kind| wants(subscription(*kind)));
    let changes = gateway.shared().changes.subscribe();
    let (tx, rx) = mpsc::channel(QUEUE);
    let (told, from_servers) = mpsc::channel(QUEUE);
    let subscription = Subscription {
        gateway,
        kinds: kinds.collect(),
        changed: BTreeSet::new(),
        asked,
        request,
        tx,
        told,
        relays: Vec::new(),
        tasks: JoinSet::new(),
    };
    let mut tasks = JoinSet::new();
    tasks.spawn(subscription.serve(changes, from_servers));
    Ok(Answering::new(rx, tasks))
}

/// A subscription of a client.
struct Subscription {
    gateway: Gateway,
    /// The lists of which it wants to know changes.
    kinds: Vec<ListKind>,
    /// Notifications of changes that it has not been sent yet.
    changed: BTreeSet<&'static str>,
    /// With the servers and the view of the moment.
    asked: Asked,
    request: Message,
    tx: mpsc::Sender<Envelope>,
    told: mpsc::Sender<Told>,
    relays: Vec<(Arc<Upstream>, Wanted, AbortHandle)>,
    tasks: JoinSet<()>,
}

/// The client has ended it.
struct Over;

impl Subscription {
    async fn serve(
        mut self,
        mut changes: broadcast::Receiver<Change>,
        mut from_servers: mpsc::Receiver<Told>,
    ) {
        let wanted = self.wanted().await;
        let waiting = wanted.len();
        self.relay(wanted);
        let begun = self.begin(waiting, &mut from_servers).await;
        let mut is_over = begun.is_err();
        let mut due = Instant::now();
        while !is_over {
            let is_quiet = self.changed.is_empty();
            let done = tokio::select! {
                change = changes.recv() => {
                    if is_quiet {
                        due = Instant::now() + TOGETHER;
                    }
                    self.note(change).await
                }
                () = sleep_until(due), if !is_quiet => self.tell_changes().await,
                Some(told) = from_servers.recv() => match told {
                    Told::Message(msg) => self.send(msg).await,
                    Told::Accepted(_) => Ok(()),
                },
            };
            is_over = done.is_err();
        }
    }

    /// Waits for the servers, and acknowledges what they have accepted: no update is missed from then on.
    async fn begin(
        &self,
        mut waiting: usize,
        from_servers: &mut mpsc::Receiver<Told>,
    ) -> Result<(), Over> {
        let (mut uris, mut tasks, mut early) = (Vec::new(), Vec::new(), Vec::new());
        let deadline = Instant::now() + PATIENCE;
        while waiting > 0 {
            match timeout_at(deadline, from_servers.recv()).await {
                Ok(Some(Told::Accepted(wanted))) => {
                    waiting -= 1;
                    uris.extend(wanted.uris.into_iter().map(|(_, uri)| uri));
                    tasks.extend(wanted.tasks.into_iter().map(|(_, task)| task));
                }
                Ok(Some(Told::Message(msg))) if early.len() < QUEUE => early.push(msg),
                Ok(Some(Told::Message(_))) => {}
                Ok(None) | Err(_) => break,
            }
        }
        self.send(self.acknowledgement(&uris, &tasks)).await?;
        for msg in early {
            self.send(msg).await?;
        }
        Ok(())
    }

    /// Notes a change of a list that the client sees.
    async fn note(&mut self, change: Result<Change, RecvError>) -> Result<(), Over> {
        if !Arc::ptr_eq(&self.asked.set, &self.gateway.set()) {
            self.renew().await;
        }
        let changed: &[ListKind] = match &change {
            Ok(change) if change.concerns(&self.asked) => &[change.kind],
            Ok(_) => &[],
            Err(RecvError::Lagged(_)) => &ListKind::ALL,
            Err(RecvError::Closed) => return Err(Over),
        };
        let changed = changed.iter().filter(|kind| self.kinds.contains(kind));
        self.changed.extend(changed.map(|kind| kind.changed()));
        Ok(())
    }

    async fn tell_changes(&mut self) -> Result<(), Over> {
        while let Some(method) = self.changed.pop_first() {
            let params = format!("{{{}}}", self.meta());
            self.send(Message::notification(method, Some(&params)))
                .await?;
        }
        Ok(())
    }

    /// Takes over another configuration: subscriptions at servers that did not change go on.
    async fn renew(&mut self) {
        let principal = match &self.asked.view {
            Some(view) => self.asked.caller.principal.clone().in_view(&view.name),
            None => self.asked.caller.principal.clone(),
        };
        let caller = Caller {
            principal,
            ..self.asked.caller.clone()
        };
        match Asked::new(self.gateway.set(), &self.request, caller) {
            Ok(asked) => self.asked = asked,
            // The view is gone, or is another client's.
            Err(_) => {
                self.asked.set = self.gateway.set();
                self.asked.upstreams = Arc::default();
            }
        }
        let wanted = self.wanted().await;
        self.relay(wanted);
    }

    /// Subscribes at these servers, and ends subscriptions at others.
    fn relay(&mut self, mut wanted: Vec<(Arc<Upstream>, Wanted)>) {
        self.relays.retain(|(upstream, before, task)| {
            let same = wanted
                .iter()
                .position(|(one, now)| Arc::ptr_eq(one, upstream) && now == before);
            match same {
                Some(at) => drop(wanted.swap_remove(at)),
                None => task.abort(),
            }
            same.is_some()
        });
        while self.tasks.try_join_next().is_some() {}
        for (upstream, wanted) in wanted {
            let (asked, request) = (self.asked.clone(), self.request.clone());
            let at = (upstream.clone(), wanted.clone());
            let relay = Relay::new(asked, request, at, self.told.clone());
            let task = self.tasks.spawn(relay.run());
            self.relays.push((upstream, wanted, task));
        }
    }

    /// The servers that are asked for something, by the resources and tasks of the client's filter.
    async fn wanted(&self) -> Vec<(Arc<Upstream>, Wanted)> {
        let params = self.request.params();
        let filter = params.and_then(|params| params.get("notifications"));
        let mut servers: Vec<(Arc<Upstream>, Wanted)> = Vec::new();
        let of = |servers: &mut Vec<(Arc<Upstream>, Wanted)>, upstream: Arc<Upstream>| {
            let is_it = |(one, _): &(Arc<Upstream>, Wanted)| Arc::ptr_eq(one, &upstream);
            servers.iter().position(is_it).unwrap_or_else(|| {
                servers.push((upstream, Wanted::default()));
                servers.len() - 1
            })
        };
        let deadline = Instant::now() + gateway::PATIENCE;
        for uri in texts(filter, "resourceSubscriptions")
            .into_iter()
            .take(MOST)
        {
            let owner = self.gateway.owner_of_uri(&self.asked, &uri, deadline);
            match owner.await {
                Ok((upstream, own)) if self.asked.shows(ListKind::Resources, &upstream, &own) => {
                    let at = of(&mut servers, upstream);
                    servers[at].1.uris.push((own, uri));
                }
                _ => tracing::debug!("a subscription to a resource of no known server"),
            }
        }
        for task in texts(filter, "taskIds").into_iter().take(MOST) {
            let owner = self.gateway.owner_of_task(&self.asked, &task);
            if let Some((upstream, own)) = owner {
                let at = of(&mut servers, upstream);
                servers[at].1.tasks.push((own, task));
            }
        }
        servers
    }

    fn meta(&self) -> String {
        let id = self.request.id().unwrap_or_else(linkspan_wire::Id::null);
        format!(r#""_meta":{{"{SUBSCRIPTION_ID}":{id}}}"#)
    }

    fn acknowledgement(&self, uris: &[String], tasks: &[String]) -> Message {
        let mut filter = Object::empty();
        for kind in &self.kinds {
            filter = filter.with(subscription(*kind), "true");
        }
        for (name, all) in [("resourceSubscriptions", uris), ("taskIds", tasks)] {
            if !all.is_empty() {
                let all: Vec<String> = all.iter().map(|one| quote(one)).collect();
                filter = filter.with(name, &format!("[{}]", all.join(",")));
            }
        }
        let params = format!(r#"{{"notifications":{},{}}}"#, filter.text(), self.meta());
        Message::notification(names::ACKNOWLEDGED, Some(&params))
    }

    async fn send(&self, msg: Message) -> Result<(), Over> {
        self.tx.send(Envelope::new(msg)).await.map_err(|_| Over)
    }
}
