//! `--trace` and `--debug-dir`: all messages in order, without secrets.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::setup::{Passing, answer, id, waiting};

fn events(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("there is a trace");
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    text.lines().map(parse).collect()
}

/// Runs a chain with a session, a prompt, an update and a request of the agent.
fn talk(chain: Passing) {
    chain.begin();
    let (editor, agent) = (&chain.editor, &chain.agent);
    editor.send(r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[{"name":"fs","command":"/fs","args":["hush-5","--key=hush-6",700700700700],"env":[{"name":"KEY","value":"hush-1"}]},{"type":"http","name":"api","url":"https://me:hush-2@host/mcp?token=hush-3&x=1","headers":[{"name":"Authorization","value":"Bearer hush-4"}]}]}}"#);
    answer(agent, &agent.heard("session/new"), r#"{"sessionId":"s-1"}"#);
    editor.answer("1");
    editor.send(r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[]}}"#);
    let prompt = agent.heard("session/prompt");
    agent.say(
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","n":1.10}}"#,
    );
    agent.say(r#"{"jsonrpc":"2.0","id":"q","method":"fs/read_text_file","params":{"sessionId":"s-1","path":"/x"}}"#);
    let read = editor.heard("fs/read_text_file");
    editor.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32002,"message":"not found"}}}}"#,
        id(&read)
    ));
    assert!(agent.answer("\"q\"").error.is_some());
    answer(agent, &prompt, r#"{"stopReason":"end_turn"}"#);
    editor.answer("2");
    chain.end();
}

#[test]
fn a_trace_has_every_message_once_per_hop_in_order() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("talk.jsons");
    talk(waiting(
        &["--mcp-bridge", "off", "--trace", file.to_str().unwrap()],
        &["D2"],
    ));
    let events = events(&file);
    let told: Vec<String> = events
        .iter()
        .map(|event| {
            let text = |key: &str| event[key].as_str().unwrap_or("-").to_owned();
            let what = match event["type"].as_str().unwrap() {
                "response" => format!("is_error={}", event["is_error"]),
                _ => text("method"),
            };
            format!("{} {} {} {what}", text("type"), text("from"), text("to"))
        })
        .collect();
    let mut session = told
        .iter()
        .skip_while(|line| !line.ends_with("session/new"));
    let expected = [
        "request Client Proxy(0) session/new",
        "request Proxy(0) Agent session/new",
        "response Agent Proxy(0) is_error=false",
        "response Proxy(0) Client is_error=false",
        "request Client Proxy(0) session/prompt",
        "request Proxy(0) Agent session/prompt",
    ];
    for line in expected {
        assert_eq!(session.next().map(String::as_str), Some(line), "{told:#?}");
    }
    // The agent sends these two at once, so they overlap.
    let rest: Vec<&str> = session.map(String::as_str).collect();
    let at = |line: &str| {
        let found = rest.iter().position(|told| *told == line);
        found.unwrap_or_else(|| panic!("no `{line}` in {rest:#?}"))
    };
    for pair in [
        "notification Agent Proxy(0) session/update",
        "notification Proxy(0) Client session/update",
    ]
    .windows(2)
    {
        assert!(at(pair[0]) < at(pair[1]), "{rest:#?}");
    }
    for pair in [
        "request Agent Proxy(0) fs/read_text_file",
        "request Proxy(0) Client fs/read_text_file",
        "response Client Proxy(0) is_error=true",
        "response Proxy(0) Agent is_error=true",
        "response Agent Proxy(0) is_error=false",
        "response Proxy(0) Client is_error=false",
    ]
    .windows(2)
    {
        assert!(at(pair[0]) < at(pair[1]), "{rest:#?}");
    }
    assert_eq!(rest.len(), 8, "{rest:#?}");
}

