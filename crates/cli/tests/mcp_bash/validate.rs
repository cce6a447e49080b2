//! `mcp-bash validate`: scripts depend on its wording and exit code.

use std::process::Command;

use serde_json::json;

use crate::setup::Project;

/// The output and the exit code.
fn validate(project: &Project, more: &[&str]) -> (String, i32) {
    let ran = Command::new(env!("CARGO_BIN_EXE_linkspan"))
        .args(["mcp-bash", "validate", "--project-root"])
        .arg(project.path(""))
        .args(more)
        .output()
        .expect("it runs");
    let said = String::from_utf8(ran.stdout).expect("it is text");
    (said, ran.status.code().expect("it is not killed"))
}

#[test]
fn validate_reports_problems_to_the_author() {
    let project = Project::new()
        .file("server.d/server.meta.json", r#"{"name":"shop"}"#)
        .tool("fine", "true", json!({}))
        .program("tools/broken/tool.sh", "#!/bin/sh\n")
        .file("tools/broken/tool.meta.json", "{\"name\":")
        .program("tools/nameless/tool.sh", "#!/bin/sh\n")
        .file("tools/nameless/tool.meta.json", r#"{"description":"d"}"#)
        .program("tools/here/tool.sh", "#!/bin/sh\n")
        .file("tools/here/tool.meta.json", r#"{"name":"there"}"#)
        .program("tools/add-item/tool.sh", "#!/bin/sh\n")
        .file(
            "tools/add-item/tool.meta.json",
            r#"{"name":"shop-addItem"}"#,
        )
        .program("tools/bare/tool.sh", "true\n")
        .file("tools/bare/tool.meta.json", r#"{"name":"bare"}"#);
    let (said, code) = validate(&project, &[]);
    assert_eq!(code, 1, "{said}");
    for wanted in [
        "✗ tools/broken/tool.meta.json - invalid JSON",
        "✗ tools/nameless/tool.meta.json - missing required \"name\"",
        "⚠ tools/here - directory name does not match tool.meta.json name \"there\"",
        "⚠ tools/bare/tool.sh - missing shebang",
        "2 error(s) found.",
    ] {
        assert!(said.contains(wanted), "{wanted}\n{said}");
    }
    assert!(!said.contains("add-item"), "{said}");
    assert!(!said.contains("tools/fine"), "{said}");
}

#[test]
fn scripts_are_made_executable() {
    let project = Project::new()
        .file("tools/plain/tool.sh", "#!/bin/sh\necho ran\n")
        .file("tools/plain/tool.meta.json", r#"{"name":"plain"}"#)
        .file("resources/page/page.sh", "#!/bin/sh\n");
    let (said, code) = validate(&project, &[]);
    assert_eq!(code, 1, "{said}");
    assert!(
        said.contains("✗ tools/plain/tool.sh - not executable"),
        "{said}"
    );
    assert!(
        said.contains("✗ resources/page/page.sh - not executable"),
        "{said}"
    );
    let (said, code) = validate(&project, &["--fix"]);
    assert_eq!(code, 0, "{said}");
    let (said, code) = validate(&project, &[]);
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("not executable"), "{said}");
}
