//! `server.json` files of the MCP registry: each way to run or reach a server as an entry of `mcpServers`.
//!
//! The file is the work of others. So its texts cannot refer to variables or files of the user, only known launchers
//! are used, and a package is named exactly.

mod input;
mod package;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use linkspan_wire::escape_line;
use serde_json::{Map, Value, json};

use crate::import::shown_target;
use input::Inputs;
pub use input::Question;

/// Packages and remotes that are looked at.
const MOST_OFFERS: usize = 64;

/// What a `server.json` file says.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerFile {
    /// The name in the registry, such as `com.example/weather`.
    pub name: String,
    /// What the server is for.
    pub description: String,
    /// Its version.
    pub version: String,
    /// The ways to run or reach it, in the order of the file.
    pub offers: Vec<Offer>,
    /// Ways that cannot be used, with the reason.
    pub refused: Vec<(String, WhyNot)>,
}

/// A way to run or reach a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// The kind of package and its name, or the URL.
    pub title: String,
    /// The entry of `mcpServers`. What only the user knows is `${input:ID}`.
    pub entry: Value,
    /// What the user is asked for.
    pub questions: Vec<Question>,
    /// The names of variables, arguments and headers that are left out, because they are not required.
    pub optional: Vec<String>,
    /// The registry of the package, if the file names one. Launchers use the one that they are set to.
    pub registry: Option<String>,
}

/// Why a text is not a `server.json` file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// It is not JSON.
    #[error("it is not JSON: {0}")]
    Syntax(String),
    /// It has no name.
    #[error("it is not a server.json file: it has no `name`")]
    NoName,
}

/// Why a way cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhyNot {
    /// No launcher for such packages is known.
    #[error("packages of type `{0}` cannot be run")]
    Type(String),
    /// The started program is not reached over stdio.
    #[error("its transport `{0}` is not supported")]
    Transport(String),
    /// A name or a version could be an option of the launcher, or more than one word.
    #[error("`{0}` is not valid")]
    Name(String),
    /// A member is missing.
    #[error("it has no `{0}`")]
    Missing(&'static str),
}

impl ServerFile {
    /// Reads the text of a file, or the answer of a registry that contains it.
    ///
    /// # Errors
    /// If it is not a `server.json` file.
    pub fn parse(text: &str) -> Result<Self, RegistryError> {
        let value: Value =
            serde_json::from_str(text).map_err(|e| RegistryError::Syntax(e.to_string()))?;
        let server = value.get("server").unwrap_or(&value);
        let member = |name: &str| server.get(name).and_then(Value::as_str).unwrap_or_default();
        let name = member("name").to_owned();
        if name.is_empty() {
            return Err(RegistryError::NoName);
        }
        let mut file = Self {
            description: member("description").to_owned(),
            version: member("version").to_owned(),
            offers: Vec::new(),
            refused: Vec::new(),
            name,
        };
        let key = file.key();
        for (remote, url) in list(server, "remotes").map(|it| (it, title(it, "type", "url"))) {
            file.offer(url, remote_entry(&key, remote));
        }
        for package in list(server, "packages") {
            let title = title(package, "registryType", "identifier");
            file.offer(title, package::offer(&key, package));
        }
        Ok(file)
    }

    fn offer(&mut self, title: String, offer: Result<Offer, WhyNot>) {
        match offer {
            Ok(offer) => self.offers.push(Offer { title, ..offer }),
            Err(why) => self.refused.push((title, why)),
        }
    }

    /// A key for the entry: the end of the name.
    pub fn key(&self) -> String {
        let end = self.name.rsplit('/').next().unwrap_or_default();
        if end.is_empty() { "server" } else { end }.to_owned()
    }

    /// Writes for the user what there is and what it would run.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{} {}",
            escape_line(&self.name),
            escape_line(&self.version)
        )?;
        writeln!(out, "{}", escape_line(&self.description))?;
        for offer in &self.offers {
            writeln!(out, "{}", escape_line(&offer.title))?;
            writeln!(out, "  {}", shown_target(&offer.entry))?;
            if let Some(registry) = &offer.registry {
                writeln!(out, "  of the registry {}", escape_line(registry))?;
            }
            for question in &offer.questions {
                let secret = if question.is_secret { ", a secret" } else { "" };
                let (id, about) = (
                    escape_line(&question.id),
                    escape_line(&question.description),
                );
                writeln!(out, "  asks for {id}{secret}: {about}")?;
            }
            if !offer.optional.is_empty() {
                let names = offer.optional.join(", ");
                writeln!(out, "  optional: {}", escape_line(&names))?;
            }
        }
        for (title, why) in &self.refused {
            let why = why.to_string();
            writeln!(out, "not {}: {}", escape_line(title), escape_line(&why))?;
        }
        Ok(())
    }
}

impl Offer {
    /// The configuration with this server under a key.
    pub fn to_json(&self, key: &str) -> Value {
        let mut config = json!({});
        if !self.questions.is_empty() {
            let questions = self.questions.iter().map(Question::to_json);
            config["inputs"] = questions.collect();
        }
        config["mcpServers"] = json!({ key: self.entry });
        config
    }
}

fn list<'a>(server: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    let items = server.get(member).and_then(Value::as_array);
    items.into_iter().flatten().take(MOST_OFFERS)
}

fn title(offer: &Value, kind: &str, name: &str) -> String {
    let member = |name: &str| offer.get(name).and_then(Value::as_str).unwrap_or("?");
    format!("{} {}", member(kind), member(name))
}

fn remote_entry(key: &str, remote: &Value) -> Result<Offer, WhyNot> {
    let kind = remote.get("type").and_then(Value::as_str);
    let kind = match kind.ok_or(WhyNot::Missing("type"))? {
        "streamable-http" => "http",
        "sse" => "sse",
        other => return Err(WhyNot::Transport(other.to_owned())),
    };
    let url = remote.get("url").and_then(Value::as_str);
    let mut inputs = Inputs::new(key);
    let url = inputs.template(url.ok_or(WhyNot::Missing("url"))?, remote.get("variables"));
    let mut headers = Map::new();
    for header in list(remote, "headers") {
        let name = header.get("name").and_then(Value::as_str);
        let name = name.ok_or(WhyNot::Missing("name"))?;
        if let Some(value) = inputs.value(header, name) {
            headers.insert(name.to_owned(), value.into());
        }
    }
    let mut entry = json!({ "type": kind, "url": url });
    if !headers.is_empty() {
        entry["headers"] = Value::Object(headers);
    }
    inputs.offer(entry)
}
