//! The capability `elicitation`: which modes a client lacks, and what the server sees.

use linkspan_mcp::{CLIENT_CAPABILITIES, Revision, names};
use linkspan_wire::{Json, Kind, Message, Object};

/// The method of a question.
pub(crate) const ELICIT: &str = "elicitation/create";

/// The modes in which a client cannot ask its user.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Lacks {
    form: bool,
    url: bool,
}

impl Lacks {
    fn of(capabilities: Option<Json<'_>>) -> Self {
        let Some(elicitation) = capabilities.and_then(|it| it.get("elicitation")) else {
            return Self {
                form: true,
                url: true,
            };
        };
        let url = elicitation.get("url").is_some();
        // An empty object means forms only.
        let form = elicitation.get("form").is_some() || !url;
        Self {
            form: !form,
            url: !url,
        }
    }

    /// Whether we answer anything for the client.
    pub(crate) fn any(self) -> bool {
        self.form || self.url
    }

    /// Whether a question with these parameters is for us.
    pub(crate) fn takes(self, params: Option<Json<'_>>) -> bool {
        let mode = params.and_then(|params| params.get("mode")?.as_str());
        match mode.as_deref() {
            Some("url") => self.url,
            _ => self.form,
        }
    }
}

/// A request that declares capabilities as the server sees it, and what its client lacks. `None` if it declares
/// none, or lacks nothing.
pub(crate) fn amended(msg: &Message) -> Option<(Message, Lacks)> {
    if msg.kind() != Kind::Request {
        return None;
    }
    if msg.method() == names::INITIALIZE {
        let params = msg.params()?;
        let given = params.get("capabilities");
        let revision = params.get("protocolVersion").and_then(Json::as_str);
        let revision = revision.and_then(|text| Revision::parse(&text));
        let has_modes = revision.is_none_or(|it| it >= Revision::V2025_11_25);
        let lacks = Lacks::of(given);
        let declared = declared(given, has_modes);
        let new = Object::of(Some(params)).with("capabilities", &declared);
        return lacks
            .any()
            .then(|| (msg.with_value(params, &new.text()), lacks));
    }
    let given = msg.params()?.path(&["_meta", CLIENT_CAPABILITIES])?;
    let lacks = Lacks::of(Some(given));
    lacks
        .any()
        .then(|| (msg.with_value(given, &declared(Some(given), true)), lacks))
}

fn declared(capabilities: Option<Json<'_>>, has_modes: bool) -> String {
    let given = capabilities.and_then(|it| it.get("elicitation"));
    let mut elicitation = Object::of(given);
    if has_modes {
        for mode in ["form", "url"] {
            if elicitation.get(mode).is_none() {
                elicitation = elicitation.with(mode, "{}");
            }
        }
    }
    let capabilities = Object::of(capabilities);
    capabilities.with("elicitation", &elicitation.text()).text()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn initialize(revision: &str, capabilities: &str) -> Option<(String, Lacks)> {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{capabilities}}}}}"#
        );
        let (msg, lacks) = amended(&Message::parse(text.into()).unwrap())?;
        let params = msg.params().unwrap();
        Some((params.get("capabilities").unwrap().text().to_owned(), lacks))
    }

    const URL: Option<&str> = Some(r#"{"mode":"url"}"#);

    fn takes(lacks: Lacks, params: Option<&str>) -> bool {
        lacks.takes(params.map(|text| Json::parse(text).unwrap()))
    }

    #[test]
    fn a_client_without_elicitation_gets_all_that_its_revision_has() {
        let (seen, lacks) = initialize("2025-11-25", r#"{"roots":{}}"#).unwrap();
        assert_eq!(seen, r#"{"roots":{},"elicitation":{"form":{},"url":{}}}"#);
        assert!(takes(lacks, None) && takes(lacks, URL));
        let (seen, _) = initialize("2025-06-18", "{}").unwrap();
        assert_eq!(seen, r#"{"elicitation":{}}"#);
    }

    #[test]
    fn only_the_missing_mode_is_ours() {
        let (seen, lacks) = initialize("2025-11-25", r#"{"elicitation":{}}"#).unwrap();
        assert_eq!(seen, r#"{"elicitation":{"form":{},"url":{}}}"#);
        assert!(!takes(lacks, None) && takes(lacks, URL));
        let all = r#"{"elicitation":{"form":{},"url":{}}}"#;
        assert_eq!(initialize("2025-11-25", all), None);
    }

    #[test]
    fn a_request_of_the_modern_era_declares_its_own() {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{{"{CLIENT_CAPABILITIES}":{{}}}},"name":"t"}}}}"#
        );
        let (msg, _) = amended(&Message::parse(text.into()).unwrap()).unwrap();
        assert!(
            msg.text()
                .contains(r#"{"elicitation":{"form":{},"url":{}}}"#)
        );
        assert!(msg.text().ends_with(r#""name":"t"}}"#));
    }
}
