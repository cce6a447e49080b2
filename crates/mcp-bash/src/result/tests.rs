use super::*;
use serde_json::json;

fn result(outcome: &Outcome<'_>) -> Value {
    serde_json::from_str(&map(outcome).unwrap()).unwrap()
}

/// Code, message and data of an error.
fn error(outcome: &Outcome<'_>) -> (i64, String, Value) {
    let mapped = map(outcome);
    let error = mapped.as_ref().unwrap_err();
    let (line, code) = on_terminal(&mapped);
    assert_eq!(code, 1);
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["_mcpToolError"], true);
    (
        error.code(),
        error.message().to_owned(),
        line["data"].clone(),
    )
}

#[test]
fn text_output_is_unchanged() {
    let outcome = Outcome {
        stdout: b"hello\n",
        stderr: "note\n",
        ..Outcome::default()
    };
    assert_eq!(
        result(&outcome),
        json!({
            "content": [{"type": "text", "text": "hello\n"}],
            "isError": false,
            "_meta": {"exitCode": 0, "stderr": "note"},
        })
    );
}

#[test]
fn an_object_is_structured_content_with_its_spelling() {
    let outcome = Outcome {
        stdout: b"{\"n\": 18446744073709551616,\n \"a\":[1]}",
        ..Outcome::default()
    };
    let mapped = map(&outcome).unwrap();
    assert!(
        mapped.contains(r#""structuredContent":{"n": 18446744073709551616, "a":[1]}"#),
        "{mapped}"
    );
    assert!(!mapped.contains('\n'));
    let outcome = Outcome {
        stdout: b"[1]",
        ..Outcome::default()
    };
    assert_eq!(result(&outcome).get("structuredContent"), None);
}

#[test]
fn a_complete_result_gets_call_metadata() {
    let stdout = r#"{"content":[{"type":"text","text":"x"}],"isError":true,"structuredContent":{"a":1.50},
        "_meta":{"k":1,"ui/resourceUri":"ui://s/x"}}"#;
    let outcome = Outcome {
        stdout: stdout.as_bytes(),
        resources: vec![json!({"type": "resource", "resource": {}})],
        ..Outcome::default()
    };
    let whole = result(&outcome);
    assert_eq!(whole["isError"], true);
    assert_eq!(whole["content"].as_array().unwrap().len(), 2);
    assert_eq!(
        whole["_meta"],
        json!({"k": 1, "ui": {"resourceUri": "ui://s/x"}, "exitCode": 0})
    );
    assert!(map(&outcome).unwrap().contains("1.50"));
    let empty = Outcome {
        stdout: br#"{"content":[ ],"isError":false}"#,
        resources: vec![json!({})],
        ..Outcome::default()
    };
    assert_eq!(result(&empty)["content"], json!([{}]));
}

