//! Cases in which the Bash SDK must give the same results as mcp-bash.

use crate::channel::{bash, bash_with};
use serde_json::{Value, json};

fn prints(script: &str) -> String {
    let ended = bash(script, "{}").end();
    assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{script}");
    ended.out
}

#[track_caller]
fn prints_json(script: &str) -> Value {
    let out = prints(script);
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}"))
}

#[test]
fn a_result_must_be_one_json_value() {
    for (data, word) in [
        ("not json", "Invalid JSON"),
        ("{\"a\":", "Invalid JSON"),
        ("1 2 3", "multiple"),
        ("", "Empty"),
    ] {
        let result = prints_json(&format!("mcp_result_success '{data}'"));
        assert_eq!(result["isError"], true, "{data}: {result}");
        let error = &result["structuredContent"]["error"];
        assert_eq!(error["type"], "internal_error", "{data}");
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains(word), "{data}: {message}");
    }
    for data in ["false", "null", "[]", " {\"a\":1}\n", "\"text\""] {
        let result = prints_json(&format!("mcp_result_success '{data}'"));
        assert_eq!(result["isError"], false, "{data}: {result}");
        let value: Value = serde_json::from_str(data).expect("JSON");
        assert_eq!(
            result["structuredContent"],
            json!({"success": true, "result": value})
        );
    }
}

#[test]
fn an_error_without_a_message_or_with_broken_data_is_still_an_error() {
    let error = |call: &str| prints_json(call)["structuredContent"]["error"].clone();
    let unknown = json!({"type": "t", "message": "Unknown error"});
    assert_eq!(error("mcp_error t ''"), unknown);
    assert_eq!(error("mcp_error t"), unknown);
    assert_eq!(error("mcp_error")["type"], "internal_error");
    assert_eq!(
        error("mcp_error t m --data 'not json'"),
        json!({"type": "t", "message": "m", "data": {"_invalid_json": "not json"}})
    );
    assert_eq!(
        error("mcp_error t m --new --hint h --also"),
        json!({"type": "t", "message": "m", "hint": "h"})
    );
}

#[test]
fn an_error_is_logged_and_one_with_a_hint_is_a_warning() {
    let levels = |call: &str| -> Vec<Value> {
        let said = bash(call, "{}").end().said;
        let levels = said.iter().map(|line| line["params"]["level"].clone());
        levels.collect()
    };
    assert_eq!(levels("mcp_error t m >/dev/null"), [json!("debug")]);
    assert_eq!(
        levels("mcp_error t m --hint h >/dev/null"),
        [json!("debug"), json!("warning")]
    );
}

#[test]
fn configuration_without_a_source_is_an_error() {
    let script = r#"
        mcp_config_load && echo loaded || echo "none $MCP_CONFIG_JSON"
        mcp_config_load --file /nowhere && echo loaded || echo none
        mcp_config_load --defaults '{"timeout": 30}' && echo "$MCP_CONFIG_JSON"
        mcp_config_load --file /nowhere --defaults '{"a":1}' --new && mcp_config_get .a
    "#;
    assert_eq!(prints(script), "none {}\nnone\n{\"timeout\": 30}\n1");
}

#[test]
fn unmergeable_configuration_is_logged() {
    let script = r#"
        d=$(mktemp -d); echo 'broken' >"$d/c.json"
        export MY=/nowhere/at/all
        mcp_config_load --defaults 'no json' --file "$d/c.json" --env MY || echo failed
        rm -r "$d"
    "#;
    let ended = bash(script, "{}").end();
    assert_eq!(ended.out, "failed\n");
    let said: Vec<&str> = ended
        .said
        .iter()
        .filter_map(|line| line["params"]["data"].as_str())
        .collect();
    for (at, words) in [
        "Invalid JSON in --defaults",
        "Invalid JSON in file: ",
        "neither valid JSON nor a file",
        "No configuration sources",
    ]
    .iter()
    .enumerate()
    {
        assert!(
            said.get(at).is_some_and(|line| line.contains(words)),
            "{said:?}"
        );
    }
}

#[test]
fn an_empty_text_and_false_are_values_of_the_configuration() {
    let script = r#"
        mcp_config_load --defaults '{"e":"","f":false,"n":null,"l":[1,2]}'
        printf '<%s>' "$(mcp_config_get .e --default d)" "$(mcp_config_get .f --default d)" \
          "$(mcp_config_get .n --default d)" "$(mcp_config_get .l)"
        mcp_config_get '' || printf refused
        mcp_config_get .x || printf missing
    "#;
    assert_eq!(prints(script), "<><false><d><[1,2]>refusedmissing");
}

