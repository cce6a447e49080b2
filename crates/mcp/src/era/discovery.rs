//! Discovery of a server's era: probes, and the interpretation of their answers.

use linkspan_wire::{Id, Json, JsonKind, Kind, Message, quote};

use super::claims::{Sender, wrap};
use super::results::{code, text_of};
use crate::check::UNSUPPORTED_VERSION;
use crate::meta::SERVER_INFO;
use crate::method::names;
use crate::revision::{Era, Revision};
use linkspan_wire::Object;

/// What the answer to a probe says about the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// It speaks the modern era.
    Modern,
    /// It does not.
    Legacy,
    /// Unknown: the probe was unauthorized, or the server was down.
    None,
}

/// `server/discover` of our own.
pub fn probe(id: &Id, capabilities: &str, info: &str) -> Message {
    let sender = Sender {
        capabilities: capabilities.to_owned(),
        info: info.to_owned(),
        marks: false,
    };
    Message::request(id, names::DISCOVER, Some(&wrap(None, &sender, None)))
}

/// Interprets the answer to a probe.
///
/// Legacy servers have no common error code for unknown methods. So every answer that is not a modern server's counts
/// as legacy, except those that say nothing about the server.
pub fn weigh(answer: &Message) -> Evidence {
    let Some(body) = answer.body() else {
        return Evidence::Legacy;
    };
    let speaks = |versions: Option<Json<'_>>| {
        versions.is_some_and(|versions| {
            versions.elements().any(|version| {
                let revision = version.as_str().and_then(|v| Revision::parse(&v));
                revision.is_some_and(|revision| revision.era() == Era::Modern)
            })
        })
    };
    if answer.kind() == Kind::Result {
        return if speaks(body.get("supportedVersions")) {
            Evidence::Modern
        } else {
            Evidence::Legacy
        };
    }
    if code(answer) == Some(UNSUPPORTED_VERSION) && speaks(body.path(&["data", "supported"])) {
        return Evidence::Modern;
    }
    // Our own faults have a `kind`.
    let kind = body.path(&["data", "kind"]).and_then(Json::as_str);
    let status = body.path(&["data", "status"]).and_then(Json::as_i64);
    match (kind.as_deref(), status) {
        (Some("http_status"), Some(401 | 403 | 407 | 429 | 500..)) => Evidence::None,
        (
            Some(
                "connect_failed" | "timeout" | "answer_lost" | "overloaded" | "closing"
                | "not_signed_in",
            ),
            _,
        ) => Evidence::None,
        _ => Evidence::Legacy,
    }
}

/// Whether a server refuses the revision of a request but supports another one of ours. The request has not run, and
/// may be sent again.
pub(crate) fn may_go_again(answer: &Message) -> bool {
    answer.kind() == Kind::Error
        && code(answer) == Some(UNSUPPORTED_VERSION)
        && weigh(answer) == Evidence::Modern
}

/// The self-description of a server of either era.
#[derive(Debug, Clone, Default)]
pub(crate) struct Server {
    pub(crate) info: Option<String>,
    pub(crate) capabilities: String,
    pub(crate) instructions: Option<String>,
}

impl Server {
    /// Reads the result of `initialize`.
    pub(crate) fn initialized(result: Json<'_>) -> Self {
        Self {
            info: text_of(Some(result), "serverInfo"),
            capabilities: capabilities(result),
            instructions: text_of(Some(result), "instructions"),
        }
    }

    /// Of the result of `server/discover`.
    pub(crate) fn discovered(result: Json<'_>) -> Self {
        Self {
            // Some servers put it where `initialize` has it.
            info: text_of(result.get("_meta"), SERVER_INFO)
                .or_else(|| text_of(Some(result), "serverInfo")),
            capabilities: capabilities(result),
            instructions: text_of(Some(result), "instructions"),
        }
    }

    /// Whether the server declares a capability.
    pub(crate) fn can(&self, path: &[&str]) -> bool {
        let declared = Json::parse(&self.capabilities).ok();
        let value = declared.and_then(|c| c.path(path));
        value.is_some_and(|v| v.kind() == JsonKind::Object || v.as_bool() == Some(true))
    }

