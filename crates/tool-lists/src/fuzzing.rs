//! Internals for fuzz targets only.

use linkspan_wire::Json;

use crate::arguments::{Judge, Judged};
use crate::level::Level;
use crate::search::search;
use crate::signature::signature;

/// Shortens and describes a definition in the first line, and checks the arguments in the rest by its schema.
pub fn definition(text: &str) {
    let (tool, arguments) = text.split_once('\n').unwrap_or((text, "{}"));
    let Ok(tool) = Json::parse(tool) else {
        return;
    };
    for level in Level::ALL {
        if let Some(shorter) = level.shorten(tool) {
            assert!(shorter.len() <= tool.text().len(), "{level}: {shorter}");
            let parsed = Json::parse(&shorter).map(|json| json.get("name"));
            assert!(
                parsed.is_ok_and(|name| name == tool.get("name")),
                "{shorter}"
            );
        }
    }
    let _ = search(&signature(tool), [tool]);
    if let (Some(schema), Ok(arguments)) = (tool.get("inputSchema"), Json::parse(arguments))
        && let Some(judge) = Judge::new(schema)
        && let Judged::Repaired(meant) = judge.judge(Some(arguments))
    {
        assert!(
            Json::parse(&meant).is_ok_and(|json| json.text() == meant),
            "{meant}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::tests::schemas;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_definition_and_no_arguments_break_it(schema in schemas(), arguments in schemas(), text in "(?s).{0,60}") {
            let tool = serde_json::json!({"name": "t", "description": text, "inputSchema": schema});
            definition(&format!("{tool}\n{arguments}"));
            definition(&text);
        }
    }
}
