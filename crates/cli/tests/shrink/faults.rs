//! Faults of servers and clients, and oversized results.

use std::time::Duration;

use serde_json::json;

use crate::run::taken_back;
use crate::same::assert_same_json;
use crate::samples;
use crate::setup::{Era, LATEST, Line, assert_untouched, clip, meta, one_text, result_of, shrink};

#[track_caller]
fn assert_works(line: &Line) {
    let answer = line.call("echo", &json!({"still": "here"}));
    let got = answer.at(&["result", "structuredContent"]);
    assert_eq!(
        got.as_deref(),
        Some(r#"{"still":"here"}"#),
        "{}",
        clip(&answer.text)
    );
}

#[test]
fn an_answer_sent_before_the_server_exits_is_still_shortened() {
    let line = shrink(&[]).ready();
    // Loads the vocabulary first: the wait for answers of an exited server is short.
    line.given(&samples::rows(60));
    let mut arguments = line.place.saying(result_of(&samples::rows(60)));
    arguments["exit"] = json!(0);
    let answer = line.call("say", &arguments);
    assert!(meta(&answer).is_object(), "{}", clip(&answer.text));
    assert_same_json(&taken_back(&one_text(&answer)), &samples::rows(60));
}

#[test]
fn many_answers_sent_before_the_server_exits_still_arrive() {
    let line = shrink(&["--time-box", "500"]).ready();
    let mut arguments = line.place.saying(result_of(&samples::rows(200)));
    let ids: Vec<String> = (0..20).map(|_| line.begin("say", &arguments)).collect();
    arguments["gate"] = json!("last");
    arguments["exit"] = json!(0);
    let last = line.begin("say", &arguments);
    line.children.wait_for_tools("say", 21);
    line.children.open("last");
    let answer = line.bridge.answer(&last);
    assert!(answer.result.is_some(), "{}", clip(&answer.text));
    for id in ids {
        // A call without an answer fails with an error; none is lost.
        let answer = line.bridge.answer(&id);
        assert!(
            answer.result.is_some() || answer.hint().is_some(),
            "{}",
            clip(&answer.text)
        );
    }
}

#[test]
fn a_server_that_dies_before_its_answer_is_an_error_of_that_call() {
    let mut line = shrink(&[]).ready();
    let id = line.begin("gate", &json!({"name": "never"}));
    let pid = line.children.wait_for_tool("gate").pid;
    line.children.kill(pid);
    let answer = line.bridge.answer(&id);
    assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
    assert_works(&line);
    assert_eq!(line.end(), Some(0));
}

#[test]
fn a_server_that_crashes_repeatedly_is_restarted_each_time() {
    let mut line = shrink(&[]).ready();
    for code in 1..4 {
        // Two calls are pending, and both fail.
        let waiting = line.begin("gate", &json!({"name": "never"}));
        line.children.wait_for_tools("gate", code);
        let crashed = line.call("crash", &json!({"code": code}));
        assert!(crashed.error.is_some(), "{}", crashed.text);
        let waiting = line.bridge.answer(&waiting);
        assert_eq!(waiting.code(), Some(-32000), "{}", waiting.text);
        let text = samples::rows(60);
        assert_same_json(&taken_back(&line.given(&text)), &text);
    }
    assert_eq!(line.end(), Some(0));
}

#[test]
fn a_restarted_server_works_in_every_pair_of_eras() {
    for client in [Era::Legacy, Era::Modern] {
        for server in [Era::Legacy, Era::Modern] {
            let mut line = shrink(&[]).eras(client, server).ready();
            assert_works(&line);
            let crashed = line.call("crash", &json!({"code": 3}));
            assert!(crashed.error.is_some(), "{}", crashed.text);
            assert_works(&line);
            assert_eq!(line.end(), Some(0), "{client:?} {server:?}");
        }
    }
}

#[test]
fn connect_restarts_a_command() {
    let mut line = shrink(&[]).by(&["connect"]).ready();
    for code in 0..2 {
        let crashed = line.call("crash", &json!({"code": code}));
        assert!(crashed.error.is_some(), "{}", crashed.text);
        assert_works(&line);
    }
    assert_eq!(line.end(), Some(0));
}

#[test]
fn a_server_that_never_answered_anything_ends_the_session() {
    let setting = shrink(&[]);
    let words = ["--", "sh", "-c", "echo boom >&2; read line; exit 3"];
    let mut bridge = setting.launch().args(words).start();
    let params = json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    bridge.request("1", "initialize", &params);
    assert!(bridge.answer("1").text.contains("boom"));
    assert_eq!(bridge.exit_code(), Some(4));
}

#[test]
fn over_http_the_next_call_starts_another_server() {
    let (http, place) = shrink(&[]).over_http();
    let client = http.client().modern();
    let crashed = client.tool("1", "crash", &json!({"code": 3}));
    assert!(crashed.error.is_some(), "{}", crashed.text);
    let answer = client.tool("2", "say", &place.saying(result_of(&samples::rows(60))));
    assert!(meta(&answer).is_object(), "{}", clip(&answer.text));
}

#[test]
fn an_answer_that_is_not_utf8_is_an_error_of_that_call() {
    let line = shrink(&["--timeout", "20"]).ready();
    let mut torn = result_of(&samples::rows(60)).into_bytes();
    let at = torn.len() / 2;
    torn[at] = 0xff;
    let id = line.begin("say", &line.place.saying(torn));
    assert_works(&line);
    // It is unknown which call the bytes answered, so the call fails at its timeout or at once. The next call works in
    // either case.
    let answer = line.bridge.answer(&id);
    assert!(answer.error.is_some(), "{}", clip(&answer.text));
    assert_works(&line);
}

#[test]
fn a_result_of_100_megabytes_passes() {
    let mut line = shrink(&[]).ready();
    line.bridge.set_limit(Duration::from_secs(180));
    let row = r#"{\"id\":1,\"name\":\"Ada\",\"city\":\"Rotterdam\"},"#;
    let text = format!(
        "[{}{}]",
        row.repeat((100 << 20) / row.len()),
        r#"{\"end\":true}"#
    );
    let result = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
    drop(text);
    let answer = line.call("say", &line.place.saying(&result));
    assert!(
        answer.result.as_deref() == Some(result.as_str()),
        "{}",
        clip(&answer.text)
    );
    let memory = line.bridge.peak_memory().unwrap_or(0);
    assert!(memory < 450 << 20, "{} MB", memory >> 20);
    assert_works(&line);
}

#[test]
fn a_line_repeated_a_million_times_is_handled() {
    let mut line = shrink(&[]).ready();
    line.bridge.set_limit(Duration::from_secs(120));
    let text = "2025-03-14 all is well\n".repeat((14 << 20) / 23);
    let answer = line.answer_to(&result_of(&text));
    let got = one_text(&answer);
    assert!(got == text || taken_back(&got) == text, "{}", clip(&got));
    let memory = line.bridge.peak_memory().unwrap_or(0);
    assert!(memory < 700 << 20, "{} MB", memory >> 20);
    assert_works(&line);
}

#[test]
fn deeply_nested_json_passes() {
    let line = shrink(&[]).ready();
    for depth in [100, 127, 1000, 100_000] {
        let text = "[".repeat(depth) + &"]".repeat(depth);
        let result = result_of(&text);
        let got = one_text(&line.answer_to(&result));
        assert!(got == text || taken_back(&got) == text, "{depth}");
        let rows = format!("[{}{}{}]", samples::rows(60), ",", text);
        let got = line.given(&rows);
        assert!(got == rows || same(&got, &rows), "{depth}");
    }
    assert_works(&line);
}

fn same(short: &str, original: &str) -> bool {
    assert_same_json(&taken_back(short), original);
    true
}

#[test]
fn with_a_time_box_of_zero_everything_passes() {
    for flags in [["--time-box", "0"], ["--time-box", "1"]] {
        let line = shrink(&flags).ready();
        let large = result_of(&samples::rows(20_000));
        assert_untouched(&line.answer_to(&large), &large);
        let small = result_of(&samples::rows(60));
        let answer = line.answer_to(&small);
        assert!(answer.result.as_deref() == Some(&small) || meta(&answer).is_object());
    }
}

#[test]
fn a_call_cancelled_while_its_result_is_shortened_gets_no_answer() {
    let line = shrink(&[]).ready();
    let arguments = line.place.saying(result_of(&samples::rows(5000)));
    for _ in 0..10 {
        let id = line.begin("say", &arguments);
        let id = json!(id.parse::<u64>().unwrap());
        line.bridge
            .notify("notifications/cancelled", &json!({"requestId": id}));
    }
    assert_works(&line);
    let text = samples::rows(60);
    assert_same_json(&taken_back(&line.given(&text)), &text);
}

#[test]
fn a_client_that_does_not_read_does_not_block_others() {
    let line = shrink(&[]).ready();
    line.bridge.pause();
    let text = samples::rows(400);
    let arguments = line.place.saying(result_of(&text));
    let ids: Vec<String> = (0..30).map(|_| line.begin("say", &arguments)).collect();
    line.children.wait_for_tools("say", 1);
    line.bridge.resume();
    for id in ids {
        let got = one_text(&line.bridge.answer(&id));
        assert!(got.len() <= text.len());
    }
}

#[test]
fn a_hundred_concurrent_large_results_arrive_at_their_calls() {
    let mut line = shrink(&[]).ready();
    line.bridge.set_limit(Duration::from_secs(120));
    let texts: Vec<String> = (0..100)
        .map(|i| samples::rows(150).replace("Rotterdam", &format!("Rotterdam {i}")))
        .collect();
    let ids: Vec<String> = texts
        .iter()
        .map(|text| line.begin("say", &line.place.saying(result_of(text))))
        .collect();
    let mut shorter = 0;
    for (text, id) in texts.iter().zip(&ids) {
        let got = one_text(&line.bridge.answer(id));
        // Results that exceed the time box pass unchanged.
        if got != *text {
            shorter += 1;
            assert_same_json(&taken_back(&got), text);
        }
    }
    assert!(shorter > 0);
    assert!(line.bridge.unread().is_empty(), "each is answered once");
}

#[test]
fn pending_answers_are_shortened_after_the_client_closes_its_output() {
    let mut line = shrink(&[]).ready();
    let text = samples::rows(400);
    let mut arguments = line.place.saying(result_of(&text));
    arguments["gate"] = json!("soon");
    let id = line.begin("say", &arguments);
    line.children.wait_for_tool("say");
    line.bridge.close_stdin();
    line.children.open("soon");
    assert_same_json(&taken_back(&one_text(&line.bridge.answer(&id))), &text);
    assert_eq!(line.bridge.exit_code(), Some(0));
}