#[test]
fn the_error_file_overrides_the_output() {
    let outcome = Outcome {
        stdout: b"fine",
        error: Some(r#"{"code":-32602,"message":"bad input","data":{"hint":"fix it"}}"#),
        late: Some(Late {
            reason: Reason::Fixed,
            timeout: Duration::from_secs(1),
            longest: None,
            hint: None,
        }),
        ..Outcome::default()
    };
    let (code, message, data) = error(&outcome);
    assert_eq!(
        (code, message.as_str(), data),
        (-32602, "bad input", json!({"hint": "fix it"}))
    );
    let outcome = Outcome {
        error: Some("just words\n"),
        ..Outcome::default()
    };
    assert_eq!(
        error(&outcome),
        (-32603, "Tool failed".to_owned(), json!("just words"))
    );
}

#[test]
fn a_failure_reports_exit_code_and_stderr() {
    let outcome = Outcome {
        code: 7,
        stderr: "nope\nmore\n",
        ..Outcome::default()
    };
    let (code, message, data) = error(&outcome);
    assert_eq!((code, message.as_str()), (-32603, "nope"));
    let all = json!({"exitCode": 7, "_meta": {"exitCode": 7, "stderr": "nope\nmore"}, "stderrTail": "nope\nmore"});
    assert_eq!(data, all);
    let said = |stdout: &'static str| {
        error(&Outcome {
            code: 1,
            stdout: stdout.as_bytes(),
            stderr: "ignored",
            ..Outcome::default()
        })
    };
    assert_eq!(
        said(r#"{"code":-32050,"message":"own","data":[1]}"#),
        (-32050, "own".to_owned(), json!([1]))
    );
    assert_eq!(
        said(r#"{"code":"E1","message":"own"}"#),
        (-32603, "own".to_owned(), Value::Null)
    );
    assert_eq!(
        said("words\n"),
        (-32603, "Tool failed".to_owned(), json!("words"))
    );
    let silent = Outcome {
        code: 1,
        ..Outcome::default()
    };
    assert_eq!(error(&silent).1, "Tool failed");
}

#[test]
fn output_above_the_limit_is_an_error() {
    let outcome = Outcome {
        stdout_over: Some(10),
        ..Outcome::default()
    };
    assert_eq!(error(&outcome).1, "Tool output exceeded 10 bytes");
    let outcome = Outcome {
        stderr_over: Some(10),
        ..Outcome::default()
    };
    assert_eq!(error(&outcome).1, "Tool stderr exceeded 10 bytes");
}

#[test]
fn a_timeout_is_a_result_for_the_model() {
    let late = |reason, longest, hint| Outcome {
        code: 143,
        late: Some(Late {
            reason,
            timeout: Duration::from_secs(5),
            longest,
            hint,
        }),
        ..Outcome::default()
    };
    let fixed = result(&late(Reason::Fixed, None, Some("Try less.")));
    assert_eq!(fixed["isError"], true);
    assert_eq!(
        fixed["content"][0]["text"],
        "Tool timed out after 5s\n\nSuggestion: Try less."
    );
    let error = &fixed["structuredContent"]["error"];
    assert_eq!(
        (&error["type"], &error["reason"]),
        (&json!("timeout"), &json!("fixed"))
    );
    assert_eq!(error["hint"], "Try less.");
    assert_eq!(fixed["_meta"]["exitCode"], 143);
    let longest = Some(Duration::from_secs(60));
    let idle = result(&late(Reason::Idle, longest, None));
    assert_eq!(
        idle["content"][0]["text"],
        "Tool timed out after 5s (no progress reported)"
    );
    assert_eq!(idle["structuredContent"]["error"]["maxTimeoutSecs"], 60);
    let max = result(&late(Reason::Max, longest, None));
    assert_eq!(
        max["content"][0]["text"],
        "Tool exceeded maximum runtime of 60s"
    );
    assert_eq!(max["structuredContent"]["error"]["reason"], "max_exceeded");
}

#[test]
fn the_output_schema_is_checked_leniently() {
    let schema = json!({"type": "object", "required": ["message"],
        "properties": {"message": {"type": "string"}, "n": {"type": "integer"}}});
    let with = |stdout: &'static str, verbose| Outcome {
        tool: "t",
        schema: Some(&schema),
        stdout: stdout.as_bytes(),
        verbose,
        ..Outcome::default()
    };
    assert!(map(&with(r#"{"message":"x","n":null,"more":1}"#, false)).is_ok());
    assert!(map(&with(r#"{"message":"x","n":2.0}"#, false)).is_ok());
    let (code, message, data) = error(&with(r#"{"msg":"x"}"#, true));
    assert_eq!(
        (code, message.as_str()),
        (-32603, "Tool output does not satisfy outputSchema")
    );
    assert_eq!(
        data,
        json!({"tool": "t", "exitCode": 0, "traceAvailable": false})
    );
    assert_eq!(error(&with(r#"{"message":1}"#, false)).2, Value::Null);
    assert!(error(&with("words", false)).1.contains("not valid JSON"));
    assert!(error(&with("", false)).1.contains("empty"));
    // A result with `isError` is not checked.
    assert!(map(&with(r#"{"content":[],"isError":true}"#, false)).is_ok());
    assert!(map(&with(r#"{"content":[],"isError":false}"#, false)).is_err());
}

#[test]
fn files_are_named_in_several_ways_and_must_be_inside() {
    use super::super::{places::Places, roots, vars::Vars};
    let root = tempfile::tempdir().unwrap();
    let real = root.path().canonicalize().unwrap();
    std::fs::create_dir(real.join("in")).unwrap();
    std::fs::write(real.join("in/a.json"), "{}").unwrap();
    std::fs::write(real.join("out.txt"), "x").unwrap();
    let places = Places::of(&real, &Vars::default());
    let allowed = roots::of_client([(format!("file://{}/in", real.display()), String::new())]);
    let embedded = |said: &str| embedded(said, &allowed, &places);
    let tabs = embedded("in/a.json\t\tcustom://data\nout.txt\n");
    assert_eq!(tabs.len(), 1);
    assert_eq!(tabs[0]["resource"]["uri"], "custom://data");
    assert_eq!(tabs[0]["resource"]["mimeType"], "application/json");
    let named = embedded(r#"[{"path":"in/a.json","mimeType":"text/x"},"in/a.json"]"#);
    assert_eq!(named[0]["resource"]["mimeType"], "text/x");
    assert!(
        named[1]["resource"]["uri"]
            .as_str()
            .unwrap()
            .starts_with("file:///")
    );
}
