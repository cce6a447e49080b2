//! `doctor`.

use crate::setup::Workspace;

#[test]
fn doctor_runs_all_checks_and_prints_hints() {
    let workspace = Workspace::new("doctor");
    let report = workspace.run(&["doctor", "--json"]).json();
    let findings = report["findings"].as_array().unwrap();
    for id in [
        "linkspan",
        "bash",
        "python3",
        "node",
        "sandbox",
        "scratch",
        "open-files",
        "clients",
    ] {
        assert!(findings.iter().any(|found| found["id"] == id), "{id}");
    }
    for found in findings {
        let fine = found["state"] == "ok";
        assert!(fine || found["hint"].is_string(), "{found}");
    }
}

#[test]
fn doctor_names_a_missing_interpreter() {
    let workspace = Workspace::new("missing");
    let ran = workspace.runs(&["doctor"]).env("PATH", "/nowhere").end();
    assert!(
        ran.stdout.contains("!!  bash is not in PATH\n    hint: "),
        "{ran}"
    );
}

#[cfg(unix)]
#[test]
fn doctor_reports_an_interpreter_outside_the_default_path() {
    let workspace = Workspace::new("odd-path");
    workspace.program("bin/node", "#!/bin/sh\necho v99.0.0\n");
    let path = format!("{}:/usr/bin:/bin", workspace.path("bin").display());
    let ran = workspace.runs(&["doctor"]).env("PATH", &path).end();
    assert!(ran.stdout.contains("!!  node: v99.0.0 ("), "{ran}");
    assert!(ran.stdout.contains("linkspan config --with-path"), "{ran}");
}

#[cfg(unix)]
#[test]
fn doctor_reports_a_broken_interpreter() {
    let workspace = Workspace::new("broken-node");
    workspace.program("bin/node", "#!/bin/sh\nexit 1\n");
    let path = format!("{}:/usr/bin:/bin", workspace.path("bin").display());
    let ran = workspace.runs(&["doctor"]).env("PATH", &path).end();
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stdout.contains("does not say its version"), "{ran}");
}

#[test]
fn doctor_reports_an_unwritable_temporary_folder() {
    let workspace = Workspace::new("tmp");
    let ran = workspace
        .runs(&["doctor"])
        .env("TMPDIR", "/no/such/folder")
        .end();
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stdout.contains("set TMPDIR"), "{ran}");
}

#[test]
fn clients_whose_configuration_no_longer_holds_are_named() {
    let workspace = Workspace::new("stale");
    assert_eq!(workspace.run(&["new", "it"]).code, Some(0));
    let configure = ["config", "it", "--client", "cursor", "--write"];
    assert_eq!(workspace.run(&configure).code, Some(0));
    let ran = workspace.run(&["doctor"]);
    assert!(ran.stdout.contains("through linkspan: it\n"), "{ran}");

    std::fs::rename(workspace.path("it"), workspace.path("moved")).unwrap();
    let ran = workspace.run(&["doctor"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stdout.contains("Cursor cannot start `it`"), "{ran}");

    workspace.write("home/.cursor/mcp.json", "{ oops");
    let ran = workspace.run(&["doctor"]);
    assert!(ran.stdout.contains("Cursor cannot read "), "{ran}");
}
