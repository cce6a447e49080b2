//! `--dedup`: a text that repeats in a session becomes a reference.

use serde_json::json;

use crate::same::tokens;
use crate::samples;
use crate::setup::{LATEST, meta, one_text, result_of, shrink};

#[test]
fn the_same_text_again_is_a_reference_to_the_first() {
    let line = shrink(&["--dedup"]).ready();
    let text = samples::rows(60);
    let first = line.given(&text);
    let again = line.answer_to(&result_of(&text));
    let reference = one_text(&again);
    assert!(
        tokens(&reference) < 80 && tokens(&reference) < tokens(&first),
        "{reference}"
    );
    assert!(
        reference.contains("say") && reference.contains("bcp_fetch"),
        "{reference}"
    );
    let id = meta(&again)["content"][0]["id"].clone();
    assert!(reference.contains(id.as_str().unwrap()), "{reference}");
    assert_eq!(one_text(&line.call("bcp_fetch", &json!({"id": id}))), text);
    assert_eq!(meta(&again)["content"][0]["lossless"], false);
}

#[test]
fn repeated_prose_is_a_reference() {
    let line = shrink(&["--dedup"]).ready();
    let text = samples::prose().repeat(2);
    assert_eq!(line.given(&text), text);
    assert!(line.given(&text).len() < text.len());
    assert_eq!(
        line.given(&(text.clone() + "!")),
        text + "!",
        "another text is another text"
    );
}

#[test]
fn repeated_short_texts_are_sent_in_full() {
    let line = shrink(&["--dedup"]).ready();
    for _ in 0..2 {
        assert_eq!(line.given("all is well"), "all is well");
    }
}

#[test]
fn repeated_errors_are_sent_in_full() {
    let line = shrink(&["--dedup"]).ready();
    let failed = json!({"content": [{"type": "text", "text": samples::rows(60)}], "isError": true})
        .to_string();
    for _ in 0..2 {
        assert_eq!(line.answer_to(&failed).result.as_ref(), Some(&failed));
    }
}

#[test]
fn a_text_repeated_within_one_result_is_sent_in_full() {
    let line = shrink(&["--dedup"]).ready();
    let item = json!({"type": "text", "text": samples::rows(60)});
    let answer = line.answer_to(&json!({"content": [item, item]}).to_string());
    let content = answer.json()["result"]["content"].clone();
    assert_eq!(content[0]["text"], content[1]["text"]);
    assert!(content[0]["text"].as_str().unwrap().len() > 500);
}

#[test]
fn without_the_flag_repeated_texts_are_sent_in_full() {
    let line = shrink(&[]).ready();
    let text = samples::rows(60);
    assert_eq!(line.given(&text), line.given(&text));
}

#[test]
fn texts_of_one_client_are_not_references_for_another() {
    let (http, place) = shrink(&["--dedup"]).over_http();
    let text = samples::rows(60);
    let arguments = place.saying(result_of(&text));
    let (one, other) = (http.client().session(LATEST), http.client().session(LATEST));
    let first = one_text(&one.tool("1", "say", &arguments));
    assert_eq!(one_text(&other.tool("1", "say", &arguments)), first);
    assert!(one_text(&one.tool("2", "say", &arguments)).len() < first.len());
    assert!(one_text(&other.tool("2", "say", &arguments)).len() < first.len());
}

#[test]
fn clients_without_a_session_get_full_texts() {
    let (http, place) = shrink(&["--dedup"]).over_http();
    let arguments = place.saying(result_of(&samples::rows(60)));
    let client = http.client().modern();
    let first = one_text(&client.tool("1", "say", &arguments));
    assert_eq!(one_text(&client.tool("2", "say", &arguments)), first);
}
