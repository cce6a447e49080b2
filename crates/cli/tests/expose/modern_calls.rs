//! A client of the stateless revision, in front of a legacy child and of one of its own kind.

use linkspan_testkit::mcp_client::META;
use linkspan_testkit::{Exposed, child};
use serde_json::json;

use crate::setup::{
    LATEST, MODERN, assert_works, assert_works_for, content, expose, legacy, modern, modern_pid,
    pid, value,
};

fn each_child() -> [Exposed; 2] {
    [legacy(), modern()]
}

#[test]
fn a_modern_client_reaches_a_legacy_child() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let answer = client.tool("1", "echo", &json!({"x": 1}));
    assert_eq!(content(&answer), r#"{"x":1}"#);
    assert_eq!(
        answer.string_at(&["result", "resultType"]).as_deref(),
        Some("complete")
    );
    let heard = exposed.children.wait_for_tool("echo");
    assert!(
        !heard.text.contains(META),
        "the envelope stays here: {}",
        heard.text
    );
    let shaken = exposed
        .children
        .wait_for_method("initialize")
        .message
        .unwrap();
    let version = shaken.string_at(&["params", "protocolVersion"]);
    assert_eq!(version.as_deref(), Some(LATEST));
}

#[test]
fn a_modern_client_reaches_a_modern_child() {
    let exposed = modern();
    let client = exposed.client().modern();
    let answer = client.tool("1", "echo", &json!({"x": 1}));
    assert_eq!(content(&answer), r#"{"x":1}"#);
    let answer = client.tool("1", "fidelity", &json!({}));
    let expected = format!(r#"{{"resultType":"complete",{}}}"#, child::FIDELITY);
    assert_eq!(answer.result, Some(expected), "byte for byte");
    let shaken = exposed.children.seen(|s| s.method() == Some("initialize"));
    assert!(shaken.is_empty(), "a modern child gets no handshake");
    let heard = exposed.children.wait_for_tool("echo").message.unwrap();
    let name = heard.at(&["params", "_meta", &format!("{META}clientInfo"), "name"]);
    assert_eq!(name.as_deref(), Some("\"testkit-modern\""));
}

#[test]
fn discovery_tells_what_the_child_is() {
    for exposed in each_child() {
        let answer = exposed
            .client()
            .modern()
            .request("1", "server/discover", &json!({}))
            .answer()
            .json();
        let result = &answer["result"];
        assert_eq!(result["resultType"], "complete", "{answer}");
        let versions = result["supportedVersions"].as_array().unwrap();
        assert!(versions.contains(&json!(MODERN)), "{versions:?}");
        assert_eq!(result["instructions"], "Mind the gap.");
        assert_eq!(result["capabilities"]["tools"]["listChanged"], true);
        assert!(result["capabilities"]["experimental"]["vendor/quay"].is_object());
        assert!(
            result["ttlMs"].is_u64() && result["cacheScope"].is_string(),
            "{answer}"
        );
        let info = &result["_meta"][format!("{META}serverInfo")];
        assert_eq!(info["title"], "The child", "{answer}");
    }
}

#[test]
fn lists_say_how_long_they_may_be_kept() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        for (method, member) in [
            ("tools/list", "tools"),
            ("prompts/list", "prompts"),
            ("resources/list", "resources"),
            ("resources/templates/list", "resourceTemplates"),
        ] {
            let answer = client.request("1", method, &json!({})).answer().json();
            let result = &answer["result"];
            assert_eq!(result["resultType"], "complete", "{answer}");
            assert_eq!(
                (&result["ttlMs"], &result["cacheScope"]),
                (&json!(0), &json!("private"))
            );
            assert!(result[member].is_array(), "{answer}");
        }
        let read = client.request("1", "resources/read", &json!({"uri": "quay://1"}));
        let answer = { read }.answer().json();
        assert_eq!(answer["result"]["cacheScope"], "private", "{answer}");
    }
}

#[test]
fn results_of_a_legacy_child_keep_every_byte_of_theirs() {
    let exposed = legacy();
    let answer = exposed.client().modern().tool("1", "fidelity", &json!({}));
    for member in ["content", "structuredContent", "futureField"] {
        let text = answer.at(&["result", member]).unwrap();
        assert!(child::FIDELITY.contains(&text), "{member}: {text}");
    }
    let trace = answer.string_at(&["result", "_meta", "vendor/trace"]);
    assert_eq!(trace.as_deref(), Some("t-1"));
}

#[test]
fn progress_comes_on_a_stream_without_event_ids() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let params = json!({"name": "progress", "arguments": {"n": 3, "gate": "s"}, "_meta": {"progressToken": "t"}});
        let mut call = client.request("1", "tools/call", &params);
        for step in 1..=3 {
            let note = call.heard("notifications/progress").json();
            assert_eq!(
                (
                    &note["params"]["progressToken"],
                    &note["params"]["progress"]
                ),
                (&json!("t"), &json!(step))
            );
            exposed.children.open(&format!("s-{step}"));
        }
        assert!(call.answer().result.is_some());
        assert!(call.message().is_none(), "the answer is the last message");
        assert!(call.reply().is_stream());
        assert_eq!(call.header("x-accel-buffering").as_deref(), Some("no"));
        assert!(
            call.events
                .iter()
                .all(|e| e.id.is_none() && e.retry.is_none()),
            "{:?}",
            call.events
        );
    }
}

