use std::fs;

use super::super::testing::{Folder, options};
use super::*;

fn again(catalogue: &Catalogue) -> Catalogue {
    catalogue.read_again(&options()).unwrap()
}

fn full() -> Folder {
    let folder = Folder::new();
    folder.tool("a");
    folder.tool("b");
    folder.file("tools/b.meta.yaml", "title: B\n");
    folder.file(
        "prompts/p.md",
        "---\narguments: [{name: x, completions: [1]}]\n---\n{{x}}\n",
    );
    folder.file("resources/r.meta.yaml", "uri: r://r\ntext: R\n");
    folder.script("resources/t.sh", "#!/bin/sh\n#: uriTemplate: 't://{x}'\n");
    folder.file("completions/t.x.json", "[]");
    folder.script("providers/w.sh", "#!/bin/sh\n");
    folder
}

#[test]
fn an_entry_that_became_invalid_keeps_its_previous_version() {
    let folder = full();
    let first = folder.read();
    assert_eq!(first.problems, []);
    folder.file("tools/b.meta.yaml", "title: [\n");
    folder.script("tools/a.sh", "");
    folder.file("prompts/p.md", "---\nargum");
    folder.file("resources/r.meta.yaml", "uri: [\n");
    folder.script("resources/t.sh", "#!/bin/sh\n#: uriTemplate: [\n");
    folder.file("completions/t.x.json", "[");
    folder.script("providers/w.sh", "#!\n");
    let second = again(&first);
    assert_eq!(second.tools.len(), 2);
    assert_eq!(second.tools[1].shown["title"], "B");
    assert!(Arc::ptr_eq(&first.tools[0], &second.tools[0]));
    assert_eq!(second.prompts.len(), 1);
    assert_eq!((second.resources.len(), second.templates.len()), (1, 1));
    assert_eq!((second.completions.len(), second.providers.len()), (2, 1));
    let text = "can no longer be read; the previous version stays in use";
    let kept = second.problems.iter().filter(|p| p.text == text);
    assert_eq!(kept.count(), 7);
    // It stays so until the error is fixed.
    assert_eq!(again(&second).tools.len(), 2);
    folder.file("tools/b.meta.yaml", "title: New\n");
    assert_eq!(again(&second).tools[1].shown["title"], "New");
}

#[test]
fn a_removed_entry_is_removed() {
    let folder = full();
    let first = folder.read();
    fs::remove_file(folder.path("tools/a.sh")).unwrap();
    fs::remove_file(folder.path("prompts/p.md")).unwrap();
    fs::remove_file(folder.path("resources/r.meta.yaml")).unwrap();
    let second = again(&first);
    assert_eq!(second.tools.len(), 1);
    assert_eq!((second.prompts.len(), second.resources.len()), (0, 0));
}

#[test]
fn an_entry_that_became_untrusted_is_removed() {
    let folder = full();
    let first = folder.read();
    folder.mode("tools/a.sh", 0o777);
    let second = again(&first);
    assert_eq!(second.tools.len(), 1);
}

#[test]
fn an_entry_that_is_no_longer_allowed_is_removed() {
    let folder = full();
    let first = folder.read();
    folder.file("server.toml", "deny = ['b']\n");
    folder.file("tools/b.meta.yaml", "title: [\n");
    assert_eq!(again(&first).tools.len(), 1);
}

#[test]
fn a_kept_entry_gives_way_to_a_new_one_of_its_name() {
    let folder = full();
    let first = folder.read();
    folder.file("tools/b.meta.yaml", "title: [\n");
    folder.script("tools/other.sh", "#!/bin/sh\n#: name: b\n");
    let second = again(&first);
    let names: Vec<_> = second.tools.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(second.tools[1].source, folder.path("tools/other.sh"));
}

#[test]
fn an_invalid_server_file_keeps_all_entries() {
    let folder = full();
    folder.file("server.toml", "sandbox = 2\n");
    let first = folder.read();
    folder.file("server.toml", "sandbox = \n");
    folder.tool("c");
    let second = again(&first);
    assert_eq!(second.tools.len(), 2);
    assert_eq!(second.tools[0].run.sandbox.level, 2);
    assert_eq!(second.problems[0].line, Some(1));
}
