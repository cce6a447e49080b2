use std::fs;

use super::super::testing::Folder;
use super::*;

fn full() -> Folder {
    let folder = Folder::new();
    folder.tool("a");
    folder.file("prompts/p.md", "Hello\n");
    folder.file("resources/r.txt", "one\n");
    folder.script("resources/t.sh", "#!/bin/sh\n#: uriTemplate: 't://{x}'\n");
    folder
}

fn after(change: impl FnOnce(&Folder)) -> Changed {
    let folder = full();
    let old = folder.read();
    change(&folder);
    changes(&old, &folder.read())
}

#[test]
fn equal_catalogues_have_no_changes() {
    assert!(!after(|_| {}).is_any());
}

#[test]
fn only_visible_changes_count() {
    let edited = after(|f| f.script("tools/a.sh", "#!/bin/sh\n# A tool.\necho new\n"));
    assert!(!edited.is_any());
    let described = after(|f| f.script("tools/a.sh", "#!/bin/sh\n# Another tool.\n"));
    assert_eq!(
        described,
        Changed {
            tools: true,
            ..Changed::default()
        }
    );
    let prompt = after(|f| f.file("prompts/p.md", "Hello {{name}}\n"));
    assert_eq!(
        prompt,
        Changed {
            prompts: true,
            ..Changed::default()
        }
    );
    let template = after(|f| f.script("resources/t.sh", "#!/bin/sh\n#: uriTemplate: 't://{y}'\n"));
    assert_eq!(
        template,
        Changed {
            resources: true,
            ..Changed::default()
        }
    );
    let gone = after(|f| fs::remove_file(f.path("tools/a.sh")).unwrap());
    assert!(gone.tools && !gone.resources);
}

#[test]
fn changed_contents_are_reported_by_uri() {
    let changed = after(|f| f.file("resources/r.txt", "another\n"));
    assert!(!changed.resources, "the list is the same");
    assert_eq!(changed.resource_uris.len(), 1);
    assert!(changed.resource_uris[0].ends_with("/resources/r.txt"));
    let replaced = after(|f| {
        f.file("resources/new", "one\n");
        fs::rename(f.path("resources/new"), f.path("resources/r.txt")).unwrap();
    });
    assert_eq!(replaced.resource_uris.len(), 1);
}

#[test]
fn added_and_removed_resources_are_listed_for_subscribers() {
    let new = after(|f| f.file("resources/a.txt", "new\n"));
    assert!(new.resources && new.resource_uris.len() == 1);
    assert!(new.resource_uris[0].ends_with("/resources/a.txt"));
    let gone = after(|f| fs::remove_file(f.path("resources/r.txt")).unwrap());
    assert!(gone.resources && gone.resource_uris.len() == 1);
    assert!(gone.resource_uris[0].ends_with("/resources/r.txt"));
}
