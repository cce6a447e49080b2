//! What an agent says about itself, and what we say about it.

use linkspan_wire::{Json, JsonKind, Message};

use crate::bridge::Provider;
use crate::dialect::Dialect;
use crate::envelope::{set, unset};

/// What the end of the chain can do with MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Caps {
    pub(crate) version: u64,
    pub(crate) http: bool,
    /// Takes `type: "acp"`.
    acp: bool,
    /// Takes `acp:` URLs.
    acp_url: bool,
}

const OF_V2: [&str; 3] = ["capabilities", "session", "mcp"];
const OF_V1: [&str; 2] = ["agentCapabilities", "mcpCapabilities"];
const TRANSPORT: [&str; 4] = [
    "agentCapabilities",
    "_meta",
    "symposium",
    "mcp_acp_transport",
];
/// The draft does not say which object its `_meta` is a member of: the result, or the capabilities.
const DRAFT_TRANSPORT: [&str; 2] = ["_meta", "mcp_acp_transport"];
const DRAFT_TRANSPORT_OF_AGENT: [&str; 3] = ["agentCapabilities", "_meta", "mcp_acp_transport"];
/// All positions of the capability to take servers by `acp:` URLs.
const TRANSPORTS: [&[&str]; 3] = [&TRANSPORT, &DRAFT_TRANSPORT, &DRAFT_TRANSPORT_OF_AGENT];

impl Caps {
    /// Of a result of `initialize`.
    pub(crate) fn of(result: Json<'_>) -> Self {
        let version = version_of(result);
        let mcp = match version {
            2.. => result.path(&OF_V2),
            _ => result.path(&OF_V1),
        };
        let can = |key| is_there(mcp.and_then(|mcp| mcp.get(key)));
        Self {
            version,
            http: can("http"),
            acp: can("acp"),
            acp_url: TRANSPORTS.iter().any(|way| is_there(result.path(way))),
        }
    }

    /// Whether it reaches servers of the chain in any way.
    pub(crate) fn any(&self) -> bool {
        self.acp || self.acp_url
    }

    /// Whether a server reaches the agent as it is declared.
    pub(crate) fn take(&self, provider: &Provider) -> bool {
        match provider {
            Provider::Server(_) => self.acp,
            Provider::Url(_) => self.acp_url,
        }
    }
}

/// The version of ACP that a request asks for, or a result has settled on.
fn version_of(value: Json<'_>) -> u64 {
    let version = value.get("protocolVersion").and_then(Json::as_i64);
    version.and_then(|v| u64::try_from(v).ok()).unwrap_or(1)
}

/// `true`, or an object: version 1 has booleans, version 2 has objects.
fn is_there(value: Option<Json<'_>>) -> bool {
    value.is_some_and(|value| value.text() == "true" || value.kind() == JsonKind::Object)
}

/// The answer to `initialize`, saying that servers of the chain are welcome: we see to that.
pub(crate) fn welcoming(answer: &Message) -> Message {
    let Some(result) = answer.body() else {
        return answer.clone();
    };
    let caps = Caps::of(result);
    if caps.acp {
        return answer.clone();
    }
    let told = match caps.version {
        2.. => set(Some(result), &[OF_V2.as_slice(), &["acp"]].concat(), "{}"),
        _ => set(Some(result), &[OF_V1.as_slice(), &["acp"]].concat(), "true"),
    };
    answer.with_value(result, &told)
}

/// The same in the words that older proxies look for.
pub(crate) fn welcoming_in(answer: &Message, dialect: Dialect) -> Message {
    let ways: &[&[&str]] = match dialect {
        Dialect::Current => &[],
        Dialect::Underscore | Dialect::Symposium => &[&TRANSPORT],
        Dialect::Draft => &[&DRAFT_TRANSPORT, &DRAFT_TRANSPORT_OF_AGENT],
    };
    let mut told = answer.clone();
    for way in ways {
        if let Some(result) = told.body().filter(|result| !is_there(result.path(way))) {
            told = told.with_value(result, &set(Some(result), way, "true"));
        }
    }
    told
}

const ROLE: [&str; 4] = ["clientCapabilities", "_meta", "symposium", "proxy"];
const ROLE_ECHO: [&str; 4] = ["agentCapabilities", "_meta", "symposium", "proxy"];

/// Parameters of `initialize` that tell an old proxy that it is one.
pub(crate) fn as_proxy(params: Option<Json<'_>>) -> String {
    set(params, &ROLE, "true")
}

