//! `initialize`: our capabilities and the agent's.

use linkspan_wire::{Json, JsonKind, quote};

/// The version of ACP that we implement.
const VERSION: i64 = 1;
/// Login methods that are shown to the user, at most.
const MOST_METHODS: usize = 32;

/// How the MCP client can ask its user for input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reachable {
    /// With a form.
    pub form: bool,
    /// With a page in a browser.
    pub url: bool,
}

/// The parameters of `initialize`. Declares no files and no terminals: the MCP client behind us offers
/// neither.
pub fn initialize(version: &str, reachable: Reachable) -> String {
    let mut asking = Vec::new();
    if reachable.form {
        asking.push(r#""form":{}"#);
    }
    if reachable.url {
        asking.push(r#""url":{}"#);
    }
    let asking = if asking.is_empty() {
        String::new()
    } else {
        format!(r#","elicitation":{{{}}}"#, asking.join(","))
    };
    format!(
        r#"{{"protocolVersion":{VERSION},"clientCapabilities":{{"fs":{{"readTextFile":false,"writeTextFile":false}},"terminal":false{asking}}},"clientInfo":{{"name":"linkspan","title":"linkspan","version":{}}}}}"#,
        quote(version)
    )
}

/// The agent's name and capabilities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hello {
    /// The agent's name.
    pub name: Option<String>,
    /// Whether it can load a stored session and replay its messages.
    pub load: bool,
    /// Whether it can resume a stored session without replaying messages.
    pub resume: bool,
    /// Whether it can list stored sessions.
    pub list: bool,
    /// Whether it supports `session/close`.
    pub close: bool,
    /// Whether prompts may contain images.
    pub image: bool,
    /// Whether prompts may contain audio.
    pub audio: bool,
    /// Whether prompts may contain embedded files.
    pub embedded: bool,
    /// Whether it accepts MCP servers over HTTP.
    pub http: bool,
    /// Whether it accepts MCP servers over HTTP+SSE.
    pub sse: bool,
    /// The login methods.
    pub auth: Vec<AuthMethod>,
}

/// A login method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthMethod {
    /// The method's id.
    pub id: String,
    /// The name to show.
    pub name: String,
    /// The description to show.
    pub description: Option<String>,
    /// Whether it requires a terminal, which we cannot offer.
    pub terminal: bool,
}

/// Why an agent cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// It uses another version of ACP.
    Version(String),
    /// It does not name its version of ACP.
    NoVersion,
}

impl std::error::Error for Unusable {}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Version(version) => write!(
                f,
                "it speaks version {version} of ACP, and we speak version {VERSION}"
            ),
            Self::NoVersion => f.write_str("it does not say which version of ACP it speaks"),
        }
    }
}

impl Hello {
    /// Reads the result of `initialize`.
    pub fn read(result: Json<'_>) -> Result<Self, Unusable> {
        let version = result
            .get("protocolVersion")
            .ok_or(Unusable::NoVersion)
            .map(Json::text)?;
        if version.parse() != Ok(VERSION) {
            return Err(Unusable::Version(super::cut(version, 40).to_owned()));
        }
        let can = |way: &[&str]| {
            let declared = result.get("agentCapabilities").and_then(|c| c.path(way));
            declared.is_some_and(|value| !matches!(value.text(), "false" | "null"))
        };
        let name = result
            .path(&["agentInfo", "name"])
            .and_then(Json::as_str)
            .map(|name| super::cut(&name, 200).to_owned());
        let methods = result
            .get("authMethods")
            .filter(|m| m.kind() == JsonKind::Array);
        Ok(Self {
            name,
            load: can(&["loadSession"]),
            resume: can(&["sessionCapabilities", "resume"]),
            list: can(&["sessionCapabilities", "list"]),
            close: can(&["sessionCapabilities", "close"]),
            image: can(&["promptCapabilities", "image"]),
            audio: can(&["promptCapabilities", "audio"]),
            embedded: can(&["promptCapabilities", "embeddedContext"]),
            http: can(&["mcpCapabilities", "http"]),
            sse: can(&["mcpCapabilities", "sse"]),
            auth: methods
                .into_iter()
                .flat_map(Json::elements)
                .filter_map(AuthMethod::read)
                .take(MOST_METHODS)
                .collect(),
        })
    }
}

impl AuthMethod {
    fn read(method: Json<'_>) -> Option<Self> {
        let text = |key| Some(method.get(key)?.as_str()?.into_owned());
        let id = text("id")?;
        Some(Self {
            name: text("name").unwrap_or_else(|| id.clone()),
            description: text("description").filter(|text| !text.is_empty()),
            terminal: text("type").as_deref() == Some("terminal"),
            id,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Hello, Unusable> {
        Hello::read(Json::parse(text).unwrap())
    }

    #[test]
    fn capabilities_that_are_not_declared_are_absent() {
        assert_eq!(read(r#"{"protocolVersion":1}"#), Ok(Hello::default()));
        let odd = r#"{"protocolVersion":1,"agentCapabilities":[],"authMethods":{"id":"x"}}"#;
        assert_eq!(read(odd), Ok(Hello::default()));
    }

    #[test]
    fn declared_capabilities_are_read() {
        let hello = read(
            r#"{"protocolVersion":1,"agentInfo":{"name":"a"},"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true,"audio":false},"mcpCapabilities":{"http":true},"sessionCapabilities":{"close":{},"list":null}},"authMethods":[{"id":"key","name":"A key"},{"id":"tty","type":"terminal"},7]}"#,
        )
        .unwrap();
        assert!(hello.load && hello.image && hello.close && hello.http);
        assert!(!hello.audio && !hello.list && !hello.sse && !hello.resume);
        assert_eq!(hello.name.as_deref(), Some("a"));
        assert_eq!(hello.auth.len(), 2);
        assert!(hello.auth[1].terminal && !hello.auth[0].terminal);
    }

    #[test]
    fn another_version_is_refused_and_named() {
        assert_eq!(
            read(r#"{"protocolVersion":2,"info":{}}"#),
            Err(Unusable::Version("2".to_owned()))
        );
        assert_eq!(read("{}"), Err(Unusable::NoVersion));
        assert!(read(r#"{"protocolVersion":"1"}"#).is_err());
    }

    #[test]
    fn initialize_declares_only_what_the_client_offers() {
        let none = initialize("1", Reachable::default());
        assert!(Json::parse(&none).is_ok() && !none.contains("elicitation"));
        let form = Reachable {
            form: true,
            url: false,
        };
        let said = initialize("1", form);
        let declared = Json::parse(&said).unwrap();
        let way = ["clientCapabilities", "elicitation"];
        assert_eq!(declared.path(&way).unwrap().text(), r#"{"form":{}}"#);
        assert_eq!(
            declared
                .path(&["clientCapabilities", "terminal"])
                .unwrap()
                .text(),
            "false"
        );
    }
}
