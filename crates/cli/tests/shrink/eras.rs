//! Clients and servers of both eras, over stdio and over HTTP.

use linkspan_testkit::mcp_client::META;
use linkspan_testkit::{Children, Message, Server};
use serde_json::{Value, json};

use crate::run::taken_back;
use crate::same::assert_same_json;
use crate::samples;
use crate::setup::{Era, LATEST, Line, assert_untouched, clip, meta, one_text, result_of, shrink};

const BOTH: [Era; 2] = [Era::Legacy, Era::Modern];

fn pairs() -> impl Iterator<Item = (Era, Era)> {
    BOTH.into_iter()
        .flat_map(|client| BOTH.map(|server| (client, server)))
}

#[track_caller]
fn assert_shortened(answer: &Message, text: &str) {
    assert!(meta(answer).is_object(), "{}", clip(&answer.text));
    assert_same_json(&taken_back(&one_text(answer)), text);
}

fn each(test: impl Fn(&Line, Era)) {
    for (client, server) in pairs() {
        let line = shrink(&[]).eras(client, server).ready();
        test(&line, client);
    }
}

#[test]
fn results_are_shortened_in_every_pair_of_eras() {
    let text = samples::rows(60);
    each(|line, client| {
        let answer = line.answer_to(&result_of(&text));
        assert_shortened(&answer, &text);
        let kind = answer.at(&["result", "resultType"]);
        let expected = (client == Era::Modern).then_some("\"complete\"");
        assert_eq!(kind.as_deref(), expected);
    });
}

#[test]
fn other_content_is_unchanged_in_every_pair_of_eras() {
    let failed = json!({"content": [{"type": "text", "text": samples::rows(60)}], "isError": true, "vendor": 1});
    each(|line, _| {
        let answer = line.answer_to(&failed.to_string());
        for member in ["content", "isError", "vendor"] {
            assert_eq!(
                answer.at(&["result", member]),
                Some(failed[member].to_string())
            );
        }
        assert!(meta(&answer).is_null());
    });
}

#[test]
fn the_list_has_the_local_tools_in_every_pair_of_eras() {
    each(|line, client| {
        let names = line.tool_names();
        assert_eq!(
            names[names.len() - 4..],
            [
                "read_bcp_file",
                "inspect_bcp_file",
                "encode_bcp_file",
                "bcp_fetch"
            ]
        );
        let told = meta(&line.answer_to(&result_of(&samples::rows(60))));
        let id = &told["content"][0]["id"];
        let fetched = line.call("bcp_fetch", &json!({"id": id}));
        assert_eq!(one_text(&fetched), samples::rows(60));
        let kind = fetched.at(&["result", "resultType"]);
        assert_eq!(
            kind.is_some(),
            client == Era::Modern,
            "{}",
            clip(&fetched.text)
        );
    });
}

#[test]
fn a_modern_result_that_requests_input_passes() {
    let line = shrink(&[]).eras(Era::Modern, Era::Modern).ready();
    let label = samples::prose();
    let answer = line.call("ask", &json!({"label": label})).json();
    assert_eq!(answer["result"]["resultType"], "input_required");
    assert_eq!(
        answer["result"]["inputRequests"]["answer"]["params"]["message"],
        label
    );
    let odd = json!({"resultType": "input_required", "content": [{"type": "text", "text": samples::rows(60)}]}).to_string();
    let answer = line.call("say", &line.place.saying(&odd));
    assert_untouched(&answer, &odd);
}

#[test]
fn server_requests_cross_the_eras() {
    let line = shrink(&[]).eras(Era::Legacy, Era::Modern).ready();
    let id = line.begin("ask", &json!({}));
    let question = line.bridge.heard("elicitation/create");
    let number = question.id.unwrap();
    line.bridge.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{number},"result":{{"action":"accept","content":{{"quay":"9"}}}}}}"#
    ));
    assert!(line.bridge.answer(&id).text.contains(r#""quay":"9""#));
}

#[test]
fn clients_of_both_eras_are_served_over_http() {
    let text = samples::rows(60);
    for (server, flags) in [(Era::Legacy, &[][..]), (Era::Modern, &["--modern"][..])] {
        let (http, place) = shrink(&[]).child(flags).over_http();
        let result = match server {
            Era::Legacy => result_of(&text),
            Era::Modern => result_of(&text).replacen('{', r#"{"resultType":"complete","#, 1),
        };
        let arguments = place.saying(result);
        let session = http.client().session(LATEST);
        assert_shortened(&session.tool("1", "say", &arguments), &text);
        assert_shortened(&http.client().modern().tool("1", "say", &arguments), &text);
    }
}

#[test]
fn concurrent_clients_get_their_own_results() {
    let (http, place) = shrink(&[]).over_http();
    let threads: Vec<_> = (0..8)
        .map(|i| {
            let client = http.client();
            let text = samples::rows(60).replace("Rotterdam", &format!("Rotterdam {i}"));
            let arguments = place.saying(result_of(&text));
            std::thread::spawn(move || {
                let answer = match i % 2 {
                    0 => client.session(LATEST).tool("1", "say", &arguments),
                    _ => client.modern().tool("1", "say", &arguments),
                };
                assert_shortened(&answer, &text);
            })
        })
        .collect();
    for one in threads {
        one.join().expect("every client is served");
    }
}

#[test]
fn results_of_a_remote_server_are_shortened() {
    let text = samples::rows(60);
    for server in [
        Server::legacy().start(),
        Server::modern().start(),
        Server::legacy().json().start(),
    ] {
        let line = shrink(&[]).ready_with(&[server.url()], Children::listen());
        let raw = result_of(&text).replacen('{', r#"{"resultType":"complete","#, 1);
        assert_shortened(&line.call("raw", &json!({"text": raw})), &text);
    }
}

#[test]
fn clients_of_a_shared_server_are_distinguished() {
    // Without sessions, many clients share a server; state of one client must not affect another.
    let text = samples::orders(30);
    let value: Value = serde_json::from_str(&text).unwrap();
    let twice = json!({"content": [{"type": "text", "text": text}], "structuredContent": value});
    let tools = r#""tools":[{"name":"say","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}]"#;
    let (http, place) = shrink(&[]).tools(tools).child(&["--modern"]).over_http();
    let ask = |client: &str, method: &str, mut params: Value| {
        params["_meta"] = json!({format!("{META}clientInfo"): {"name": client, "version": "1"}});
        http.client().modern().request("1", method, &params)
    };
    let is_structured = |answer: Message| answer.at(&["result", "structuredContent"]).is_some();
    let mut arguments = place.saying(twice.to_string().replacen(
        '{',
        r#"{"resultType":"complete","#,
        1,
    ));
    let say = |client: &str, arguments: &Value| {
        ask(
            client,
            "tools/call",
            json!({"name": "say", "arguments": arguments}),
        )
    };
    let promises = |client: &str| {
        ask(client, "tools/list", json!({}))
            .answer()
            .text
            .contains("outputSchema")
    };
    assert!(promises("other") && !promises("claude-code") && promises("other"));
    let free = arguments.clone();
    arguments["gate"] = json!("later");
    let (mut one, mut other) = (say("claude-code", &arguments), say("other", &arguments));
    http.children.wait_for_tools("say", 2);
    assert!(!is_structured(say("claude-code", &free).answer()));
    assert!(is_structured(say("other", &free).answer()));
    http.children.open("later");
    assert!(
        !is_structured(one.answer()),
        "it asked as the one that it is"
    );
    assert!(is_structured(other.answer()), "and so did this one");
}
