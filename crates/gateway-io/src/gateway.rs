//! The gateway as a service: every request of a client, and the server or servers that it concerns.

use std::sync::Arc;
use std::time::Duration;

use linkspan_bridge::{Backend, Caller, RequestService};
use linkspan_gateway::config::ToolLevel;
use linkspan_gateway::{Limits, ListKind, Sender};
use linkspan_mcp::era::{is_of_legacy_client, wants_input};
use linkspan_mcp::names;
use linkspan_ports::{Answering, Principal};
use linkspan_session::{Envelope, Fault};
use linkspan_wire::{Message, RpcError};
use parking_lot::{Mutex, RwLock};
use tokio::sync::broadcast;
use tokio::time::Instant;

use crate::asked::{Asked, Refusal};
use crate::audit_file::AuditFile;
use crate::audited::{Audit, Audited};
use crate::change::Change;
use crate::confirm::Confirmations;
use crate::listen;
use crate::permit::{Condition, Permit, permit};
use crate::pinning::Pinning;
use crate::pins_file::PinStore;
use crate::seen::SeenByPrincipal;
use crate::set::ServerSet;
use crate::tables::Tables;
use crate::upstream::Upstream;

/// How long a client waits for lists of servers that have not answered yet.
pub(crate) const PATIENCE: Duration = Duration::from_millis(1500);
/// Changes of lists that a subscription may be behind.
const CHANGES: usize = 256;

/// Several servers as one. Clones are the same gateway.
#[derive(Clone)]
pub struct Gateway(Arc<Shared>);

pub(crate) struct Shared {
    set: RwLock<Arc<ServerSet>>,
    pub(crate) changes: broadcast::Sender<Change>,
    pub(crate) seen: SeenByPrincipal,
    pub(crate) tables: Tables,
    pub(crate) limits: Mutex<Limits>,
    pub(crate) confirmations: Option<Confirmations>,
    pub(crate) pinning: Option<Pinning>,
    audit: Option<Audit>,
}

/// The files of a gateway.
#[derive(Default)]
pub struct GatewayFiles {
    /// The pins of definitions.
    pub pins: Option<PinStore>,
    /// The audit log.
    pub audit: Option<AuditFile>,
    /// Whether the audit log has arguments themselves, and not their shape and digest only.
    pub audit_arguments: bool,
}

impl Gateway {
    /// A gateway without servers.
    pub fn new(files: GatewayFiles) -> Self {
        let (changes, _) = broadcast::channel(CHANGES);
        let audit = files.audit.map(Arc::new);
        Self(Arc::new(Shared {
            set: RwLock::default(),
            changes,
            seen: SeenByPrincipal::default(),
            tables: Tables::default(),
            limits: Mutex::default(),
            confirmations: Confirmations::new(),
            pinning: files.pins.map(|store| Pinning::new(store, audit.clone())),
            audit: audit.map(|file| Audit {
                file,
                keeps_arguments: files.audit_arguments,
            }),
        }))
    }

    /// The gateway as the server of a bridge.
    pub fn backend(&self) -> Backend {
        let (views, closing) = (self.clone(), self.clone());
        Backend::requests(self.clone(), move |name| views.set().has_view(name)).closing(move || {
            let gateway = closing.clone();
            async move { gateway.close().await }
        })
    }

    /// How much of the definitions of tools a client gets, and their budget in tokens.
    pub fn tools_of(&self, principal: &Principal) -> (ToolLevel, Option<usize>) {
        self.set().tools_of(principal)
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.0
    }

    /// The servers of this moment.
    pub(crate) fn set(&self) -> Arc<ServerSet> {
        self.0.set.read().clone()
    }

    /// Replaces the servers; those that are in both sets keep their connections. Returns the ones that are gone.
    pub(crate) fn replace(&self, next: ServerSet) -> Vec<Arc<Upstream>> {
        let before = std::mem::replace(&mut *self.0.set.write(), Arc::new(next));
        let now = self.set();
        let kept =
            |one: &Arc<Upstream>| now.upstreams().iter().any(|other| Arc::ptr_eq(one, other));
        let gone = before.upstreams().iter().filter(|one| !kept(one));
        let gone = gone.cloned().collect();
        for kind in ListKind::ALL {
            let _ = self.0.changes.send(Change::of_all(kind));
        }
        gone
    }

