//! A manifest can only name files of its own folder, unless the user allows others.

use crate::files::Scratch;
use crate::run::{Ran, Run, bcp};

/// A secret, and beside it a folder with a manifest that names `file`.
fn project(file: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("secret.txt", "hush");
    scratch.write("project/inside.txt", "in here");
    scratch.write("project/sub/deep.txt", "down here");
    let file = file.replace("SCRATCH", scratch.file("").trim_end_matches('/'));
    scratch.write(
        "project/m.json",
        format!(
            r#"{{"blocks":[{{"type":"document","title":"t","format":"plain","content_file":"{file}"}}]}}"#
        ),
    );
    scratch
}

fn encode(scratch: &Scratch, flags: &[&str]) -> Ran {
    let (input, out) = (scratch.file("project/m.json"), scratch.file("o.bcp"));
    let mut args = vec!["encode", &input, "-o", &out];
    args.extend(flags);
    bcp(&args)
}

/// The rendering of the written file.
fn shown(scratch: &Scratch) -> String {
    let out = scratch.file("o.bcp");
    let ran = bcp(&["decode", &out, "--mode", "minimal"]).well();
    ran.text().to_owned()
}

fn is_refused(scratch: &Scratch) {
    let ran = encode(scratch, &[]);
    let error = ran.failed(1);
    assert!(error.contains("block 0"), "{error}");
    assert!(ran.stderr.contains("--allow-outside"), "{}", ran.stderr);
    assert!(!scratch.path().join("o.bcp").exists());
}

#[test]
fn a_file_of_the_folder_is_read_in_every_spelling_of_its_path() {
    for (file, text) in [
        ("inside.txt", "in here"),
        ("./inside.txt", "in here"),
        ("sub/deep.txt", "down here"),
        ("sub/../inside.txt", "in here"),
        ("SCRATCH/project/inside.txt", "in here"),
    ] {
        let scratch = project(file);
        encode(&scratch, &[]).well();
        assert_eq!(shown(&scratch), format!("--- t ---\n{text}\n"), "{file}");
    }
}

#[test]
fn a_path_outside_is_refused() {
    for file in [
        "../secret.txt",
        "sub/../../secret.txt",
        "SCRATCH/secret.txt",
    ] {
        is_refused(&project(file));
    }
}

#[test]
fn a_file_outside_is_refused_whether_it_exists_or_not() {
    // Otherwise a manifest could probe which files exist.
    for file in ["../no-such-file.txt", "SCRATCH/no-such-file.txt"] {
        let scratch = project(file);
        let error = encode(&scratch, &[]).failed(1).to_owned();
        assert!(!error.contains("No such file"), "{error}");
    }
}

#[test]
fn the_user_may_allow_files_outside() {
    for file in ["../secret.txt", "SCRATCH/secret.txt"] {
        let scratch = project(file);
        encode(&scratch, &["--allow-outside"]).well();
        assert_eq!(shown(&scratch), "--- t ---\nhush\n", "{file}");
    }
}

#[test]
fn a_manifest_by_stdin_has_the_current_folder() {
    for (file, fine) in [("inside.txt", true), ("../secret.txt", false)] {
        let scratch = project(file);
        let manifest = scratch.read("project/m.json");
        let ran = Run::new(&["encode", "-", "-o", "-"])
            .inside(scratch.path().join("project"))
            .stdin(manifest)
            .end();
        assert_eq!(ran.code, Some(i32::from(!fine)), "{file}: {}", ran.stderr);
    }
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_out_of_the_folder_is_refused() {
        let scratch = project("link.txt");
        symlink("../secret.txt", scratch.file("project/link.txt")).unwrap();
        is_refused(&scratch);
    }

    #[test]
    fn a_file_in_a_linked_folder_outside_is_refused() {
        let scratch = project("way/secret.txt");
        symlink("..", scratch.file("project/way")).unwrap();
        is_refused(&scratch);
    }

    #[test]
    fn a_link_within_the_folder_is_followed() {
        let scratch = project("link.txt");
        symlink("sub/deep.txt", scratch.file("project/link.txt")).unwrap();
        encode(&scratch, &[]).well();
        assert_eq!(shown(&scratch), "--- t ---\ndown here\n");
    }

    #[test]
    fn a_manifest_in_a_linked_folder_can_name_files_of_that_folder() {
        let scratch = project("inside.txt");
        symlink("project", scratch.file("alias")).unwrap();
        let (input, out) = (scratch.file("alias/m.json"), scratch.file("o.bcp"));
        bcp(&["encode", &input, "-o", &out]).well();
        assert_eq!(shown(&scratch), "--- t ---\nin here\n");
    }
}