/// Whether parameters of `initialize` tell us that we are a proxy, as old conductors do.
pub(crate) fn is_proxy(params: Option<Json<'_>>) -> bool {
    is_there(params.and_then(|params| params.path(&ROLE)))
}

/// The same parameters without that.
pub(crate) fn without_role(params: Json<'_>) -> String {
    unset(params, &ROLE)
}

/// The answer of an old proxy without its echo. What the agent said stays, also if it said nothing.
pub(crate) fn without_echo(answer: &Message) -> Message {
    let caps = answer.body().and_then(|result| result.get(ROLE_ECHO[0]));
    match caps {
        Some(caps) if caps.path(&ROLE_ECHO[1..]).is_some() => {
            answer.with_value(caps, &unset(caps, &ROLE_ECHO[1..]))
        }
        _ => answer.clone(),
    }
}

/// The answer that an old conductor expects of a proxy.
pub(crate) fn with_echo(answer: &Message) -> Message {
    match answer.body() {
        Some(result) => answer.with_value(result, &set(Some(result), &ROLE_ECHO, "true")),
        None => answer.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(result: &str) -> Message {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        Message::parse(text.into()).unwrap()
    }

    #[test]
    fn version_one_has_booleans_and_version_two_has_objects() {
        let one = r#"{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true,"acp":false}}}"#;
        let caps = Caps::of(Json::parse(one).unwrap());
        assert!(caps.http && !caps.take(&Provider::Server("x".into())));
        let two = r#"{"protocolVersion":2,"capabilities":{"session":{"mcp":{"acp":{}}}}}"#;
        let caps = Caps::of(Json::parse(two).unwrap());
        assert!(!caps.http && caps.take(&Provider::Server("x".into())));
        assert!(!caps.take(&Provider::Url("acp:x".into())));
    }

    #[test]
    fn we_say_that_servers_of_the_chain_are_welcome_and_nothing_else_changes() {
        let said =
            answer(r#"{ "protocolVersion":1, "x":1.0,"agentCapabilities":{"loadSession":true}}"#);
        assert_eq!(
            welcoming(&said).body().unwrap().text(),
            r#"{"protocolVersion":1,"x":1.0,"agentCapabilities":{"loadSession":true,"mcpCapabilities":{"acp":true}}}"#
        );
        let two = answer(r#"{"protocolVersion":2,"capabilities":{}}"#);
        assert_eq!(
            welcoming(&two).body().unwrap().text(),
            r#"{"protocolVersion":2,"capabilities":{"session":{"mcp":{"acp":{}}}}}"#
        );
    }

    #[test]
    fn servers_by_url_are_taken_wherever_an_agent_says_so() {
        for said in [
            r#"{"_meta":{"mcp_acp_transport":true}}"#,
            r#"{"agentCapabilities":{"_meta":{"mcp_acp_transport":true}}}"#,
            r#"{"agentCapabilities":{"_meta":{"symposium":{"mcp_acp_transport":true}}}}"#,
        ] {
            let caps = Caps::of(Json::parse(said).unwrap());
            assert!(caps.take(&Provider::Url("acp:x".into())), "{said}");
            assert!(!caps.take(&Provider::Server("x".into())), "{said}");
        }
        let not = r#"{"agentCapabilities":{"_meta":{"mcp_acp_transport":false}}}"#;
        assert!(!Caps::of(Json::parse(not).unwrap()).any());
    }

    #[test]
    fn a_proxy_of_the_draft_is_told_in_both_places() {
        let said = answer(r#"{"agentCapabilities":{"x":1.0}}"#);
        assert_eq!(
            welcoming_in(&said, Dialect::Draft).body().unwrap().text(),
            r#"{"agentCapabilities":{"x":1.0,"_meta":{"mcp_acp_transport":true}},"_meta":{"mcp_acp_transport":true}}"#
        );
    }

    #[test]
    fn an_old_proxy_hears_of_its_role_and_its_echo_ends_here() {
        let params = as_proxy(Json::parse(r#"{"protocolVersion":1}"#).ok());
        let params = Json::parse(&params).unwrap();
        assert!(is_proxy(Some(params)));
        assert_eq!(without_role(params), r#"{"protocolVersion":1}"#);
        let plain = answer(r#"{"protocolVersion":1,"agentCapabilities":{}}"#);
        assert_eq!(without_echo(&with_echo(&plain)).text(), plain.text());
    }
}
