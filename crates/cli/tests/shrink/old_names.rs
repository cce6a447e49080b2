//! Names from the first specification, which are still accepted.

use linkspan_testkit::Children;
use serde_json::json;

use crate::run::linkspan;
use crate::samples;
use crate::setup::{assert_untouched, one_text, result_of, shrink};

#[test]
fn the_old_flags_start_the_same_proxy() {
    let setting = shrink(&["--mode", "proxy"]);
    let children = Children::listen();
    let words = setting.server_words(&children);
    let old = [
        "--downstream-command".to_owned(),
        words[0].clone(),
        "--downstream-args".to_owned(),
        words[1..].join(","),
    ];
    let line = setting.ready_with(&old, children);
    let text = samples::rows(60);
    assert!(line.given(&text).len() < text.len());
    assert!(line.tool_names().contains(&"read_bcp_file".to_owned()));
}

#[test]
fn arguments_may_begin_with_a_hyphen_or_be_missing() {
    let setting = shrink(&[]);
    let place = setting.place.file("heard");
    let script = setting
        .place
        .write("server.sh", format!("echo \"$#:$*\" > '{place}'"));
    let words = [
        "--downstream-command",
        "sh",
        "--downstream-args",
        &format!("{script},-y,,a b"),
    ];
    let mut bridge = setting.launch().args(words).start();
    bridge.close_stdin();
    bridge.exit_code();
    assert_eq!(std::fs::read_to_string(&place).unwrap(), "3:-y  a b\n");
    let ran = linkspan(&["shrink", "--downstream-args", "a"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let ran = linkspan(&["shrink", "--downstream-command", "true", "--", "true"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}

#[test]
fn the_old_reader_command_starts_the_reader() {
    let setting = shrink(&["--mode", "reader"]);
    let bridge = setting.launch().start();
    bridge.initialize(crate::setup::LATEST);
    bridge.request("1", "tools/list", &json!({}));
    let answer = bridge.answer("1").json();
    let names: Vec<_> = answer["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["name"].clone())
        .collect();
    assert_eq!(
        names,
        ["read_bcp_file", "inspect_bcp_file", "encode_bcp_file"]
    );
}

#[test]
fn a_flag_overrides_the_threshold_from_the_environment() {
    let result = result_of(&samples::rows(60));
    let line = shrink(&[]).env("BCP_DETECT_THRESHOLD", "0.95").ready();
    assert_untouched(&line.answer_to(&result), &result);
    let line = shrink(&["--threshold", "0.5"])
        .env("BCP_DETECT_THRESHOLD", "0.95")
        .ready();
    assert_ne!(one_text(&line.answer_to(&result)), samples::rows(60));
}

#[test]
fn invalid_settings_are_reported_at_start() {
    for (name, value) in [
        ("BCP_RENDER_MODE", "html"),
        ("BCP_DETECT_THRESHOLD", "high"),
        ("BCP_DETECT_THRESHOLD", "7"),
    ] {
        let ran = crate::run::Run::new(&["shrink", "--", "true"])
            .env(name, value)
            .end();
        assert!(ran.failed(2).contains(name), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint:"), "{}", ran.stderr);
    }
}
