//! `--budget` and `bcp_fetch`: an outline first, and the parts that a model asks for.

use std::time::Duration;

use linkspan_testkit::{Message, wait_within};
use serde_json::{Value, json};

use crate::same::tokens;
use crate::samples;
use crate::setup::{Line, meta, one_text, result_of, shrink};

/// Long enough for filters that run until they are killed.
const LONG: Duration = Duration::from_secs(300);

/// A line on which a text arrived as an outline, and the id of the original.
fn outlined(text: &str) -> (Line, String) {
    let line = shrink(&["--budget", "150"]).ready();
    let id = id_in(&line.answer_to(&result_of(text)));
    (line, id)
}

fn id_in(answer: &Message) -> String {
    let meta = meta(answer);
    let id = meta["content"][0]["id"].as_str();
    id.unwrap_or_else(|| panic!("no id: {meta}")).to_owned()
}

/// The text that `bcp_fetch` returns, and whether it is an error.
#[track_caller]
fn fetch(line: &Line, id: &str, more: &Value) -> (String, bool) {
    let mut arguments = more.clone();
    arguments["id"] = json!(id);
    let answer = line.call("bcp_fetch", &arguments);
    let failed = answer.json()["result"]["isError"] == true;
    (one_text(&answer), failed)
}

#[track_caller]
fn fetched(line: &Line, id: &str, more: &Value) -> String {
    let (text, failed) = fetch(line, id, more);
    assert!(!failed, "{more}: {text}");
    text
}

#[track_caller]
fn refused(line: &Line, id: &str, more: &Value) -> String {
    let (text, failed) = fetch(line, id, more);
    assert!(failed, "{more}: {text}");
    text
}

#[test]
fn a_text_within_the_budget_is_not_outlined() {
    let text = samples::rows(60);
    let line = shrink(&["--budget", "100000"]).ready();
    let answer = line.answer_to(&result_of(&text));
    assert_eq!(meta(&answer)["content"][0]["lossless"], true);
    let line = shrink(&["--budget", "100000"]).ready();
    assert_eq!(line.given(&samples::prose()), samples::prose());
}

#[test]
fn prose_over_its_budget_is_outlined_too() {
    let text = samples::prose().repeat(20);
    let (line, id) = outlined(&text);
    assert_eq!(fetched(&line, &id, &json!({})), text);
}

#[test]
fn an_error_over_its_budget_is_not_outlined() {
    let line = shrink(&["--budget", "150"]).ready();
    let failed = json!({"content": [{"type": "text", "text": samples::log(400)}], "isError": true});
    assert_eq!(
        line.answer_to(&failed.to_string()).result,
        Some(failed.to_string())
    );
}

#[test]
fn lines_are_fetched_by_their_numbers() {
    let text = samples::log(400);
    let (line, id) = outlined(&text);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (range, expected) in [
        ("1-2", lines[..2].concat()),
        ("17", lines[16].to_owned()),
        ("399-", lines[398..].concat()),
        ("399-9999", lines[398..].concat()),
        ("-3", lines[397..].concat()),
        (" 5 - 6 ", lines[4..6].concat()),
    ] {
        assert_eq!(
            fetched(&line, &id, &json!({"range": range})),
            expected,
            "{range}"
        );
    }
    for range in [
        "",
        "x",
        "0",
        "0-3",
        "6-5",
        "1-2-3",
        "-",
        "1,5",
        "99999999999999999999-",
    ] {
        let why = refused(&line, &id, &json!({"range": range}));
        assert!(why.contains("range"), "{range}: {why}");
    }
    let why = refused(&line, &id, &json!({"range": "401-"}));
    assert!(why.contains("only 400 lines"), "{why}");
}

#[test]
fn lines_are_fetched_by_a_pattern() {
    let text = samples::log(400);
    let (line, id) = outlined(&text);
    let expected: String = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.contains("WARN") && line.ends_with("39 cm above mark"))
        .map(|(i, line)| format!("{}:{line}\n", i + 1))
        .collect();
    assert!(expected.lines().count() > 3);
    let pattern = json!({"grep": r"WARN.*\b39 cm above mark$"});
    assert_eq!(fetched(&line, &id, &pattern), expected);
    assert!(fetched(&line, &id, &json!({"grep": "no such word"})).contains("no line matches"));
    for wrong in ["(", "[", "a{1000000}{1000000}", r"(?P<x"] {
        let why = refused(&line, &id, &json!({"grep": wrong}));
        assert!(why.contains("regular expression"), "{wrong}: {why}");
    }
    // Catastrophic backtracking in other engines.
    fetched(&line, &id, &json!({"grep": "(.*)*(.*)*=(.*)*$"}));
}

