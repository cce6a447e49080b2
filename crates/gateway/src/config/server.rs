//! The servers of a file.

use std::collections::{HashMap, HashSet};

use super::error::Problem;
use super::reader::{Field, Fields, Reader};
use super::settings::{NEW_TOOLS, PIN_MODES};
use super::template::Reference;
use super::{Input, ServerConfig, Start, Target, target};
use crate::alias::Alias;
use crate::digest::Digest;
use crate::digest::Fields as Parts;

/// Servers of one file.
const MOST_SERVERS: usize = 1000;
/// Calls of one server at the same time.
const MOST_CALLS: usize = 1_000_000;
const MEMBERS: [&str; 8] = [
    "as",
    "folder",
    "start",
    "share",
    "concurrency",
    "timeout",
    "pins",
    "newTools",
];
const STARTS: [(&str, Start); 2] = [("lazy", Start::Lazy), ("eager", Start::Eager)];

/// The servers of a file, while it is read.
#[derive(Default)]
pub(super) struct Servers {
    pub(super) enabled: Vec<ServerConfig>,
    pub(super) disabled: Vec<String>,
    /// All keys, and the key of each alias.
    keys: HashMap<String, Option<Alias>>,
    aliases: HashMap<Alias, String>,
    /// The aliases of disabled servers.
    idle: HashSet<Alias>,
}

impl Servers {
    /// Reads `mcpServers` or `servers`.
    pub(super) fn read<'a>(
        &mut self,
        field: &Field<'a>,
        inputs: &[Input],
        reader: &mut Reader<'a>,
    ) {
        let Some(fields) = field.object(reader) else {
            return;
        };
        for (key, server) in fields.iter() {
            if self.keys.len() == MOST_SERVERS {
                let problem = Problem::Range {
                    name: field.name.clone(),
                    least: 0,
                    most: MOST_SERVERS,
                };
                reader.report_name(server.at(), problem);
                return;
            }
            if self.keys.insert(key.to_owned(), None).is_some() {
                reader.report_name(server.at(), Problem::Twice(key.to_owned()));
                continue;
            }
            let Some(members) = server.object(reader) else {
                continue;
            };
            if is_disabled(&members, reader) {
                let given = members.get("linkspan").and_then(|ours| ours.at().get("as"));
                let given = given.and_then(|given| Alias::new(&given.as_str()?).ok());
                self.idle
                    .insert(given.unwrap_or_else(|| Alias::of_key(key)));
                self.disabled.push(key.to_owned());
            } else if let Some(server) = self.server(key, &server, &members, inputs, reader) {
                self.keys.insert(key.to_owned(), Some(server.alias.clone()));
                self.enabled.push(server);
            }
        }
    }

    fn server<'a>(
        &mut self,
        key: &str,
        field: &Field<'a>,
        members: &Fields<'a>,
        inputs: &[Input],
        reader: &mut Reader<'a>,
    ) -> Option<ServerConfig> {
        let ours = members.get("linkspan");
        let ours = ours.and_then(|ours| ours.only(&MEMBERS, reader));
        let get = |name: &str| ours.as_ref().and_then(|ours| ours.get(name));
        let alias = self.alias(key, field, get("as"), reader);
        let target = target::read(members, get("folder"), reader);
        let start = get("start").and_then(|one| one.word(&STARTS, reader));
        let share = get("share")
            .and_then(|one| one.flag(reader))
            .unwrap_or(false);
        let concurrency = get("concurrency").and_then(|one| one.count(1, MOST_CALLS, reader));
        let timeout = get("timeout").and_then(|one| one.seconds(reader));
        let pins = get("pins").and_then(|one| one.word(&PIN_MODES, reader));
        let new_tools = get("newTools").and_then(|one| one.word(&NEW_TOOLS, reader));
        let target = target?;
        let used = used(&target, inputs);
        Some(ServerConfig {
            digest: digest(&target, share, &used),
            key: key.to_owned(),
            alias: alias?,
            target,
            start: start.unwrap_or_default(),
            share,
            concurrency,
            timeout,
            pins,
            new_tools,
            at: reader.source.of_name(field.at()),
        })
    }

    /// The alias of a server: `as`, or one made from its key. No two servers have the same.
    fn alias<'a>(
        &mut self,
        key: &str,
        field: &Field<'a>,
        given: Option<Field<'a>>,
        reader: &mut Reader<'a>,
    ) -> Option<Alias> {
        let alias = match &given {
            None => Alias::of_key(key),
            Some(given) => match Alias::new(&given.text(reader)?) {
                Ok(alias) => alias,
                Err(error) => {
                    reader.report(given.at(), Problem::Alias(error));
                    return None;
                }
            },
        };
        if let Some(other) = self.aliases.get(&alias) {
            let problem = Problem::SameAlias {
                key: key.to_owned(),
                other: other.clone(),
                alias: alias.to_string(),
            };
            match given {
                Some(given) => reader.report(given.at(), problem),
                None => reader.report_name(field.at(), problem),
            }
            return None;
        }
        self.aliases.insert(alias.clone(), key.to_owned());
        Some(alias)
    }

    /// The alias of the server with this key or alias, `Some(None)` for a server that is disabled or has mistakes.
    pub(super) fn find(&self, name: &str) -> Option<Option<Alias>> {
        if let Some(alias) = self.keys.get(name) {
            return Some(alias.clone());
        }
        let alias = Alias::new(name).ok()?;
        if self.aliases.contains_key(&alias) {
            return Some(Some(alias));
        }
        self.idle.contains(&alias).then_some(None)
    }

    /// All aliases, those of disabled servers included.
    pub(super) fn aliases(&self) -> impl Iterator<Item = &Alias> {
        self.aliases.keys().chain(&self.idle)
    }

    /// What [`Servers::find`] finds.
    pub(super) fn names(&self) -> Vec<String> {
        let aliases = self.aliases().map(Alias::to_string);
        let mut names: Vec<String> = self.keys.keys().cloned().chain(aliases).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// `disabled` of Cline and others, `enabled` of Codex and others.
fn is_disabled<'a>(members: &Fields<'a>, reader: &mut Reader<'a>) -> bool {
    let mut flag = |name| members.get(name).and_then(|one| one.flag(reader));
    flag("disabled") == Some(true) || flag("enabled") == Some(false)
}