    /// As the result of `server/discover`. Core tasks went with the handshake.
    pub(crate) fn discover_result(&self) -> String {
        let capabilities = Object::of(Json::parse(&self.capabilities).ok()).without(&["tasks"]);
        Object::empty()
            .with("resultType", r#""complete""#)
            .with(
                "supportedVersions",
                &format!("[{}]", quote(Revision::LATEST.as_str())),
            )
            .with("capabilities", &capabilities.text())
            .with_some("instructions", self.instructions.as_deref())
            .with("ttlMs", "0")
            .with("cacheScope", r#""private""#)
            .with_some(
                "_meta",
                super::results::meta(self.info.as_deref()).as_deref(),
            )
            .text()
    }

    /// The result of `initialize`.
    pub(crate) fn initialize_result(&self, revision: Revision) -> String {
        let nameless = r#"{"name":"unnamed","version":"0"}"#;
        let capabilities = Json::parse(&self.capabilities).ok();
        // Modern tasks differ from the feature that legacy clients know by that name.
        let extensions = capabilities.and_then(|c| c.get("extensions"));
        let extensions = Object::of(extensions).without(&["io.modelcontextprotocol/tasks"]);
        let capabilities = Object::of(capabilities).without(&["extensions"]);
        let extensions = Some(extensions).filter(|e| !e.is_empty()).map(|e| e.text());
        let capabilities = capabilities.with_some("extensions", extensions.as_deref());
        Object::empty()
            .with("protocolVersion", &quote(revision.as_str()))
            .with("capabilities", &capabilities.text())
            .with("serverInfo", self.info.as_deref().unwrap_or(nameless))
            .with_some("instructions", self.instructions.as_deref())
            .text()
    }
}

fn capabilities(result: Json<'_>) -> String {
    let found = result.get("capabilities");
    found
        .filter(|c| c.kind() == JsonKind::Object)
        .map_or_else(|| "{}".to_owned(), |c| c.text().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::RpcError;

    fn weighed(answer: &RpcError) -> Evidence {
        weigh(&answer.answer(&Id::number(0)))
    }

    #[test]
    fn a_modern_server_is_known_by_its_versions() {
        let result = Message::result(&Id::number(0), r#"{"supportedVersions":["2026-07-28"]}"#);
        assert_eq!(weigh(&result), Evidence::Modern);
        let error = RpcError::new(-32022, "no").with_data(r#"{"supported":["2026-07-28"]}"#);
        assert_eq!(weighed(&error), Evidence::Modern);
    }

    #[test]
    fn every_other_answer_is_a_legacy_servers() {
        for code in [-32601, -32602, -32600, -32000, 0, -32022] {
            assert_eq!(
                weighed(&RpcError::new(code, "no")),
                Evidence::Legacy,
                "{code}"
            );
        }
        let odd = Message::result(&Id::number(0), "{}");
        assert_eq!(weigh(&odd), Evidence::Legacy);
    }

    #[test]
    fn faults_of_the_connection_and_the_sign_in_say_nothing_about_the_era() {
        for data in [
            r#"{"kind":"http_status","status":401}"#,
            r#"{"kind":"http_status","status":503}"#,
            r#"{"kind":"connect_failed","tries":1}"#,
            r#"{"kind":"not_signed_in","hint":"h","url":"https://as/page"}"#,
        ] {
            assert_eq!(
                weighed(&RpcError::server("x").with_data(data)),
                Evidence::None
            );
        }
        let refused = RpcError::server("x").with_data(r#"{"kind":"http_status","status":400}"#);
        assert_eq!(weighed(&refused), Evidence::Legacy);
    }

    #[test]
    fn the_servers_name_and_capabilities_survive_the_change_of_era() {
        let result = Json::parse(
            r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"tasks":{}},"serverInfo":{"name":"s","x":1.0},"instructions":"be kind"}"#,
        )
        .unwrap();
        let server = Server::initialized(result);
        assert!(server.can(&["tools", "listChanged"]));
        let text = server.discover_result();
        assert!(!text.contains("tasks"));
        let again = Server::discovered(Json::parse(&text).unwrap());
        assert_eq!(
            again.initialize_result(Revision::V2025_06_18),
            r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","x":1.0},"instructions":"be kind"}"#
        );
    }
}
