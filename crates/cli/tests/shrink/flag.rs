//! `--shrink` of the other commands.

use linkspan_testkit::{Children, Message};
use serde_json::json;

use crate::run::taken_back;
use crate::same::{assert_same_json, tokens};
use crate::samples;
use crate::setup::{LATEST, meta, one_text, program, result_of, shrink};

/// Repeats a call until the answer is shortened: results pass unchanged until the vocabulary is loaded.
fn until_shorter(ask: impl Fn() -> Message) -> Message {
    let mut answers = std::iter::repeat_with(ask).take(200);
    let found = answers.find(|answer| !meta(answer).is_null());
    found.expect("a result is shortened")
}

#[test]
fn connect_shortens_results_and_keeps_the_list_of_tools() {
    let line = shrink(&[]).by(&["connect", "--shrink"]).ready();
    let text = samples::rows(60);
    let answer = until_shorter(|| line.answer_to(&result_of(&text)));
    assert_same_json(&taken_back(&one_text(&answer)), &text);
    assert_eq!(line.tool_names(), ["echo", "routed"]);
    let told = meta(&answer);
    assert!(
        told["content"][0].get("id").is_none(),
        "the client has no tool to fetch it: {told}"
    );
}

#[test]
fn connect_without_the_flag_changes_nothing() {
    let line = shrink(&[]).by(&["connect"]).ready();
    assert_eq!(line.given(&samples::rows(60)), samples::rows(60));
}

#[test]
fn the_flag_accepts_a_level() {
    let text = samples::rows(60);
    let sizes = [
        "--shrink=safe",
        "--shrink=balanced",
        "--shrink=max",
        "--shrink",
    ]
    .map(|flag| {
        let line = shrink(&[]).by(&["connect", flag]).ready();
        let answer = until_shorter(|| line.answer_to(&result_of(&text)));
        tokens(&one_text(&answer))
    });
    assert!(sizes[0] >= sizes[1] && sizes[1] >= sizes[2], "{sizes:?}");
    assert_eq!(sizes[2], sizes[3]);
}

#[test]
fn expose_shortens_results_for_clients_of_both_eras() {
    for flags in [&["--shrink"][..], &["--shrink", "--share"][..]] {
        let (http, place) = shrink(flags).by(&["expose"]).over_http();
        let text = samples::rows(60);
        let arguments = place.saying(result_of(&text));
        let session = http.client().session(LATEST);
        for answer in [
            until_shorter(|| session.tool("1", "say", &arguments)),
            until_shorter(|| http.client().modern().tool("1", "say", &arguments)),
        ] {
            assert_same_json(&taken_back(&one_text(&answer)), &text);
        }
        http.end();
        let stats = std::fs::read_to_string(place.stats()).unwrap_or_default();
        assert!(
            stats.contains("\"tool\":\"say\""),
            "what was saved is written down: {stats}"
        );
    }
}

#[test]
fn results_of_a_folder_of_scripts_are_shortened() {
    let setting = shrink(&[]);
    let folder = setting.place.file("tools");
    std::fs::create_dir_all(&folder).unwrap();
    let rows = setting.place.write("rows.json", samples::rows(60));
    let script = setting
        .place
        .write("tools/rows.sh", format!("#!/bin/sh\ncat '{rows}'\n"));
    std::process::Command::new("chmod")
        .args(["+x", &script])
        .status()
        .unwrap();
    let root = setting.place.path().to_str().unwrap().to_owned();
    let line = setting
        .by(&["serve", "--shrink"])
        .ready_with(&[root], Children::listen());
    let answer = until_shorter(|| line.call("rows", &json!({})));
    assert_same_json(&taken_back(&one_text(&answer)), &samples::rows(60));
}

#[test]
fn results_of_the_reader_server_are_shortened() {
    let setting = shrink(&[]);
    setting.place.write(
        "m.json",
        json!({"blocks": [{"type": "structured_data", "format": "json", "content": samples::rows(60)}]}).to_string(),
    );
    let place = setting.place.path().to_owned();
    let words = ["bcp", "encode", "m.json", "-o", "m.bcp"];
    let status = std::process::Command::new(program())
        .args(words)
        .current_dir(&place)
        .status()
        .unwrap();
    assert!(status.success());
    let line = setting
        .by(&["bcp", "mcp", "--shrink"])
        .ready_with(&[], Children::listen());
    let file = json!({"path": place.join("m.bcp"), "mode": "minimal"});
    let answer = until_shorter(|| line.call("read_bcp_file", &file));
    assert!(one_text(&answer).len() < samples::rows(60).len());
}

#[test]
fn a_result_that_passes_two_layers_is_shortened_once() {
    let first = shrink(&[]);
    let text = samples::rows(60);
    let (http, place) = first.over_http();
    let second = shrink(&[]).by(&["connect", "--shrink"]);
    let line = second.ready_with(&[http.url().to_owned()], Children::listen());
    let answer = line.call("say", &place.saying(result_of(&text)));
    assert_same_json(&taken_back(&one_text(&answer)), &text);
}