#[test]
fn log_messages_reach_only_requests_that_name_a_level() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let mut quiet = client.call("1", "log", &json!({}));
        quiet.answer();
        assert!(quiet.rest().is_empty(), "not asked for");
        let level = format!("{META}logLevel");
        let mut loud = client.clone().with_meta(&level, json!("info")).call(
            "1",
            "log",
            &json!({"level": "warning"}),
        );
        loud.heard("notifications/message");
        loud.answer();
        let mut calm =
            client
                .with_meta(&level, json!("error"))
                .call("1", "log", &json!({"level": "info"}));
        calm.answer();
        if exposed
            .children
            .seen(|s| s.method() == Some("initialize"))
            .is_empty()
        {
            continue; // A modern child decides itself what is loud enough.
        }
        assert!(calm.rest().is_empty(), "not loud enough");
    }
}

#[test]
fn closing_the_stream_cancels_the_call() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let call = client.call("1", "gate", &json!({"name": "never"}));
        let heard = exposed.children.wait_for_tool("gate");
        drop(call);
        let cancelled = exposed.children.wait_for_method("notifications/cancelled");
        let id = cancelled.message.unwrap().at(&["params", "requestId"]);
        assert_eq!(id.as_deref(), heard.id());
        let who = value(&client.tool("2", "whoami", &json!({})));
        assert_eq!(who["cancellations"], 1);
    }
}

#[test]
fn a_reset_in_the_middle_of_a_stream_cancels_the_call() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let params = json!({"name": "progress", "arguments": {"n": 3, "gate": "never"}, "_meta": {"progressToken": 1}});
        let mut call = client.request("1", "tools/call", &params);
        call.heard("notifications/progress");
        call.into_connection().reset();
        exposed.children.wait_for_method("notifications/cancelled");
        assert_works_for(&client);
    }
}

#[test]
fn closing_the_connection_does_not_cancel_an_answered_call() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        for _ in 0..5 {
            assert_works_for(&client);
        }
        let call = client.call("1", "gate", &json!({"name": "never"}));
        exposed.children.wait_for_tool("gate");
        drop(call);
        exposed.children.wait_for_method("notifications/cancelled");
        let who = value(&client.tool("2", "whoami", &json!({})));
        assert_eq!(who["cancellations"], 1, "only the one that was under way");
    }
}

#[test]
fn two_clients_may_use_the_same_ids_at_the_same_time() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let mut calls: Vec<_> = (0..16)
            .map(|n| client.call("1", "gate", &json!({"name": format!("g{n}")})))
            .collect();
        exposed.children.wait_for_tools("gate", 16);
        for (n, call) in calls.iter_mut().enumerate().rev() {
            exposed.children.open(&format!("g{n}"));
            let answer = call.answer();
            assert_eq!(answer.id.as_deref(), Some("1"));
            assert_eq!(value(&answer)["name"], format!("g{n}"));
        }
    }
}

#[test]
fn equal_progress_tokens_of_two_clients_do_not_meet() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let mut calls = ["a", "b"].map(|gate| {
            let params = json!({"name": "progress", "arguments": {"n": 2, "gate": gate}, "_meta": {"progressToken": "same"}});
            client.request("1", "tools/call", &params)
        });
        exposed.children.wait_for_tools("progress", 2);
        for gate in ["a-1", "a-2", "b-1", "b-2"] {
            exposed.children.open(gate);
        }
        for call in &mut calls {
            call.answer();
            let steps: Vec<_> = call
                .rest()
                .iter()
                .map(|m| m.json()["params"]["progress"].clone())
                .collect();
            assert_eq!(steps, [json!(1), json!(2)]);
        }
    }
}

#[test]
fn one_warm_child_serves_many_requests() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let first = modern_pid(&client);
        for _ in 0..50 {
            assert_eq!(modern_pid(&client), first);
        }
        let started = exposed.children.started();
        assert!(
            started <= 2,
            "{started} children: one, and perhaps one to find out what it is"
        );
    }
}

#[test]
fn both_eras_are_served_at_the_same_time() {
    for exposed in each_child() {
        let session = exposed.client().session(LATEST);
        let client = exposed.client().modern();
        assert_works(&session);
        assert_works_for(&client);
        assert_ne!(
            pid(&session),
            modern_pid(&client),
            "a session's child is its own"
        );
        assert_works(&session);
    }
}

#[test]
fn a_side_can_be_made_to_speak_one_era_only() {
    let exposed = expose(&["--client-era", "modern"], &[]);
    let refused = exposed.client().initialize(LATEST, &json!({})).status();
    assert!((400..500).contains(&refused), "{refused}");
    assert_works_for(&exposed.client().modern());
    exposed.end();

    let exposed = expose(&["--client-era", "legacy"], &[]);
    let refused = exposed
        .client()
        .modern()
        .request("1", "tools/list", &json!({}))
        .status();
    assert!((400..500).contains(&refused), "{refused}");
    assert_works(&exposed.client().session(LATEST));
    exposed.end();

    for (era, child) in [("legacy", &[][..]), ("modern", &["--modern"][..])] {
        let exposed = expose(&["--server-era", era], child);
        assert_works(&exposed.client().session(LATEST));
        assert_works_for(&exposed.client().modern());
        let probes = exposed
            .children
            .seen(|s| s.method() == Some("server/discover"));
        assert!(
            era == "modern" || probes.is_empty(),
            "what is known is not asked"
        );
    }
}
