//! A folder of scripts before the official SDKs, in both eras, on stdin and stdout and over HTTP.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use linkspan_testkit::wait_for;
use serde_json::{Value, json};

use crate::folder_served::{example, on_both_ways};
use crate::sdk::{ALL, Era, Language, Sdk, Told};

/// The results of these calls, which have to be the same for all SDKs.
fn told(calls: &[(&str, &str)]) -> Vec<Told> {
    let mut all: Vec<Told> = Vec::new();
    on_both_ways(&example("conformance"), |target| {
        for sdk in ALL {
            let mut told = sdk.run(calls, target);
            assert_eq!(told.results.len(), calls.len());
            told.results.iter_mut().for_each(plain);
            if let Some(first) = all.first() {
                for ((call, one), other) in calls.iter().zip(&told.results).zip(&first.results) {
                    assert_eq!(one, other, "{call:?}, {target:?}");
                }
            }
            all.push(told);
        }
    });
    all
}

/// Python's SDK adds `isError` to every result; `false` is the default.
fn plain(result: &mut Value) {
    if result["isError"] == false
        && let Some(result) = result.as_object_mut()
    {
        result.remove("isError");
    }
}

fn results(calls: &[(&str, &str)]) -> Vec<Value> {
    told(calls).remove(0).results
}