/// The inputs that a target uses.
fn used<'i>(target: &Target, inputs: &'i [Input]) -> Vec<&'i Input> {
    let parts = target.parts();
    let ids: HashSet<&str> = parts
        .iter()
        .flat_map(|part| part.references())
        .filter_map(|reference| match reference {
            Reference::Input(id) => Some(id.as_str()),
            _ => None,
        })
        .collect();
    inputs
        .iter()
        .filter(|input| ids.contains(input.id.as_str()))
        .collect()
}

fn digest(target: &Target, share: bool, inputs: &[&Input]) -> Digest {
    let mut parts = Parts::new("server of a gateway");
    parts.count(usize::from(share));
    let sorted = |pairs: &[(String, super::Template)], parts: &mut Parts| {
        let mut pairs: Vec<_> = pairs
            .iter()
            .map(|(name, value)| (name.as_str(), value.written()))
            .collect();
        pairs.sort();
        parts.count(pairs.len());
        for (name, value) in &pairs {
            parts.text(name);
            parts.text(value);
        }
    };
    match target {
        Target::Command {
            program,
            args,
            env,
            env_file,
            cwd,
        } => {
            parts.text("command");
            parts.text(&program.written());
            parts.count(args.len());
            for arg in args {
                parts.text(&arg.written());
            }
            sorted(env, &mut parts);
            for path in [env_file, cwd] {
                parts.count(usize::from(path.is_some()));
                if let Some(path) = path {
                    parts.text(&path.written());
                }
            }
        }
        Target::Url {
            url,
            transport,
            headers,
        } => {
            parts.text("url");
            parts.text(&url.written());
            parts.text(&format!("{transport:?}"));
            sorted(headers, &mut parts);
        }
        Target::Folder(folder) => {
            parts.text("folder");
            parts.text(&folder.written());
        }
    }
    for input in inputs {
        parts.text(&input.id);
        parts.text(
            input
                .default
                .as_ref()
                .map_or("", |default| default.as_str()),
        );
    }
    parts.finish()
}
