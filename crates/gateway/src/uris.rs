//! Which server a resource belongs to. URIs keep their spelling, so this is known from lists and results only.

use std::collections::{HashMap, HashSet, VecDeque};

use linkspan_wire::{Json, JsonKind, Object, quote};

use crate::alias::Alias;
use crate::glob::Glob;
use crate::table::Table;

/// Identifiers from results that are remembered.
const SEEN: usize = 4096;
/// Longer URIs are not remembered.
const LONGEST: usize = 4096;
/// URIs of one result that are remembered.
const MOST_OF_ONE: usize = 256;
/// How deep a result is searched.
const DEEPEST: usize = 8;

/// `alias+URI`, which names the server as well.
pub fn with_alias(alias: &Alias, uri: &str) -> String {
    format!("{alias}+{uri}")
}

/// The alias of `alias+URI` and the rest. A scheme may contain `+` itself, so the alias has to be a known one.
pub fn split_alias(uri: &str) -> Option<(&str, &str)> {
    let (alias, rest) = uri.split_once('+')?;
    (rest.contains(':') && !alias.contains(':')).then_some((alias, rest))
}

/// Why a URI has no server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoOwner {
    /// No list or result has contained it.
    Unknown,
    /// Several servers may have it.
    Several(Vec<Alias>),
}

/// The server of a URI by the merged lists of resources and templates: an equal URI, else the most specific template.
pub fn owner(uri: &str, resources: &Table, templates: &Table) -> Result<Alias, NoOwner> {
    if let Some(entry) = resources.find(uri) {
        return Ok(entry.alias.clone());
    }
    let (mut best, mut owners) = (0, Vec::<Alias>::new());
    for (_, entry) in templates.entries() {
        if *entry.own == *uri {
            return Ok(entry.alias.clone());
        }
        let glob = Glob::of_template(&entry.own);
        let literal = glob.literal() + 1;
        if literal < best || !glob.matches(uri) {
            continue;
        }
        if literal > best {
            owners.clear();
            best = literal;
        }
        if !owners.contains(&entry.alias) {
            owners.push(entry.alias.clone());
        }
    }
    match owners.len() {
        0 => Err(NoOwner::Unknown),
        1 => Ok(owners.swap_remove(0)),
        _ => Err(NoOwner::Several(owners)),
    }
}

/// Identifiers that the results of servers have contained: the latest ones.
#[derive(Debug, Default)]
pub struct Seen {
    owners: HashMap<Box<str>, Alias>,
    order: VecDeque<Box<str>>,
}

impl Seen {
    /// Notes that this server has sent a URI, or started a task of that id.
    pub fn note(&mut self, uri: &str, alias: &Alias) {
        if uri.len() > LONGEST {
            return;
        }
        if let Some(owner) = self.owners.get_mut(uri) {
            *owner = alias.clone();
            return;
        }
        if self.order.len() == SEEN
            && let Some(oldest) = self.order.pop_front()
        {
            self.owners.remove(&oldest);
        }
        self.owners.insert(uri.into(), alias.clone());
        self.order.push_back(uri.into());
    }

    /// The server that has sent it last.
    pub fn owner(&self, uri: &str) -> Option<&Alias> {
        self.owners.get(uri)
    }
}

/// The URIs in a result that a client may read next: links, embedded resources, pages of apps.
pub fn in_result(result: Json<'_>) -> HashSet<String> {
    let mut found = HashSet::new();
    search(result, 0, &mut found);
    found
}

fn search(value: Json<'_>, depth: usize, found: &mut HashSet<String>) {
    if depth > DEEPEST || found.len() >= MOST_OF_ONE {
        return;
    }
    match value.kind() {
        JsonKind::Object => {
            for (key, value) in value.members() {
                match &*key {
                    "uri" | "resourceUri" => found.extend(value.as_str().map(String::from)),
                    // Data of the server, in which the names mean something else.
                    "structuredContent" | "inputSchema" | "outputSchema" => {}
                    _ => search(value, depth + 1, found),
                }
            }
        }
        JsonKind::Array => value
            .elements()
            .for_each(|element| search(element, depth + 1, found)),
        _ => {}
    }
}

/// An object with another value of a member that is a string.
pub fn with_member(object: Json<'_>, member: &str, value: &str) -> String {
    Object::of(Some(object)).with(member, &quote(value)).text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::{ListKind, ListReader};
    use crate::names::Naming;
    use crate::table::Part;
    use std::sync::Arc;

    fn alias(text: &str) -> Alias {
        Alias::new(text).unwrap()
    }

    fn table(kind: ListKind, lists: &[(&str, &[&str])]) -> Table {
        let read = |uris: &[&str]| {
            let items: Vec<String> = uris
                .iter()
                .map(|u| format!(r#"{{"{}":"{u}"}}"#, kind.key()))
                .collect();
            let text = format!(r#"{{"{}":[{}]}}"#, kind.member(), items.join(","));
            let mut reader = ListReader::new(kind);
            reader.page(Json::parse(&text).unwrap()).unwrap();
            Arc::new(reader.finish())
        };
        let lists: Vec<_> = lists
            .iter()
            .map(|(a, uris)| (alias(a), read(uris)))
            .collect();
        let parts: Vec<_> = lists
            .iter()
            .map(|(alias, list)| Part { alias, list })
            .collect();
        Table::new(kind, Naming::default(), &parts, |_, _, _| true)
    }

    #[test]
    fn the_most_specific_template_wins() {
        let resources = table(ListKind::Resources, &[("a", &["x://1"]), ("b", &["y://1"])]);
        let templates = table(
            ListKind::Templates,
            &[
                ("a", &["x://{id}", "z://{id}"]),
                ("b", &["x://b/{id}", "z://{name}"]),
            ],
        );
        let owner = |uri| owner(uri, &resources, &templates);
        assert_eq!(owner("y://1"), Ok(alias("b")));
        assert_eq!(owner("x://7"), Ok(alias("a")));
        assert_eq!(owner("x://b/7"), Ok(alias("b")));
        assert_eq!(
            owner("z://7"),
            Err(NoOwner::Several(vec![alias("a"), alias("b")]))
        );
        assert_eq!(owner("w://7"), Err(NoOwner::Unknown));
    }

    #[test]
    fn links_of_a_result_are_found() {
        let result = Json::parse(
            r#"{"content":[{"type":"resource_link","uri":"x://1"},{"type":"resource","resource":{"uri":"x://2"}}],"structuredContent":{"uri":"no"},"_meta":{"ui":{"resourceUri":"ui://a"}}}"#,
        );
        let mut found: Vec<_> = in_result(result.unwrap()).into_iter().collect();
        found.sort();
        assert_eq!(found, ["ui://a", "x://1", "x://2"]);
    }

    #[test]
    fn the_oldest_uri_is_forgotten_first() {
        let mut seen = Seen::default();
        (0..=SEEN).for_each(|i| seen.note(&format!("x://{i}"), &alias("a")));
        assert_eq!(seen.owner("x://0"), None);
        assert_eq!(seen.owner("x://1"), Some(&alias("a")));
    }

    #[test]
    fn an_alias_in_front_of_a_uri_is_split_off() {
        assert_eq!(split_alias("git+file:///x"), Some(("git", "file:///x")));
        assert_eq!(split_alias("file:///a+b"), None);
        assert_eq!(split_alias("a+b"), None);
    }
}
