//! What a tool does, by its annotations.

use linkspan_wire::Json;

/// The annotations of a tool, with the defaults of MCP for those that are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// It changes nothing.
    pub read_only: bool,
    /// It may delete or overwrite; never with `read_only`.
    pub destructive: bool,
    /// A second call with the same arguments changes nothing more; always with `read_only`.
    pub idempotent: bool,
    /// It reaches things outside of its server's own domain.
    pub open_world: bool,
}

impl Traits {
    /// Those of a definition; without one, the defaults.
    pub fn of(definition: Option<Json<'_>>) -> Self {
        let annotations = definition.and_then(|definition| definition.get("annotations"));
        let hint = |name, default| {
            let hint = annotations.and_then(|annotations| annotations.get(name));
            hint.and_then(Json::as_bool).unwrap_or(default)
        };
        let read_only = hint("readOnlyHint", false);
        Self {
            read_only,
            destructive: !read_only && hint("destructiveHint", true),
            idempotent: read_only || hint("idempotentHint", false),
            open_world: hint("openWorldHint", true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(annotations: &str) -> Traits {
        let text = format!(r#"{{"name":"t","annotations":{annotations}}}"#);
        Traits::of(Some(Json::parse(&text).unwrap()))
    }

    #[test]
    fn a_tool_without_annotations_may_do_anything() {
        let anything = Traits {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: true,
        };
        assert_eq!(Traits::of(None), anything);
        for annotations in ["{}", "7", r#"{"readOnlyHint":"true"}"#] {
            assert_eq!(of(annotations), anything);
        }
    }

    #[test]
    fn a_tool_that_only_reads_is_not_destructive() {
        let traits = of(r#"{"readOnlyHint":true,"destructiveHint":true,"openWorldHint":false}"#);
        assert!(traits.read_only && !traits.destructive && traits.idempotent && !traits.open_world);
        let traits = of(r#"{"destructiveHint":false,"idempotentHint":true}"#);
        assert!(!traits.read_only && !traits.destructive && traits.idempotent);
    }
}
