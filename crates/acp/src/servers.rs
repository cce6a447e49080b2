//! Declarations of MCP servers in the parameters of a session: those of servers that the chain provides.

use std::borrow::Cow;

use linkspan_wire::{Json, JsonKind, Object, RpcError, quote};

use crate::bridge::Provider;

/// A declaration of a server that a component of the chain provides.
#[derive(Debug)]
pub(crate) struct Declared<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) provider: Provider,
    pub(crate) entry: Json<'a>,
    /// Declared in the draft's spelling: its provider speaks the draft, whatever envelope it uses.
    pub(crate) is_draft: bool,
}

/// All these declarations, in order.
pub(crate) fn declared(params: Json<'_>) -> Vec<Declared<'_>> {
    let list = params.get("mcpServers").into_iter();
    let listed = list.flat_map(|list| list.elements()).filter_map(|entry| {
        let name = entry.get("name")?.as_str()?;
        Some(Declared {
            name,
            provider: provider(entry)?,
            entry,
            is_draft: false,
        })
    });
    let mapped = draft_map(params).into_iter().flat_map(Json::members);
    let mapped = mapped.filter_map(|(name, entry)| {
        Some(Declared {
            name,
            provider: draft_provider(entry)?,
            entry,
            is_draft: true,
        })
    });
    listed.chain(mapped).collect()
}

fn provider(entry: Json<'_>) -> Option<Provider> {
    let text = |key: &str| entry.get(key).and_then(Json::as_str);
    match text("type")?.as_ref() {
        "acp" => {
            // Schemas before 1.0 spell it `id`, and the RFD still does.
            let id = text("serverId").or_else(|| text("id"))?;
            Some(Provider::Server(id.into_owned()))
        }
        "http" => acp_url(text("url")),
        _ => None,
    }
}

/// The draft has a map under `tools`, and `transport` instead of `type`.
fn draft_map(params: Json<'_>) -> Option<Json<'_>> {
    let map = params.path(&["tools", "mcpServers"])?;
    (map.kind() == JsonKind::Object).then_some(map)
}

fn draft_provider(entry: Json<'_>) -> Option<Provider> {
    let text = |key: &str| entry.get(key).and_then(Json::as_str);
    match text("transport")?.as_ref() {
        "http" => acp_url(text("url")),
        _ => None,
    }
}

fn acp_url(url: Option<Cow<'_, str>>) -> Option<Provider> {
    let url = url.filter(|url| url.starts_with("acp:"))?;
    Some(Provider::Url(url.into_owned()))
}

/// The parameters with each entry of `instead` in place of its declaration.
pub(crate) fn replaced(
    params: Json<'_>,
    instead: &[(Json<'_>, String)],
) -> Result<String, RpcError> {
    let find = |entry: Json<'_>| {
        let same = |(old, _): &&(Json<'_>, String)| std::ptr::eq(old.text(), entry.text());
        instead.iter().find(same).map(|(_, new)| new.as_str())
    };
    let mut edited = Object::of(Some(params));
    if let Some(list) = params.get("mcpServers") {
        let entries: Vec<&str> = list
            .elements()
            .map(|entry| find(entry).unwrap_or(entry.text()))
            .collect();
        unique_names(&entries)?;
        edited = edited.with("mcpServers", &format!("[{}]", entries.join(",")));
    }
    if let Some(map) = draft_map(params) {
        let mut servers = Object::of(Some(map));
        for (name, entry) in map.members() {
            if let Some(new) = find(entry) {
                servers = servers.with(&name, &draft_form(new));
            }
        }
        let tools = Object::of(params.get("tools")).with("mcpServers", &servers.text());
        edited = edited.with("tools", &tools.text());
    }
    Ok(edited.text())
}

/// The prefix of a server's id where its declaration is spelled in the old way.
const OLD_URL_PREFIX: &str = "acp:linkspan:";

/// The parameters with servers of the chain in the only spelling that proxies read which predate `type:
/// "acp"`; some of these hang on the newer spelling. `None` if there are no such servers.
pub(crate) fn aged(params: Json<'_>) -> Option<String> {
    respelled(params, |entry| {
        let text = |key: &str| entry.get(key).and_then(Json::as_str);
        let id = text("serverId").filter(|_| text("type").as_deref() == Some("acp"))?;
        let url = format!("{OLD_URL_PREFIX}{id}");
        let entry = Object::of(Some(entry)).without(&["serverId"]);
        let entry = entry.with("type", "\"http\"").with("url", &quote(&url));
        Some(entry.with("headers", "[]").text())
    })
}

/// The inverse of [`aged`].
pub(crate) fn renewed(params: Json<'_>) -> Option<String> {
    respelled(params, |entry| {
        let text = |key: &str| entry.get(key).and_then(Json::as_str);
        let url = text("url").filter(|_| text("type").as_deref() == Some("http"))?;
        let id = url.strip_prefix(OLD_URL_PREFIX)?;
        let entry = Object::of(Some(entry)).without(&["url", "headers"]);
        Some(
            entry
                .with("type", "\"acp\"")
                .with("serverId", &quote(id))
                .text(),
        )
    })
}

fn respelled(params: Json<'_>, respell: impl Fn(Json<'_>) -> Option<String>) -> Option<String> {
    let list = params.get("mcpServers")?;
    let mut is_other = false;
    let entries = list.elements().map(|entry| match respell(entry) {
        Some(other) => {
            is_other = true;
            Cow::Owned(other)
        }
        None => Cow::Borrowed(entry.text()),
    });
    let entries: Vec<Cow<'_, str>> = entries.collect();
    let list = format!("[{}]", entries.join(","));
    is_other.then(|| Object::of(Some(params)).with("mcpServers", &list).text())
}

/// Refuses two servers with one name: one would hide the other.
fn unique_names(entries: &[&str]) -> Result<(), RpcError> {
    let mut seen = std::collections::HashSet::new();
    for entry in entries {
        let name = Json::parse(entry)
            .ok()
            .and_then(|entry| entry.get("name")?.as_str());
        if let Some(name) = name
            && !seen.insert(name.clone().into_owned())
        {
            return Err(RpcError::invalid_params(format!(
                "two MCP servers of this session are called `{name}`"
            ))
            .with_data(quote("rename one of the two")));
        }
    }
    Ok(())
}

/// A server in the draft's spelling.
fn draft_form(entry: &str) -> String {
    let Ok(entry) = Json::parse(entry) else {
        return entry.to_owned();
    };
    if entry.get("command").is_none() {
        return Object::of(Some(entry))
            .without(&["name"])
            .with("transport", "\"http\"")
            .text();
    }
    let mut env = Object::empty();
    for pair in entry.get("env").into_iter().flat_map(Json::elements) {
        if let (Some(name), Some(value)) =
            (pair.get("name").and_then(Json::as_str), pair.get("value"))
        {
            env = env.with(&name, value.text());
        }
    }
    Object::of(Some(entry))
        .without(&["name", "type"])
        .with("env", &env.text())
        .with("transport", "\"stdio\"")
        .text()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIXED: &str = r#"{"cwd":"/w","mcpServers":[{"name":"a","command":"/x","args":[],"env":[]},{"type":"acp","name":"b","serverId":"s:1","_meta":{"k":1.0}},{"type":"http","name":"c","url":"acp:77","headers":[]},{"type":"http","name":"d","url":"https://h/","headers":[]},{"type":"future","name":"e"},{"type":"acp","name":"f","id":"old"}],"z":1e5}"#;

    #[test]
    fn servers_of_the_chain_are_found_in_both_spellings() {
        let params = Json::parse(MIXED).unwrap();
        let found: Vec<_> = declared(params)
            .into_iter()
            .map(|one| (one.name.into_owned(), one.provider))
            .collect();
        assert_eq!(
            found,
            [
                ("b".to_owned(), Provider::Server("s:1".to_owned())),
                ("c".to_owned(), Provider::Url("acp:77".to_owned())),
                ("f".to_owned(), Provider::Server("old".to_owned())),
            ]
        );
    }

    #[test]
    fn only_the_declaration_changes() {
        let params = Json::parse(MIXED).unwrap();
        let all = declared(params);
        let instead = vec![(all[0].entry, r#"{"name":"b","command":"/l"}"#.to_owned())];
        let edited = replaced(params, &instead).unwrap();
        let expected = MIXED.replace(
            r#"{"type":"acp","name":"b","serverId":"s:1","_meta":{"k":1.0}}"#,
            r#"{"name":"b","command":"/l"}"#,
        );
        assert_eq!(edited, expected);
    }

    #[test]
    fn the_old_spelling_is_reversible() {
        let params = Json::parse(MIXED).unwrap();
        let aged = aged(params).unwrap();
        assert_eq!(
            aged,
            MIXED.replace(
                r#"{"type":"acp","name":"b","serverId":"s:1","_meta":{"k":1.0}}"#,
                r#"{"type":"http","name":"b","_meta":{"k":1.0},"url":"acp:linkspan:s:1","headers":[]}"#
            )
        );
        let back = renewed(Json::parse(&aged).unwrap()).unwrap();
        let found = |text| {
            let declared = declared(Json::parse(text).unwrap()).into_iter();
            declared.map(|one| one.provider).collect::<Vec<_>>()
        };
        assert_eq!(found(&back), found(MIXED));
        assert_eq!(renewed(params), None, "nothing of it is ours");
        assert!(super::aged(Json::parse(r#"{"mcpServers":7}"#).unwrap()).is_none());
    }

    #[test]
    fn two_servers_of_one_name_are_refused() {
        let text = r#"{"mcpServers":[{"type":"acp","name":"b","serverId":"1"},{"name":"b","command":"x"}]}"#;
        let params = Json::parse(text).unwrap();
        let refused = replaced(params, &[]).unwrap_err();
        assert!(refused.message().contains("`b`"));
    }

    #[test]
    fn the_drafts_map_is_understood() {
        let text = r#"{"tools":{"mcpServers":{"sparkle":{"transport":"http","url":"acp:5","headers":{}}},"x":1}}"#;
        let params = Json::parse(text).unwrap();
        let all = declared(params);
        assert_eq!(all[0].name, "sparkle");
        let new = r#"{"name":"sparkle","command":"/l","args":["mcp","7"],"env":[{"name":"T","value":"s"}]}"#;
        let edited = replaced(params, &[(all[0].entry, new.to_owned())]).unwrap();
        assert_eq!(
            edited,
            r#"{"tools":{"mcpServers":{"sparkle":{"command":"/l","args":["mcp","7"],"env":{"T":"s"},"transport":"stdio"}},"x":1}}"#
        );
    }
}
