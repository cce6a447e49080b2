//! The merged lists of a view, and which server an item of them belongs to.

use std::sync::Arc;

use linkspan_gateway::uris::{self, NoOwner};
use linkspan_gateway::{Alias, ListKind, Part, Sender, ServerList, Table};
use linkspan_wire::{Json, RpcError, quote};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::asked::{Asked, Refusal};
use crate::gateway::PATIENCE;
use crate::seen::SeenByPrincipal;
use crate::set::ServerSet;
use crate::upstream::Upstream;

/// Merged lists that are kept.
const MOST: usize = 64;

/// The merged lists that were used last.
#[derive(Default)]
pub(crate) struct Tables(Mutex<Vec<(Key, Arc<Table>)>>);

/// What a merged list is made of.
struct Key {
    set: Arc<ServerSet>,
    kind: ListKind,
    view: Option<String>,
    /// If rules depend on it.
    sender: Option<Sender>,
    lists: Vec<Option<Arc<ServerList>>>,
}

impl Key {
    /// Lists are compared by place: a list that was fetched again and is equal keeps it.
    fn is(&self, other: &Self) -> bool {
        let same = |(a, b): (&Option<Arc<ServerList>>, &Option<Arc<ServerList>>)| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        Arc::ptr_eq(&self.set, &other.set)
            && self.kind == other.kind
            && self.view == other.view
            && self.sender == other.sender
            && self.lists.len() == other.lists.len()
            && self.lists.iter().zip(&other.lists).all(same)
    }
}

impl Tables {
    /// The result of a list request, from what is known by the deadline.
    pub(crate) async fn list(&self, asked: &Asked, kind: ListKind, deadline: Instant) -> String {
        let lists = lists(asked, kind, deadline).await;
        let missing: Vec<&Alias> = asked
            .upstreams
            .iter()
            .zip(&lists)
            .filter(|(_, list)| list.is_none())
            .map(|(upstream, _)| upstream.alias())
            .collect();
        let of_sender = asked
            .view
            .as_ref()
            .is_some_and(|view| view.senders.is_some());
        let is_private = of_sender || asked.set.policy.depends_on_sender();
        self.table(asked, kind, lists.clone())
            .result(&missing, is_private)
    }

    /// The merged list of what is known already.
    fn known(&self, asked: &Asked, kind: ListKind) -> Arc<Table> {
        let principal = &asked.caller.principal;
        let last = |one: &Arc<Upstream>| one.known_list(principal, kind);
        let lists = asked.upstreams.iter().map(last).collect();
        self.table(asked, kind, lists)
    }

