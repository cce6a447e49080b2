//! A client's subscription: changes of the merged lists, and what servers tell about resources and tasks.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use linkspan_gateway::ListKind;
use linkspan_gateway::uris::with_member;
use linkspan_mcp::{SUBSCRIPTION_ID, names};
use linkspan_ports::Answering;
use linkspan_session::Envelope;
use linkspan_wire::{Json, Message, Object, quote};
use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::asked::{Asked, Refusal};
use crate::change::Change;
use crate::gateway::Gateway;
use crate::scope::subscription;
use crate::upstream::Upstream;

/// Messages that may wait for a client that does not read.
const QUEUE: usize = 64;
/// How long servers may take to acknowledge.
const PATIENCE: Duration = Duration::from_secs(10);
/// Resources and tasks of one subscription.
const MOST: usize = 4096;

/// What one server is asked to tell.
#[derive(Default)]
struct Wanted {
    /// The URIs as the server knows them, and as the client does.
    uris: Vec<(String, String)>,
    tasks: Vec<String>,
}

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
    let kinds: Vec<ListKind> = kinds.collect();
    let changes = gateway.shared().changes.subscribe();
    let wanted = wanted(&gateway, &asked, filter).await;
    let (tx, rx) = mpsc::channel(QUEUE);
    let mut tasks = JoinSet::new();
    tasks.spawn(serve(gateway, asked, request, kinds, wanted, changes, tx));
    Ok(Answering::new(rx, tasks))
}

/// The servers that are asked for something, by the resources and tasks of the client's filter.
async fn wanted(
    gateway: &Gateway,
    asked: &Asked,
    filter: Option<Json<'_>>,
) -> Vec<(Arc<Upstream>, Wanted)> {
    let texts = |name: &str| -> Vec<String> {
        let all = filter.and_then(|f| f.get(name));
        let all = all.into_iter().flat_map(Json::elements);
        all.filter_map(|one| Some(one.as_str()?.into_owned()))
            .take(MOST)
            .collect()
    };
    let mut servers: Vec<(Arc<Upstream>, Wanted)> = Vec::new();
    let mut of = |upstream: Arc<Upstream>, add: &dyn Fn(&mut Wanted)| {
        let found = servers
            .iter_mut()
            .find(|(one, _)| Arc::ptr_eq(one, &upstream));
        match found {
            Some((_, wanted)) => add(wanted),
            None => {
                let mut wanted = Wanted::default();
                add(&mut wanted);
                servers.push((upstream, wanted));
            }
        }
    };
    for uri in texts("resourceSubscriptions") {
        match gateway.owner_of_uri(asked, &uri).await {
            Ok((upstream, own)) if asked.shows(ListKind::Resources, &upstream, &own) => {
                of(upstream, &|wanted| {
                    wanted.uris.push((own.clone(), uri.clone()))
                })
            }
            _ => tracing::debug!("a subscription to a resource of no known server"),
        }
    }
    for task in texts("taskIds") {
        let owner = gateway.shared().seen.task(&asked.caller.principal, &task);
        let upstream = owner
            .and_then(|alias| asked.find(&alias))
            .or_else(|| asked.only());
        if let Some(upstream) = upstream {
            of(upstream, &|wanted| wanted.tasks.push(task.clone()));
        }
    }
    servers
}

