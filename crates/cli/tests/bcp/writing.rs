//! Outputs: stdin and stdout, and files that are written completely or not at all.

use std::fs;

use crate::files::{Scratch, bytes, vector};
use crate::run::{Run, bcp};

const SMALL: &str = r#"{"blocks":[{"type":"conversation","role":"user","content":"Hi"}]}"#;
const BROKEN: &str =
    r#"{"blocks":[{"type":"conversation","role":"user","content":"Hi"},{"type":"foo"}]}"#;

#[test]
fn encode_reads_stdin_and_writes_stdout() {
    let ran = Run::new(&["encode", "-", "-o", "-"]).stdin(SMALL).end();
    assert_eq!(ran.well().stdout, bytes("api", "02_conversation.bcp"));
}

#[test]
fn every_reading_command_accepts_stdin() {
    let file = vector("api", "20_all.bcp");
    for args in [
        &["decode", "FILE", "--mode", "md"][..],
        &["decode", "FILE", "--json"],
        &["inspect", "FILE"],
        &["inspect", "FILE", "--json"],
        &["validate", "FILE"],
        &["stats", "FILE", "--json"],
    ] {
        let with = |name: &'_ str| -> Vec<String> {
            let words = args.iter().map(|word| word.replace("FILE", name));
            words.collect()
        };
        let (named, piped) = (with(&file), with("-"));
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        let piped: Vec<&str> = piped.iter().map(String::as_str).collect();
        let expected = bcp(&named).well().stdout;
        let ran = Run::new(&piped).stdin(bytes("api", "20_all.bcp")).end();
        assert_eq!(
            String::from_utf8_lossy(&ran.well().stdout),
            String::from_utf8_lossy(&expected),
            "{args:?}"
        );
    }
}

#[test]
fn a_file_gets_the_text_without_an_added_newline() {
    let scratch = Scratch::new();
    let (input, out) = (vector("api", "02_conversation.bcp"), scratch.file("t.txt"));
    let args = ["decode", &input, "--mode", "minimal", "-o", &out];
    let ran = bcp(&args).well();
    assert_eq!(scratch.read("t.txt"), b"[user] Hi");
    assert!(!ran.text().contains("[user]"), "{}", ran.text());
}

#[test]
fn a_failed_encode_leaves_no_file() {
    let scratch = Scratch::new();
    let input = scratch.write("m.json", BROKEN);
    bcp(&["encode", &input, "-o", &scratch.file("o.bcp")]).failed(1);
    assert_eq!(scratch.listing(), ["m.json"]);
}

#[test]
fn a_failed_encode_keeps_the_old_file() {
    let scratch = Scratch::new();
    let input = scratch.write("m.json", BROKEN);
    let out = scratch.write("o.bcp", "as it was");
    bcp(&["encode", &input, "-o", &out]).failed(1);
    assert_eq!(scratch.read("o.bcp"), b"as it was");
    assert_eq!(scratch.listing(), ["m.json", "o.bcp"]);
}

#[test]
fn a_successful_encode_replaces_the_old_file() {
    let scratch = Scratch::new();
    let input = scratch.write("m.json", SMALL);
    let out = scratch.write("o.bcp", "as it was");
    bcp(&["encode", &input, "-o", &out]).well();
    assert_eq!(scratch.read("o.bcp"), bytes("api", "02_conversation.bcp"));
    assert_eq!(scratch.listing(), ["m.json", "o.bcp"]);
}

#[test]
fn a_failed_decode_keeps_the_old_file() {
    let scratch = Scratch::new();
    let out = scratch.write("t.txt", "as it was");
    let input = vector("malformed", "bad_magic.bcp");
    bcp(&["decode", &input, "-o", &out]).failed(1);
    assert_eq!(scratch.read("t.txt"), b"as it was");
    assert_eq!(scratch.listing(), ["t.txt"]);
}

#[test]
fn a_folder_as_target_is_refused() {
    let scratch = Scratch::new();
    let input = scratch.write("m.json", SMALL);
    fs::create_dir(scratch.file("folder")).unwrap();
    bcp(&["encode", &input, "-o", &scratch.file("folder")]).failed(1);
    assert_eq!(scratch.listing(), ["folder", "m.json"]);
}

#[test]
fn a_missing_folder_is_named() {
    let scratch = Scratch::new();
    let input = scratch.write("m.json", SMALL);
    let ran = bcp(&["encode", &input, "-o", &scratch.file("nowhere/o.bcp")]);
    assert!(ran.failed(1).contains("nowhere"), "{}", ran.stderr);
    assert_eq!(scratch.listing(), ["m.json"]);
}

#[cfg(unix)]
mod unix {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn writing_through_a_link_replaces_its_target_and_keeps_the_link() {
        let scratch = Scratch::new();
        let input = scratch.write("m.json", SMALL);
        scratch.write("real/o.bcp", "as it was");
        let link = scratch.file("link.bcp");
        symlink("real/o.bcp", &link).unwrap();
        bcp(&["encode", &input, "-o", &link]).well();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(
            scratch.read("real/o.bcp"),
            bytes("api", "02_conversation.bcp")
        );
        assert_eq!(scratch.listing(), ["link.bcp", "m.json", "real"]);
    }

    #[test]
    fn a_read_only_folder_is_an_error() {
        let scratch = Scratch::new();
        let input = scratch.write("m.json", SMALL);
        let folder = scratch.file("locked");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o555)).unwrap();
        // Root may write everywhere.
        let may = fs::write(scratch.file("locked/probe"), "").is_ok();
        let ran = bcp(&["encode", &input, "-o", &scratch.file("locked/o.bcp")]);
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        if may {
            ran.well();
        } else {
            assert!(ran.failed(1).contains("locked"), "{}", ran.stderr);
        }
    }

    #[test]
    fn a_replaced_file_keeps_its_mode() {
        let scratch = Scratch::new();
        let input = scratch.write("m.json", SMALL);
        let out = scratch.write("o.bcp", "as it was");
        fs::set_permissions(&out, Permissions::from_mode(0o640)).unwrap();
        bcp(&["encode", &input, "-o", &out]).well();
        let mode = fs::metadata(&out).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }

    #[test]
    fn a_device_is_written_and_not_replaced() {
        let scratch = Scratch::new();
        let input = scratch.write("m.json", SMALL);
        bcp(&["encode", &input, "-o", "/dev/null"]).well();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
