//! The lists of several servers as one, and where its items come from.

use std::collections::HashMap;
use std::sync::Arc;

use linkspan_wire::{Json, Object, quote};

use crate::alias::Alias;
use crate::list::{ListKind, ServerList, scope};
use crate::names::Naming;
use crate::uris;

/// A list that becomes part of a merged one.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// The server.
    pub alias: &'a Alias,
    /// Its list.
    pub list: &'a Arc<ServerList>,
}

/// An item of a merged list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The server that has it.
    pub alias: Alias,
    /// The server's own name, or the URI.
    pub own: Box<str>,
    /// The text of the item with its advertised name.
    pub text: Box<str>,
}

/// A merged list. Its order is that of the parts and of their items.
#[derive(Debug)]
pub struct Table {
    kind: ListKind,
    entries: Vec<(Box<str>, Entry)>,
    index: HashMap<Box<str>, usize>,
    /// Names that are not advertised because several tools or prompts have them, and their servers.
    pub dropped: Vec<(String, Vec<Alias>)>,
    ttl: u64,
    is_public: bool,
}

impl Table {
    /// Merges lists. Items for which `shown` is false are left out; it gets the server's own name and the item.
    pub fn new(
        kind: ListKind,
        naming: Naming,
        parts: &[Part<'_>],
        shown: impl Fn(&Alias, &str, Json<'_>) -> bool,
    ) -> Self {
        let mut table = Self {
            kind,
            entries: Vec::new(),
            index: HashMap::new(),
            dropped: Vec::new(),
            ttl: u64::MAX,
            is_public: true,
        };
        let mut items = Vec::new();
        for part in parts {
            table.ttl = table.ttl.min(part.list.ttl);
            table.is_public &= part.list.is_public;
            for item in &part.list.items {
                let Ok(json) = Json::parse(&item.text) else {
                    continue;
                };
                if shown(part.alias, &item.own, json) {
                    let name = advertised(kind, naming, part.alias, &item.own);
                    items.push((part.alias, name, &*item.own, json));
                }
            }
        }
        // What is hidden claims no name.
        let claims = Claims::count(
            items
                .iter()
                .map(|(alias, name, ..)| (*alias, name.as_str())),
        );
        for (alias, mut name, own, json) in items {
            if let Some(claimants) = claims.several(&name) {
                if matches!(kind, ListKind::Tools | ListKind::Prompts) {
                    table.drop_name(&name, claimants);
                    continue;
                }
                name = uris::with_alias(alias, own);
            }
            table.push(alias, name, own, json);
        }
        table
    }

    fn push(&mut self, alias: &Alias, name: String, own: &str, json: Json<'_>) {
        let text = if name == own {
            json.text().to_owned()
        } else {
            let object = Object::of(Some(json));
            object.with(self.kind.key(), &quote(&name)).text()
        };
        let name: Box<str> = name.into();
        self.index.insert(name.clone(), self.entries.len());
        let entry = Entry {
            alias: alias.clone(),
            own: own.into(),
            text: text.into(),
        };
        self.entries.push((name, entry));
    }

    fn drop_name(&mut self, name: &str, claimants: &[Alias]) {
        if self.dropped.iter().all(|(dropped, _)| dropped != name) {
            self.dropped.push((name.to_owned(), claimants.to_vec()));
        }
    }

    /// The entry with this advertised name.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.index.get(name).map(|i| &self.entries[*i].1)
    }

    /// The advertised names and entries, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(name, entry)| (&**name, entry))
    }

    /// The result of a list request of the modern era. `missing` are servers whose list is not known yet; a private one
    /// differs between senders.
    pub fn result(&self, missing: &[&Alias], is_private: bool) -> String {
        let texts: Vec<&str> = self.entries.iter().map(|(_, entry)| &*entry.text).collect();
        // Nothing is promised about a list that is not complete.
        let ttl = if missing.is_empty() { self.ttl } else { 0 };
        let ttl = if ttl == u64::MAX { 0 } else { ttl };
        let meta = if missing.is_empty() {
            String::new()
        } else {
            let missing: Vec<String> = missing.iter().map(|alias| quote(alias.as_str())).collect();
            format!(r#","_meta":{{"linkspan/missing":[{}]}}"#, missing.join(","))
        };
        format!(
            r#"{{"{}":[{}],"resultType":"complete","ttlMs":{ttl},"cacheScope":"{}"{meta}}}"#,
            self.kind.member(),
            texts.join(","),
            scope(self.is_public && missing.is_empty() && !is_private),
        )
    }
}

fn advertised(kind: ListKind, naming: Naming, alias: &Alias, own: &str) -> String {
    match kind {
        ListKind::Tools | ListKind::Prompts => naming.advertised(alias, own),
        ListKind::Resources | ListKind::Templates => own.to_owned(),
    }
}

/// The servers that claim a name.
struct Claims(HashMap<String, Vec<Alias>>);

impl Claims {
    fn count<'a>(items: impl Iterator<Item = (&'a Alias, &'a str)>) -> Self {
        let mut claims: HashMap<String, Vec<Alias>> = HashMap::new();
        for (alias, name) in items {
            let claimants = claims.entry(name.to_owned()).or_default();
            claimants.push(alias.clone());
        }
        claims.retain(|_, claimants| claimants.len() > 1);
        Self(claims)
    }