async fn serve(
    gateway: Gateway,
    asked: Asked,
    request: Message,
    kinds: Vec<ListKind>,
    wanted: Vec<(Arc<Upstream>, Wanted)>,
    mut changes: broadcast::Receiver<Change>,
    tx: mpsc::Sender<Envelope>,
) {
    let (told, mut from_servers) = mpsc::channel(QUEUE);
    let mut servers = JoinSet::new();
    let mut waiting = wanted.len();
    for (upstream, wanted) in wanted {
        servers.spawn(relay(
            asked.clone(),
            request.clone(),
            upstream,
            wanted,
            told.clone(),
        ));
    }
    drop(told);
    // Once it is acknowledged, no update is missed.
    let (mut uris, mut tasks) = (Vec::new(), Vec::new());
    let deadline = Instant::now() + PATIENCE;
    let mut early = Vec::new();
    while waiting > 0 {
        match timeout_at(deadline, from_servers.recv()).await {
            Ok(Some(Told::Accepted(wanted))) => {
                waiting -= 1;
                uris.extend(wanted.uris.into_iter().map(|(_, uri)| uri));
                tasks.extend(wanted.tasks);
            }
            Ok(Some(Told::Message(msg))) if early.len() < QUEUE => early.push(msg),
            Ok(Some(Told::Message(_))) => {}
            Ok(None) | Err(_) => break,
        }
    }
    let id = request.id().unwrap_or_else(linkspan_wire::Id::null);
    let meta = format!(r#""_meta":{{"{SUBSCRIPTION_ID}":{id}}}"#);
    let acknowledged = acknowledged(&kinds, &uris, &tasks, &meta);
    if tx.send(Envelope::new(acknowledged)).await.is_err() {
        return;
    }
    for msg in early {
        let _ = tx.send(Envelope::new(msg)).await;
    }
    loop {
        tokio::select! {
            change = changes.recv() => {
                let changed: Vec<ListKind> = match change {
                    Ok(change) if change.concerns(&gateway.set(), &asked) => vec![change.kind],
                    Ok(_) => continue,
                    Err(broadcast::error::RecvError::Lagged(_)) => kinds.clone(),
                    Err(broadcast::error::RecvError::Closed) => return,
                };
                let mut methods: Vec<&str> = changed.iter().filter(|kind| kinds.contains(kind)).map(|kind| kind.changed()).collect();
                methods.dedup();
                for method in methods {
                    let note = Message::notification(method, Some(&format!("{{{meta}}}")));
                    if tx.send(Envelope::new(note)).await.is_err() {
                        return;
                    }
                }
            }
            Some(told) = from_servers.recv() => {
                if let Told::Message(msg) = told
                    && tx.send(Envelope::new(msg)).await.is_err()
                {
                    return;
                }
            }
        }
    }
}

/// What a server's part of the subscription yields.
enum Told {
    Accepted(Wanted),
    Message(Message),
}

/// Subscribes at one server.
async fn relay(
    asked: Asked,
    request: Message,
    upstream: Arc<Upstream>,
    mut wanted: Wanted,
    told: mpsc::Sender<Told>,
) {
    let Some(params) = request.params() else {
        return;
    };
    let quoted = |all: Vec<&String>| {
        let all: Vec<String> = all.into_iter().map(|one| quote(one)).collect();
        format!("[{}]", all.join(","))
    };
    let uris = quoted(wanted.uris.iter().map(|(own, _)| own).collect());
    let filter = Object::empty().with("resourceSubscriptions", &uris);
    let tasks = (!wanted.tasks.is_empty()).then(|| quoted(wanted.tasks.iter().collect()));
    let filter = filter.with_some("taskIds", tasks.as_deref());
    let params_of_server = Object::of(Some(params)).with("notifications", &filter.text());
    let listen = request.with_value(params, &params_of_server.text());
    let Ok(mut listening) = upstream.request(Envelope::new(listen), &asked.caller).await else {
        return;
    };
    let names: HashMap<String, String> = wanted.uris.iter().cloned().collect();
    while let Some(envelope) = listening.recv().await {
        let msg = envelope.msg;
        let told_now = if msg.is_answer() {
            return;
        } else if msg.method() == names::ACKNOWLEDGED {
            Told::Accepted(accepted(&msg, std::mem::take(&mut wanted)))
        } else {
            Told::Message(renamed(&msg, &names))
        };
        if told.send(told_now).await.is_err() {
            return;
        }
    }
}

/// What the server has accepted of what was wanted.
fn accepted(acknowledgement: &Message, wanted: Wanted) -> Wanted {
    let filter = acknowledgement
        .params()
        .and_then(|p| p.get("notifications"));
    let texts = |name: &str| -> Vec<String> {
        let all = filter.and_then(|f| f.get(name));
        let all = all.into_iter().flat_map(Json::elements);
        all.filter_map(|one| Some(one.as_str()?.into_owned()))
            .collect()
    };
    let (uris, tasks) = (texts("resourceSubscriptions"), texts("taskIds"));
    Wanted {
        uris: wanted
            .uris
            .into_iter()
            .filter(|(own, _)| uris.contains(own))
            .collect(),
        tasks: wanted
            .tasks
            .into_iter()
            .filter(|task| tasks.contains(task))
            .collect(),
    }
}

/// A notification with the URI that the client knows.
fn renamed(msg: &Message, names: &HashMap<String, String>) -> Message {
    let params = msg.params();
    let uri = params.and_then(|params| params.get("uri")?.as_str());
    match (
        params,
        uri.and_then(|uri| names.get(&*uri).filter(|name| **name != *uri)),
    ) {
        (Some(params), Some(name)) => msg.with_value(params, &with_member(params, "uri", name)),
        _ => msg.clone(),
    }
}

fn acknowledged(kinds: &[ListKind], uris: &[String], tasks: &[String], meta: &str) -> Message {
    let mut filter = Object::empty();
    for kind in kinds {
        filter = filter.with(subscription(*kind), "true");
    }
    for (name, all) in [("resourceSubscriptions", uris), ("taskIds", tasks)] {
        if !all.is_empty() {
            let all: Vec<String> = all.iter().map(|one| quote(one)).collect();
            filter = filter.with(name, &format!("[{}]", all.join(",")));
        }
    }
    let params = format!(r#"{{"notifications":{},{meta}}}"#, filter.text());
    Message::notification(names::ACKNOWLEDGED, Some(&params))
}
