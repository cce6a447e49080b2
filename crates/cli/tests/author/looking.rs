//! `validate`, and `serve --health`.

use insta::assert_snapshot;

use crate::setup::{Desk, mode};

const ECHO: &str = "#!/bin/sh\n# Says what it is told.\ncat\n";

#[test]
fn what_clients_will_see_is_printed_as_they_will_see_it() {
    let desk = Desk::new("see");
    desk.write("it/server.yaml", "name: it\nversion: 1.2.3\n");
    desk.program("it/tools/echo.sh", ECHO);
    desk.write(
        "it/tools/add.meta.json",
        r#"{"title":"Add","description":"Adds two numbers.","arguments":{"a":{"type":"number","required":true},"b":"number"},"outputSchema":{"type":"object","properties":{"sum":{"type":"number"}}},"mode":"worker"}"#,
    );
    desk.program("it/tools/add.py", "#!/usr/bin/env python3\n");
    assert_snapshot!(desk.run(&["validate", "it"]), @"
    it 1.2.3 (HERE/it)

    Tools
    add  Add
        Adds two numbers.
          a number required
          b number
          gives sum
          by a process that stays
    echo
        Says what it is told.

    2 tools, 0 resources, 0 prompts; no problems
    ");
}

#[test]
fn every_problem_has_its_file_and_line_and_what_to_do() {
    let desk = Desk::new("problems");
    desk.write("it/tools/plain.sh", ECHO);
    desk.program("it/tools/typo.sh", "#!/bin/sh\n# Fine.\n#: timeoutSec: 3\n");
    desk.program("it/tools/wrong.sh", "#!/bin/sh\n");
    desk.write(
        "it/tools/wrong.meta.yaml",
        "description: x\ntimeoutSecs: soon\n",
    );
    let ran = desk.run(&["validate", "it"]);
    assert_snapshot!(ran, @r#"
    it 0.0.0 (HERE/it)

    Tools
    typo
        Fine.

    error: tools/plain.sh: is not executable
      hint: chmod +x, or `linkspan validate --fix`; what is no entry gets a name that begins with `_`
    warning: tools/typo.sh:3: `timeoutSec` is not known here
      hint: did you mean `timeoutSecs`?
    error: tools/wrong.meta.yaml:2: `timeoutSecs` must be seconds, or a text such as "500ms", "30s", "5m" or "1h", not "soon"

    1 tool, 0 resources, 0 prompts; 2 errors, 1 warning
    one of them can be fixed: linkspan validate --fix
    [exit 1]
    "#);
}

#[test]
fn warnings_count_only_if_it_is_strict() {
    let desk = Desk::new("strict");
    desk.program("it/tools/typo.sh", "#!/bin/sh\n# Fine.\n#: timeoutSec: 3\n");
    assert_eq!(desk.run(&["validate", "it"]).code, Some(0));
    assert_eq!(desk.run(&["validate", "it", "--strict"]).code, Some(1));
    let json = desk.run(&["validate", "it", "--strict", "--json"]);
    assert_eq!(json.code, Some(1));
    assert_eq!(json.json()["ok"], false);
    assert_eq!(json.json()["warnings"], 1);
}

#[test]
fn json_has_what_clients_get_and_what_is_wrong() {
    let desk = Desk::new("as-json");
    desk.program("it/tools/echo.sh", ECHO);
    desk.write("it/tools/plain.sh", ECHO);
    let ran = desk.run(&["validate", "it", "--json"]);
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
fn there_is_json_even_about_a_folder_that_is_not_there() {
    let desk = Desk::new("json-of-nothing");
    let ran = desk.run(&["validate", "it", "--json"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert_eq!(ran.json()["ok"], false);
    assert_eq!(ran.json()["problems"][0]["text"], "it is not a folder");
    desk.write("it/server.yaml", "name: [half");
    let ran = desk.run(&["validate", "it", "--json"]);
    assert_eq!(ran.json()["problems"][0]["path"], "server.yaml");
    assert!(ran.json()["problems"][0]["hint"].is_string(), "{ran}");
}

#[cfg(unix)]
#[test]
fn a_call_is_not_buried_under_warnings_about_others() {
    let desk = Desk::new("buried");
    for n in 0..9 {
        desk.program(&format!("it/tools/odd-{n}.sh"), "#!/bin/sh\necho odd\n");
    }
    desk.program("it/tools/bad\nname.sh", "#!/bin/sh\n# Fine.\n");
    let ran = desk.run(&["run-tool", "it", "odd-1"]);
    assert_eq!(ran.stdout, "odd\n", "{ran}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran}");
    assert!(
        ran.stderr.contains("tools/odd-1.sh: has no description"),
        "{ran}"
    );
    let bad = desk.run(&["run-tool", "it", "bad_name"]);
    assert!(!bad.stderr.contains("odd"), "{bad}");
}

#[cfg(unix)]
#[test]
fn what_can_be_mended_is_and_it_is_said() {
    let desk = Desk::new("mend");
    desk.write("it/tools/plain.sh", ECHO);
    desk.program("it/tools/open.sh", ECHO);
    mode(&desk.path("it/tools/open.sh"), 0o777);
    mode(&desk.path("it"), 0o757);
    assert_eq!(desk.run(&["validate", "it"]).code, Some(1));
    assert_snapshot!(desk.run(&["validate", "it", "--fix"]), @"
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
        let about = desk.path(name).metadata().unwrap();
        about.permissions().mode() & 0o777
    };
    assert_eq!(mode_of("it"), 0o755);
    assert_eq!(mode_of("it/tools/plain.sh"), 0o755);
    assert_eq!(mode_of("it/tools/open.sh"), 0o755);
    let again = desk.run(&["validate", "it", "--fix"]);
    assert!(!again.stdout.contains("fixed"), "{again}");
}

#[test]
fn a_folder_that_is_not_there_is_said_to_be_missing() {
    let desk = Desk::new("missing");
    assert_snapshot!(desk.run(&["validate", "nowhere"]), @"
    [stderr]
    error: nowhere is not a folder
    hint: `linkspan new DIR` makes one
    [exit 2]
    ");
}

#[test]
fn nothing_is_executed_to_find_out_what_it_is() {
    let desk = Desk::new("inert");
    let script = "#!/bin/sh\n# Leaves a trace.\ntouch \"$(dirname \"$0\")/../../ran\"\n";
    desk.program("it/tools/t.sh", script);
    desk.program("it/prompts/p.sh", script);
    desk.program("it/resources/r.sh", script);
    desk.program("it/completions/p.x.sh", script);
    desk.program("it/providers/x.sh", script);
    for args in [
        &["validate", "it"][..],
        &["validate", "it", "--fix"],
        &["serve", "it", "--health"],
        &["doctor", "it"],
        &["tools", "./it"],
        &["run-tool", "it", "t", "--dry-run"],
    ] {
        desk.run(args);
        assert!(!desk.path("ran").exists(), "{args:?}");
    }
}

#[test]
fn a_name_that_drives_a_terminal_is_made_harmless() {
    let desk = Desk::new("hostile");
    desk.write("it/tools/a\u{1b}[31m.sh", "x");
    desk.program(
        "it/tools/b.sh",
        "#!/bin/sh\n#: description: \"\\e]0;gotcha\\a\"\n",
    );
    let ran = desk.run(&["validate", "it"]);
    assert!(!ran.stdout.contains('\u{1b}'), "{ran}");
    assert!(!ran.stdout.contains('\u{7}'), "{ran}");
}

#[cfg(unix)]
#[test]
fn health_is_one_line_and_an_exit_code() {
    let desk = Desk::new("health");
    desk.program("it/tools/echo.sh", ECHO);
    let ran = desk.run(&["serve", "it", "--health"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(ran.json()["status"], "ok");
    assert_eq!(ran.json()["tools"], 1);
    mode(&desk.path("it"), 0o777);
    let ran = desk.run(&["serve", "it", "--ready"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert_eq!(ran.json()["status"], "unhealthy");
    assert_eq!(desk.run(&["serve", "nowhere", "--health"]).code, Some(1));
}

#[cfg(unix)]
#[test]
fn the_doctor_looks_into_a_folder() {
    let desk = Desk::new("doctor-in");
    desk.write("it/tools/plain.sh", ECHO);
    let ran = desk.run(&["doctor", "it"]);
    assert!(
        ran.stdout.contains("1 things in it are not offered"),
        "{ran}"
    );
    mode(&desk.path("it"), 0o777);
    let ran = desk.run(&["doctor", "it"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(
        ran.stdout.contains("no  HERE/it cannot be trusted")
            || ran.stdout.contains("cannot be trusted"),
        "{ran}"
    );
}

#[test]
fn every_file_that_is_ignored_is_mentioned() {
    let desk = Desk::new("ignored");
    desk.write("it/server.yaml", "name: it\n");
    desk.write("it/README.md", "for people");
    desk.write("it/notes.txt", "x");
    desk.program("it/tools/a.sh", "#!/bin/sh\n# A.\n");
    desk.program("it/tools/_common.sh", "#!/bin/sh\n");
    desk.write("it/tools/a.sh~", "x");
    desk.write("it/tools/lib/x.sh", "x");
    desk.program("it/tools/w/tool.py", "#!/usr/bin/env python3\n# W.\n");
    desk.write("it/tools/w/helper.py", "x");
    desk.write("it/prompts/off.md", "---\nenabled: false\n---\nx");
    desk.write("it/completions/deep/x", "x");
    let ran = desk.run(&["validate", "it", "--json"]);
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
    let ran = desk.run(&["validate", "it"]);
    assert!(
        ran.stdout
            .contains("tools/_common.sh  its name begins with `_`"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
}

#[test]
fn a_helper_that_others_can_write_is_an_error() {
    let desk = Desk::new("helpers");
    desk.program("it/tools/a.sh", "#!/bin/sh\n# A.\n");
    desk.write("it/tools/lib/x.sh", "x");
    desk.write("it/lib/module.py", "x");
    mode(&desk.path("it/lib"), 0o777);
    mode(&desk.path("it/tools/lib/x.sh"), 0o666);
    let ran = desk.run(&["validate", "it"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    for path in ["error: lib: ", "error: tools/lib/x.sh: "] {
        assert!(ran.stdout.contains(path), "{}", ran.stdout);
    }
    let ran = desk.run(&["validate", "it", "--fix"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
}

#[test]
fn a_library_of_a_project_of_mcp_bash_that_others_can_write_is_an_error() {
    let desk = Desk::new("theirs-lib");
    desk.write("it/server.d/server.meta.json", "{}");
    desk.program("it/tools/a/tool.sh", "#!/bin/sh\n");
    desk.write("it/tools/a/tool.meta.json", r#"{"name":"a"}"#);
    desk.write("it/lib/common.sh", "x");
    mode(&desk.path("it/lib"), 0o777);
    let ran = desk.run(&["validate", "it"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(ran.stdout.contains("error: lib: "), "{}", ran.stdout);
}

#[test]
fn an_interpreter_that_others_can_write_is_an_error_with_its_repair() {
    let desk = Desk::new("open-lang");
    desk.program("bin/lang", "");
    std::fs::copy("/bin/sh", desk.path("bin/lang")).unwrap();
    let bin = desk.path("bin").canonicalize().unwrap();
    let lang = bin.join("lang");
    let script = format!("#!{}\n# A.\n", lang.display());
    desk.program("native/tools/a.sh", &script);
    desk.write("theirs/server.d/server.meta.json", "{}");
    desk.program("theirs/tools/a/tool.sh", &script);
    desk.write("theirs/tools/a/tool.meta.json", r#"{"name":"a"}"#);
    for folder in ["native", "theirs"] {
        mode(&desk.path("bin"), 0o755);
        mode(&desk.path("bin/lang"), 0o755);
        let ran = desk.run(&["validate", folder]);
        assert_eq!(ran.code, Some(0), "{}", ran.stdout);
        mode(&desk.path("bin/lang"), 0o757);
        let ran = desk.run(&["validate", folder]);
        assert_eq!(ran.code, Some(1), "{}", ran.stdout);
        assert!(ran.stdout.contains("error: tools/a"), "{}", ran.stdout);
        let hint = format!("hint: chmod go-w {}\n", lang.display());
        assert!(ran.stdout.contains(&hint), "{}", ran.stdout);
        mode(&desk.path("bin"), 0o777);
        let ran = desk.run(&["validate", folder]);
        let hint = format!("hint: chmod go-w {}\n", bin.display());
        assert!(ran.stdout.contains(&hint), "{}", ran.stdout);
    }
}

#[test]
fn a_program_that_is_not_there_is_found() {
    let desk = Desk::new("nosuch");
    desk.write(
        "it/tools/x.tool.yaml",
        "description: X\nexec: [linkspan-nosuchprog, a]\n",
    );
    desk.write("it/tools/y.tool.yaml", "description: Y\nexec: [bin/y]\n");
    desk.write("it/bin/y", "#!/bin/sh\n");
    let ran = desk.run(&["validate", "it"]);
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
fn the_doctor_says_that_a_good_folder_is_good() {
    let desk = Desk::new("good-folder");
    desk.program("it/tools/a.sh", "#!/bin/sh\n# A.\n");
    let ran = desk.run(&["doctor", "it"]);
    assert!(
        ran.stdout
            .contains("ok  it can be served: 1 tool, 0 resources, 0 prompts"),
        "{}",
        ran.stdout
    );
}
