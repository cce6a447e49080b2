//! A folder of scripts before the official Inspector's command line.

use serde_json::Value;

use crate::folder_served::{example, on_both_ways};
use crate::inspector::inspector;
use crate::sdk::strip;

const ERAS: [&str; 2] = ["legacy", "modern"];

/// The output for one call, which has to be the same in both eras and on both transports.
fn printed(method: &[&str]) -> Value {
    let mut first: Option<Value> = None;
    on_both_ways(&example("conformance"), |target| {
        for era in ERAS {
            let mut words = method.to_vec();
            words.extend(["--protocol-era", era]);
            let printed = inspector(target, &words);
            let mut printed: Value = serde_json::from_str(&printed).expect("it prints JSON");
            strip(&mut printed["result"]);
            let result = printed["result"].take();
            match &first {
                Some(first) => assert_eq!(&result, first, "{era}, {target:?}"),
                None => first = Some(result),
            }
        }
    });
    first.expect("it ran")
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_lists_everything() {
    for (method, kind, count) in [
        ("tools/list", "tools", 30),
        ("resources/list", "resources", 3),
        ("resources/templates/list", "resourceTemplates", 1),
        ("prompts/list", "prompts", 5),
    ] {
        let list = printed(&[method]);
        let entries = list[kind].as_array().unwrap_or_else(|| panic!("{list}"));
        assert!(entries.len() >= count, "{method}: {}", entries.len());
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_calls_a_tool() {
    let result = printed(&["tools/call", "--tool-name", "test_simple_text"]);
    assert_eq!(
        result["content"][0]["text"],
        "This is a simple text response for testing."
    );
    let result = printed(&[
        "tools/call",
        "--tool-name",
        "test_x_mcp_header",
        "--tool-arg",
        "region=north",
        "--tool-arg",
        "count=3",
    ]);
    let said = result["content"][0]["text"].to_string();
    assert!(said.contains("north 3"), "{said}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_reads_a_resource() {
    let result = printed(&["resources/read", "--uri", "test://static-text"]);
    assert_eq!(
        result["contents"][0]["text"],
        "This is the content of the static text resource."
    );
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_gets_a_prompt() {
    let result = printed(&[
        "prompts/get",
        "--prompt-name",
        "test_prompt_with_arguments",
        "--prompt-args",
        "arg1=one",
        "--prompt-args",
        "arg2=two",
    ]);
    assert_eq!(
        result["messages"][0]["content"]["text"],
        "Prompt with arguments: arg1='one', arg2='two'"
    );
}
