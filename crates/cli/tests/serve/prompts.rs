//! Prompts and completions.

use serde_json::{Value, json};

use crate::folder::Folder;

const GREET: &str = "---\ndescription: Greets\narguments:\n  - name: ship\n    description: Who comes\n    required: true\n  - name: tide\n    default: low\n---\nHello, {{ship}} and {{ ship }}! The tide is {{tide}}.\n";

fn messages(folder: &Folder, name: &str, arguments: &Value) -> Vec<(String, String)> {
    let server = folder.serve();
    let params = json!({"name": name, "arguments": arguments});
    let result = server.result("prompts/get", &params);
    let messages = result["messages"].as_array().expect("messages").iter();
    let part = |value: &Value| value.as_str().expect("a text").to_owned();
    messages
        .map(|message| (part(&message["role"]), part(&message["content"]["text"])))
        .collect()
}

fn user(text: &str) -> (String, String) {
    ("user".to_owned(), text.to_owned())
}

#[test]
fn a_text_with_front_matter_is_a_prompt() {
    let folder = Folder::new();
    folder.write("prompts/greet.md", GREET);
    let server = folder.serve();
    let list = server.result("prompts/list", &json!({}));
    let shown = &list["prompts"][0];
    assert_eq!(
        (&shown["name"], &shown["description"]),
        (&json!("greet"), &json!("Greets"))
    );
    assert_eq!(shown["arguments"][0]["name"], "ship");
    assert_eq!(shown["arguments"][0]["required"], true);
    server.end();
    let arguments = json!({"ship": "Ada"});
    assert_eq!(
        messages(&folder, "greet", &arguments),
        [user("Hello, Ada and Ada! The tide is low.")]
    );
}

#[test]
fn placeholders_are_filled_once_with_unchanged_values() {
    let folder = Folder::new();
    folder.write("prompts/greet.md", GREET);
    let odd = "line one\nline two\t\"$HOME\" `id` \\n ${ship} {{tide}} %s &";
    let arguments = json!({"ship": odd, "tide": "{{ship}}"});
    assert_eq!(
        messages(&folder, "greet", &arguments),
        [user(&format!(
            "Hello, {odd} and {odd}! The tide is {{{{ship}}}}."
        ))]
    );
}

#[test]
fn missing_required_arguments_are_refused() {
    let folder = Folder::new();
    folder.write("prompts/greet.md", GREET);
    let server = folder.serve();
    let error = server.error("prompts/get", &json!({"name": "greet"}));
    assert_eq!(error["code"], -32602);
    assert!(error["message"].to_string().contains("ship"), "{error}");
    let error = server.error("prompts/get", &json!({"name": "unknown"}));
    assert_eq!(error["code"], -32602);
}

#[test]
fn a_prompt_may_have_several_messages() {
    let folder = Folder::new();
    folder.write(
        "prompts/talk.meta.yaml",
        "messages:\n  - text: Where to, {{who}}?\n  - role: assistant\n    text: To the quay.\narguments: [{name: who}]\n",
    );
    assert_eq!(
        messages(&folder, "talk", &json!({"who": "Ada"})),
        [
            user("Where to, Ada?"),
            ("assistant".to_owned(), "To the quay.".to_owned())
        ]
    );
}

#[test]
fn a_program_can_write_a_prompt() {
    let folder = Folder::new();
    folder.script(
        "prompts/text.sh",
        "#!/bin/sh\n#: arguments: [{name: n}]\necho \"number $MCP_ARG_n\"\n",
    );
    folder.script(
        "prompts/whole.sh",
        "#!/bin/sh\necho '{\"description\":\"d\",\"messages\":[{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"hm\"}}]}'\n",
    );
    folder.script("prompts/fails.sh", "#!/bin/sh\necho 'no ink' >&2; exit 1\n");
    assert_eq!(
        messages(&folder, "text", &json!({"n": "7"})),
        [user("number 7")]
    );
    let whole = messages(&folder, "whole", &json!({}));
    assert_eq!(whole, [("assistant".to_owned(), "hm".to_owned())]);
    let server = folder.serve();
    let error = server.error("prompts/get", &json!({"name": "fails"}));
    assert!(error["message"].to_string().contains("no ink"), "{error}");
}