    /// Ends all servers.
    async fn close(&self) {
        let gone = self.replace(ServerSet::default());
        let mut closing = tokio::task::JoinSet::new();
        for upstream in gone {
            closing.spawn(async move { upstream.close().await });
        }
        closing.join_all().await;
    }

    async fn route(&self, asked: &Asked, call: Envelope) -> Result<Answering, Refusal> {
        let method = call.msg.method();
        let deadline = Instant::now() + PATIENCE;
        if let Some(kind) = ListKind::of_method(&method) {
            if asked.param("cursor").is_some() {
                let why = "unknown cursor: the lists of this server have one page";
                return Err(RpcError::invalid_params(why).into());
            }
            let result = self.0.tables.list(asked, kind, deadline).await;
            return Ok(asked.answer(&call.msg, &result));
        }
        match &*method {
            names::DISCOVER => {
                let result = asked.discover(deadline).await;
                Ok(asked.answer(&call.msg, &result))
            }
            names::LISTEN => listen::listen(self.clone(), asked.clone(), call.msg).await,
            names::TOOLS_CALL => self.named(asked, ListKind::Tools, call, &["name"]).await,
            names::PROMPTS_GET => self.named(asked, ListKind::Prompts, call, &["name"]).await,
            names::RESOURCES_READ => self.resource(asked, call, &["uri"]).await,
            "completion/complete" if asked.text(&["ref", "uri"]).is_some() => {
                self.resource(asked, call, &["ref", "uri"]).await
            }
            "completion/complete" => {
                self.named(asked, ListKind::Prompts, call, &["ref", "name"])
                    .await
            }
            method if method.starts_with("tasks/") => {
                let task = asked.needed(&["taskId"])?;
                let unknown = || RpcError::invalid_params(format!("unknown task: {task}"));
                let owner = self.owner_of_task(asked, &task);
                let (upstream, own) = owner.ok_or_else(unknown)?;
                let msg = with_text(&call.msg, &["taskId"], &own);
                self.send(asked, &upstream, Envelope { msg, ..call }).await
            }
            method => {
                let unknown = || RpcError::method_not_found(method);
                self.send(asked, &asked.only().ok_or_else(unknown)?, call)
                    .await
            }
        }
    }

    /// A request that names a tool or a prompt.
    async fn named(
        &self,
        asked: &Asked,
        kind: ListKind,
        call: Envelope,
        path: &[&str],
    ) -> Result<Answering, Refusal> {
        let name = asked.needed(path)?;
        let (upstream, own) = self.0.tables.owner(asked, kind, &name).await?;
        self.permitted(asked, kind, (&upstream, &own), call, path)
            .await
    }

    /// A request that names a resource.
    async fn resource(
        &self,
        asked: &Asked,
        call: Envelope,
        path: &[&str],
    ) -> Result<Answering, Refusal> {
        let uri = asked.needed(path)?;
        let deadline = Instant::now() + PATIENCE;
        let (upstream, own) = self.owner_of_uri(asked, &uri, deadline).await?;
        self.permitted(asked, ListKind::Resources, (&upstream, &own), call, path)
            .await
    }

    /// Sends a request for an item of a server, under the server's own name for it, if the rules permit that.
    async fn permitted(
        &self,
        asked: &Asked,
        kind: ListKind,
        (upstream, own): (&Arc<Upstream>, &str),
        call: Envelope,
        path: &[&str],
    ) -> Result<Answering, Refusal> {
        if let Some(audited) = &asked.audited {
            audited.for_item(upstream.name(), kind, own);
        }
        let permitted = permit(&self.0, asked, kind, (upstream, own), &call.msg).await?;
        let (msg, condition) = match permitted {
            Permit::Send(msg, condition) => (msg, condition),
            Permit::Result(result) => return Ok(asked.answer(&call.msg, &result)),
        };
        let msg = with_text(&msg, path, own);
        let answering = self.send(asked, upstream, Envelope { msg, ..call }).await?;
        Ok(match condition {
            Condition::None => answering,
            Condition::Confirmed(mark) => answering.edited(move |envelope| mark.mark(envelope)),
            Condition::Limited(rule, rate) => {
                let (gateway, sender) = (self.clone(), asked.sender.clone());
                answering.edited(move |envelope| {
                    if wants_input(&envelope.msg) {
                        gateway.0.limits.lock().give_back(&sender, rule, rate);
                    }
                    envelope
                })
            }
        })
    }

