//! The Bash SDK with a control channel.

use crate::channel::{Ended, bash, bash_with};
use serde_json::{Value, json};

fn prints(script: &str, args: &str) -> String {
    let Ended { out, err, code, .. } = bash(script, args).end();
    assert_eq!(code, 0, "{script}: {err}");
    assert_eq!(err, "", "{script}");
    out
}

#[track_caller]
fn prints_json(script: &str, args: &str) -> Value {
    let out = prints(script, args);
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}"))
}

#[test]
fn arguments_are_read_by_filter() {
    let args = r#"{"name":"Ann \"x\"","n":5,"on":true,"off":false,"none":null,"deep":{"a":[1,2]},"a-b":1,"e":""}"#;
    let cases = [
        (".name", "Ann \"x\""),
        (".n", "5"),
        (".on", "true"),
        (".off", "false"),
        (".none", "null"),
        (".missing", "null"),
        (".deep.a[1]", "2"),
        (".deep", r#"{"a":[1,2]}"#),
        (".a_b", "null"),
        (r#"."a-b""#, "1"),
        (r#".missing // "World""#, "World"),
        (".missing // 10", "10"),
        (".missing // empty", ""),
        (".off // true", "true"),
        (".name // \"d\"", "Ann \"x\""),
        (".n + 1", "6"),
    ];
    for (filter, expected) in cases {
        let script = format!("v=$(mcp_args_get '{filter}'); printf %s \"$v\"");
        assert_eq!(prints(&script, args), expected, "{filter}");
    }
    assert_eq!(prints("mcp_args_raw", args), args);
    assert_eq!(
        prints("mcp_meta_get .user; mcp_meta_raw", args),
        "me\n{\"user\":\"me\"}"
    );
}

#[test]
fn defaults_apply_to_missing_and_null_arguments() {
    let args = r#"{"n":5,"none":null,"e":""}"#;
    for (filter, expected) in [
        (".n", "5"),
        (".none", "d"),
        (".x", "d"),
        (".x.y", "d"),
        ("syntax error(", "d"),
        (".e", "d"),
    ] {
        let script = format!("v=$(mcp_args_get '{filter}' --default d); printf %s \"$v\"");
        assert_eq!(prints(&script, args), expected, "{filter}");
    }
}

#[test]
fn a_filter_cannot_see_the_environment() {
    let ended = bash_with("mcp_args_get 'env.SECRET'", "{}", &[("SECRET", "hidden")]).end();
    assert_ne!(ended.code, 0);
    assert!(!ended.out.contains("hidden"));
}

#[test]
fn long_arguments_come_from_their_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("args.json");
    let long = "x".repeat(100_000);
    std::fs::write(&path, json!({"name": long}).to_string()).expect("written");
    let file = [
        ("MCP_TOOL_ARGS_FILE", path.to_str().expect("UTF-8")),
        ("MCP_TOOL_ARGS_JSON", ""),
    ];
    let ended = bash_with("v=$(mcp_args_get .name); printf %s \"${#v}\"", "{}", &file).end();
    assert_eq!(ended.out, "100000", "{}", ended.err);
}

#[test]
fn typed_arguments_are_checked() {
    let args = r#"{"n":50,"on":1,"s":"x","big":500}"#;
    assert_eq!(prints("mcp_args_int .n --min 1 --max 200", args), "50");
    assert_eq!(prints("mcp_args_int .x --default 7", args), "7");
    assert_eq!(
        prints(
            "mcp_args_bool .on; mcp_args_bool .s; mcp_args_bool .x --default true",
            args
        ),
        "truefalsetrue"
    );
    assert_eq!(prints("mcp_args_require .s", args), "x");
    for (script, message) in [
        ("mcp_args_int .s", ".s must be an integer"),
        ("mcp_args_int .big --max 200", ".big must be <= 200"),
        ("mcp_args_int .n --min 60", ".n must be >= 60"),
        ("mcp_args_int .x", ".x is required"),
        ("mcp_args_bool .x", ".x is required"),
        (
            "v=$(mcp_args_require .x); echo unreachable",
            ".x is required",
        ),
        ("mcp_args_require .x 'say who'", "say who"),
        (
            "mcp_fail_invalid_args 'no good' '{\"field\":\"x\"}'",
            "no good",
        ),
    ] {
        let ended = bash(script, args).end();
        assert_eq!(ended.code, 1, "{script}");
        assert_eq!(ended.err.lines().next(), Some(message), "{script}");
        assert_eq!(ended.out, "", "{script}");
    }
}

#[test]
fn json_is_built_with_every_character() {
    let nasty = "a\"b\\c\nd\te\rf\u{1}g\u{1f}h\u{7f}é😀/&'$(x)`y`";
    let args = json!({"s": nasty}).to_string();
    assert_eq!(
        prints_json(
            "v=$(mcp_args_get .s); mcp_json_obj key \"$v\" \"$v\" x",
            &args
        ),
        json!({"key": nasty, nasty: "x"})
    );
    assert_eq!(
        prints_json("mcp_json_arr a 'b c' '' 1", "{}"),
        json!(["a", "b c", "", "1"])
    );
    assert_eq!(prints_json("mcp_json_obj", "{}"), json!({}));
    assert_eq!(
        prints_json("mcp_json_escape \"$(mcp_args_get .s)\"", &args),
        json!(nasty)
    );
    let ended = bash("mcp_json_obj odd; echo unreachable", "{}").end();
    assert_eq!((ended.code, ended.out.as_str()), (1, ""));
    assert_eq!(
        prints(
            "for v in 1 '{}' '\"x\"' false null; do mcp_is_valid_json \"$v\" && printf y; done",
            "{}"
        ),
        "yyyyy"
    );
    assert_eq!(
        prints(
            "for v in '' '{' 'a' '1 2'; do mcp_is_valid_json \"$v\" || printf n; done",
            "{}"
        ),
        "nnnn"
    );
    assert_eq!(prints("mcp_byte_length 'é😀'", "{}"), "6");
}

#[test]
fn progress_and_log_go_over_the_channel() {
    let script = r#"
        mcp_progress 5 'half "way"' 10
        mcp_progress 250 capped
        mcp_progress nonsense ''
        mcp_progress 1.5 x 2.5
        mcp_log warning db '{"rows":
            3}'
        mcp_log WARN db plain
        mcp_log_info tool 'a "text"'
        mcp_log nonsense tool '1.5' 2>/dev/null
        mcp_log_debug t x; mcp_log_warn t x; mcp_log_error t x
        mcp_updated note://a; mcp_changed tools
    "#;
    let ended = bash(script, "{}").end();
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    let log = |level: &str, data: Value| json!({"method": "log", "params": {"level": level, "logger": "t", "data": data}});
    let mut expected = vec![
        json!({"method": "progress", "params": {"progress": 5, "total": 10, "message": "half \"way\""}}),
        json!({"method": "progress", "params": {"progress": 100, "message": "capped"}}),
        json!({"method": "progress", "params": {"progress": 0}}),
        json!({"method": "progress", "params": {"progress": 1.5, "total": 2.5, "message": "x"}}),
        json!({"method": "log", "params": {"level": "warning", "logger": "db", "data": {"rows": 3}}}),
        json!({"method": "log", "params": {"level": "warning", "logger": "db", "data": "plain"}}),
        json!({"method": "log", "params": {"level": "info", "logger": "tool", "data": "a \"text\""}}),
        json!({"method": "log", "params": {"level": "info", "logger": "tool", "data": 1.5}}),
    ];
    expected.extend([
        log("debug", json!("x")),
        log("warning", json!("x")),
        log("error", json!("x")),
    ]);
    expected.push(json!({"method": "updated", "params": {"uri": "note://a"}}));
    expected.push(json!({"method": "changed", "params": {"what": "tools"}}));
    assert_eq!(ended.said, expected);
}

#[test]
fn a_question_waits_for_its_own_answer() {
    let mut tool = bash("mcp_elicit_confirm 'Sure?'", "{}");
    let question = tool.hear();
    assert_eq!(question["method"], "elicit");
    assert_eq!(question["params"]["message"], "Sure?");
    assert_eq!(
        question["params"]["schema"]["properties"]["confirmed"]["type"],
        "boolean"
    );
    tool.say(&json!({"id": "another", "result": {"action": "decline"}}));
    tool.say(&json!({"id": question["id"], "result": {"action": "accept", "content": {"confirmed": true}}}));
    let ended = tool.end();
    assert_eq!(
        ended.out,
        r#"{"action":"accept","content":{"confirmed":true}}"#
    );
    assert_eq!(ended.code, 0);
}

#[test]
fn every_kind_of_question_has_its_schema() {
    for (script, field, schema) in [
        (
            "mcp_elicit_string 'Name?' name",
            "name",
            json!({"type": "string"}),
        ),
        (
            "mcp_elicit_choice 'Which?' a 'b c'",
            "choice",
            json!({"type": "string", "enum": ["a", "b c"]}),
        ),
        (
            "mcp_elicit_titled_choice Q 'hi:High: best' low",
            "choice",
            json!({"type": "string", "oneOf": [{"const": "hi", "title": "High: best"}, {"const": "low", "title": "low"}]}),
        ),
        (
            "mcp_elicit_multi_choice Q a b",
            "choices",
            json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}),
        ),
        (
            "mcp_elicit_titled_multi_choice Q a:A",
            "choices",
            json!({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}),
        ),
    ] {
        let mut tool = bash(script, "{}");
        let question = tool.hear();
        let mut properties = serde_json::Map::new();
        properties.insert(field.to_owned(), schema);
        let expected = json!({"type": "object", "properties": properties, "required": [field]});
        assert_eq!(question["params"]["schema"], expected, "{script}");
        // The members in an unusual order.
        tool.say(&json!({"jsonrpc": "2.0", "result": {"action": "decline"}, "id": question["id"]}));
        assert_eq!(tool.end().out.trim_end(), r#"{"action":"decline"}"#);
    }
    let mut tool = bash("mcp_elicit_url Login https://a.example/x", "{}");
    let question = tool.hear();
    assert_eq!(
        question["params"],
        json!({"message": "Login", "url": "https://a.example/x"})
    );
    tool.say(&json!({"id": question["id"], "error": {"code": -32603, "message": "no browser"}}));
    let ended = tool.end();
    assert_eq!(ended.out, r#"{"action":"error","content":null}"#);
    assert!(ended.err.contains("no browser"), "{}", ended.err);
}

#[test]
fn a_question_ends_when_the_call_is_cancelled_or_its_time_is_up() {
    let mut tool = bash("mcp_elicit_string Q || echo; echo after", "{}");
    tool.hear();
    tool.say(&json!({"method": "cancel"}));
    assert_eq!(
        tool.end().out,
        "{\"action\":\"cancel\",\"content\":null}\nafter\n"
    );
    let mut tool = bash("mcp_elicit Q '{}' 1 || echo", "{}");
    tool.hear();
    assert_eq!(tool.end().out, "{\"action\":\"error\",\"content\":null}\n");
    let no = [("MCP_ELICIT_SUPPORTED", "0")];
    let ended = bash_with("mcp_elicit_string Q || true", "{}", &no).end();
    assert_eq!(ended.out, "{\"action\":\"decline\",\"content\":null}");
    assert_eq!(ended.said, Vec::<Value>::new());
}

#[test]
fn the_model_is_asked() {
    let mut tool = bash("mcp_sample_text 'Say \"hi\"' 50", "{}");
    let question = tool.hear();
    assert_eq!(question["method"], "sample");
    assert_eq!(question["params"]["maxTokens"], 50);
    assert_eq!(
        question["params"]["messages"][0]["content"]["text"],
        "Say \"hi\""
    );
    let answer =
        json!({"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"});
    tool.say(&json!({"id": question["id"], "result": answer}));
    assert_eq!(tool.end().out, "hi\n");
}

#[test]
fn results_have_the_documented_form() {
    assert_eq!(prints("mcp_emit_text 'Hello & bye'", "{}"), "Hello & bye");
    assert_eq!(
        prints_json("mcp_emit_text '{\"looks\":\"like JSON\"}'", "{}"),
        json!({"content": [{"type": "text", "text": "{\"looks\":\"like JSON\"}"}]})
    );
    assert_eq!(
        prints("mcp_emit_json '{\"n\":18446744073709551616}'", "{}"),
        "{\"n\":18446744073709551616}"
    );
    assert_eq!(
        prints_json("mcp_result_success '{\"n\":1}'", "{}"),
        json!({
        "content": [{"type": "text", "text": "{\"success\":true,\"result\":{\"n\":1}}"}],
        "structuredContent": {"success": true, "result": {"n": 1}}, "isError": false})
    );
    let long = prints_json("mcp_result_success '[1,2,3,4,5,6,7,8,9]' 20", "{}");
    assert_eq!(long["content"][0]["text"], "Success: array with 9 items");
    assert_eq!(prints_json("mcp_result_success ''", "{}")["isError"], true);
    let odd = prints_json("mcp_result_error 'went wrong'", "{}");
    assert_eq!(odd["isError"], true);
    assert_eq!(odd["structuredContent"]["error"]["raw"], "went wrong");
    let bare = prints_json("mcp_result_error '{\"code\":7}'", "{}");
    assert_eq!(
        bare["structuredContent"]["error"],
        json!({"code": 7, "type": "internal_error", "message": "Unknown error"})
    );
    let error = prints_json(
        "mcp_error not_found 'no \"such\" user' --hint 'check the id' --data '{\"id\":5}'",
        "{}",
    );
    assert_eq!(error["isError"], true);
    assert_eq!(error["content"][0]["text"], "no \"such\" user");
    assert_eq!(
        error["structuredContent"]["error"],
        json!({"type": "not_found", "message": "no \"such\" user", "hint": "check the id", "data": {"id": 5}})
    );
    assert_eq!(
        prints_json("mcp_emit_resource_link note://a 'A note' text/plain", "{}")["content"][0],
        json!({"type": "resource_link", "uri": "note://a", "name": "A note", "mimeType": "text/plain"})
    );
    assert_eq!(
        prints_json(
            "printf 'PNG' >\"${T:=$(mktemp -d)}/x.png\"; mcp_emit_image \"$T/x.png\"; rm -r \"$T\"",
            "{}"
        )["content"][0],
        json!({"type": "image", "mimeType": "image/png", "data": "UE5H"})
    );
    let with = prints_json(
        "d=$(mktemp -d); printf 'hé\\n' >\"$d/a b.txt\"; printf 'a\\000b' >\"$d/x\"; mcp_result_text_with_resource done --path \"$d/a b.txt\" --path \"$d/x\" --mime application/x-y --uri z://x; rm -r \"$d\"",
        "{}",
    );
    assert_eq!(with["content"][0]["text"], "done");
    assert_eq!(with["content"][1]["resource"]["text"], "hé\n");
    assert_eq!(with["content"][1]["resource"]["mimeType"], "text/plain");
    assert_eq!(
        with["content"][2]["resource"],
        json!({"uri": "z://x", "mimeType": "application/x-y", "blob": "YQBi"})
    );
}

#[test]
fn long_lists_are_cut_to_fit() {
    let list: Vec<u32> = (0..1000).collect();
    let args = json!({"list": list, "o": {"data": {"items": list}, "x": 1}}).to_string();
    let cut = prints_json("mcp_json_truncate \"$(mcp_args_get .list)\" 100", &args);
    assert_eq!(
        (&cut["truncated"], &cut["total"]),
        (&json!(true), &json!(1000))
    );
    assert!(cut["result"].to_string().len() <= 100);
    assert_eq!(
        cut["kept"],
        json!(cut["result"].as_array().expect("an array").len())
    );
    let cut = prints_json(
        "mcp_json_truncate \"$(mcp_args_get .o)\" 100 --array-path .data.items",
        &args,
    );
    assert_eq!(cut["result"]["x"], 1);
    assert_eq!(cut["truncated"], true);
    let whole = prints_json("mcp_json_truncate '[1,2]'", &args);
    assert_eq!(
        whole,
        json!({"result": [1, 2], "truncated": false, "kept": 2, "total": 2})
    );
    for (call, kind) in [
        ("'{}' 100 --array-path .a", "path_not_found"),
        ("'{\"a\":1}' 100 --array-path .a", "invalid_array_path"),
        ("'{}' 100 --array-path '.a[0]'", "invalid_path_syntax"),
        (
            "'{\"results\":[],\"x\":\"long long long\"}' 9",
            "output_too_large",
        ),
        ("'no json' 9", "invalid_json"),
    ] {
        assert_eq!(
            prints_json(&format!("mcp_json_truncate {call}"), &args)["error"]["type"],
            kind,
            "{call}"
        );
    }
}

#[test]
fn paths_outside_the_roots_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a path");
    std::fs::create_dir_all(root.join("in[x]/sub")).expect("made");
    std::os::unix::fs::symlink("/etc", root.join("in[x]/out")).expect("linked");
    let inside = root.join("in[x]");
    let roots = [
        ("MCP_ROOTS_PATHS", inside.to_str().expect("UTF-8")),
        ("MCP_ROOTS_COUNT", "1"),
    ];
    let with = |script: &str, path: &str| {
        bash_with(script, &json!({"path": path}).to_string(), &roots).end()
    };
    let sub = inside.join("sub").to_string_lossy().into_owned();
    assert_eq!(
        with("mcp_require_path .path", &format!("{sub}/../sub/./new")).out,
        format!("{sub}/new")
    );
    assert_eq!(
        with("mcp_require_path .none --default-to-single-root", "").out,
        inside.to_string_lossy()
    );
    assert_eq!(with("mcp_require_path .none --allow-empty", "").out, "");
    for path in [
        "/etc/passwd",
        &format!("{}x", inside.display()),
        &format!("{}/out/passwd", inside.display()),
        &format!("{sub}/../../.."),
    ] {
        let ended = with("mcp_require_path .path", path);
        assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{path}");
        assert!(
            ended.err.contains("outside configured MCP roots"),
            "{path}: {}",
            ended.err
        );
    }
    assert_eq!(
        with(
            "mcp_roots_list; mcp_roots_count; mcp_roots_contains / || printf no",
            ""
        )
        .out,
        format!("{}1no", inside.display())
    );
    assert_eq!(
        prints(
            "cd /usr; mcp_path_normalize --logical '../a//b/./c/..'; mcp_path_collapse '/../..'",
            "{}"
        ),
        "/a/b/"
    );
}

