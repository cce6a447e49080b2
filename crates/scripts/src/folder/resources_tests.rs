use serde_json::json;

use super::super::catalogue::CompletionTarget;
use super::super::testing::Folder;
use super::*;

#[test]
fn a_plain_file_is_a_resource() {
    let folder = Folder::new();
    folder.file("resources/docs/a b.md", "# Hello\n");
    folder.file("resources/data", b"\x00\x01");
    folder.file("resources/notes", "text\n");
    folder.file("resources/logo.png", "x");
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    let root = folder.root().display().to_string();
    let shown: Vec<_> = catalogue
        .resources
        .iter()
        .map(|r| r.shown.clone())
        .collect();
    let file = |name: &str, uri: &str, mime: &str, size: u64| {
        json!({
            "uri": format!("file://{root}/resources/{uri}"),
            "name": name,
            "mimeType": mime,
            "size": size,
        })
    };
    assert_eq!(
        shown,
        [
            file("data", "data", "application/octet-stream", 2),
            file("docs/a b.md", "docs/a%20b.md", "text/markdown", 8),
            file("logo.png", "logo.png", "image/png", 1),
            file("notes", "notes", "text/plain", 5),
        ]
    );
    assert_eq!(
        catalogue.resources[3].read,
        Read::File(folder.path("resources/notes"))
    );
}

#[test]
fn metadata_can_set_the_uri_of_a_file() {
    let folder = Folder::new();
    folder.file("resources/guide.md", "# Guide\n");
    folder.file(
        "resources/guide.md.meta.yaml",
        "uri: docs://guide\nname: Guide\ntitle: The guide\nmimeType: text/plain\nannotations: {audience: [user], priority: 0.5}\n",
    );
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    assert_eq!(
        catalogue.resources[0].shown,
        json!({
            "uri": "docs://guide",
            "name": "Guide",
            "title": "The guide",
            "mimeType": "text/plain",
            "size": 8,
            "annotations": {"audience": ["user"], "priority": 0.5},
        })
    );
}

#[test]
fn an_executable_generates_its_contents() {
    let folder = Folder::new();
    folder.script("resources/status.json.sh", "#!/bin/sh\n# How it is.\n");
    folder.script("resources/by-id.sh", "#!/bin/sh\n#: uriTemplate: 'item://{id}/data'\n#: arguments: [{name: id, completions: [a, b]}]\n");
    folder.script("resources/by-accident.txt", "text\n");
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    assert_eq!(catalogue.resources.len(), 2);
    assert_eq!(
        catalogue.resources[1].shown,
        json!({
            "uri": "script:///status.json",
            "name": "status.json",
            "description": "How it is.",
            "mimeType": "application/json",
        })
    );
    assert!(matches!(catalogue.resources[1].read, Read::Run(_)));
    assert!(matches!(catalogue.resources[0].read, Read::File(_)));
    assert_eq!(
        catalogue.templates[0].shown,
        json!({"uriTemplate": "item://{id}/data", "name": "by-id"})
    );
    assert_eq!(
        catalogue.completions[0].target,
        CompletionTarget::Resource("item://{id}/data".to_owned())
    );
}

#[test]
fn metadata_alone_can_be_a_resource() {
    let folder = Folder::new();
    folder.file(
        "resources/hello.meta.yaml",
        "text: Hello\nuri: test://hello\n",
    );
    folder.file("resources/plain.meta.yaml", "text: Hello\n");
    folder.file(
        "resources/motd.meta.yaml",
        "uri: file:///etc/motd\nsize: 1k\n",
    );
    folder.file(
        "resources/page.meta.yaml",
        "uriTemplate: 'wiki://{page}'\nprovider: wiki\n",
    );
    folder.script("providers/wiki.sh", "#!/bin/sh\n");
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    let read: Vec<_> = catalogue
        .resources
        .iter()
        .map(|r| (r.uri.as_str(), &r.read))
        .collect();
    assert_eq!(
        read,
        [
            ("file:///etc/motd", &Read::Provider("file".to_owned())),
            ("test://hello", &Read::Text("Hello".to_owned())),
            ("text:///plain", &Read::Text("Hello".to_owned())),
        ]
    );
    assert_eq!(catalogue.resources[0].shown["size"], 1024);
    assert_eq!(
        catalogue.templates[0].read,
        Read::Provider("wiki".to_owned())
    );
}

