//! One answer to `server/discover` for several servers.

use std::collections::BTreeMap;

use linkspan_mcp::{OUR_INFO, Revision, SERVER_INFO};
use linkspan_wire::{Json, JsonKind, quote};

use crate::alias::Alias;

/// Characters of one server's instructions.
const LONGEST: usize = 4000;
/// Characters of the instructions of all servers.
const LONGEST_OF_ALL: usize = 24_000;

/// A server, and its answer if it is known.
#[derive(Debug, Clone, Copy)]
pub struct Described<'a> {
    /// The server.
    pub alias: &'a Alias,
    /// The result of its `server/discover`.
    pub answer: Option<Json<'a>>,
}

/// The merged result. A server whose answer is not known yet may have tools, prompts and resources.
pub fn merged(servers: &[Described<'_>]) -> String {
    let capabilities = capabilities(servers);
    let instructions = instructions(servers);
    let instructions = instructions.map_or_else(String::new, |text| {
        format!(r#""instructions":{},"#, quote(&text))
    });
    let aliases: Vec<String> = servers
        .iter()
        .map(|one| quote(one.alias.as_str()))
        .collect();
    format!(
        r#"{{"resultType":"complete","supportedVersions":["{}"],"capabilities":{capabilities},{instructions}"ttlMs":0,"cacheScope":"private","_meta":{{"{SERVER_INFO}":{OUR_INFO},"linkspan/servers":[{}]}}}}"#,
        Revision::LATEST.as_str(),
        aliases.join(",")
    )
}

/// The union of all capabilities: a member that several servers have is true if one of them says so.
fn capabilities(servers: &[Described<'_>]) -> String {
    let mut all: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for server in servers {
        let Some(answer) = server.answer else {
            for name in ["tools", "prompts", "resources"] {
                list_changes(&mut all, name);
            }
            continue;
        };
        let capabilities = answer.get("capabilities");
        for (name, value) in capabilities.into_iter().flat_map(Json::members) {
            if value.kind() != JsonKind::Object {
                continue;
            }
            let into = all.entry(name.to_string()).or_default();
            for (key, value) in value.members() {
                let known = into
                    .entry(key.into_owned())
                    .or_insert_with(|| value.text().to_owned());
                if known == "false" {
                    *known = value.text().to_owned();
                }
            }
            // A server that starts late, and one that is added, change the lists.
            if matches!(&*name, "tools" | "prompts" | "resources") {
                list_changes(&mut all, &name);
            }
        }
    }
    let all: Vec<String> = all
        .iter()
        .map(|(name, members)| {
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}:{value}", quote(key)))
                .collect();
            format!("{}:{{{}}}", quote(name), members.join(","))
        })
        .collect();
    format!("{{{}}}", all.join(","))
}

fn list_changes(all: &mut BTreeMap<String, BTreeMap<String, String>>, name: &str) {
    let members = all.entry(name.to_owned()).or_default();
    members.insert("listChanged".to_owned(), "true".to_owned());
}

/// Those of a single server as they are; of several under headings, each cut at a limit.
fn instructions(servers: &[Described<'_>]) -> Option<String> {
    let of = |server: &Described<'_>| {
        let text = server.answer?.get("instructions")?.as_str()?.into_owned();
        (!text.trim().is_empty()).then_some(text)
    };
    if let [only] = servers {
        return of(only);
    }
    let mut all = String::new();
    for server in servers {
        let Some(text) = of(server) else {
            continue;
        };
        let room = LONGEST_OF_ALL
            .saturating_sub(all.chars().count())
            .min(LONGEST);
        if room == 0 {
            break;
        }
        if !all.is_empty() {
            all.push_str("\n\n");
        }
        all.push_str(&format!("# {}\n\n", server.alias));
        match text.char_indices().nth(room) {
            Some((end, _)) => {
                all.push_str(&text[..end]);
                all.push_str(" […]");
            }
            None => all.push_str(&text),
        }
    }
    (!all.is_empty()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merge(answers: &[(&str, Option<&str>)]) -> String {
        let aliases: Vec<_> = answers
            .iter()
            .map(|(a, _)| Alias::new(a).unwrap())
            .collect();
        let servers: Vec<_> = aliases
            .iter()
            .zip(answers)
            .map(|(alias, (_, answer))| Described {
                alias,
                answer: answer.map(|text| Json::parse(text).unwrap()),
            })
            .collect();
        merged(&servers)
    }

    fn at(text: &str, path: &[&str]) -> Option<String> {
        Some(Json::parse(text).unwrap().path(path)?.text().to_owned())
    }

    #[test]
    fn capabilities_are_united() {
        let text = merge(&[
            (
                "a",
                Some(
                    r#"{"capabilities":{"tools":{"listChanged":false},"logging":{},"resources":{"subscribe":false}}}"#,
                ),
            ),
            (
                "b",
                Some(r#"{"capabilities":{"resources":{"subscribe":true},"completions":{}}}"#),
            ),
        ]);
        assert_eq!(
            at(&text, &["capabilities"]).unwrap(),
            r#"{"completions":{},"logging":{},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}}"#
        );
    }

    #[test]
    fn a_server_that_has_not_answered_may_have_every_list() {
        let text = merge(&[("a", None)]);
        assert!(at(&text, &["capabilities", "prompts", "listChanged"]).is_some());
        assert!(at(&text, &["instructions"]).is_none());
    }

    #[test]
    fn instructions_of_several_servers_have_headings_and_a_limit() {
        let long = format!(
            r#"{{"capabilities":{{}},"instructions":"{}"}}"#,
            "é".repeat(30_000)
        );
        let text = merge(&[
            ("a", Some(r#"{"instructions":"do\nthis"}"#)),
            ("b", Some(&long)),
        ]);
        let instructions = Json::parse(&text)
            .unwrap()
            .get("instructions")
            .unwrap()
            .as_str()
            .unwrap()
            .into_owned();
        assert!(instructions.starts_with("# a\n\ndo\nthis\n\n# b\n\néé"));
        assert!(instructions.chars().count() < 5000);
        let alone = merge(&[("a", Some(&long))]);
        assert!(alone.len() > 30_000);
    }
}