fn names(list: &Value, kind: &str, member: &str) -> Vec<String> {
    let listed = list[kind].as_array().unwrap_or_else(|| panic!("{list}"));
    let name = |one: &Value| one[member].as_str().expect("a name").to_owned();
    listed.iter().map(name).collect()
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn every_sdk_lists_everything() {
    let results = results(&[
        ("tools/list", "{}"),
        ("resources/list", "{}"),
        ("resources/templates/list", "{}"),
        ("prompts/list", "{}"),
    ]);
    let tools = names(&results[0], "tools", "name");
    assert_eq!(tools[0], "about");
    assert!(tools.len() > 30 && tools.is_sorted(), "{tools:?}");
    let resources = names(&results[1], "resources", "uri");
    assert_eq!(
        resources,
        [
            "test://static-binary",
            "test://static-text",
            "test://watched-resource"
        ]
    );
    let templates = names(&results[2], "resourceTemplates", "uriTemplate");
    assert_eq!(templates, ["test://template/{id}/data"]);
    let prompts = names(&results[3], "prompts", "name");
    assert_eq!(prompts.len(), 5, "{prompts:?}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn every_sdk_calls_tools() {
    let results = results(&[
        (
            "tools/call",
            r#"{"name":"test_simple_text","arguments":{}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"test_image_content","arguments":{}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"test_audio_content","arguments":{}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"test_multiple_content_types","arguments":{}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"test_error_handling","arguments":{}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"json_schema_2020_12_tool","arguments":{"name":"ø \"q\" ⛴","email":"e"}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"json_schema_2020_12_tool","arguments":{"name":7}}"#,
        ),
        ("tools/call", r#"{"name":"no_such_tool","arguments":{}}"#),
    ]);
    assert_eq!(
        results[0]["content"][0]["text"],
        "This is a simple text response for testing."
    );
    assert_eq!(results[1]["content"][0]["mimeType"], "image/png");
    assert_eq!(results[2]["content"][0]["mimeType"], "audio/wav");
    assert_eq!(results[3]["content"].as_array().map(Vec::len), Some(3));
    assert_eq!(results[4]["isError"], true);
    let said = results[5]["content"][0]["text"].to_string();
    assert!(said.contains("⛴"), "{said}");
    assert_eq!(results[6]["isError"], true, "a wrong argument");
    assert_eq!(results[7]["error"], -32602);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn every_sdk_reads_resources() {
    let results = results(&[
        ("resources/read", r#"{"uri":"test://static-text"}"#),
        ("resources/read", r#"{"uri":"test://static-binary"}"#),
        ("resources/read", r#"{"uri":"test://template/7/data"}"#),
    ]);
    assert_eq!(
        results[0]["contents"][0]["text"],
        "This is the content of the static text resource."
    );
    assert_eq!(results[1]["contents"][0]["mimeType"], "image/png");
    assert!(results[1]["contents"][0]["blob"].is_string());
    let made = results[2]["contents"][0]["text"].to_string();
    assert!(made.contains("Data for ID: 7"), "{made}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn every_sdk_gets_prompts() {
    let results = results(&[
        ("prompts/get", r#"{"name":"test_simple_prompt"}"#),
        (
            "prompts/get",
            r#"{"name":"test_prompt_with_arguments","arguments":{"arg1":"a\nb","arg2":"{{arg1}}"}}"#,
        ),
        (
            "prompts/get",
            r#"{"name":"test_prompt_with_embedded_resource","arguments":{"resourceUri":"test://x"}}"#,
        ),
        ("prompts/get", r#"{"name":"test_prompt_with_image"}"#),
        ("prompts/get", r#"{"name":"test_prompt_with_arguments"}"#),
    ]);
    let text = |n: usize, message: usize| results[n]["messages"][message]["content"].clone();
    assert_eq!(text(0, 0)["text"], "This is a simple prompt for testing.");
    assert_eq!(
        text(1, 0)["text"],
        "Prompt with arguments: arg1='a\nb', arg2='{{arg1}}'"
    );
    assert_eq!(text(2, 0)["resource"]["uri"], "test://x");
    assert_eq!(text(3, 0)["type"], "image");
    assert_eq!(results[4]["error"], -32602, "nothing was given");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn every_sdk_completes_arguments() {
    let results = results(&[
        (
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg1","value":"par"}}"#,
        ),
        (
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg2","value":"t"}}"#,
        ),
    ]);
    let values = |n: usize| results[n]["completion"]["values"].clone();
    assert_eq!(values(0), json!(["paris", "park", "party"]));
    assert_eq!(values(1), json!(["two", "three"]));
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn tools_ask_every_sdk() {
    let calls = [
        (
            "tools/call",
            r#"{"name":"test_input_required_result_elicitation","arguments":{}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"test_sampling","arguments":{"prompt":"tide?"}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"test_input_required_result_multiple_inputs","arguments":{}}"#,
        ),
        (
            "prompts/get",
            r#"{"name":"test_input_required_result_prompt","arguments":{}}"#,
        ),
    ];
    for told in told(&calls) {
        let said = |n: usize| told.results[n]["content"][0]["text"].to_string();
        assert!(said(0).contains("Hello, Ada!"), "{}", said(0));
        assert!(said(1).contains("tide ø and “quay”"), "{}", said(1));
        assert!(
            said(2).contains("Ada") && said(2).contains("harbour"),
            "{}",
            said(2)
        );
        let mut asked = told.asked.clone();
        asked.sort();
        assert_eq!(
            asked,
            [
                "elicitation/create",
                "elicitation/create",
                "elicitation/create",
                "roots/list",
                "sampling/createMessage",
                "sampling/createMessage"
            ]
        );
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn progress_reaches_the_python_sdk() {
    on_both_ways(&example("conformance"), |target| {
        for era in [Era::Legacy, Era::Modern] {
            let language = Language::Python;
            let call = r#"{"name":"test_tool_with_progress","arguments":{}}"#;
            let told = Sdk { language, era }.run(&[("tools/call", call)], target);
            let steps = json!([[[0.0, 100.0], [50.0, 100.0], [100.0, 100.0]]]);
            assert_eq!(told.progress, steps, "{era:?} {target:?}");
        }
    });
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn news_reach_the_typescript_sdks() {
    let calls = [
        ("subscribe", r#"{"uri":"test://watched-resource"}"#),
        (
            "tools/call",
            r#"{"name":"test_trigger_tool_change","arguments":{}}"#,
        ),
        ("wait", r#"{"until":"notifications/tools/list_changed"}"#),
        (
            "tools/call",
            r#"{"name":"test_trigger_resource_update","arguments":{}}"#,
        ),
        (
            "wait",
            r#"{"until":"notifications/resources/updated test://watched-resource"}"#,
        ),
    ];
    on_both_ways(&example("conformance"), |target| {
        for era in [Era::Legacy, Era::Modern] {
            let language = Language::TypeScript;
            // The client ends only when all notifications have arrived.
            let told = Sdk { language, era }.run(&calls, target);
            let mut results = told.results.iter();
            let refused = results.find(|result| !result["error"].is_null());
            assert!(refused.is_none(), "{era:?} {target:?}: {refused:?}");
        }
    });
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_call_that_a_typescript_sdk_leaves_ends_its_tool() {
    let scratch = Scratch::new();
    on_both_ways(&scratch.0, |target| {
        for era in [Era::Legacy, Era::Modern] {
            let language = Language::TypeScript;
            let call = r#"{"name":"hang","arguments":{},"after":1500}"#;
            let told = Sdk { language, era }.run(&[("leave", call)], target);
            assert_eq!(told.results[0], json!({"left": true}));
            scratch.wait_until_cancelled();
        }
    });
}

/// A folder with a tool that never ends by itself and reports its cancellation.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        let name = format!("linkspan-folder-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let tools = folder.join("tools");
        fs::create_dir_all(&tools).expect("a folder can be made");
        for path in [&folder, &tools] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        }
        let script = "#!/bin/sh\ntrap 'test -e \"$MCP_CANCEL_FILE\" && echo yes > cancelled.txt; exit 1' TERM\nwhile :; do sleep 0.05; done\n";
        let tool = tools.join("hang.sh");
        fs::write(&tool, script).expect("a file can be written");
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("it is ours");
        Self(folder.canonicalize().expect("it is there"))
    }

    fn wait_until_cancelled(&self) {
        let sign = self.0.join("cancelled.txt");
        wait_for("a tool that was cancelled", || {
            fs::remove_file(&sign).is_ok()
        });
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
