//! Inputs and outputs of tools.

use serde_json::{Value, json};

use crate::setup::Project;

#[test]
fn stdout_is_the_result() {
    let project = Project::new()
        .tool("plain", "echo 'one'; echo 'two'", json!({}))
        .tool("object", r#"echo '{"a": [1, 2]}'"#, json!({}))
        .tool("list", "echo '[1]'", json!({}))
        .tool("silent", "true", json!({}))
        .tool(
            "whole",
            r#"echo '{"content":[{"type":"text","text":"w"}],"isError":true,"structuredContent":{"x":1}}'"#,
            json!({}),
        );
    let mut server = project.serve();
    let plain = server.call("plain", json!({}));
    assert_eq!(
        plain["content"],
        json!([{"type": "text", "text": "one\ntwo\n"}])
    );
    assert_eq!(plain["isError"], false);
    assert_eq!(plain["_meta"]["exitCode"], 0);
    let object = server.call("object", json!({}));
    assert_eq!(object["structuredContent"], json!({"a": [1, 2]}));
    // Clients refuse a result whose structured content is no object.
    let list = server.call("list", json!({}));
    assert!(list.get("structuredContent").is_none());
    assert_eq!(server.text("silent", json!({})), "");
    let whole = server.call("whole", json!({}));
    assert_eq!(whole["isError"], true);
    assert_eq!(whole["structuredContent"]["x"], 1);
}

#[test]
fn failures_have_a_code_and_a_reason() {
    let project = Project::new()
        .tool(
            "fails",
            "echo 'first line' >&2; echo more >&2; exit 7",
            json!({}),
        )
        .tool("prints", "echo out; exit 1", json!({}))
        .tool(
            "says",
            r#"echo '{"code":-32099,"message":"mine","data":{"k":1}}'; exit 1"#,
            json!({}),
        )
        .sdk_tool(
            "tells",
            r#"mcp_fail_invalid_args "bad name" '{"field":"name"}'"#,
        )
        .sdk_tool(
            "result",
            r#"mcp_result_error '{"type":"not_found","message":"no such thing"}'"#,
        );
    let mut server = project.serve();
    let error = server.error("tools/call", json!({"name": "fails"}));
    assert_eq!(error["code"], -32603);
    assert_eq!(error["message"], "first line");
    assert_eq!(error["data"]["exitCode"], 7);
    let error = server.error("tools/call", json!({"name": "prints"}));
    assert_eq!(error["message"], "Tool failed");
    let error = server.error("tools/call", json!({"name": "says"}));
    assert_eq!(
        error,
        json!({"code": -32099, "message": "mine", "data": {"k": 1}})
    );
    let error = server.error("tools/call", json!({"name": "tells"}));
    assert_eq!(error["code"], -32602);
    assert_eq!(error["message"], "bad name");
    assert_eq!(error["data"]["field"], "name");
    let result = server.call("result", json!({}));
    assert_eq!(result["isError"], true);
    assert_eq!(result["structuredContent"]["success"], false);
}

#[test]
fn a_tool_gets_its_paths_and_arguments() {
    let script = r#"printf '%s|' "$PWD" "$MCP_TOOL_NAME" "$MCP_TOOL_PATH" "$MCP_TOOL_ARGS_JSON" "$MCPBASH_PROJECT_ROOT" "$MCP_TOOL_META_JSON" "$#"; cat"#;
    let project = Project::new().tool("knows", script, json!({}));
    let mut server = project.serve();
    let params = json!({"name": "knows", "arguments": {"x": "ü"}, "_meta": {"m": 1}});
    let result = server.ask("tools/call", params);
    let text = result["content"][0]["text"].as_str().unwrap();
    let root = project.path("");
    let root = root.to_str().unwrap().trim_end_matches('/');
    let expected =
        format!(r#"{root}|knows|{root}/tools/knows/tool.sh|{{"x":"ü"}}|{root}|{{"m":1}}|0|"#);
    assert_eq!(text, expected);
}

#[test]
fn large_arguments_arrive_in_a_file() {
    let script = r#"printf '%s %s %s' "${#MCP_TOOL_ARGS_JSON}" "$(wc -c <"$MCP_TOOL_ARGS_FILE")" "$(mcp_args_get '.x | length')""#;
    let project = Project::new().sdk_tool("large", script);
    let large = "y".repeat(300_000);
    let text = project.serve().text("large", json!({"x": large}));
    assert_eq!(
        text.split_whitespace().collect::<Vec<_>>(),
        ["0", "300008", "300000"]
    );
}

#[test]
fn arguments_are_read_with_the_sdk() {
    let script = r#"
name="$(mcp_args_require '.name')"
n="$(mcp_args_int '.n' --default 3 --min 1 --max 9)"
on="$(mcp_args_bool '.on' --default false)"
mcp_emit_json "$(mcp_json_obj name "$name" n "$n" on "$on")""#;
    let project = Project::new().sdk_tool("args", script);
    let mut server = project.serve();
    let result = server.call("args", json!({"name": "a b", "on": true}));
    assert_eq!(result["structuredContent"]["name"], "a b");
    assert_eq!(result["structuredContent"]["n"], "3");
    assert_eq!(
        server.fails("tools/call", json!({"name": "args"})).0,
        -32602
    );
    let (code, _) = server.fails(
        "tools/call",
        json!({"name": "args", "arguments": {"name": "x", "n": 99}}),
    );
    assert_eq!(code, -32602);
}

#[test]
fn unknown_tools_and_odd_calls_are_refused() {
    let project = Project::new().tool("t", "true", json!({}));
    let mut server = project.serve();
    assert_eq!(
        server.fails("tools/call", json!({"name": "none"})),
        (-32602, "Tool 'none' not found".to_owned())
    );
    assert_eq!(
        server.fails("tools/call", json!({})),
        (-32602, "Tool name is required".to_owned())
    );
    assert_eq!(
        server
            .fails("tools/call", json!({"name": "t", "arguments": 7}))
            .0,
        -32602
    );
}

#[test]
fn output_is_checked_against_its_schema() {
    let schema = json!({"outputSchema": {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}});
    let project = Project::new()
        .tool("good", r#"echo '{"ok":true}'"#, schema.clone())
        .tool("wrong", r#"echo '{"ok":1}'"#, schema.clone())
        .tool("none", "true", schema);
    let mut server = project.serve();
    assert_eq!(
        server.call("good", json!({}))["structuredContent"],
        json!({"ok": true})
    );
    let (code, message) = server.fails("tools/call", json!({"name": "wrong"}));
    assert_eq!(code, -32603);
    assert!(message.contains("outputSchema"), "{message}");
    assert_eq!(
        server.fails("tools/call", json!({"name": "none"})).0,
        -32603
    );
}

#[test]
fn a_tool_times_out() {
    let project = Project::new()
        .tool(
            "slow",
            "sleep 60 & wait",
            json!({"timeoutSecs": 1, "timeoutHint": "ask for less"}),
        )
        .tool("asked", "sleep 60 & wait", json!({}));
    let mut server = project.serve();
    let result = server.call("slow", json!({}));
    assert_eq!(result["isError"], true);
    let error = &result["structuredContent"]["error"];
    assert_eq!(
        (&error["type"], &error["reason"]),
        (&json!("timeout"), &json!("fixed"))
    );
    assert_eq!(error["timeoutSecs"], 1);
    assert_eq!(error["hint"], "ask for less");
    assert!(
        result["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("timed out after 1s")
    );
    let result = server.ask("tools/call", json!({"name": "asked", "timeoutSecs": 1}));
    assert_eq!(result["isError"], true);
}

#[test]
fn progress_extends_the_timeout_if_configured() {
    let lively =
        r#"for n in 1 2 3 4 5 6; do mcp_progress $((n * 10)) going; sleep 0.5; done; echo done"#;
    let lively = format!("source \"${{MCP_SDK}}/tool-sdk.sh\"\n{lively}");
    let project = Project::new()
        .tool(
            "lively",
            &lively,
            json!({"timeoutSecs": 2, "progressExtendsTimeout": true}),
        )
        .tool(
            "still",
            "sleep 60",
            json!({"timeoutSecs": 1, "progressExtendsTimeout": true}),
        )
        .tool(
            "endless",
            &lively.replace("1 2 3 4 5 6", "{1..99}"),
            json!({"timeoutSecs": 2, "progressExtendsTimeout": true, "maxTimeoutSecs": 3}),
        );
    let mut server = project.serve();
    let with_token = |name: &str| json!({"name": name, "_meta": {"progressToken": 1}});
    assert_eq!(
        server.ask("tools/call", with_token("lively"))["isError"],
        false
    );
    let late = server.ask("tools/call", with_token("still"));
    assert_eq!(late["structuredContent"]["error"]["reason"], "idle");
    let late = server.ask("tools/call", with_token("endless"));
    assert_eq!(late["structuredContent"]["error"]["reason"], "max_exceeded");
}

#[test]
fn output_above_the_limit_is_an_error_with_stderr() {
    let project = Project::new()
        .tool("much", "head -c 5000 /dev/zero | tr '\\0' x", json!({}))
        .tool("loud", "head -c 5000 /dev/zero | tr '\\0' x >&2", json!({}))
        .tool("aside", "echo note >&2; echo out", json!({}))
        .env("MCPBASH_MAX_TOOL_OUTPUT_SIZE", "1000");
    let mut server = project.serve();
    assert_eq!(
        server.fails("tools/call", json!({"name": "much"})),
        (-32603, "Tool output exceeded 1000 bytes".to_owned())
    );
    assert_eq!(
        server.fails("tools/call", json!({"name": "loud"})),
        (-32603, "Tool stderr exceeded 1000 bytes".to_owned())
    );
    assert_eq!(server.call("aside", json!({}))["_meta"]["stderr"], "note");
}

#[test]
fn files_can_be_put_into_a_result() {
    let script = r#"printf 'contents\n' > "$MCPBASH_PROJECT_ROOT/out.txt"
mcp_result_text_with_resource '"saved"' --path "$MCPBASH_PROJECT_ROOT/out.txt" --mime text/plain"#;
    let plain = r#"printf 'file\n' > out2.txt; printf '%s\ttext/plain\n%s\n' "$PWD/out2.txt" /etc/passwd >"$MCP_TOOL_RESOURCES_FILE"; echo saved"#;
    let project = Project::new()
        .sdk_tool("sdk", script)
        .tool("plain", plain, json!({}));
    let mut server = project.serve();
    let result = server.call("plain", json!({}));
    let content = result["content"].as_array().unwrap();
    assert_eq!(content.len(), 2, "{result}");
    assert_eq!(content[1]["resource"]["text"], "file");
    let result = server.call("sdk", json!({}));
    assert_eq!(result["content"][1]["type"], "resource", "{result}");
}

#[test]
fn tools_run_side_by_side_and_answers_find_their_questions() {
    let project = Project::new().tool(
        "echo",
        r#"sleep 0.2; printf '%s' "$MCP_TOOL_ARGS_JSON""#,
        json!({}),
    );
    let mut server = project.serve();
    let ids: Vec<u64> = (0..40)
        .map(|n| server.request("tools/call", json!({"name": "echo", "arguments": {"n": n}})))
        .collect();
    let mut texts = vec![String::new(); ids.len()];
    for _ in &ids {
        let said = server.next();
        let at = ids.iter().position(|id| said["id"] == *id).unwrap();
        texts[at] = said["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned();
    }
    for (n, text) in texts.iter().enumerate() {
        assert_eq!(*text, format!(r#"{{"n":{n}}}"#));
    }
}

#[test]
fn structured_content_is_repeated_as_text() {
    let project = Project::new()
        .sdk_tool("good", "mcp_result_success \"$(mcp_json_obj name x)\"")
        .sdk_tool("long", "mcp_result_success '[1,2,3,4,5,6,7,8,9]' 20")
        .sdk_tool("none", "mcp_result_success ''");
    let mut server = project.serve();
    let good = server.call("good", json!({}));
    let text = good["content"][0]["text"].as_str().unwrap();
    let text: Value = serde_json::from_str(text).unwrap();
    assert_eq!(text, json!({"success": true, "result": {"name": "x"}}));
    assert_eq!(good["structuredContent"], text);
    let long = server.call("long", json!({}));
    assert_eq!(long["content"][0]["text"], "Success: array with 9 items");
    assert_eq!(long["structuredContent"]["result"][8], 9);
    assert_eq!(server.call("none", json!({}))["isError"], true);
}