#[test]
fn problems_have_their_line() {
    let folder = Folder::new();
    for name in ["a", "b", "c"] {
        folder.file(&format!("resources/{name}.txt"), "x");
    }
    folder.file("resources/a.meta.yaml", "title: A\nuri: no scheme\n");
    folder.file("resources/b.meta.yaml", "uriTemplate: 'b://{x}'\n");
    folder.file("resources/c.meta.yaml", "text: C\n");
    folder.file("resources/d.meta.yaml", "uri: d://x\nprovider: missing\n");
    folder.file("resources/e.meta.yaml", "uri: e://x\n");
    folder.file(
        "resources/f.meta.yaml",
        "uri: f://x\nuriTemplate: 'f://{x}'\ntext: F\n",
    );
    folder.file("resources/g.meta.yaml", "text: G\nuriTemplate: 'g://{x'\n");
    folder.file("resources/h.meta.yaml", "text: H\nprovider: file\n");
    folder.file("resources/i.meta.yaml", "uri: c://same\ntext: I\n");
    folder.file("resources/j.meta.yaml", "uri: c://same\ntext: J\n");
    let catalogue = folder.read();
    let uris: Vec<_> = catalogue.resources.iter().map(|r| r.uri.as_str()).collect();
    assert_eq!(uris.len(), 2, "{uris:?}");
    assert_eq!(uris[0], "c://same");
    assert_eq!(
        folder.problems(&catalogue),
        [
            "error resources/a.meta.yaml:2: `uri` \"no scheme\" has no scheme, such as `file:` or `notes:`",
            "error resources/b.meta.yaml:1: a plain file cannot be a template (make it a program, or give it a `uri`)",
            "warning resources/c.meta.yaml:1: `text` has no effect beside a file",
            "error resources/d.meta.yaml:2: there is no provider `missing` (put an executable `missing` into `providers/`)",
            "warning resources/e.meta.yaml: there is no file `e`, and no field defines its contents (add `text`, or a `uri` and its `provider`)",
            "error resources/f.meta.yaml:2: both `uri` and `uriTemplate` are set",
            "error resources/g.meta.yaml:2: `uriTemplate` \"g://{x\" has a `{` without a `}`",
            "error resources/h.meta.yaml:2: both `text` and `provider` define its contents",
            "warning resources/j.meta.yaml: the resource `c://same` is already resources/i.meta.yaml (it is left out; rename one of them)",
        ]
    );
}

#[test]
fn skills_are_read_and_never_run() {
    let folder = Folder::new();
    folder.file(
        "skills/pdf/SKILL.md",
        "---\nname: PDF\ndescription: Works with PDF\nlicense: MIT\n---\n# PDF\n",
    );
    folder.script("skills/pdf/scripts/fill.py", "#!/usr/bin/env python3\n");
    folder.file("skills/pdf/form.meta.yaml", "a: b\n");
    folder.file("skills/none/notes.md", "x");
    let catalogue = folder.read();
    let shown: Vec<_> = catalogue.resources.iter().map(|r| &r.shown).collect();
    assert_eq!(
        json!(shown),
        json!([
            {
                "uri": "skill://pdf/SKILL.md",
                "name": "PDF",
                "description": "Works with PDF",
                "mimeType": "text/markdown",
                "size": 65,
            },
            {"uri": "skill://pdf/form.meta.yaml", "name": "pdf/form.meta.yaml", "mimeType": "application/yaml", "size": 5},
            {"uri": "skill://pdf/scripts/fill.py", "name": "pdf/scripts/fill.py", "mimeType": "text/x-python", "size": 23},
        ])
    );
    assert!(
        catalogue
            .resources
            .iter()
            .all(|r| matches!(r.read, Read::File(_)))
    );
    assert_eq!(
        folder.problems(&catalogue),
        ["warning skills/none: is not a skill: it has no SKILL.md"]
    );
}

#[test]
fn resources_have_a_larger_depth_limit_than_tools() {
    let folder = Folder::new();
    folder.file("resources/1/2/3/4/5/6/7/a.txt", "x");
    folder.file("resources/1/2/3/4/5/6/7/8/b.txt", "x");
    let catalogue = folder.read();
    assert_eq!(catalogue.resources.len(), 1);
    assert_eq!(
        folder.problems(&catalogue),
        ["warning resources/1/2/3/4/5/6/7/8: lies more than 8 folders deep and is ignored"]
    );
}
