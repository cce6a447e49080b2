//! Resources: files, what programs make, templates, providers, subscriptions.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::served::Served;

#[track_caller]
fn read(server: &Served<'_>, uri: &str) -> Value {
    let result = server.result("resources/read", &json!({"uri": uri}));
    let contents = result["contents"].as_array().expect("contents");
    assert_eq!(contents.len(), 1, "{result}");
    assert_eq!(contents[0]["uri"], uri);
    contents[0].clone()
}

#[track_caller]
fn missing(server: &Served<'_>, uri: &str) {
    let error = server.error("resources/read", &json!({"uri": uri}));
    assert_eq!(error["code"], -32002, "{uri}: {error}");
    assert_eq!(error["data"]["uri"], uri);
}

/// A folder with one resource of each kind.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("resources/notes.txt", "one\ntwo\n\n");
    folder.write(
        "resources/notes.meta.yaml",
        "uri: quay://notes\ntitle: Notes\n",
    );
    folder.write("resources/deep/pixel.png", b"\x89PNG\r\n\x1a\n\0\xff");
    folder.write("resources/deep/pixel.meta.yaml", "uri: quay://pixel");
    folder.script(
        "resources/now.sh",
        "#!/bin/sh\n#: uri: quay://now\n#: mimeType: text/plain\necho made\n",
    );
    folder.script(
        "resources/berth.sh",
        "#!/bin/sh\n#: uriTemplate: quay://berth/{number}/{side}\n#: mimeType: application/json\n\
         printf '{\"number\":\"%s\",\"side\":\"%s\",\"uri\":\"%s\"}' \"$MCP_ARG_number\" \"$MCP_ARG_side\" \"$MCP_RESOURCE_URI\"\n",
    );
    folder.write(
        "resources/inline.meta.yaml",
        "uri: quay://inline\ntext: just this\n",
    );
    folder
}

#[test]
fn resources_are_listed_by_their_addresses() {
    let folder = folder();
    let server = folder.serve();
    let uris = server.all("resources/list", "resources", "uri");
    assert_eq!(
        uris,
        [
            "quay://inline",
            "quay://notes",
            "quay://now",
            "quay://pixel"
        ]
    );
    let templates = server.all(
        "resources/templates/list",
        "resourceTemplates",
        "uriTemplate",
    );
    assert_eq!(templates, ["quay://berth/{number}/{side}"]);
}

#[test]
fn a_file_is_read_to_its_last_newline() {
    let folder = folder();
    let server = folder.serve();
    let notes = read(&server, "quay://notes");
    assert_eq!(notes["text"], "one\ntwo\n\n");
    assert_eq!(notes["mimeType"], "text/plain");
    assert_eq!(read(&server, "quay://inline")["text"], "just this");
}

#[test]
fn binary_contents_are_blobs() {
    let folder = folder();
    let pixel = read(&folder.serve(), "quay://pixel");
    assert_eq!(pixel["mimeType"], "image/png");
    let blob = pixel["blob"].as_str().expect("base64");
    let blob = linkspan_testkit::decode_base64(blob).expect("base64");
    assert_eq!(blob, b"\x89PNG\r\n\x1a\n\0\xff");
    assert!(pixel.get("text").is_none());
}

#[test]
fn the_output_of_a_program_is_a_resource() {
    let folder = folder();
    assert_eq!(read(&folder.serve(), "quay://now")["text"], "made\n");
}

#[test]
fn a_program_gets_the_variables_of_its_template() {
    let folder = folder();
    let server = folder.serve();
    let berth = read(&server, "quay://berth/7/port");
    assert_eq!(berth["mimeType"], "application/json");
    let berth: Value = serde_json::from_str(berth["text"].as_str().expect("a text")).expect("JSON");
    assert_eq!(
        berth,
        json!({"number": "7", "side": "port", "uri": "quay://berth/7/port"})
    );
    missing(&server, "quay://berth/7");
    missing(&server, "quay://berth/7/port/more");
}