#[test]
fn programs_are_retried_and_their_progress_is_forwarded() {
    let script = r#"
        n=$(mktemp); try() { printf x >>"$n"; [ "$(wc -c <"$n")" -ge 3 ] || return 7; echo done; }
        mcp_with_retry 5 0.01 -- try
        two() { return 2; }; code=0; mcp_with_retry 5 0.01 -- two || code=$?; echo "$code"
        rm "$n"
    "#;
    assert_eq!(prints(script, "{}"), "done\n2\n");
    let script = r#"
        work() { echo '[1/4] a' >&2; sleep 0.1; echo noise >&2; printf '[4/4] b' >&2; echo result; return 3; }
        code=0; mcp_run_with_progress --pattern '\[([0-9]+)/([0-9]+)\]' --extract ratio --interval 0.02 -- work || code=$?
        echo "$code"
    "#;
    let ended = bash(script, "{}").end();
    assert_eq!(
        (ended.out.as_str(), ended.err.as_str()),
        ("result\n3\n", "")
    );
    assert_eq!(
        ended.said,
        [
            json!({"method": "progress", "params": {"progress": 25, "message": "[1/4] a"}}),
            json!({"method": "log", "params": {"level": "debug", "logger": "mcp_run_with_progress", "data": "noise"}}),
            json!({"method": "progress", "params": {"progress": 100, "message": "[4/4] b"}}),
        ]
    );
    let ended = bash(r#"w() { echo '{"progress":50,"message":"m"}' >&2; }; mcp_run_with_progress --pattern progress --dry-run -- w"#, "{}").end();
    assert_eq!(ended.err, "{\"progress\":50,\"message\":\"m\"}\n");
    for (out, err, expected) in [
        (r#"{"error":{"message":"m1"}}"#, "", "m1"),
        (r#"{"error":"m2"}"#, "", "m2"),
        (r#"{"success":false,"message":"m3"}"#, "", "m3"),
        (r#"{"errors":[{"message":"m4"}]}"#, "", "m4"),
        ("not json", "m5", "m5"),
        ("", "", "CLI exited with code 9"),
    ] {
        assert_eq!(
            prints(&format!("mcp_extract_cli_error '{out}' '{err}' 9"), "{}"),
            expected
        );
    }
}

#[test]
fn configuration_is_merged() {
    let script = r#"
        d=$(mktemp -d); echo '{"a":2,"b":2}' >"$d/c.json"; echo 'broken' >"$d/e.json"
        export MY='{"a":3}'
        mcp_config_load --env MY --file "$d/c.json" --example "$d/e.json" --defaults '{"a":1,"b":1,"c":1}'
        rm -r "$d"
        mcp_config_get .a; mcp_config_get .b; mcp_config_get .c; mcp_config_get .x --default dd; mcp_config_get .x || printf missing
    "#;
    assert_eq!(prints(script, "{}"), "321ddmissing");
}

#[test]
fn downloads_are_limited_to_allowed_hosts() {
    for (call, kind) in [
        ("--url http://a.example/ --out x", "invalid_url"),
        ("--url https://a.example/", "invalid_params"),
        (
            "--url https://a.example/ --out x --timeout y",
            "invalid_params",
        ),
        ("--url https://a.example/ --out x", "host_blocked"),
        (
            "--url https://127.0.0.1/ --out x --allow 127.0.0.1",
            "host_blocked",
        ),
        (
            "--url https://10.1.2.3/ --out x --allow 10.1.2.3",
            "host_blocked",
        ),
        (
            "--url https://2130706433/ --out x --allow 2130706433",
            "host_blocked",
        ),
        (
            "--url https://0x7f.1/ --out x --allow 0x7f.1",
            "host_blocked",
        ),
        (
            "--url https://localhost/ --out x --allow localhost",
            "host_blocked",
        ),
        (
            "--url 'https://[::1]/' --out x --allow '[::1]'",
            "host_blocked",
        ),
        (
            "--url https://me@a.example/ --out x --allow a.example",
            "invalid_url",
        ),
    ] {
        let answer = prints_json(&format!("mcp_download_safe {call}"), "{}");
        assert_eq!(
            (&answer["success"], &answer["error"]["type"]),
            (&json!(false), &json!(kind)),
            "{call}: {answer}"
        );
    }
    let ended = bash("mcp_download_safe_or_fail --url x --out y", "{}").end();
    assert_eq!(ended.code, 1);
    assert!(
        ended.err.starts_with("download failed: only https://"),
        "{}",
        ended.err
    );
}

#[test]
fn a_user_interface_is_pointed_to() {
    let script =
        ". \"$MCP_SDK/ui-sdk.sh\"; mcp_client_supports_ui || printf 'no '; mcp_ui_result hi board";
    let out = prints(script, "{}");
    let result: Value =
        serde_json::from_str(out.strip_prefix("no ").expect("no interface")).expect("JSON");
    assert_eq!(
        result["_meta"]["ui"]["resourceUri"],
        "ui://mcp-server/board"
    );
}

#[test]
fn a_tool_sees_that_it_was_cancelled() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("cancelled");
    let with = [("MCP_CANCEL_FILE", mark.to_str().expect("UTF-8"))];
    let script = "mcp_is_cancelled && echo yes || echo no; : >\"$MCP_CANCEL_FILE\"; mcp_is_cancelled && echo yes";
    assert_eq!(bash_with(script, "{}", &with).end().out, "no\nyes\n");
}
