//! The reader server, `linkspan bcp mcp`, before clients that we did not write: what its
//! specification promises, one test for each promise, in both eras where an era has it.

use std::fs;

use serde_json::{Value, json};

use crate::bcp_library::{Library, Raw, text_of};
use crate::sdk::{ALL, Era, Language, Sdk};
use crate::{inspector, stdio};

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn it_starts_and_every_client_connects() {
    let library = Library::new();
    for sdk in ALL {
        let told = sdk.run(&[("tools/list", "{}")], &library.words());
        assert!(told.server.is_string(), "{told:?}");
    }
    let (_, hello) = stdio::start(&library.words());
    let hello: Value = serde_json::from_str(&hello).expect("a result is JSON");
    assert_eq!(hello["protocolVersion"], "2025-11-25");
    assert!(hello["capabilities"]["tools"].is_object(), "{hello}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn it_lists_three_tools_with_the_schemas_of_its_specification() {
    let library = Library::new();
    for sdk in ALL {
        let told = sdk.run(&[("tools/list", "{}")], &library.words());
        let tools = told.results[0]["tools"]
            .as_array()
            .expect("a list of tools");
        let named = |name: &str| {
            let tool = tools.iter().find(|tool| tool["name"] == name);
            tool.unwrap_or_else(|| panic!("no {name} in {tools:?}"))
        };
        assert_eq!(tools.len(), 3);
        let read = &named("read_bcp_file")["inputSchema"];
        assert_eq!(read["required"], json!(["path"]));
        let mode = &read["properties"]["mode"];
        assert_eq!(mode["enum"], json!(["xml", "markdown", "minimal"]));
        assert_eq!(mode["default"], "xml");
        assert_eq!(read["properties"]["budget"]["type"], "number");
        let inspect = &named("inspect_bcp_file")["inputSchema"];
        assert_eq!(inspect["required"], json!(["path"]));
        let encode = &named("encode_bcp_file")["inputSchema"];
        assert_eq!(encode["required"], json!(["manifest_path", "output_path"]));
        let compress = &encode["properties"]["compress"];
        assert_eq!(compress["type"], "boolean");
        assert_eq!(compress["default"], false);
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn read_returns_the_rendered_text() {
    let library = Library::new();
    let file = library.path("20_all.bcp");
    let text = library.text("read_bcp_file", &json!({"path": file}));
    assert_eq!(
        text.trim_end(),
        Library::printed(&["decode", &file]).trim_end()
    );
    assert!(text.starts_with("<context>"), "{text}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn read_in_mode_markdown_returns_markdown() {
    let library = Library::new();
    let file = library.path("20_all.bcp");
    for mode in ["markdown", "minimal"] {
        let text = library.text("read_bcp_file", &json!({"path": file, "mode": mode}));
        let printed = Library::printed(&["decode", &file, "--mode", mode]);
        assert_eq!(text.trim_end(), printed.trim_end());
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn read_with_a_budget_shortens_low_priorities() {
    let library = Library::new();
    let file = library.path("21_budget.bcp");
    let whole = library.text("read_bcp_file", &json!({"path": file}));
    let short = library.text("read_bcp_file", &json!({"path": file, "budget": 500}));
    assert!(short.len() < whole.len() / 2, "{short}");
    // Critical blocks stay whole.
    assert!(short.contains("with_sum_0.rs"), "{short}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn read_of_a_file_that_is_not_there_is_an_error_of_the_tool() {
    let library = Library::new();
    let file = library.path("nowhere.bcp");
    let said = library.failure("read_bcp_file", &json!({"path": file}));
    assert!(said.contains("nowhere.bcp"), "{said}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn read_of_something_else_is_an_error_of_the_tool() {
    let library = Library::new();
    let file = library.path("notes.txt");
    let said = library.failure("read_bcp_file", &json!({"path": file}));
    assert!(said.contains(".bcp"), "{said}");
    let broken = library.path("role_9.bcp");
    let said = library.failure("read_bcp_file", &json!({"path": broken}));
    assert!(said.contains("block 0"), "{said}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspect_returns_what_the_command_prints() {
    let library = Library::new();
    let file = library.path("20_all.bcp");
    let text = library.text("inspect_bcp_file", &json!({"path": file}));
    let printed = Library::printed(&["inspect", &file]);
    assert_eq!(text.trim_end(), printed.trim_end());
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn encode_makes_a_file_that_is_valid() {
    let library = Library::new();
    let (manifest, out) = (library.path("rep.json"), library.path("made.bcp"));
    let arguments = json!({"manifest_path": manifest, "output_path": out});
    let text = library.text("encode_bcp_file", &arguments);
    assert!(text.contains("made.bcp"), "{text}");
    // The output of `stats` is part of the answer.
    assert!(text.contains("Blocks:"), "{text}");
    Library::printed(&["validate", &out]);
    assert_eq!(fs::metadata(&out).expect("it is there").len(), 1608);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn encode_with_compress_makes_a_smaller_file() {
    let library = Library::new();
    let (manifest, out) = (library.path("rep.json"), library.path("made.bcp"));
    let arguments = json!({"manifest_path": manifest, "output_path": out, "compress": true});
    library.text("encode_bcp_file", &arguments);
    Library::printed(&["validate", &out]);
    assert_eq!(fs::metadata(&out).expect("it is there").len(), 160);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_method_that_it_does_not_have_is_not_found() {
    let library = Library::new();
    // It has tools only. The modern TypeScript SDK knows that and sends no such request.
    for (language, era) in [
        (Language::TypeScript, Era::Legacy),
        (Language::Python, Era::Legacy),
        (Language::Python, Era::Modern),
    ] {
        let told = Sdk { language, era }.run(&[("prompts/list", "{}")], &library.words());
        assert_eq!(told.results[0]["error"], -32601, "{language:?} {era:?}");
    }
    let mut raw = Raw::start(&library);
    let answer = raw.ask(r#"{"jsonrpc":"2.0","id":7,"method":"no/such","params":{}}"#);
    assert_eq!(answer["id"], 7);
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn what_is_no_json_does_not_end_it() {
    let library = Library::new();
    let mut raw = Raw::start(&library);
    for line in ["{ not json", "\u{1}\u{2}", r#"{"jsonrpc":"2.0","#] {
        raw.say(line);
    }
    raw.say(r#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#);
    // It may answer an unreadable message without an id.
    let answer = std::iter::repeat_with(|| raw.hear())
        .take(5)
        .find(|answer| answer["id"] == 8);
    assert_eq!(answer.expect("it goes on")["result"], json!({}));
    let (code, stderr) = raw.close();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(!stderr.is_empty(), "it is logged");
    assert!(!stderr.contains("panicked"), "{stderr}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn ping_has_an_empty_result() {
    let library = Library::new();
    let (mut client, _) = stdio::start(&library.words());
    assert_eq!(client.call("ping", "{}"), "{}");
    let sdk = Sdk {
        language: Language::TypeScript,
        era: Era::Legacy,
    };
    let told = sdk.run(&[("ping", "{}")], &library.words());
    assert_eq!(told.results, [json!({})]);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn it_ends_well_when_its_input_does() {
    let library = Library::new();
    let (code, stderr) = Raw::start(&library).close();
    assert_eq!(code, Some(0), "{stderr}");
    // The same without any message.
    let (code, stderr) = Raw::spawn(&library).close();
    assert_eq!(code, Some(0), "{stderr}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_reads_a_file_in_both_eras() {
    let library = Library::new();
    let path = format!("path={}", library.path("20_all.bcp"));
    let printed = Library::printed(&["decode", &library.path("20_all.bcp"), "--mode", "md"]);
    for era in ["legacy", "modern"] {
        let shown = inspector::inspector(
            &library.words(),
            &[
                "tools/call",
                "--tool-name",
                "read_bcp_file",
                "--tool-arg",
                &path,
                "--tool-arg",
                "mode=markdown",
                "--protocol-era",
                era,
            ],
        );
        let shown: Value = serde_json::from_str(&shown).expect("it prints JSON");
        let text = text_of(&shown["result"]);
        assert_eq!(text.trim_end(), printed.trim_end(), "{era}");
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn what_is_outside_its_folders_is_neither_read_nor_written() {
    let (library, other) = (Library::new(), Library::new());
    let secret = other.path("20_all.bcp");
    let said = library.failure("read_bcp_file", &json!({"path": secret}));
    assert!(said.contains("--root"), "what to do next: {said}");
    library.failure("inspect_bcp_file", &json!({"path": secret}));
    let out = other.path("made.bcp");
    let arguments = json!({"manifest_path": library.path("rep.json"), "output_path": out});
    library.failure("encode_bcp_file", &arguments);
    assert!(!fs::exists(&out).expect("the folder is ours"));
}
