//! Capabilities in `initialize`: those of the agent, and those that the conductor adds.

use linkspan_wire::{Json, JsonKind, Message};

use crate::bridge::Provider;
use crate::dialect::Dialect;
use crate::envelope::{set, unset};

/// The agent's support for MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Caps {
    pub(crate) version: u64,
    pub(crate) http: bool,
    /// Accepts `type: "acp"`.
    acp: bool,
    /// Accepts `acp:` URLs.
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
/// The draft does not define whether its `_meta` is a member of the result or of the capabilities.
const DRAFT_TRANSPORT: [&str; 2] = ["_meta", "mcp_acp_transport"];
const DRAFT_TRANSPORT_OF_AGENT: [&str; 3] = ["agentCapabilities", "_meta", "mcp_acp_transport"];
/// All positions of the capability to accept servers with `acp:` URLs.
const TRANSPORTS: [&[&str]; 3] = [&TRANSPORT, &DRAFT_TRANSPORT, &DRAFT_TRANSPORT_OF_AGENT];

impl Caps {
    /// Reads the result of `initialize`.
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

    /// Whether the agent can reach servers of the chain in any way.
    pub(crate) fn any(&self) -> bool {
        self.acp || self.acp_url
    }

    /// Whether the agent accepts the server as it is declared.
    pub(crate) fn take(&self, provider: &Provider) -> bool {
        match provider {
            Provider::Server(_) => self.acp,
            Provider::Url(_) => self.acp_url,
        }
    }
}

/// The version of ACP in a request or a result of `initialize`.
fn version_of(value: Json<'_>) -> u64 {
    let version = value.get("protocolVersion").and_then(Json::as_i64);
    version.and_then(|v| u64::try_from(v).ok()).unwrap_or(1)
}

/// Whether a capability is declared: with `true` in version 1, with an object in version 2.
fn is_there(value: Option<Json<'_>>) -> bool {
    value.is_some_and(|value| value.text() == "true" || value.kind() == JsonKind::Object)
}

/// The answer to `initialize` with the capability `acp` added: the bridge serves agents without it.
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

/// The same capability under the names that proxies of older dialects read.
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

/// The parameters of `initialize` with the flag that assigns an old proxy its role.
pub(crate) fn as_proxy(params: Option<Json<'_>>) -> String {
    set(params, &ROLE, "true")
}

/// Whether the parameters of `initialize` assign us the role of a proxy, as old conductors do.
pub(crate) fn is_proxy(params: Option<Json<'_>>) -> bool {
    is_there(params.and_then(|params| params.path(&ROLE)))
}

/// The parameters without that flag.
pub(crate) fn without_role(params: Json<'_>) -> String {
    unset(params, &ROLE)
}

/// The answer of an old proxy without the echo of its role. Empty capabilities of the agent stay.
pub(crate) fn without_echo(answer: &Message) -> Message {
    let caps = answer.body().and_then(|result| result.get(ROLE_ECHO[0]));
    match caps {
        Some(caps) if caps.path(&ROLE_ECHO[1..]).is_some() => {
            answer.with_value(caps, &unset(caps, &ROLE_ECHO[1..]))
        }
        _ => answer.clone(),
    }
}

/// The answer of a proxy as an old conductor expects it: with the echo of the role.
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
    fn version_1_has_booleans_and_version_2_has_objects() {
        let one = r#"{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true,"acp":false}}}"#;
        let caps = Caps::of(Json::parse(one).unwrap());
        assert!(caps.http && !caps.take(&Provider::Server("x".into())));
        let two = r#"{"protocolVersion":2,"capabilities":{"session":{"mcp":{"acp":{}}}}}"#;
        let caps = Caps::of(Json::parse(two).unwrap());
        assert!(!caps.http && caps.take(&Provider::Server("x".into())));
        assert!(!caps.take(&Provider::Url("acp:x".into())));
    }

    #[test]
    fn only_the_capability_for_servers_of_the_chain_is_added() {
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
    fn servers_by_url_are_accepted_if_any_position_declares_them() {
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
    fn a_proxy_of_the_draft_gets_the_capability_in_both_positions() {
        let said = answer(r#"{"agentCapabilities":{"x":1.0}}"#);
        assert_eq!(
            welcoming_in(&said, Dialect::Draft).body().unwrap().text(),
            r#"{"agentCapabilities":{"x":1.0,"_meta":{"mcp_acp_transport":true}},"_meta":{"mcp_acp_transport":true}}"#
        );
    }

    #[test]
    fn an_old_proxy_gets_its_role_and_its_echo_is_removed() {
        let params = as_proxy(Json::parse(r#"{"protocolVersion":1}"#).ok());
        let params = Json::parse(&params).unwrap();
        assert!(is_proxy(Some(params)));
        assert_eq!(without_role(params), r#"{"protocolVersion":1}"#);
        let plain = answer(r#"{"protocolVersion":1,"agentCapabilities":{}}"#);
        assert_eq!(without_echo(&with_echo(&plain)).text(), plain.text());
    }
}