#[test]
fn json_is_fetched_with_a_filter() {
    let (line, id) = outlined(&samples::orders(60));
    assert_eq!(fetched(&line, &id, &json!({"jq": ".total"})).trim(), "60");
    let names = fetched(
        &line,
        &id,
        &json!({"jq": "[.orders[] | select(.paid) | .order] | length"}),
    );
    assert_eq!(names.trim(), "30");
    let why = refused(&line, &id, &json!({"jq": ".orders | +"}));
    assert!(why.contains("jq"), "{why}");
    let (line, id) = outlined(&samples::log(400));
    let why = refused(&line, &id, &json!({"jq": "."}));
    assert!(why.contains("not JSON"), "{why}");
}

#[test]
fn a_filter_sees_no_secrets_and_no_files() {
    let line = shrink(&["--budget", "150"]).env("SECRET", "shh").ready();
    let id = id_in(&line.answer_to(&result_of(&samples::orders(60))));
    for filter in [
        "env | length",
        "$ENV | length",
        "env.SECRET // 0",
        "$ENV.SECRET // 0",
    ] {
        let (text, failed) = fetch(&line, &id, &json!({"jq": filter}));
        assert!(!text.contains("shh"), "{filter}: {text}");
        assert!(failed || text.trim() == "0", "{filter}: {text}");
    }
    line.place.write("secret.json", r#""shh""#);
    line.place.write("secret.jq", r#"def x: "shh";"#);
    let folder = line.place.path().to_str().unwrap();
    for filter in [
        r#"import "secret" as $x; $x"#.to_owned(),
        r#"include "secret"; x"#.to_owned(),
        format!(r#"import "secret" as $x {{"search":"{folder}"}}; $x"#),
        format!(r#"include "secret" {{"search":"{folder}"}}; x"#),
        "input".to_owned(),
        "[inputs]".to_owned(),
        "input_filename".to_owned(),
        "$__prog_args".to_owned(),
        "get_search_list".to_owned(),
    ] {
        let (text, _) = fetch(&line, &id, &json!({"jq": filter}));
        assert!(!text.contains("shh"), "{filter}: {text}");
    }
    // Words that look like flags are an invalid filter.
    for filter in [
        "--rawfile x /etc/passwd $x",
        "-n",
        "--help",
        "-f /etc/passwd",
    ] {
        let (text, _) = fetch(&line, &id, &json!({"jq": filter}));
        assert!(
            !text.contains("root:") && !text.contains("Usage"),
            "{filter}: {text}"
        );
    }
}

#[test]
fn an_unknown_id_is_an_error() {
    let (line, id) = outlined(&samples::log(400));
    for wrong in [
        "000000000000",
        "",
        "..",
        "../../../etc/passwd",
        "zzzzzzzzzzzz",
        &id[..6],
    ] {
        let why = refused(&line, wrong, &json!({}));
        assert!(
            why.contains("call the tool") || why.contains("missing"),
            "{wrong}: {why}"
        );
    }
    assert!(one_text(&line.call("bcp_fetch", &json!({}))).contains("`id` is missing"));
    for odd in [
        json!({"id": 7}),
        json!({"id": id, "range": 5}),
        json!({"id": id, "grep": "a", "jq": "."}),
    ] {
        let answer = line.call("bcp_fetch", &odd);
        assert_eq!(answer.json()["result"]["isError"], true, "{odd}");
    }
    for form in [format!("bcp://{id}"), format!("#{id}"), id.to_uppercase()] {
        fetched(&line, &form, &json!({"range": "1"}));
    }
}

#[test]
fn a_long_answer_is_cut_and_names_the_next_range() {
    let text: String = (0..60_000)
        .map(|i| format!("{i:05} all is well\n"))
        .collect();
    let (line, id) = outlined(&text);
    let mut got = String::new();
    let mut range = "1-".to_owned();
    for _ in 0..20 {
        let part = fetched(&line, &id, &json!({"range": range}));
        let Some((lines, rest)) = part.split_once("[linkspan: cut here") else {
            got.push_str(&part);
            break;
        };
        got.push_str(lines);
        range = rest
            .rsplit("range is ")
            .next()
            .unwrap()
            .trim_end_matches(']')
            .to_owned();
    }
    assert!(got == text, "{} of {} bytes", got.len(), text.len());
    let hits = fetched(&line, &id, &json!({"grep": "well"}));
    assert!(
        hits.len() < 300_000 && hits.contains("more lines match"),
        "{}",
        hits.len()
    );
}

#[test]
fn a_single_overlong_line_is_cut() {
    let (line, id) = outlined(&"ø".repeat(400_000));
    let part = fetched(&line, &id, &json!({}));
    assert!(
        part.len() < 300_000 && part.contains("[linkspan: "),
        "{}",
        part.len()
    );
}

#[test]
fn filters_that_never_end_are_killed() {
    let (line, id) = outlined(&samples::orders(60));
    // Concurrently: each runs into its timeout, and no other call waits for it.
    let ids: Vec<String> = [
        "[range(1e9)]|length",
        "last(repeat(1))",
        "[limit(1e12;repeat(.))]",
        "def f: f; f",
    ]
    .iter()
    .map(|filter| line.begin("bcp_fetch", &json!({"id": id, "jq": filter})))
    .collect();
    assert_eq!(
        fetched(&line, &id, &json!({"jq": ".total"})).trim(),
        "60",
        "others are served"
    );
    let endless = fetched(&line, &id, &json!({"jq": "repeat(1)"}));
    assert!(
        endless.len() < 300_000 && endless.contains("[linkspan: cut here"),
        "{}",
        endless.len()
    );
    for one in ids {
        let answer = line.bridge.answer(&one);
        assert_eq!(answer.json()["result"]["isError"], true, "{}", answer.text);
    }
    let memory = line.bridge.peak_memory().unwrap_or(0);
    assert!(memory < 400 << 20, "{memory}");
}

#[test]
fn results_of_local_tools_are_not_shortened() {
    let (line, id) = outlined(&samples::rows(200));
    let whole = line.call("bcp_fetch", &json!({"id": id}));
    assert_eq!(one_text(&whole), samples::rows(200));
    assert!(
        meta(&whole).is_null(),
        "fetching must not need another fetch"
    );
}

#[test]
fn several_texts_share_the_budget() {
    let line = shrink(&["--budget", "2000"]).ready();
    let text = samples::prose().repeat(5);
    let item = json!({"type": "text", "text": text});
    let answer = line.answer_to(&json!({"content": [item, item, item, item]}).to_string());
    let content = answer.json()["result"]["content"].clone();
    let texts: Vec<String> = content
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(texts[0], text, "the first fits");
    assert_ne!(texts[3], text, "the last does not");
    let all: u64 = texts.iter().map(|text| tokens(text)).sum();
    assert!(all < 4 * tokens(&text), "{all}");
}

#[test]
fn a_result_over_its_budget_becomes_an_outline_with_a_handle() {
    let line = shrink(&["--budget", "150"]).ready();
    let text = samples::log(400);
    let answer = line.answer_to(&result_of(&text));
    let outline = one_text(&answer);
    let told = &meta(&answer)["content"][0];
    assert_eq!(told["lossless"], false);
    assert_eq!(told["before"], tokens(&text));
    assert_eq!(told["after"], tokens(&outline));
    assert!(tokens(&outline) <= 250, "{outline}");
    let id = id_in(&answer);
    assert!(
        outline.contains(&id) && outline.contains("bcp_fetch"),
        "{outline}"
    );
    assert_eq!(
        fetched(&line, &id, &json!({})),
        text,
        "the whole original, to the byte"
    );
    let how = meta(&answer)["original"].as_str().unwrap().to_owned();
    assert!(
        !how.contains("decode"),
        "an outline cannot be taken back: {how}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn the_number_of_concurrent_filters_is_limited() {
    let mut line = shrink(&["--budget", "150"]).ready();
    line.bridge.set_limit(LONG);
    let id = id_in(&line.answer_to(&result_of(&samples::orders(60))));
    // Each of them runs until it is killed.
    let filter = json!({"id": id, "jq": "def f: f; f"});
    for _ in 0..4 {
        line.begin("bcp_fetch", &filter);
    }
    let us = line.bridge.pid();
    let running = || {
        let all = std::fs::read_dir("/proc").expect("Linux").flatten();
        let is_filter = |pid: String| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let parent = stat
                .rsplit(") ")
                .next()
                .and_then(|rest| rest.split(' ').nth(1)?.parse().ok());
            let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            parent == Some(us) && words.windows(4).any(|word| word == b"\0jq\0")
        };
        all.filter(|entry| is_filter(entry.file_name().to_string_lossy().into_owned()))
            .count()
    };
    let mut most = 0;
    wait_within(LONG, "the first answer", || {
        most = most.max(running());
        assert!(most <= 2, "{most} at once");
        (!line.bridge.unread().is_empty()).then_some(())
    });
    assert!(most > 0, "none was seen");
}
