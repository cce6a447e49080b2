//! Resources, templates and providers.

use linkspan_testkit::wait_for;
use serde_json::json;

use crate::setup::Project;

const ITEM: &str = r#"#!/usr/bin/env bash
case "$1" in
  item://missing) exit 3 ;;
  item://bad) echo "bad address" >&2; exit 4 ;;
  item://down) exit 5 ;;
  item://odd) exit 9 ;;
esac
printf '%s %s %s\n\n' "$1" "${MCP_RESOURCE_TEMPLATE_NAME-none}" "${MCP_RESOURCE_TEMPLATE_VARS-none}"
"#;

fn project() -> Project {
    Project::new()
        .file("resources/a.txt", "one\ntwo\n\n")
        .file(
            "resources/a.meta.json",
            r#"{"name":"a","uri":"file://./resources/a.txt","mimeType":"text/x-a"}"#,
        )
        .file("resources/b.json", r#"{"b":1}"#)
        .file("resources/pixel.png", b"\x89PNG\r\n\x1a\n\0\0")
        .file(
            "resources/items.meta.json",
            r#"{"name":"items","uriTemplate":"item://{id}","mimeType":"text/plain"}"#,
        )
        .program("providers/item.sh", ITEM)
}

#[test]
fn files_are_read_by_name_and_address() {
    let project = project();
    let mut server = project.serve();
    let a = server.read("file://./resources/a.txt");
    assert_eq!(a["text"], "one\ntwo");
    assert_eq!(a["mimeType"], "text/x-a");
    let by_name = server.ask("resources/read", json!({"name": "b"}));
    assert_eq!(by_name["contents"][0]["text"], r#"{"b":1}"#);
    assert_eq!(by_name["contents"][0]["mimeType"], "application/json");
    let list = server.ask("resources/list", json!({}));
    let list = list["resources"].as_array().unwrap().clone();
    let uri = |name: &str| {
        let found = list.iter().find(|r| r["name"] == name).unwrap();
        found["uri"].as_str().unwrap().to_owned()
    };
    let pixel = server.read(&uri("pixel"));
    assert_eq!(pixel["mimeType"], "image/png");
    assert!(pixel["blob"].is_string());
    assert_eq!(
        server.fails("resources/read", json!({})),
        (-32602, "Resource name or uri required".to_owned())
    );
    for missing in [json!({"name": "none"}), json!({"uri": "nothing://x"})] {
        assert_eq!(
            server.fails("resources/read", missing),
            (-32002, "Resource not found".to_owned())
        );
    }
}

#[test]
fn files_elsewhere_are_not_read() {
    let project = project();
    std::os::unix::fs::symlink("/etc/passwd", project.path("resources/link")).unwrap();
    let link = format!("file://{}", project.path("resources/link").display());
    let mut server = project.serve();
    for uri in [
        "file:///etc/passwd",
        "file://./resources/../server.d/server.meta.json",
        &link,
    ] {
        let (code, _) = server.fails("resources/read", json!({"uri": uri}));
        assert_eq!(code, -32603, "{uri}");
    }
    let wide = project.env("MCP_RESOURCES_ROOTS", "/etc");
    let name = wide.serve().read("file:///etc/hostname");
    assert!(name["text"].is_string());
}

#[test]
fn a_project_provider_reads_matching_uris() {
    let project = project();
    let mut server = project.serve();
    let got = server.read("item://7");
    assert_eq!(got["text"], r#"item://7 items {"id":"7"}"#);
    assert_eq!(got["mimeType"], "text/plain");
    for (uri, code, message) in [
        ("item://missing", -32002, "Resource not found"),
        ("item://bad", -32602, "bad address"),
        ("item://down", -32603, "Resource fetch failed"),
        ("item://odd", -32603, "Resource provider failed"),
    ] {
        let failed = server.fails("resources/read", json!({"uri": uri}));
        assert_eq!(failed, (code, message.to_owned()), "{uri}");
    }
}

#[test]
fn a_resource_above_the_limit_is_an_error() {
    let project = project()
        .file("resources/large.txt", "x".repeat(2000))
        .env("MCPBASH_MAX_RESOURCE_BYTES", "1000");
    let failed = project
        .serve()
        .fails("resources/read", json!({"name": "large"}));
    assert_eq!(
        failed,
        (-32603, "Resource content exceeds 1000 bytes".to_owned())
    );
}

#[test]
fn subscribers_are_notified_of_changes() {
    let project = project().env("MCPBASH_RESOURCES_POLL_INTERVAL_SECS", "1");
    let mut server = project.serve();
    let uri = "file://./resources/a.txt";
    let got = server.ask("resources/subscribe", json!({"uri": uri}));
    let id = got["subscriptionId"].as_str().unwrap().to_owned();
    project.write("resources/a.txt", "three\n");
    let told = server.hear("notifications/resources/updated");
    assert_eq!(told["params"]["uri"], uri);
    assert_eq!(server.read(uri)["text"], "three");
    assert_eq!(
        server.ask("resources/unsubscribe", json!({"subscriptionId": id})),
        json!({})
    );
    assert_eq!(server.fails("resources/unsubscribe", json!({})).0, -32602);
    assert_eq!(
        server
            .fails("resources/subscribe", json!({"uri": "item://missing"}))
            .0,
        -32002
    );
}

#[test]
fn ui_pages_are_resources() {
    let project = project()
        .tool("chart", "true", json!({}))
        .file("tools/chart/ui/index.html", "<h1>Chart</h1>");
    let mut server = project.serve();
    let tools = server.ask("tools/list", json!({}));
    let uri = tools["tools"][0]["_meta"]["ui"]["resourceUri"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(uri.starts_with("ui://"), "{uri}");
    let page = server.read(&uri);
    assert_eq!(page["text"], "<h1>Chart</h1>");
    assert_eq!(page["mimeType"], "text/html;profile=mcp-app");
    let list = server.ask("resources/list", json!({}));
    let list = list["resources"].as_array().unwrap().clone();
    let listed = list.iter().find(|r| r["uri"] == uri.as_str());
    let listed = listed.unwrap_or_else(|| panic!("{list:?}"));
    assert_eq!(listed["name"], "chart");
    assert_eq!(listed["mimeType"], page["mimeType"]);
    let mut server = project.start();
    let ui = json!({"capabilities": {"extensions": {"io.modelcontextprotocol/ui": {}}}});
    let hello = server.ask("initialize", ui);
    assert!(hello["capabilities"]["extensions"]["io.modelcontextprotocol/ui"].is_object());
}

#[test]
fn a_subscription_cancelled_at_once_sends_no_notifications() {
    let project = project()
        .program(
            "providers/item.sh",
            "#!/bin/sh\ncd \"$MCPBASH_PROJECT_ROOT\"\n: >looking\n\
             until [ -e go ]; do sleep 0.05; done\ncat data\n",
        )
        .file("data", "1")
        .env("MCPBASH_RESOURCES_POLL_INTERVAL_SECS", "1");
    let mut server = project.serve();
    let id = server.request("resources/subscribe", json!({"uri": "item://1"}));
    wait_for("the provider", || project.path("looking").exists());
    server.ask("resources/unsubscribe", json!({"uri": "item://1"}));
    project.write("go", "");
    assert!(server.answer(id)["result"]["subscriptionId"].is_string());
    // A later subscription reports the same change, after a poll of its own.
    server.ask("resources/subscribe", json!({"uri": "item://2"}));
    project.write("data", "2");
    let told = server.hear("notifications/resources/updated");
    assert_eq!(told["params"]["uri"], "item://2");
    assert!(server.notes.is_empty(), "{:?}", server.notes);
}

#[test]
fn a_template_cannot_have_the_name_of_a_resource() {
    let project = Project::new()
        .file("resources/data.txt", "data")
        .file(
            "resources/one.meta.json",
            r#"{"name":"both","uri":"file://./resources/data.txt"}"#,
        )
        .file(
            "resources/many.meta.json",
            r#"{"name":"both","uriTemplate":"file:///{path}"}"#,
        )
        .file(
            "resources/free.meta.json",
            r#"{"name":"free","uriTemplate":"file:///free/{path}"}"#,
        )
        .file(
            "server.d/register.json",
            r#"{"version":1,"resourceTemplates":[{"name":"both","uriTemplate":"x://{y}"}]}"#,
        );
    let got = project.serve().ask("resources/templates/list", json!({}));
    assert_eq!(got["_meta"]["mcpbash/total"], 1, "{got}");
    assert_eq!(got["resourceTemplates"][0]["name"], "free");
}

#[test]
fn a_tool_knows_whether_its_client_shows_pages() {
    let project = Project::new().sdk_tool(
        "chart",
        "mcp_result_with_ui '' 'In words' '{\"n\":1}'; mcp_ui_uri x >&2",
    );
    let plain = project.serve().call("chart", json!({}));
    assert_eq!(plain["content"][0]["text"], "In words");
    assert_eq!(plain.get("structuredContent"), None);
    let shows = json!({"extensions": {"io.modelcontextprotocol/ui": {}}});
    let rich = project.serve_for(shows).call("chart", json!({}));
    assert_eq!(rich["structuredContent"], json!({"n": 1}));
}