#[test]
fn a_trace_has_the_official_shape_with_the_session_filled_in() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("talk.jsons");
    talk(waiting(&["--trace", file.to_str().unwrap()], &["D5"]));
    let events = events(&file);
    let mut asked = std::collections::HashMap::new();
    let mut last = 0.0;
    for event in &events {
        let ts = event["ts"].as_f64().expect("a time");
        assert!(ts >= last, "time goes on: {event}");
        last = ts;
        assert!(
            event["from"].is_string() && event["to"].is_string(),
            "{event}"
        );
        match event["type"].as_str().unwrap() {
            "request" => {
                assert_eq!(event["protocol"], "acp");
                let hop = (event["from"].clone(), event["to"].clone());
                let again = asked.insert(event["id"].to_string(), hop);
                assert!(again.is_none(), "ids are unique in a trace: {event}");
            }
            "response" => {
                let hop = asked.remove(&event["id"].to_string());
                assert_eq!(hop, Some((event["to"].clone(), event["from"].clone())));
                assert!(!event["payload"].is_null());
            }
            "notification" => assert!(event.get("id").is_none(), "{event}"),
            other => panic!("no such type: {other}"),
        }
        if let Some(method) = event["method"].as_str() {
            assert!(
                !method.contains("successor"),
                "envelopes are not shown: {event}"
            );
            let of_session = ["session/prompt", "session/update", "fs/read_text_file"];
            if of_session.contains(&method) {
                assert_eq!(event["session"], "s-1", "{event}");
            }
        }
    }
    assert!(asked.is_empty(), "all was answered: {asked:?}");
}

#[test]
fn secrets_of_servers_are_masked_in_both() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("talk.jsons");
    let debug = dir.path().join("debug");
    let flags = [
        "--trace",
        file.to_str().unwrap(),
        "--debug-dir",
        debug.to_str().unwrap(),
    ];
    talk(waiting(&flags, &["D1"]));
    let log = std::fs::read_dir(&debug).unwrap().next().unwrap().unwrap();
    for path in [file, log.path()] {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.contains("session/new") && text.contains("\"KEY\""),
            "{text}"
        );
        assert!(
            !text.contains("hush") && !text.contains("700700700700"),
            "{text}"
        );
        assert!(text.contains("--key"), "names of options are kept: {text}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = path.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "only its owner may read it");
        }
    }
}

#[test]
fn a_debug_log_has_every_line_of_every_component_in_order() {
    let dir = TempDir::new().unwrap();
    let flags = [
        "--mcp-bridge",
        "off",
        "--debug-dir",
        dir.path().to_str().unwrap(),
    ];
    talk(waiting(&flags, &["D2"]));
    let log = std::fs::read_dir(dir.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let log = std::fs::read_to_string(log.path()).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    let mut at = 0;
    for (who, what) in [
        ("C →", "\"initialize\""),
        ("0 ←", "\"proxy/initialize\""),
        ("0 ←", "\"_proxy/initialize\""),
        ("0 →", "\"_proxy/successor\""),
        ("1 ←", "\"initialize\""),
        ("1 →", "\"result\""),
        ("0 ←", "\"result\""),
        ("0 →", "\"result\""),
        ("C ←", "\"result\""),
        ("C →", "\"session/new\""),
        ("0 ←", "\"session/new\""),
        ("0 →", "\"session/new\""),
        ("1 ←", "\"session/new\""),
    ] {
        let found = lines[at..]
            .iter()
            .position(|line| line.starts_with(who) && line.contains(what));
        let found = found.unwrap_or_else(|| panic!("no `{who} … {what}` after line {at}:\n{log}"));
        at += found + 1;
    }
    for line in lines {
        let mut words = line.splitn(4, ' ');
        let (who, arrow) = (words.next().unwrap(), words.next().unwrap());
        assert!(["C", "0", "1"].contains(&who), "{line}");
        assert!(["→", "←"].contains(&arrow), "{line}");
        let time = words.next().unwrap();
        assert!(time.starts_with('+') && time.ends_with("ms"), "{line}");
        let message: Value = serde_json::from_str(words.next().unwrap()).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
    }
}

#[test]
fn two_conductors_at_the_same_time_have_two_debug_logs() {
    let dir = TempDir::new().unwrap();
    let flags = ["--debug-dir", dir.path().to_str().unwrap()];
    let chains = [waiting(&flags, &[]), waiting(&flags, &[])];
    for chain in chains {
        chain.begin();
        chain.end();
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn stderr_of_components_is_copied_with_their_names() {
    let chain = crate::setup::played(&[], 1);
    chain.agent.complain("a word from the agent");
    chain.proxies[0].complain("a word\rINFO forged\u{202e}\u{2028}INFO forged");
    let said = chain.editor.wait_for_stderr("a word from the agent");
    assert!(
        said.ends_with("[the agent] a word from the agent"),
        "{said}"
    );
    let said = chain.editor.wait_for_stderr("forged");
    assert!(
        said.ends_with(r"[proxy[0]] a word\rINFO forged\u{202e}\u{2028}INFO forged"),
        "{said}"
    );
}