#[test]
fn a_trace_hides_the_arguments() {
    let args = r#"{"token":"SECRET-1","n":5,"on":true,"path":"/SECRET-1"}"#;
    let script = r#"
        MCP_TOOL_META_JSON='{"user":"SECRET-1"}'
        PS4='+trace '
        set -x
        mcp_args_raw >/dev/null
        mcp_args_get .token >/dev/null
        mcp_args_get '.token | length' >/dev/null
        mcp_args_require .token >/dev/null
        mcp_args_int .n >/dev/null
        mcp_args_bool .on >/dev/null
        mcp_require_path .path >/dev/null
        mcp_meta_raw >/dev/null
        mcp_meta_get .user >/dev/null
        mcp_args_get '.broken(' >/dev/null || printf 'status %s' "$?"
        : still traced
    "#;
    let ended = bash(script, args).end();
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.starts_with("status "), "{}", ended.out);
    let after = ended.err.split_once("mcp_args_raw").expect("a trace").1;
    assert!(!after.contains("SECRET-1"), "{after}");
    assert!(after.contains("mcp_args_get .token"), "{after}");
    assert!(after.contains(": still traced"), "{after}");
}

const SHOWS: &[(&str, &str)] = &[("MCPBASH_CLIENT_SUPPORTS_UI", "1")];

#[test]
fn a_client_with_user_interfaces_gets_their_data() {
    let json = |script: &str, env: &[(&str, &str)]| -> Value {
        let ended = bash_with(script, "{}", env).end();
        serde_json::from_str(&ended.out).unwrap_or_else(|e| panic!("{e}: {}", ended.err))
    };
    let call = r#"mcp_result_with_ui ui://s/x 'In "words"' '{"items":5}' '{"session":1}'"#;
    let text = json!([{"type": "text", "text": "In \"words\""}]);
    assert_eq!(
        json(call, SHOWS),
        json!({"content": text, "structuredContent": {"items": 5}, "isError": false, "_meta": {"session": 1}})
    );
    assert_eq!(json(call, &[]), json!({"content": text, "isError": false}));
    let bare = json("mcp_result_with_ui '' Text", SHOWS);
    assert_eq!(bare.get("structuredContent"), None);
    let data = json("mcp_result_with_ui_data '' Text '{\"n\":1}'", SHOWS);
    assert_eq!(data["structuredContent"], json!({"n": 1}));
    assert_eq!(
        prints_json("mcp_tool_meta_with_ui ui://s/x 'model, app'"),
        json!({"ui": {"resourceUri": "ui://s/x", "visibility": ["model", "app"]}})
    );
    assert_eq!(
        prints_json("mcp_tool_meta_with_ui ui://s/x app")["ui"]["visibility"],
        json!(["app"])
    );
}

#[test]
fn whether_a_client_shows_user_interfaces_may_stand_in_a_file() {
    let script = r#"
        export MCPBASH_STATE_DIR=$(mktemp -d)
        mcp_client_supports_ui && echo yes || echo no
        printf 1 >"$MCPBASH_STATE_DIR/extensions.ui.support"
        mcp_client_supports_ui && echo yes || echo no
        mcp_client_supports_extension io.modelcontextprotocol/ui && echo yes || echo no
        rm -r "$MCPBASH_STATE_DIR"
    "#;
    assert_eq!(prints(script), "no\nyes\nyes\n");
}

#[test]
fn forms_and_tables_are_pages_in_which_values_are_only_text() {
    let form = prints(
        "mcp_ui_form --title 'A <b>' --field first-name --field 'kind:select:a,<i>' --field notes:textarea --submit-tool log-it",
    );
    for part in [
        "<title>A &lt;b&gt;</title>",
        "<label>First Name <input name=\"first-name\" type=\"text\"></label>",
        "<option>a</option><option>&lt;i&gt;</option>",
        "<textarea name=\"notes\">",
        "data-tool=\"log-it\"",
    ] {
        assert!(form.contains(part), "{part}: {form}");
    }
    let table = prints(
        r#"printf '[{"name":"<J>","age":3},{"age":null}]' | mcp_ui_table --columns name,age --title People"#,
    );
    for part in [
        "<h1>People</h1>",
        "<th>name</th><th>age</th>",
        "<tr><td>&lt;J&gt;</td><td>3</td></tr>",
        "<tr><td></td><td></td></tr>",
    ] {
        assert!(table.contains(part), "{part}: {table}");
    }
}
