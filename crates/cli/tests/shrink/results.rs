//! Shortened results: which members change, and which stay.

use linkspan_testkit::Message;
use serde_json::{Value, json};

use crate::run::taken_back;
use crate::same::{assert_same_json, tokens};
use crate::samples;
use crate::setup::{meta, one_text, result_of, shrink};

fn content(answer: &Message) -> Vec<Value> {
    let content = answer.json()["result"]["content"].clone();
    content.as_array().expect("a list of items").clone()
}

#[test]
fn unknown_members_keep_their_position_and_bytes() {
    let line = shrink(&[]).ready();
    let text = serde_json::to_string(&samples::rows(60)).unwrap();
    let result = format!(
        r#"{{"first": 0.10,"content":[{{"type":"image","data":"AA==", "mimeType":"x"}},{{"vendor":{{"b":1,"a":[]}},"type":"text","text":{text},"annotations":{{"priority":1.0}}}},{{"type":"text","text":"and \u0041"}}],"_meta":{{"vendor/trace":"t-1","n":1e2}},"isError":false,"last":[null]}}"#
    );
    let got = line.answer_to(&result).result.unwrap();
    assert!(got.starts_with(r#"{"first": 0.10,"content":[{"type":"image","data":"AA==", "mimeType":"x"},{"vendor":{"b":1,"a":[]},"type":"text","text":""#), "{got}");
    assert!(got.contains(r#","annotations":{"priority":1.0}},{"type":"text","text":"and \u0041"}],"_meta":{"vendor/trace":"t-1","n":1e2,"linkspan/shrink":{"#), "{got}");
    assert!(got.ends_with(r#","isError":false,"last":[null]}"#), "{got}");
}

#[test]
fn a_text_inside_a_resource_is_shortened_in_place() {
    let line = shrink(&[]).ready();
    let text = samples::rows(60);
    let resource = json!({"uri": "file:///rows.json", "mimeType": "application/json", "text": text, "size": 5});
    let result = json!({"content": [{"type": "resource", "resource": resource, "vendor": 1}]});
    let answer = line.answer_to(&result.to_string());
    let item = &content(&answer)[0];
    assert_eq!(item["vendor"], 1);
    assert_eq!(item["resource"]["uri"], "file:///rows.json");
    assert_eq!(item["resource"]["size"], 5);
    let new = item["resource"]["text"].as_str().unwrap();
    assert!(new.len() < text.len());
    assert_same_json(&taken_back(new), &text);
}

#[test]
fn other_texts_of_a_resource_stay() {
    let line = shrink(&[]).ready();
    let resource = json!({"uri": "file:///rows.json", "text": samples::rows(60)});
    let result = json!({"content": [{"type": "resource", "text": "mine", "resource": resource}]});
    let item = &content(&line.answer_to(&result.to_string()))[0];
    assert_eq!(item["text"], "mine");
    assert!(item["resource"]["text"].as_str().unwrap().len() < samples::rows(60).len());
}

#[test]
fn several_texts_are_shortened_independently() {
    let line = shrink(&[]).ready();
    let texts = [samples::rows(60), samples::prose(), samples::orders(30)];
    let items: Vec<Value> = texts
        .iter()
        .map(|text| json!({"type": "text", "text": text}))
        .collect();
    let answer = line.answer_to(&json!({"content": items}).to_string());
    let got: Vec<String> = content(&answer)
        .iter()
        .map(|item| item["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(got[1], texts[1]);
    for i in [0, 2] {
        assert!(got[i].len() < texts[i].len());
        assert_same_json(&taken_back(&got[i]), &texts[i]);
    }
    let indexes: Vec<_> = meta(&answer)["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["index"].clone())
        .collect();
    assert_eq!(
        indexes,
        [json!(0), json!(2)],
        "only what was changed is told"
    );
}

#[test]
fn a_result_describes_its_change_and_how_to_get_the_original() {
    let line = shrink(&[]).ready();
    let text = samples::rows(60);
    let answer = line.answer_to(&result_of(&text));
    let told = &meta(&answer)["content"][0];
    assert_eq!(told["index"], 0);
    assert_eq!(told["kinds"], json!(["json"]));
    assert_eq!(told["lossless"], true);
    assert_eq!(told["before"], tokens(&text));
    assert_eq!(told["after"], tokens(&one_text(&answer)));
    let how = meta(&answer)["original"].as_str().unwrap().to_owned();
    assert!(
        how.contains("bcp_fetch") && how.contains("linkspan shrink decode"),
        "{how}"
    );
    let original = line.call("bcp_fetch", &json!({"id": told["id"]}));
    assert_eq!(one_text(&original), text, "to the byte");
}

#[test]
fn without_bcp_fetch_no_result_mentions_it() {
    let line = shrink(&["--no-bcp-tools"]).ready();
    assert_eq!(line.tool_names(), ["echo", "routed"]);
    let told = meta(&line.answer_to(&result_of(&samples::rows(60))));
    assert!(told["content"][0].get("id").is_none(), "{told}");
    let how = told["original"].as_str().unwrap();
    assert!(!how.contains("bcp_fetch"), "{how}");
    let answer = line.call("bcp_fetch", &json!({"id": "000000000000"}));
    assert_eq!(
        answer.code(),
        Some(-32602),
        "it is the server's to know: {}",
        answer.text
    );
}

#[test]
fn the_same_result_is_shortened_the_same_way_every_time() {
    let (one, other) = (shrink(&[]).ready(), shrink(&[]).ready());
    let text = samples::orders(30);
    let first = one.given(&text);
    assert_eq!(one.given(&text), first);
    assert_eq!(
        other.given(&text),
        first,
        "a prompt cache outlives a process"
    );
}

#[test]
fn each_level_saves_more() {
    let text = samples::rows(60);
    let sizes: Vec<u64> = ["safe", "balanced", "max"]
        .iter()
        .map(|level| {
            let new = shrink(&["--level", level]).ready().given(&text);
            assert_same_json(&taken_back(&new), &text);
            tokens(&new)
        })
        .collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    assert!(sizes[0] < tokens(&text));
}

#[test]
fn a_saving_below_the_threshold_is_not_applied() {
    let line = shrink(&["--min-saving", "99"]).ready();
    let text = samples::rows(60);
    assert_eq!(line.given(&text), text);
}
