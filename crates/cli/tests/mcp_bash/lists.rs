//! Pages of lists, and list_changed notifications.

use linkspan_testkit::wait_for;
use serde_json::{Value, json};

use crate::setup::Project;

fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().into_iter().flatten();
    list.map(|entry| entry["name"].as_str().unwrap_or_default())
        .collect()
}

#[test]
fn entries_are_found_where_mcp_bash_looks() {
    let project = Project::new()
        .tool("b-tool", "true", json!({"title": "B", "timeoutSecs": 5}))
        .tool("a-tool", "true", json!({"annotations": {"readOnlyHint": true}}))
        .program("tools/inline/tool.sh", "#!/bin/sh\n# mcp: {\"name\":\"said-inline\",\"description\":\"i\"}\n")
        .program("tools/stray.sh", "#!/bin/sh\n")
        .program("tools/a-tool/smoke.sh", "#!/bin/sh\n")
        .file("resources/r.txt", "r")
        .file("resources/r.meta.json", r#"{"name":"res","uri":"file://./resources/r.txt"}"#)
        .file("resources/t.meta.json", r#"{"name":"tpl","uriTemplate":"x://{id}"}"#)
        .file("prompts/p.txt", "Hi {{who}}")
        .file(
            "prompts/p.meta.json",
            r#"{"name":"greet","arguments":{"type":"object","properties":{"who":{"type":"string"}},"required":["who"]}}"#,
        );
    let mut server = project.serve();
    let tools = server.ask("tools/list", json!({}));
    assert_eq!(names(&tools["tools"]), ["a-tool", "b-tool", "said-inline"]);
    assert_eq!(tools["_meta"]["mcpbash/total"], 3);
    assert_eq!(tools["tools"][1]["title"], "B");
    let list = server.ask("resources/list", json!({}));
    assert_eq!(names(&list["resources"]), ["res"]);
    let list = server.ask("resources/templates/list", json!({}));
    assert_eq!(
        list["resourceTemplates"],
        json!([{"name": "tpl", "uriTemplate": "x://{id}"}])
    );
    let list = server.ask("prompts/list", json!({}));
    assert_eq!(names(&list["prompts"]), ["greet"]);
    assert_eq!(list["prompts"][0]["arguments"][0]["required"], true);
}

#[test]
fn lists_have_pages_and_cursors_belong_to_one_list() {
    let mut project = Project::new();
    for n in 0..5 {
        project = project.tool(&format!("t{n}"), "true", json!({}));
    }
    let mut server = project.serve();
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let page = server.ask("tools/list", json!({"limit": 2, "cursor": cursor}));
        seen.extend(names(&page["tools"]).into_iter().map(str::to_owned));
        let next = page["nextCursor"].clone();
        if next.is_null() {
            break;
        }
        let wrong = server.fails("prompts/list", json!({"cursor": next}));
        assert_eq!(wrong, (-32602, "Invalid cursor".to_owned()));
        cursor = next;
    }
    assert_eq!(seen, ["t0", "t1", "t2", "t3", "t4"]);
}

#[test]
fn a_new_tool_is_announced_and_can_be_called() {
    let project = Project::new().tool("one", "true", json!({}));
    let mut server = project.serve();
    let project = project.tool("two", "echo two", json!({}));
    server.hear("notifications/tools/list_changed");
    // The first notification may arrive before all files are written.
    wait_for("both tools", || {
        let tools = server.ask("tools/list", json!({}));
        names(&tools["tools"]) == ["one", "two"]
    });
    assert_eq!(server.text("two", json!({})), "two\n");
    drop(project);
}

#[test]
fn tools_without_metadata_get_distinct_names() {
    let alone = Project::new().program("tools/one/tool.sh", "#!/bin/sh\necho 1\n");
    assert_eq!(alone.serve().text("tool", json!({})), "1\n");
    let both = alone.program("tools/two/tool.sh", "#!/bin/sh\necho 2\n");
    let mut server = both.serve();
    assert_eq!(server.text("one", json!({})), "1\n");
    assert_eq!(server.text("two", json!({})), "2\n");
}