#[test]
fn a_prompt_can_ask_the_user() {
    let folder = Folder::new();
    folder.script(
        "prompts/ask.sh",
        "#!/bin/sh\necho '{\"id\":1,\"method\":\"elicit\",\"params\":{\"message\":\"?\",\"schema\":{\"type\":\"object\",\"properties\":{}}}}' >&3\nread -r line <&3; echo \"said $line\"\n",
    );
    let server = folder.serve();
    let id = server.id();
    server.request(&id, "prompts/get", &json!({"name": "ask"}));
    let question = server.heard("elicitation/create");
    server.respond(&question, &json!({"action": "decline"}));
    let answer = server.answer(&id).text;
    assert!(answer.contains("decline"), "{answer}");
}

fn offered(folder: &Folder, reference: &Value, argument: &str, value: &str) -> Value {
    let server = folder.serve();
    let params = json!({"ref": reference, "argument": {"name": argument, "value": value}});
    server.result("completion/complete", &params)["completion"].take()
}

#[test]
fn values_of_the_front_matter_are_offered() {
    let folder = Folder::new();
    folder.write(
        "prompts/p.md",
        "---\narguments:\n  - name: city\n    completions: [paris, park, oslo]\n---\n{{city}}\n",
    );
    let prompt = json!({"type": "ref/prompt", "name": "p"});
    let found = offered(&folder, &prompt, "city", "par");
    assert_eq!(found["values"], json!(["paris", "park"]));
    assert_eq!(found["hasMore"], false);
    assert_eq!(offered(&folder, &prompt, "other", "")["values"], json!([]));
}

#[test]
fn a_program_may_offer_values() {
    let folder = Folder::new();
    folder.write(
        "prompts/p.md",
        "---\narguments: [{name: city}, {name: land}]\n---\n{{city}}\n",
    );
    folder.script(
        "completions/p.city.sh",
        "#!/bin/sh\nprintf '[\"%s\",\"%s\"]' \"$MCP_COMPLETION_VALUE\" \"$MCP_COMPLETION_ARGUMENT\"\n",
    );
    folder.script("completions/p.land.sh", "#!/bin/sh\nseq 1 150\n");
    let prompt = json!({"type": "ref/prompt", "name": "p"});
    let found = offered(&folder, &prompt, "city", "os");
    assert_eq!(found["values"], json!(["os", "city"]));
    // MCP allows at most 100.
    let many = offered(&folder, &prompt, "land", "");
    assert_eq!(many["values"].as_array().map(Vec::len), Some(100));
    assert_eq!(many["hasMore"], true);
    assert_eq!(many["total"], 150);
}

#[test]
fn template_variables_are_completed() {
    let folder = Folder::new();
    folder.script(
        "resources/berth.sh",
        "#!/bin/sh\n#: uriTemplate: quay://berth/{n}\n#: arguments:\n#:   n: {completions: [one, two]}\necho berth\n",
    );
    let template = json!({"type": "ref/resource", "uri": "quay://berth/{n}"});
    assert_eq!(
        offered(&folder, &template, "n", "t")["values"],
        json!(["two"])
    );
}

#[test]
fn completing_an_unknown_argument_is_an_error() {
    let folder = Folder::new();
    let server = folder.serve();
    for reference in [
        json!({"type": "ref/prompt", "name": "unknown"}),
        json!({"type": "ref/resource", "uri": "quay://none/{x}"}),
        json!({"type": "ref/other", "name": "p"}),
    ] {
        let params = json!({"ref": reference, "argument": {"name": "a", "value": ""}});
        assert_eq!(
            server.error("completion/complete", &params)["code"],
            -32602,
            "{reference}"
        );
    }
}