#[test]
fn an_unknown_resource_is_not_found() {
    let folder = folder();
    let server = folder.serve();
    for uri in [
        "quay://nowhere",
        "other://notes",
        "file:///etc/passwd",
        "nonsense",
    ] {
        missing(&server, uri);
    }
}

#[test]
fn a_failing_resource_program_is_an_error() {
    let folder = Folder::new();
    folder.script(
        "resources/bad.sh",
        "#!/bin/sh\n#: uri: quay://bad\necho 'the crane is stuck' >&2; exit 1\n",
    );
    let server = folder.serve();
    let error = server.error("resources/read", &json!({"uri": "quay://bad"}));
    assert!(
        error["message"].to_string().contains("the crane is stuck"),
        "{error}"
    );
}

#[test]
fn links_out_of_the_folder_are_refused() {
    let folder = folder();
    fs::write(folder.beside("secret.txt"), "secret").expect("it can be written");
    symlink(
        folder.beside("secret.txt"),
        folder.path("resources/link.txt"),
    )
    .expect("a link");
    symlink(folder.beside(""), folder.path("resources/out")).expect("a link");
    let server = folder.serve();
    let shown = server.result("resources/list", &json!({}));
    assert!(!shown.to_string().contains("link.txt"), "{shown}");
    for uri in server.all("resources/list", "resources", "uri") {
        assert_ne!(read(&server, &uri)["text"], "secret", "{uri}");
    }
}

#[test]
fn a_file_replaced_by_a_link_outside_is_not_read() {
    let folder = folder();
    fs::write(folder.beside("secret.txt"), "secret").expect("it can be written");
    let server = folder.serve_with(&["--no-watch"]);
    read(&server, "quay://notes");
    fs::remove_file(folder.path("resources/notes.txt")).expect("it is ours");
    symlink(
        folder.beside("secret.txt"),
        folder.path("resources/notes.txt"),
    )
    .expect("a link");
    let answer = server.answer_to("resources/read", &json!({"uri": "quay://notes"}));
    assert!(
        answer.error.is_some() && !answer.text.contains("secret\""),
        "{}",
        answer.text
    );
}

#[test]
fn only_files_in_roots_can_be_read() {
    let folder = folder();
    let open = folder.beside("open");
    fs::create_dir(&open).expect("a folder");
    fs::write(open.join("a b.txt"), "open").expect("a file");
    fs::write(folder.beside("closed.txt"), "closed").expect("a file");
    symlink(folder.beside("closed.txt"), open.join("link.txt")).expect("a link");
    let root = open.display().to_string();
    let server = folder.serve_with(&["--root", &root]);
    assert_eq!(
        read(&server, &format!("file://{root}/a%20b.txt"))["text"],
        "open"
    );
    for path in [
        "link.txt",
        "../closed.txt",
        "%2e%2e/closed.txt",
        "none.txt",
        "",
    ] {
        let uri = format!("file://{root}/{path}");
        let answer = server.answer_to("resources/read", &json!({"uri": uri}));
        assert!(answer.error.is_some(), "{uri}: {}", answer.text);
    }
    server.end();
    // A root inside the folder gives no access to the rest of the folder.
    folder.write(".env", "SECRET=1");
    folder.write("data/open.txt", "open");
    folder.write("data/sub/x.txt", "x");
    let data = folder.path("data").display().to_string();
    let server = folder.serve_with(&["--root", &data]);
    for path in [
        "../.env",
        "%2e%2e/.env",
        "sub/../../.env",
        "./../.env",
        "..%2f.env",
    ] {
        missing(&server, &format!("file://{data}/{path}"));
    }
    let uri = format!("file://{data}/sub/../open.txt");
    assert_eq!(read(&server, &uri)["text"], "open");
    server.end();
    // Without the flag no such file is readable.
    let other = folder.serve();
    missing(&other, &format!("file://{root}/a%20b.txt"));
}

