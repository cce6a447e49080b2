//! Deviations of mcp-bash from the specification, and its choices where the specification leaves one.

use linkspan_wire::RpcError;
use serde_json::{Value, json};

use super::ui;

/// The revisions that mcp-bash supports, newest first.
pub const REVISIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The revision for the one that a client requests, or for none.
///
/// mcp-bash refuses unknown revisions. We refuse them too if they are old or not a date; a newer client is
/// offered our newest revision, because otherwise no future client could connect.
pub fn revision(asked: Option<&Value>) -> Result<&'static str, RpcError> {
    let refuse = |why: String, asked: &Value| {
        let data = json!({"supported": REVISIONS, "requested": asked});
        Err(RpcError::invalid_params(why).with_data(data.to_string()))
    };
    match asked {
        None | Some(Value::Null) => Ok(REVISIONS[0]),
        Some(Value::String(text)) => match REVISIONS.iter().find(|known| *known == text) {
            Some(known) => Ok(known),
            None if is_date(text) && text.as_str() > REVISIONS[0] => Ok(REVISIONS[0]),
            None => {
                let why = format!(
                    "Unsupported protocol version: {text}. Supported: {}",
                    REVISIONS.join(", ")
                );
                refuse(why, &Value::String(text.clone()))
            }
        },
        Some(other) => refuse(
            "Unsupported protocol version: it must be a text".to_owned(),
            other,
        ),
    }
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// Whether a revision has list_changed notifications.
pub fn is_new(revision: &str) -> bool {
    revision >= "2025-06-18"
}

/// The server's capabilities, given the client's.
pub fn capabilities(revision: &str, client: &Value, minimal: bool) -> Value {
    let mut all = if minimal {
        json!({"logging": {}})
    } else if is_new(revision) {
        json!({
            "logging": {},
            "tools": {"listChanged": true},
            "resources": {"subscribe": true, "listChanged": true},
            "prompts": {"listChanged": true},
            "completions": {},
        })
    } else {
        json!({
            "logging": {},
            "tools": {},
            "resources": {"subscribe": true},
            "prompts": {},
            "completions": {},
        })
    };
    // The capability is part of the specification since 2025-03-26.
    if revision < "2025-03-26"
        && let Some(all) = all.as_object_mut()
    {
        all.remove("completions");
    }
    if client
        .pointer("/extensions")
        .and_then(|e| e.get(ui::EXTENSION))
        .is_some_and(|e| !e.is_null())
    {
        all["extensions"] = json!({ui::EXTENSION: {"mimeTypes": [ui::MIME]}});
    }
    all
}

/// The result of `initialize`.
pub fn initialize_result(
    revision: &str,
    client: &Value,
    minimal: bool,
    info: &linkspan_scripts::folder::ServerInfo,
) -> String {
    let mut result = json!({
        "protocolVersion": revision,
        "capabilities": capabilities(revision, client, minimal),
        "serverInfo": info.shown,
    });
    if let Some(instructions) = &info.instructions
        && revision >= "2025-03-26"
    {
        result["instructions"] = json!(instructions);
    }
    result.to_string()
}

/// The error for a kind of entry that could not be read.
pub fn unreadable(kind: super::manual::Kind) -> RpcError {
    use super::manual::Kind;
    RpcError::internal(match kind {
        Kind::Tools => "Unable to load tool registry",
        Kind::Resources => "Unable to load resources registry",
        Kind::Templates => "Unable to load resource templates registry",
        Kind::Prompts => "Unable to load prompts registry",
        Kind::Completions => "Unable to load completions",
    })
}

/// Which modes of elicitation a client supports: form and URL. `can` looks up its capabilities.
pub fn elicits(can: impl Fn(&[&str]) -> bool) -> (bool, bool) {
    if !can(&["elicitation"]) {
        return (false, false);
    }
    let form = can(&["elicitation", "form"]);
    let url = can(&["elicitation", "url"]) || can(&["elicitation", "oob"]);
    (form || !url, url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_revisions_are_accepted_and_newer_ones_get_the_newest() {
        assert_eq!(revision(None).unwrap(), "2025-11-25");
        assert_eq!(revision(Some(&Value::Null)).unwrap(), "2025-11-25");
        for known in REVISIONS {
            assert_eq!(revision(Some(&json!(known))).unwrap(), known);
        }
        assert_eq!(revision(Some(&json!("2099-01-01"))).unwrap(), "2025-11-25");
        let error = revision(Some(&json!("2024-10-07"))).unwrap_err();
        assert_eq!(error.code(), -32602);
        assert!(error.message().starts_with("Unsupported protocol version"));
        assert!(error.message().contains("Supported: 2025-11-25"));
        for wrong in [json!(42), json!(true), json!({"v": 1}), json!("1.0.0")] {
            assert_eq!(revision(Some(&wrong)).unwrap_err().code(), -32602);
        }
    }

    #[test]
    fn older_revisions_have_fewer_capabilities() {
        let none = json!({});
        let new = capabilities("2025-11-25", &none, false);
        assert_eq!(
            new["resources"],
            json!({"subscribe": true, "listChanged": true})
        );
        let old = capabilities("2024-11-05", &none, false);
        assert_eq!(old["tools"].get("listChanged"), None);
        assert_eq!(old.get("completions"), None);
        let newer = capabilities("2025-03-26", &none, false);
        assert_eq!(newer["completions"], json!({}));
        assert_eq!(
            capabilities("2025-03-26", &none, true),
            json!({"logging": {}})
        );
        let ui = json!({"extensions": {"io.modelcontextprotocol/ui": {}}});
        let can = capabilities("2025-11-25", &ui, false);
        assert_eq!(can["extensions"][ui::EXTENSION]["mimeTypes"][0], ui::MIME);
    }

    #[test]
    fn elicitation_without_modes_means_forms() {
        let asks = |declared: &[&str]| elicits(|way| declared.contains(&way.join(".").as_str()));
        assert_eq!(asks(&[]), (false, false));
        assert_eq!(asks(&["elicitation"]), (true, false));
        assert_eq!(asks(&["elicitation", "elicitation.url"]), (false, true));
        let both = ["elicitation", "elicitation.form", "elicitation.oob"];
        assert_eq!(asks(&both), (true, true));
    }
}
