//! `validate`, and `serve --health`.

use insta::assert_snapshot;

use crate::setup::{Workspace, mode};

const ECHO: &str = "#!/bin/sh\n# Says what it is told.\ncat\n";

#[test]
fn validate_prints_entries_as_clients_see_them() {
    let workspace = Workspace::new("see");
    workspace.write("it/server.yaml", "name: it\nversion: 1.2.3\n");
    workspace.program("it/tools/echo.sh", ECHO);
    workspace.write(
        "it/tools/add.meta.json",
        r#"{"title":"Add","description":"Adds two numbers.","arguments":{"a":{"type":"number","required":true},"b":"number"},"outputSchema":{"type":"object","properties":{"sum":{"type":"number"}}},"mode":"worker"}"#,
    );
    workspace.program("it/tools/add.py", "#!/usr/bin/env python3\n");
    assert_snapshot!(workspace.run(&["validate", "it"]), @"
    it 1.2.3 (HERE/it)

    Tools
    add  Add
        Adds two numbers.
          a number required
          b number
          gives sum
          by a long-running process
    echo
        Says what it is told.

    2 tools, 0 resources, 0 prompts; no problems
    ");
}

#[test]
fn problems_have_file_line_and_hint() {
    let workspace = Workspace::new("problems");
    workspace.write("it/tools/plain.sh", ECHO);
    workspace.program("it/tools/typo.sh", "#!/bin/sh\n# Fine.\n#: timeoutSec: 3\n");
    workspace.program("it/tools/wrong.sh", "#!/bin/sh\n");
    workspace.write(
        "it/tools/wrong.meta.yaml",
        "description: x\ntimeoutSecs: soon\n",
    );
    let ran = workspace.run(&["validate", "it"]);
    assert_snapshot!(ran, @r#"
    it 0.0.0 (HERE/it)

    Tools
    typo
        Fine.

    error: tools/plain.sh: is not executable
      hint: chmod +x, or `linkspan validate --fix`; files that are no entries need a name that begins with `_`
    warning: tools/typo.sh:3: `timeoutSec` is not known here
      hint: did you mean `timeoutSecs`?
    error: tools/wrong.meta.yaml:2: `timeoutSecs` must be seconds, or a text like "500ms", "30s", "5m" or "1h", not "soon"

    1 tool, 0 resources, 0 prompts; 2 errors, 1 warning
    one of them can be fixed: linkspan validate --fix
    [exit 1]
    "#);
}

#[test]
fn warnings_count_only_with_strict() {
    let workspace = Workspace::new("strict");
    workspace.program("it/tools/typo.sh", "#!/bin/sh\n# Fine.\n#: timeoutSec: 3\n");
    assert_eq!(workspace.run(&["validate", "it"]).code, Some(0));
    assert_eq!(workspace.run(&["validate", "it", "--strict"]).code, Some(1));
    let json = workspace.run(&["validate", "it", "--strict", "--json"]);
    assert_eq!(json.code, Some(1));
    assert_eq!(json.json()["ok"], false);
    assert_eq!(json.json()["warnings"], 1);
}

#[test]
fn validate_json_has_entries_and_problems() {
    let workspace = Workspace::new("as-json");
    workspace.program("it/tools/echo.sh", ECHO);
    workspace.write("it/tools/plain.sh", ECHO);
    let ran = workspace.run(&["validate", "it", "--json"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    let all = ran.json();
    assert_eq!(all["ok"], false);
    assert_eq!(all["dialect"], "native");
    assert_eq!(all["server"]["name"], "it");
    assert_eq!(all["tools"][0]["name"], "echo");
    assert_eq!(all["tools"][0]["description"], "Says what it is told.");
    assert_eq!((&all["errors"], &all["warnings"]), (&1.into(), &0.into()));
    let problem = &all["problems"][0];
    assert_eq!(problem["severity"], "error");
    assert_eq!(problem["path"], "tools/plain.sh");
    assert_eq!(problem["fixable"], true);
}

#[test]
fn validate_json_reports_a_missing_folder() {
    let workspace = Workspace::new("json-of-nothing");
    let ran = workspace.run(&["validate", "it", "--json"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert_eq!(ran.json()["ok"], false);
    assert_eq!(ran.json()["problems"][0]["text"], "it is not a folder");
    workspace.write("it/server.yaml", "name: [half");
    let ran = workspace.run(&["validate", "it", "--json"]);
    assert_eq!(ran.json()["problems"][0]["path"], "server.yaml");
    assert!(ran.json()["problems"][0]["hint"].is_string(), "{ran}");
}

#[cfg(unix)]
#[test]
fn run_tool_prints_no_warnings_about_other_tools() {
    let workspace = Workspace::new("buried");
    for n in 0..9 {
        workspace.program(&format!("it/tools/odd-{n}.sh"), "#!/bin/sh\necho odd\n");
    }
    workspace.program("it/tools/bad\nname.sh", "#!/bin/sh\n# Fine.\n");
    let ran = workspace.run(&["run-tool", "it", "odd-1"]);
    assert_eq!(ran.stdout, "odd\n", "{ran}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran}");
    assert!(
        ran.stderr.contains("tools/odd-1.sh: has no description"),
        "{ran}"
    );
    let bad = workspace.run(&["run-tool", "it", "bad_name"]);
    assert!(!bad.stderr.contains("odd"), "{bad}");
}

#[cfg(unix)]
#[test]
fn validate_fix_repairs_and_reports_repairs() {
    let workspace = Workspace::new("mend");
    workspace.write("it/tools/plain.sh", ECHO);
    workspace.program("it/tools/open.sh", ECHO);
    mode(&workspace.path("it/tools/open.sh"), 0o777);
    mode(&workspace.path("it"), 0o757);
    assert_eq!(workspace.run(&["validate", "it"]).code, Some(1));
    assert_snapshot!(workspace.run(&["validate", "it", "--fix"]), @"
    fixed: HERE/it can be written by its owner only now
    fixed: HERE/it/tools/open.sh can be written by its owner only now
    fixed: HERE/it/tools/plain.sh can be executed now

    it 0.0.0 (HERE/it)

    Tools
    open
        Says what it is told.
    plain
        Says what it is told.

    2 tools, 0 resources, 0 prompts; no problems
    ");
    let mode_of = |name: &str| {
        use std::os::unix::fs::PermissionsExt;
        let about = workspace.path(name).metadata().unwrap();
        about.permissions().mode() & 0o777
    };
    assert_eq!(mode_of("it"), 0o755);
    assert_eq!(mode_of("it/tools/plain.sh"), 0o755);
    assert_eq!(mode_of("it/tools/open.sh"), 0o755);
    let again = workspace.run(&["validate", "it", "--fix"]);
    assert!(!again.stdout.contains("fixed"), "{again}");
}

#[test]
fn a_missing_folder_is_reported() {
    let workspace = Workspace::new("missing");
    assert_snapshot!(workspace.run(&["validate", "nowhere"]), @"
    [stderr]
    error: nowhere is not a folder
    hint: `linkspan new DIR` makes one
    [exit 2]
    ");
}

#[test]
fn reading_a_folder_executes_nothing() {
    let workspace = Workspace::new("inert");
    let script = "#!/bin/sh\n# Leaves a trace.\ntouch \"$(dirname \"$0\")/../../ran\"\n";
    workspace.program("it/tools/t.sh", script);
    workspace.program("it/prompts/p.sh", script);
    workspace.program("it/resources/r.sh", script);
    workspace.program("it/completions/p.x.sh", script);
    workspace.program("it/providers/x.sh", script);
    for args in [
        &["validate", "it"][..],
        &["validate", "it", "--fix"],
        &["serve", "it", "--health"],
        &["doctor", "it"],
        &["tools", "./it"],
        &["run-tool", "it", "t", "--dry-run"],
    ] {
        workspace.run(args);
        assert!(!workspace.path("ran").exists(), "{args:?}");
    }
}

#[test]
fn control_characters_in_names_are_escaped() {
    let workspace = Workspace::new("hostile");
    workspace.write("it/tools/a\u{1b}[31m.sh", "x");
    workspace.program(
        "it/tools/b.sh",
        "#!/bin/sh\n#: description: \"\\e]0;gotcha\\a\"\n",
    );
    let ran = workspace.run(&["validate", "it"]);
    assert!(!ran.stdout.contains('\u{1b}'), "{ran}");
    assert!(!ran.stdout.contains('\u{7}'), "{ran}");
}

#[cfg(unix)]
#[test]
fn health_is_one_line_and_an_exit_code() {
    let workspace = Workspace::new("health");
    workspace.program("it/tools/echo.sh", ECHO);
    let ran = workspace.run(&["serve", "it", "--health"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(ran.json()["status"], "ok");
    assert_eq!(ran.json()["tools"], 1);
    mode(&workspace.path("it"), 0o777);
    let ran = workspace.run(&["serve", "it", "--ready"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert_eq!(ran.json()["status"], "unhealthy");
    assert_eq!(
        workspace.run(&["serve", "nowhere", "--health"]).code,
        Some(1)
    );
}

#[cfg(unix)]
#[test]
fn doctor_checks_a_folder() {
    let workspace = Workspace::new("doctor-in");
    workspace.write("it/tools/plain.sh", ECHO);
    let ran = workspace.run(&["doctor", "it"]);
    assert!(ran.stdout.contains("1 entries are not offered"), "{ran}");
    mode(&workspace.path("it"), 0o777);
    let ran = workspace.run(&["doctor", "it"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(
        ran.stdout.contains("no  HERE/it cannot be trusted")
            || ran.stdout.contains("cannot be trusted"),
        "{ran}"
    );
}

#[test]
fn every_file_that_is_ignored_is_mentioned() {
    let workspace = Workspace::new("ignored");
    workspace.write("it/server.yaml", "name: it\n");
    workspace.write("it/README.md", "for people");
    workspace.write("it/notes.txt", "x");
    workspace.program("it/tools/a.sh", "#!/bin/sh\n# A.\n");
    workspace.program("it/tools/_common.sh", "#!/bin/sh\n");
    workspace.write("it/tools/a.sh~", "x");
    workspace.write("it/tools/lib/x.sh", "x");
    workspace.program("it/tools/w/tool.py", "#!/usr/bin/env python3\n# W.\n");
    workspace.write("it/tools/w/helper.py", "x");
    workspace.write("it/prompts/off.md", "---\nenabled: false\n---\nx");
    workspace.write("it/completions/deep/x", "x");
    let ran = workspace.run(&["validate", "it", "--json"]);
    let all: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let mut paths: Vec<_> = all["ignored"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["path"].as_str().expect("a path"))
        .collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "README.md",
            "completions/deep",
            "notes.txt",
            "prompts/off.md",
            "tools/_common.sh",
            "tools/a.sh~",
            "tools/lib",
            "tools/w/helper.py",
        ]
    );
    let ran = workspace.run(&["validate", "it"]);
    assert!(
        ran.stdout
            .contains("tools/_common.sh  its name begins with `_`"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
}

#[test]
fn a_helper_writable_by_others_is_an_error() {
    let workspace = Workspace::new("helpers");
    workspace.program("it/tools/a.sh", "#!/bin/sh\n# A.\n");
    workspace.write("it/tools/lib/x.sh", "x");
    workspace.write("it/lib/module.py", "x");
    mode(&workspace.path("it/lib"), 0o777);
    mode(&workspace.path("it/tools/lib/x.sh"), 0o666);
    let ran = workspace.run(&["validate", "it"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    for path in ["error: lib: ", "error: tools/lib/x.sh: "] {
        assert!(ran.stdout.contains(path), "{}", ran.stdout);
    }
    let ran = workspace.run(&["validate", "it", "--fix"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
}

#[test]
fn an_mcp_bash_library_writable_by_others_is_an_error() {
    let workspace = Workspace::new("theirs-lib");
    workspace.write("it/server.d/server.meta.json", "{}");
    workspace.program("it/tools/a/tool.sh", "#!/bin/sh\n");
    workspace.write("it/tools/a/tool.meta.json", r#"{"name":"a"}"#);
    workspace.write("it/lib/common.sh", "x");
    mode(&workspace.path("it/lib"), 0o777);
    let ran = workspace.run(&["validate", "it"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(ran.stdout.contains("error: lib: "), "{}", ran.stdout);
}

#[test]
fn an_interpreter_writable_by_others_is_an_error_with_a_repair() {
    let workspace = Workspace::new("open-lang");
    workspace.program("bin/lang", "");
    std::fs::copy("/bin/sh", workspace.path("bin/lang")).unwrap();
    let bin = workspace.path("bin").canonicalize().unwrap();
    let lang = bin.join("lang");
    let script = format!("#!{}\n# A.\n", lang.display());
    workspace.program("native/tools/a.sh", &script);
    workspace.write("theirs/server.d/server.meta.json", "{}");
    workspace.program("theirs/tools/a/tool.sh", &script);
    workspace.write("theirs/tools/a/tool.meta.json", r#"{"name":"a"}"#);
    for folder in ["native", "theirs"] {
        mode(&workspace.path("bin"), 0o755);
        mode(&workspace.path("bin/lang"), 0o755);
        let ran = workspace.run(&["validate", folder]);
        assert_eq!(ran.code, Some(0), "{}", ran.stdout);
        mode(&workspace.path("bin/lang"), 0o757);
        let ran = workspace.run(&["validate", folder]);
        assert_eq!(ran.code, Some(1), "{}", ran.stdout);
        assert!(ran.stdout.contains("error: tools/a"), "{}", ran.stdout);
        let hint = format!("hint: chmod go-w {}\n", lang.display());
        assert!(ran.stdout.contains(&hint), "{}", ran.stdout);
        mode(&workspace.path("bin"), 0o777);
        let ran = workspace.run(&["validate", folder]);
        let hint = format!("hint: chmod go-w {}\n", bin.display());
        assert!(ran.stdout.contains(&hint), "{}", ran.stdout);
    }
}

#[test]
fn a_missing_program_is_reported() {
    let workspace = Workspace::new("nosuch");
    workspace.write(
        "it/tools/x.tool.yaml",
        "description: X\nexec: [linkspan-nosuchprog, a]\n",
    );
    workspace.write("it/tools/y.tool.yaml", "description: Y\nexec: [bin/y]\n");
    workspace.write("it/bin/y", "#!/bin/sh\n");
    let ran = workspace.run(&["validate", "it"]);
    assert!(
        ran.stdout
            .contains("`linkspan-nosuchprog` is not on the PATH"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("\"bin/y\" is not executable"),
        "{}",
        ran.stdout
    );
}

#[test]
fn doctor_accepts_a_valid_folder() {
    let workspace = Workspace::new("good-folder");
    workspace.program("it/tools/a.sh", "#!/bin/sh\n# A.\n");
    let ran = workspace.run(&["doctor", "it"]);
    assert!(
        ran.stdout
            .contains("ok  it can be served: 1 tool, 0 resources, 0 prompts"),
        "{}",
        ran.stdout
    );
}
