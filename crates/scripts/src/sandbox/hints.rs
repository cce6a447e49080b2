//! Where a tool says one thing about itself and its sandbox another.

use crate::folder::Tool;

/// What clients are told of the tool and its sandbox does not bear out, one sentence each.
pub fn disagreements(tool: &Tool) -> Vec<String> {
    let hint = |name: &str| tool.shown["annotations"][name].as_bool();
    let sandbox = &tool.run.sandbox;
    let mut found = Vec::new();
    if hint("readOnlyHint") == Some(true) {
        if !sandbox.write.is_empty() {
            found.push("`readOnlyHint` is true, but the sandbox lets it write".to_owned());
        }
        if sandbox.roots && sandbox.level >= 2 {
            let text =
                "`readOnlyHint` is true, but the sandbox lets it write into the client's roots";
            found.push(text.to_owned());
        }
    }
    if hint("openWorldHint") == Some(false) && sandbox.level >= 2 {
        match sandbox.net.as_deref() {
            Some([]) => {}
            Some(_) => {
                let text = "`openWorldHint` is false, but the sandbox lets it connect to ports";
                found.push(text.to_owned());
            }
            None => found.push(
                "`openWorldHint` is false, but the sandbox lets it connect to anybody: \
                 `net: false` would not"
                    .to_owned(),
            ),
        }
    }
    let grants = !sandbox.read.is_empty() || !sandbox.write.is_empty() || sandbox.net.is_some();
    if sandbox.level < 2 && (grants || sandbox.roots) {
        found.push(format!(
            "the grants of the sandbox say nothing at level {}: `level: 2` enforces them",
            sandbox.level
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::disagreements;
    use crate::folder::{Mode, Program, RunSettings, SandboxSettings, Tool};

    fn tool(annotations: serde_json::Value, sandbox: SandboxSettings) -> Tool {
        Tool {
            name: "t".into(),
            shown: json!({"name": "t", "annotations": annotations}),
            source: "/t".into(),
            program: Program::Argv(vec!["/t".into()]),
            mode: Mode::Once,
            input: None,
            output: None,
            run: RunSettings {
                sandbox,
                ..RunSettings::default()
            },
            metadata: json!({}),
        }
    }

    fn level_2() -> SandboxSettings {
        SandboxSettings {
            level: 2,
            ..SandboxSettings::default()
        }
    }

    #[test]
    fn who_only_reads_is_not_let_write() {
        let sandbox = SandboxSettings {
            write: vec!["/x".into()],
            roots: true,
            ..level_2()
        };
        let found = disagreements(&tool(json!({"readOnlyHint": true}), sandbox.clone()));
        assert_eq!(found.len(), 2);
        assert!(disagreements(&tool(json!({"readOnlyHint": false}), sandbox.clone())).is_empty());
        assert!(disagreements(&tool(json!(null), sandbox)).is_empty());
    }

    #[test]
    fn who_stays_at_home_is_not_let_out() {
        let with = |net| SandboxSettings { net, ..level_2() };
        let found = |net| disagreements(&tool(json!({"openWorldHint": false}), with(net)));
        assert_eq!(found(Some(vec![])), [] as [&str; 0]);
        assert_eq!(found(Some(vec![443])).len(), 1);
        assert!(found(None)[0].ends_with("`net: false` would not"));
    }

    #[test]
    fn grants_that_nothing_enforces_are_pointed_out() {
        let sandbox = SandboxSettings {
            read: vec!["/x".into()],
            ..SandboxSettings::default()
        };
        let found = disagreements(&tool(json!({}), sandbox));
        assert!(found[0].contains("at level 1"), "{found:?}");
        assert!(disagreements(&tool(json!({}), SandboxSettings::default())).is_empty());
    }
}
