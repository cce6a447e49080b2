//! A request to the gateway: who sends it, and which servers it may concern.

use std::borrow::Cow;
use std::sync::Arc;

use linkspan_bridge::Caller;
use linkspan_gateway::{Access, Alias, Described, ListKind, Sender, View, merged_discovery};
use linkspan_ports::Answering;
use linkspan_session::Fault;
use linkspan_wire::{Json, Message, RpcError};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::audited::Audited;
use crate::set::ServerSet;
use crate::upstream::Upstream;

/// A request, without its text.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) set: Arc<ServerSet>,
    pub(crate) sender: Sender,
    /// The view that it is for.
    pub(crate) view: Option<View>,
    /// The client; its principal has no view.
    pub(crate) caller: Caller,
    /// The servers of the view.
    pub(crate) upstreams: Arc<[Arc<Upstream>]>,
    pub(crate) request: Message,
    /// Its line in the audit log.
    pub(crate) audited: Option<Audited>,
}

/// Why a request is not sent to a server.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The answer is this error.
    Error(RpcError),
    /// It could not be sent.
    Fault(Fault),
}

impl From<RpcError> for Refusal {
    fn from(error: RpcError) -> Self {
        Self::Error(error)
    }
}

impl From<Fault> for Refusal {
    fn from(why: Fault) -> Self {
        Self::Fault(why)
    }
}

impl Asked {
    pub(crate) fn new(
        set: Arc<ServerSet>,
        request: &Message,
        caller: Caller,
    ) -> Result<Self, RpcError> {
        let sender = set.sender(&caller.principal);
        let view = set.view_of(&caller.principal, &sender)?;
        let upstreams = set.upstreams_of(view.as_ref());
        let caller = Caller {
            principal: caller.principal.without_view(),
            ..caller
        };
        Ok(Self {
            set,
            sender,
            view,
            caller,
            upstreams,
            request: request.clone(),
            audited: None,
        })
    }

    /// What the rules are asked about an item of a server.
    pub(crate) fn access<'a>(
        &'a self,
        kind: ListKind,
        alias: &'a Alias,
        own: &str,
        definition: Option<Json<'_>>,
    ) -> Access<'a> {
        let (sender, view) = (&self.sender, self.view.as_ref());
        Access::new(
            sender,
            view,
            kind,
            self.set.naming,
            (alias, own),
            definition,
        )
    }

    /// Whether the client may know an item.
    pub(crate) fn shows(&self, kind: ListKind, upstream: &Upstream, own: &str) -> bool {
        let access = self.access(kind, upstream.alias(), own, None);
        self.set.policy.shows(&access)
    }

    /// A parameter.
    pub(crate) fn param(&self, name: &str) -> Option<Json<'_>> {
        self.request.params()?.get(name)
    }

    /// A text among the parameters.
    pub(crate) fn text(&self, path: &[&str]) -> Option<Cow<'_, str>> {
        self.request.params()?.path(path)?.as_str()
    }

    /// A text that the request has to have.
    pub(crate) fn needed(&self, path: &[&str]) -> Result<Cow<'_, str>, RpcError> {
        let missing = || RpcError::invalid_params(format!("`{}` is missing", path.join(".")));
        self.text(path).ok_or_else(missing)
    }

    /// The server with this alias.
    pub(crate) fn find(&self, alias: &Alias) -> Option<Arc<Upstream>> {
        let found = self.upstreams.iter().find(|one| one.alias() == alias);
        found.cloned()
    }

    /// The same, by the text of the alias.
    pub(crate) fn find_by_name(&self, alias: &str) -> Option<Arc<Upstream>> {
        let found = self.upstreams.iter().find(|one| one.name() == alias);
        found.cloned()
    }

    /// The server, if there is only one.
    pub(crate) fn only(&self) -> Option<Arc<Upstream>> {
        match &self.upstreams[..] {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// The answer to the request.
    pub(crate) fn answer(&self, request: &Message, result: &str) -> Answering {
        let id = request.id().unwrap_or_else(linkspan_wire::Id::null);
        Answering::of(Message::result(&id, result))
    }

    /// The result of `server/discover`, from what is known by the deadline.
    pub(crate) async fn discover(&self, deadline: Instant) -> String {
        let descriptions = self
            .of_each(|upstream, asked| async move {
                let asking = upstream.asking(&asked.request, &asked.caller);
                upstream.description(&asking, deadline).await
            })
            .await;
        let described: Vec<Described<'_>> = self
            .upstreams
            .iter()
            .zip(&descriptions)
            .map(|(upstream, description)| Described {
                alias: upstream.alias(),
                answer: description.as_ref().and_then(|it| Json::parse(&it.0).ok()),
            })
            .collect();
        merged_discovery(&described)
    }

    /// Something of each server, all at once; the order is that of the servers.
    pub(crate) async fn of_each<T: Send + 'static, F>(
        &self,
        get: impl Fn(Arc<Upstream>, Self) -> F,
    ) -> Vec<Option<T>>
    where
        F: Future<Output = Option<T>> + Send + 'static,
    {
        if let [only] = &self.upstreams[..] {
            return vec![get(only.clone(), self.clone()).await];
        }
        let mut jobs = JoinSet::new();
        let mut all: Vec<Option<T>> = self.upstreams.iter().map(|_| None).collect();
        for (i, upstream) in self.upstreams.iter().enumerate() {
            let job = get(upstream.clone(), self.clone());
            jobs.spawn(async move { (i, job.await) });
        }
        while let Some(done) = jobs.join_next().await {
            if let Ok((i, value)) = done {
                all[i] = value;
            }
        }
        all
    }
}