    fn several(&self, name: &str) -> Option<&[Alias]> {
        self.0.get(name).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::ListReader;
    use crate::names::{NAME_LIMIT, Prefix};

    fn list(kind: ListKind, text: &str) -> Arc<ServerList> {
        let mut reader = ListReader::new(kind);
        reader.page(Json::parse(text).unwrap()).unwrap();
        Arc::new(reader.finish())
    }

    fn merged(kind: ListKind, prefix: Prefix, lists: &[(&str, &str)]) -> Table {
        let lists: Vec<_> = lists
            .iter()
            .map(|(alias, text)| (Alias::new(alias).unwrap(), list(kind, text)))
            .collect();
        let parts: Vec<_> = lists
            .iter()
            .map(|(alias, list)| Part { alias, list })
            .collect();
        Table::new(
            kind,
            Naming::new(prefix, NAME_LIMIT),
            &parts,
            |alias, name, _| name != "hidden" && !(alias.as_str() == "z" && name == "t"),
        )
    }

    #[test]
    fn tools_get_the_alias_and_keep_their_other_bytes() {
        let table = merged(
            ListKind::Tools,
            Prefix::Always,
            &[
                (
                    "b",
                    r#"{"tools":[{"x": 1.50, "name" : "t","annotations":{ "a":1}},{"name":"hidden"}],"ttlMs":7,"cacheScope":"public"}"#,
                ),
                (
                    "a",
                    r#"{"tools":[{"name":"t"}],"ttlMs":5,"cacheScope":"public"}"#,
                ),
            ],
        );
        assert_eq!(
            table.result(&[], false),
            r#"{"tools":[{"x": 1.50,"name":"b__t","annotations":{ "a":1}},{"name":"a__t"}],"resultType":"complete","ttlMs":5,"cacheScope":"public"}"#
        );
        assert_eq!(&*table.find("a__t").unwrap().own, "t");
        assert_eq!(table.find("b__hidden"), None);
    }

    #[test]
    fn without_prefixes_items_are_unchanged_and_common_names_are_dropped() {
        let table = merged(
            ListKind::Tools,
            Prefix::Never,
            &[
                ("b", r#"{"tools":[{ "name" : "t" },{"name":"u"}]}"#),
                ("a", r#"{"tools":[{"name":"u"},{"name":"v"}]}"#),
            ],
        );
        let names: Vec<_> = table.entries().map(|(name, _)| name).collect();
        assert_eq!(names, ["t", "v"]);
        assert_eq!(&*table.find("t").unwrap().text, r#"{ "name" : "t" }"#);
        assert_eq!(table.dropped.len(), 1);
        assert_eq!(table.dropped[0].0, "u");
    }

    #[test]
    fn a_hidden_tool_takes_its_name_from_no_other() {
        let lists = [
            ("a", r#"{"tools":[{"name":"t"}]}"#),
            ("z", r#"{"tools":[{"name":"t"}]}"#),
        ];
        let table = merged(ListKind::Tools, Prefix::Never, &lists);
        assert_eq!(table.find("t").unwrap().alias.as_str(), "a");
        assert_eq!(table.dropped, []);
    }

    #[test]
    fn a_uri_of_two_servers_gets_their_aliases() {
        let table = merged(
            ListKind::Resources,
            Prefix::Always,
            &[
                ("b", r#"{"resources":[{"uri":"x://1"},{"uri":"x://2"}]}"#),
                ("a", r#"{"resources":[{"uri":"x://2"}]}"#),
            ],
        );
        let uris: Vec<_> = table
            .entries()
            .map(|(uri, entry)| (uri, entry.alias.as_str()))
            .collect();
        assert_eq!(uris, [("x://1", "b"), ("b+x://2", "b"), ("a+x://2", "a")]);
    }

    #[test]
    fn a_list_without_a_server_says_so() {
        let table = merged(
            ListKind::Tools,
            Prefix::Always,
            &[("a", r#"{"tools":[],"ttlMs":5,"cacheScope":"public"}"#)],
        );
        let missing = Alias::new("slow").unwrap();
        assert_eq!(
            table.result(&[&missing], false),
            r#"{"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"linkspan/missing":["slow"]}}"#
        );
    }
}