#[test]
fn a_provider_reads_every_address_of_its_scheme() {
    let folder = Folder::new();
    folder.script(
        "providers/tide.sh",
        "#!/bin/sh\ncase $1 in\ntide://low) printf 'low: %s' \"$MCP_RESOURCE_URI\" ;;\n\
         tide://usage) exit 2 ;;\ntide://none) exit 3 ;;\ntide://secret) exit 4 ;;\n\
         tide://broken) echo 'no line' >&2; exit 5 ;;\n*) exit 6 ;;\nesac\n",
    );
    let server = folder.serve();
    assert_eq!(read(&server, "tide://low")["text"], "low: tide://low");
    missing(&server, "tide://none");
    for (uri, code) in [
        ("tide://usage", -32602),
        ("tide://secret", -32602),
        ("tide://broken", -32603),
        ("tide://huge", -32603),
    ] {
        let error = server.error("resources/read", &json!({"uri": uri}));
        assert_eq!(error["code"], code, "{uri}: {error}");
    }
}

#[test]
fn remote_schemes_are_off_by_default() {
    let folder = Folder::new();
    let server = folder.serve();
    for uri in [
        "https://example.com/",
        "git://example.com/x.git",
        "git+https://example.com/x.git",
    ] {
        missing(&server, uri);
    }
}

#[test]
fn a_subscriber_is_notified_of_changes() {
    let folder = folder();
    let server = folder.serve();
    let notes = json!({"uri": "quay://notes"});
    assert_eq!(server.result("resources/subscribe", &notes), json!({}));
    folder.write("resources/notes.txt", "three\n");
    let note = server.heard("notifications/resources/updated").json();
    assert_eq!(note["params"], notes);
    assert_eq!(read(&server, "quay://notes")["text"], "three\n");
    assert_eq!(server.result("resources/unsubscribe", &notes), json!({}));
    folder.write("resources/notes.txt", "four\n");
    linkspan_testkit::wait_until("the new text", || {
        (read(&server, "quay://notes")["text"] == "four\n").then_some(())
    });
    server.ping();
    let told = |line: &String| line.contains("resources/updated");
    assert!(!server.unread().iter().any(told), "{:?}", server.unread());
}

#[test]
fn a_tool_can_announce_a_changed_resource() {
    let folder = folder();
    folder.sh(
        "touch",
        r#"echo '{"method":"updated","params":{"uri":"quay://notes"}}' >&3
           echo '{"method":"updated","params":{"uri":"quay://now"}}' >&3; echo done"#,
    );
    let server = folder.serve();
    server.result("resources/subscribe", &json!({"uri": "quay://notes"}));
    server.text("touch", &json!({}));
    let note = server.heard("notifications/resources/updated").json();
    assert_eq!(note["params"]["uri"], "quay://notes");
    server.ping();
    let told = |line: &String| line.contains("quay://now");
    assert!(
        !server.unread().iter().any(told),
        "no client subscribed to it"
    );
}

#[test]
fn resources_of_programs_are_polled() {
    let folder = Folder::new();
    folder.script(
        "resources/state.sh",
        "#!/bin/sh\n#: uri: quay://state\ncat state.txt; echo yes > looked.txt\n",
    );
    folder.write("state.txt", "calm\n");
    let server = folder.serve();
    server.result("resources/subscribe", &json!({"uri": "quay://state"}));
    folder.wait_for("looked.txt");
    folder.write("state.txt", "storm\n");
    let note = server.heard("notifications/resources/updated").json();
    assert_eq!(note["params"]["uri"], "quay://state");
}

#[test]
fn a_subscription_to_an_unknown_resource_is_refused() {
    let folder = folder();
    let server = folder.serve();
    let error = server.error("resources/subscribe", &json!({"uri": "quay://nowhere"}));
    assert_eq!(error["code"], -32002);
}

#[test]
fn files_without_metadata_are_resources_too() {
    let folder = Folder::new();
    folder.write("resources/plain.md", "# Plain\n");
    let server = folder.serve();
    let list = server.result("resources/list", &json!({}));
    let shown = &list["resources"][0];
    assert_eq!(shown["mimeType"], "text/markdown");
    let uri = shown["uri"].as_str().expect("an address");
    assert_eq!(read(&server, uri)["text"], "# Plain\n");
}
