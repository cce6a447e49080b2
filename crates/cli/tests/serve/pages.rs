//! Lists in pages.

use linkspan_testkit::{decode_base64, wait_until};
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::served::Served;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("server.yaml", "pageSize: 3\n");
    for n in [3, 1, 4, 0, 5, 2, 6] {
        folder.sh(&format!("t{n}"), "echo t");
        folder.write(&format!("prompts/p{n}.md"), "Hello.\n");
        folder.write(&format!("resources/r{n}.txt"), "r\n");
    }
    folder
}

fn first(server: &Served<'_>) -> (Value, String) {
    let page = server.result("tools/list", &json!({}));
    let cursor = page["nextCursor"]
        .as_str()
        .expect("there is more")
        .to_owned();
    (page, cursor)
}

/// The JSON in a cursor; base64url without padding.
fn opened(cursor: &str) -> Value {
    let mut usual = cursor.replace('-', "+").replace('_', "/");
    while !usual.len().is_multiple_of(4) {
        usual.push('=');
    }
    let bytes = decode_base64(&usual).expect("base64");
    serde_json::from_slice(&bytes).expect("a cursor is JSON")
}

#[test]
fn every_list_has_complete_sorted_pages() {
    let folder = folder();
    let server = folder.serve();
    let (page, _) = first(&server);
    assert_eq!(page["tools"].as_array().map(Vec::len), Some(3));
    assert_eq!(server.tools(), ["t0", "t1", "t2", "t3", "t4", "t5", "t6"]);
    assert_eq!(server.all("prompts/list", "prompts", "name").len(), 7);
    let uris = server.all("resources/list", "resources", "uri");
    assert!(uris.len() == 7 && uris.is_sorted(), "{uris:?}");
}

#[test]
fn the_last_page_has_no_cursor() {
    let folder = Folder::with("only", "echo only");
    let page = folder.serve().result("tools/list", &json!({}));
    assert!(page.get("nextCursor").is_none(), "{page}");
}

#[test]
fn a_cursor_has_offset_time_and_list() {
    let folder = folder();
    let (_, cursor) = first(&folder.serve());
    let cursor = opened(&cursor);
    assert_eq!(cursor["ver"], 1);
    assert_eq!(cursor["collection"], "tools");
    assert_eq!(cursor["offset"], 3);
    assert!(
        cursor["hash"].is_string() && cursor["timestamp"].is_string(),
        "{cursor}"
    );
}

#[test]
fn a_foreign_cursor_is_refused() {
    let folder = folder();
    let server = folder.serve();
    let (_, cursor) = first(&server);
    let cut = &cursor[..cursor.len() / 2];
    // {"ver":2,"collection":"tools","offset":3,"hash":"x","timestamp":"x"}
    let other = "eyJ2ZXIiOjIsImNvbGxlY3Rpb24iOiJ0b29scyIsIm9mZnNldCI6MywiaGFzaCI6IngiLCJ0aW1lc3RhbXAiOiJ4In0";
    for bad in [
        json!("bogus"),
        json!(""),
        json!("!!!"),
        json!(cut),
        json!(other),
        json!(7),
    ] {
        let error = server.error("tools/list", &json!({"cursor": bad}));
        assert_eq!(error["code"], -32602, "{bad}: {error}");
    }
    let error = server.error("prompts/list", &json!({"cursor": cursor}));
    assert_eq!(error["code"], -32602, "of another list");
}

#[test]
fn a_cursor_of_a_changed_list_is_refused() {
    let folder = folder();
    let server = folder.serve();
    let (_, cursor) = first(&server);
    folder.sh("t1x", "echo new");
    // In one page: the change could happen between two pages.
    wait_until("the new tool", || {
        let all = server.result("tools/list", &json!({"limit": 100}));
        (all["tools"].as_array().map(Vec::len) == Some(8)).then_some(())
    });
    let error = server.error("tools/list", &json!({"cursor": cursor}));
    assert_eq!(error["code"], -32602, "{error}");
}

#[test]
fn a_client_may_ask_for_smaller_pages() {
    let folder = folder();
    let page = folder.serve().result("tools/list", &json!({"limit": 2}));
    assert_eq!(page["tools"].as_array().map(Vec::len), Some(2));
    assert!(page["nextCursor"].is_string());
}