    fn table(
        &self,
        asked: &Asked,
        kind: ListKind,
        lists: Vec<Option<Arc<ServerList>>>,
    ) -> Arc<Table> {
        let by_sender = asked.set.policy.depends_on_sender();
        let key = Key {
            set: asked.set.clone(),
            kind,
            view: asked.view.as_ref().map(|view| view.name.clone()),
            sender: by_sender.then(|| asked.sender.clone()),
            lists,
        };
        let mut kept = self.0.lock();
        if let Some(at) = kept.iter().position(|(one, _)| one.is(&key)) {
            let found = kept.remove(at);
            let table = found.1.clone();
            kept.push(found);
            return table;
        }
        drop(kept);
        let parts: Vec<Part<'_>> = asked
            .upstreams
            .iter()
            .zip(&key.lists)
            .filter_map(|(upstream, list)| {
                let (alias, list) = (upstream.alias(), list.as_ref()?);
                Some(Part { alias, list })
            })
            .collect();
        let shown = |alias: &Alias, own: &str, item: Json<'_>| {
            let access = asked.access(kind, alias, own, Some(item));
            asked.set.policy.shows(&access)
        };
        let table = Arc::new(Table::new(kind, asked.set.naming, &parts, shown));
        for (name, servers) in &table.dropped {
            let servers: Vec<&str> = servers.iter().map(Alias::as_str).collect();
            tracing::warn!(
                "`{}` is not listed: {} have it; set \"prefix\" to \"always\" or deny it in all but one",
                linkspan_wire::escape_line(name),
                servers.join(", ")
            );
        }
        let mut kept = self.0.lock();
        if kept.len() >= MOST {
            kept.remove(0);
        }
        kept.push((key, table.clone()));
        table
    }

    /// The server of a tool or prompt, and its name there.
    pub(crate) async fn owner(
        &self,
        asked: &Asked,
        kind: ListKind,
        name: &str,
    ) -> Result<(Arc<Upstream>, String), Refusal> {
        if let Some((alias, own)) = asked.set.naming.split(name)
            && let Some(upstream) = asked.find_by_name(alias)
        {
            return Ok((upstream, own.to_owned()));
        }
        if let Some(found) = in_table(asked, &self.known(asked, kind), name) {
            return Ok(found);
        }
        let lists = lists(asked, kind, Instant::now() + PATIENCE).await;
        if let Some(found) = in_table(asked, &self.table(asked, kind, lists), name) {
            return Ok(found);
        }
        if let Some(only) = asked.only()
            && asked.set.naming.advertised(only.alias(), name) == name
        {
            // The server says itself that it does not know the name.
            return Ok((only, name.to_owned()));
        }
        Err(unknown(kind, name).into())
    }

    /// The server of a URI, and the URI as that server knows it.
    pub(crate) async fn owner_of_uri(
        &self,
        asked: &Asked,
        uri: &str,
        seen: &SeenByPrincipal,
        deadline: Instant,
    ) -> Result<(Arc<Upstream>, String), Refusal> {
        if let Some((alias, own)) = uris::split_alias(uri)
            && let Some(upstream) = asked.find_by_name(alias)
        {
            return Ok((upstream, own.to_owned()));
        }
        let found = |alias: Alias| {
            let upstream = asked.find(&alias);
            upstream.map(|upstream| (upstream, uri.to_owned()))
        };
        if let Some(only) = asked.only() {
            return Ok((only, uri.to_owned()));
        }
        let known = |kind| self.known(asked, kind);
        let owner = uris::owner(
            uri,
            &known(ListKind::Resources),
            &known(ListKind::Templates),
        );
        if let Some(owner) = owner.ok().and_then(found) {
            return Ok(owner);
        }
        if let Some(owner) = seen.uri(&asked.caller.principal, uri).and_then(found) {
            return Ok(owner);
        }
        let (resources, templates) = tokio::join!(
            lists(asked, ListKind::Resources, deadline),
            lists(asked, ListKind::Templates, deadline)
        );
        let resources = self.table(asked, ListKind::Resources, resources);
        let templates = self.table(asked, ListKind::Templates, templates);
        match uris::owner(uri, &resources, &templates) {
            Ok(alias) => found(alias).ok_or_else(|| no_owner(asked, uri, &[]).into()),
            Err(NoOwner::Unknown) => Err(no_owner(asked, uri, &[]).into()),
            Err(NoOwner::Several(owners)) => Err(no_owner(asked, uri, &owners).into()),
        }
    }
}

async fn lists(asked: &Asked, kind: ListKind, deadline: Instant) -> Vec<Option<Arc<ServerList>>> {
    asked
        .of_each(|upstream, asked| async move {
            let asking = upstream.asking(&asked.request, &asked.caller);
            upstream.list(kind, &asking, deadline).await
        })
        .await
}

fn in_table(asked: &Asked, table: &Table, name: &str) -> Option<(Arc<Upstream>, String)> {
    let entry = table.find(name)?;
    Some((asked.find(&entry.alias)?, entry.own.to_string()))
}

/// The error for a tool or prompt that no server has.
pub(crate) fn unknown(kind: ListKind, name: &str) -> RpcError {
    let what = match kind {
        ListKind::Prompts => "prompt",
        _ => "tool",
    };
    RpcError::invalid_params(format!("unknown {what}: {name}"))
}

/// The error for a URI whose server is not known, or is one of several.
fn no_owner(asked: &Asked, uri: &str, owners: &[Alias]) -> RpcError {
    let candidates: Vec<String> = match owners {
        [] => asked
            .upstreams
            .iter()
            .map(|one| uris::with_alias(one.alias(), uri))
            .collect(),
        owners => owners
            .iter()
            .map(|one| uris::with_alias(one, uri))
            .collect(),
    };
    let why = match owners {
        [] => format!("no server is known to have the resource {uri}"),
        _ => format!("several servers may have the resource {uri}"),
    };
    let shown = candidates.iter().take(10).map(|one| quote(one));
    let shown: Vec<String> = shown.collect();
    let data = format!(
        r#"{{"kind":"no_owner","uri":{},"candidates":[{}],"hint":"name the server: ALIAS+URI"}}"#,
        quote(uri),
        shown.join(",")
    );
    // -32002 was the code of an unknown resource up to 2025-11-25; -32602 is it since then.
    RpcError::invalid_params(why).with_data(data)
}