    /// The server of a URI, and the URI as that server knows it, from what is known by the deadline.
    pub(crate) async fn owner_of_uri(
        &self,
        asked: &Asked,
        uri: &str,
        deadline: Instant,
    ) -> Result<(Arc<Upstream>, String), Refusal> {
        let Shared { tables, seen, .. } = &*self.0;
        tables.owner_of_uri(asked, uri, seen, deadline).await
    }

    /// The server of a task, and the id of the task there.
    pub(crate) fn owner_of_task(
        &self,
        asked: &Asked,
        task: &str,
    ) -> Option<(Arc<Upstream>, String)> {
        let found = self.0.seen.task(&asked.caller.principal, task);
        let found = found.and_then(|(alias, own)| Some((asked.find(&alias)?, own.to_owned())));
        // A server without others sees its own ids only.
        found.or_else(|| Some((asked.only()?, task.to_owned())))
    }

    async fn send(
        &self,
        asked: &Asked,
        upstream: &Arc<Upstream>,
        call: Envelope,
    ) -> Result<Answering, Refusal> {
        let answering = upstream.request(call, &asked.caller).await?;
        if asked.only().is_some() {
            // There is nothing to route.
            return Ok(answering);
        }
        let (gateway, principal) = (self.clone(), asked.caller.principal.clone());
        let alias = upstream.alias().clone();
        Ok(answering.edited(move |envelope| {
            if !envelope.msg.is_answer() {
                return envelope;
            }
            let msg = gateway.0.seen.note(&principal, &alias, envelope.msg);
            Envelope { msg, ..envelope }
        }))
    }
}

impl RequestService for Gateway {
    async fn request(&self, call: Envelope, caller: &Caller) -> Result<Answering, Fault> {
        let Some(id) = call.msg.id() else {
            return Err(Fault::Closing);
        };
        let session = caller.session.filter(|_| is_of_legacy_client(&call.msg));
        let caller = Caller {
            session,
            ..caller.clone()
        };
        let audit = |principal: &Principal, sender: &Sender, view: Option<&str>| {
            Audited::begin(self.0.audit.as_ref(), &call.msg, principal, sender, view)
        };
        let (set, principal) = (self.set(), caller.principal.clone());
        let mut asked = match Asked::new(set.clone(), &call.msg, caller) {
            Ok(asked) => asked,
            Err(error) => {
                let audited = audit(&principal, &set.sender(&principal), principal.view());
                audited.iter().for_each(|audited| {
                    audited.decided("view");
                    audited.refused(&error);
                });
                return Ok(Answering::of(error.answer(&id)));
            }
        };
        let view = asked.view.as_ref().map(|view| &*view.name);
        asked.audited = audit(&principal, &asked.sender, view);
        match (self.route(&asked, call).await, asked.audited) {
            (Ok(answering), None) => Ok(answering),
            (Ok(answering), Some(audited)) => Ok(answering.edited(move |envelope| {
                if envelope.msg.is_answer() {
                    audited.answered(&envelope.msg);
                }
                envelope
            })),
            (Err(Refusal::Error(error)), audited) => {
                audited.iter().for_each(|audited| audited.refused(&error));
                Ok(Answering::of(error.answer(&id)))
            }
            (Err(Refusal::Fault(why)), audited) => {
                let error = RpcError::from(&why);
                let answer = error.answer(&id);
                audited.iter().for_each(|audited| audited.answered(&answer));
                Err(why)
            }
        }
    }
}

/// A message with another text at a path of its parameters.
fn with_text(msg: &Message, path: &[&str], text: &str) -> Message {
    let spelled = msg.params().and_then(|params| params.path(path));
    match spelled {
        Some(spelled) if spelled.as_str().as_deref() != Some(text) => {
            msg.with_value(spelled, &linkspan_wire::quote(text))
        }
        _ => msg.clone(),
    }
}
