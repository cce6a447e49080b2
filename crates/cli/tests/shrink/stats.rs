//! Statistics of savings, and `--shadow`, which only measures.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::run::{Ran, Run};
use crate::same::tokens;
use crate::samples;
use crate::setup::{Era, Place, assert_untouched, one_text, result_of, shrink};

fn stats(place: &Place, flags: &[&str]) -> Ran {
    let file = place.stats();
    let words = [
        &[
            "shrink",
            "stats",
            "--stats-file",
            file.to_str().expect("UTF-8"),
        ],
        flags,
    ]
    .concat();
    Run::new(&words).end()
}

fn rows(place: &Place) -> Vec<Value> {
    stats(place, &["--json"]).well().json_lines()
}

#[test]
fn every_text_is_recorded_by_server_tool_and_kind() {
    let mut line = shrink(&[]).ready();
    let text = samples::rows(60);
    let new = line.given(&text);
    line.given(&text);
    line.given(&samples::prose());
    assert_eq!(line.end(), Some(0));
    let rows = rows(&line.place);
    let row = |kinds: &str| {
        let found = rows.iter().find(|row| row["kinds"] == kinds);
        found.unwrap_or_else(|| panic!("{kinds}: {rows:?}")).clone()
    };
    let json = row("json");
    assert_eq!(json["server"], "linkspan-child");
    assert_eq!(json["tool"], "say");
    assert_eq!(json["shadow"], false);
    assert_eq!((&json["calls"], &json["changed"]), (&json!(2), &json!(2)));
    assert_eq!(json["before"], tokens(&text) * 2);
    assert_eq!(json["after"], tokens(&new) * 2);
    assert!(json["micros"].as_u64().unwrap() > 0);
    let same = row("(as it was)");
    assert_eq!((&same["calls"], &same["changed"]), (&json!(1), &json!(0)));
    assert_eq!(same["before"], same["after"]);
}

#[test]
fn statistics_are_printed_as_a_table() {
    let mut line = shrink(&[]).ready();
    line.given(&samples::rows(60));
    line.end();
    let ran = stats(&line.place, &[]).well();
    for words in [
        "linkspan-child",
        "say json",
        "1 texts",
        " → ",
        "in all",
        " %",
    ] {
        assert!(ran.text().contains(words), "{words}: {}", ran.text());
    }
}

#[test]
fn sums_of_several_runs_are_added() {
    let first = shrink(&[]);
    let place = Place::new();
    let file = place.stats();
    let file = file.to_str().unwrap();
    let mut one = first.env("LINKSPAN_SHRINK_STATS", file).ready();
    let mut other = shrink(&["--stats-file", file]).ready();
    for line in [&mut one, &mut other] {
        line.given(&samples::rows(60));
        line.end();
    }
    let rows = rows(&place);
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(rows[0]["calls"], 2);
}

#[test]
fn a_signal_does_not_lose_the_sums() {
    let mut line = shrink(&[]).ready();
    line.given(&samples::rows(60));
    line.bridge.signal(linkspan_testkit::Signal::Terminate);
    assert_eq!(line.bridge.exit_code(), Some(143));
    assert_eq!(rows(&line.place).len(), 1);
}

#[test]
fn a_server_of_either_era_is_recorded_by_its_name() {
    for (client, server) in [
        (Era::Legacy, Era::Legacy),
        (Era::Modern, Era::Modern),
        (Era::Legacy, Era::Modern),
        (Era::Modern, Era::Legacy),
    ] {
        let mut line = shrink(&[]).eras(client, server).ready();
        line.given(&samples::rows(60));
        line.end();
        let names: BTreeSet<String> = rows(&line.place)
            .iter()
            .map(|row| row["server"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(
            names,
            BTreeSet::from(["linkspan-child".to_owned()]),
            "{client:?} {server:?}"
        );
    }
}

#[test]
fn no_statistics_are_written_if_disabled() {
    let mut line = shrink(&["--no-stats"]).ready();
    line.given(&samples::rows(60));
    line.end();
    assert!(!line.place.stats().exists());
}

#[test]
fn statistics_can_be_reset() {
    let mut line = shrink(&[]).ready();
    line.given(&samples::rows(60));
    line.end();
    stats(&line.place, &["--reset"]).well();
    assert!(rows(&line.place).is_empty());
    stats(&line.place, &["--reset"]).well();
    let nothing = stats(&line.place, &[]);
    assert_eq!((nothing.code, nothing.text()), (Some(0), ""));
    assert!(nothing.stderr.contains("--shadow"), "{}", nothing.stderr);
}

#[test]
fn an_unwritable_file_only_loses_the_statistics() {
    let place = Place::new();
    let folder = place.path().to_str().unwrap().to_owned();
    let mut line = shrink(&["--stats-file", &folder]).ready();
    let text = samples::rows(60);
    assert_ne!(line.given(&text), text);
    assert_eq!(line.end(), Some(0));
    assert!(
        line.bridge.stderr().contains("cannot write statistics"),
        "{}",
        line.bridge.stderr()
    );
}

#[test]
fn a_file_of_another_format_is_tolerated() {
    let place = Place::new();
    place.write("stats.ndjson", "hello\n{\"server\":1}\n[]\n\u{fffd}\n");
    assert!(rows(&place).is_empty());
    place.write("stats.ndjson", b"caf\xe9\n");
    let ran = stats(&place, &[]);
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}

#[test]
fn shadow_mode_changes_no_byte_and_measures() {
    let flags = [
        "--shadow",
        "--budget",
        "50",
        "--dedup",
        "--slim-tools",
        "--structured",
        "drop",
    ];
    let mut line = shrink(&flags).ready();
    let list = line.ask("tools/list", &json!({}));
    assert_untouched(&list, &format!("{{{}}}", linkspan_testkit::child::TOOLS));
    let text = samples::orders(30);
    let value: Value = serde_json::from_str(&text).unwrap();
    let result = json!({"content": [{"type": "text", "text": text}], "structuredContent": value});
    for result in [
        result.to_string(),
        result_of(&text),
        result_of(&samples::prose()),
    ] {
        assert_untouched(&line.answer_to(&result), &result);
    }
    let answer = line.call("bcp_fetch", &json!({"id": "0"}));
    assert_eq!(
        answer.code(),
        Some(-32602),
        "there is no tool of ours: {}",
        answer.text
    );
    line.end();
    let measured: Vec<Value> = rows(&line.place);
    assert!(
        measured.iter().all(|row| row["shadow"] == true),
        "{measured:?}"
    );
    let saved = measured
        .iter()
        .any(|row| row["after"].as_u64() < row["before"].as_u64());
    assert!(saved, "{measured:?}");
    let table = stats(&line.place, &[]).well();
    assert!(table.text().contains("only measured"), "{}", table.text());
}

#[test]
fn a_call_from_the_command_line_can_be_shortened_too() {
    let setting = shrink(&[]);
    let children = linkspan_testkit::Children::listen();
    let arguments = setting
        .place
        .saying(result_of(&samples::rows(60)))
        .to_string();
    let server = setting.server_words(&children);
    let mut words = vec!["call", "--shrink", "--json", "say", &arguments, "--"];
    words.extend(server.iter().map(String::as_str));
    let ran = Run::new(&words).end().well();
    let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, ran.text());
    let answer = linkspan_testkit::Message::parse(&answer).unwrap();
    let new = one_text(&answer);
    crate::same::assert_same_json(&crate::run::taken_back(&new), &samples::rows(60));
    assert!(new.len() < samples::rows(60).len());
}
