//! stdin as a manifest or as a file, and outputs that fail.

use crate::files::{Scratch, vector};
use crate::run::{Run, bcp};

const DIFF: &str = "diff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n";

fn packed(args: &[&str], stdin: &str) -> serde_json::Value {
    let scratch = Scratch::new();
    scratch.write("a.rs", "fn main() {}\n");
    let out = scratch.file("o.bcp");
    let args = [&["encode", "-o", &out], args].concat();
    let run = Run::new(&args).inside(scratch.path()).stdin(stdin);
    run.end().well();
    bcp(&["decode", &out, "--json"]).well().json()["blocks"].take()
}

#[test]
fn piped_content_is_packed_as_its_type() {
    let blocks = packed(&["--as-files", "-"], DIFF);
    assert_eq!(blocks[0]["type"], "diff", "{blocks}");
    assert_eq!(blocks[0]["path"], "x", "{blocks}");
    let blocks = packed(&["--as-files", "-"], "#!/bin/sh\n");
    assert_eq!(blocks[0]["type"], "code", "{blocks}");
    assert_eq!(blocks[0]["path"], "stdin", "{blocks}");
    let blocks = packed(&["--as-files", "-"], r#"{"blocks":[]}"#);
    assert_eq!(blocks[0]["type"], "document", "{blocks}");
    assert_eq!(blocks[0]["title"], "stdin", "{blocks}");
}

#[test]
fn stdin_may_be_one_of_several_inputs() {
    let blocks = packed(&["a.rs", "-", "-"], "words");
    assert_eq!(blocks.as_array().map(Vec::len), Some(2), "{blocks}");
    assert_eq!(blocks[0]["path"], "a.rs");
    assert_eq!(blocks[1]["content"], "words");
}

/// 40 MB, in a process limited to 24.
#[cfg(target_os = "linux")]
#[test]
fn a_piped_manifest_is_not_kept_in_memory() {
    let block = format!(
        r#"{{"type":"document","title":"t","content":"{}"}}"#,
        "x".repeat(1 << 20)
    );
    let manifest = format!(r#"{{"blocks":[{}]}}"#, vec![&*block; 40].join(","));
    let run = Run::within_kb(24 << 10, &["encode", "-", "-o", "/dev/null"]);
    run.stdin(manifest).end().well();
}

/// Runs the command with `/dev/full` as stdout.
#[cfg(target_os = "linux")]
fn into_a_full_disk(args: &[&str]) -> (Option<i32>, String) {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_linkspan"))
        .arg("bcp")
        .args(args)
        .env_remove("BCP_RENDER_MODE")
        .stdin(std::process::Stdio::null())
        .stdout(full.expect("it is always there"))
        .output()
        .expect("the binary starts");
    (
        ran.status.code(),
        String::from_utf8_lossy(&ran.stderr).into_owned(),
    )
}

#[cfg(target_os = "linux")]
#[test]
fn a_failed_write_to_stdout_is_an_error() {
    let scratch = Scratch::new();
    let manifest = scratch.write(
        "m.json",
        r#"{"blocks":[{"type":"document","title":"t","content":"x"}]}"#,
    );
    let (file, other) = (vector("api", "20_all.bcp"), vector("api", "07_diff.bcp"));
    let out = scratch.file("o.bcp");
    for (args, code) in [
        (&["stats", &file, "--json"][..], 1),
        (&["stats", &file], 1),
        (&["validate", &file], 1),
        (&["validate", &file, "--json"], 1),
        (&["inspect", &file], 1),
        (&["inspect", &file, "--json"], 1),
        (&["decode", &file], 1),
        (&["decode", &file, "--json"], 1),
        (&["diff", &file, &other], 2),
        (&["diff", &file, &file, "--json"], 2),
        (&["encode", &manifest, "-o", &out], 1),
        (&["encode", &manifest, "-o", &out, "--json"], 1),
        (&["encode", &manifest, "-o", "-"], 1),
        (&["encode", &manifest, "-o", "-", "--compress-payload"], 1),
    ] {
        let (ended, stderr) = into_a_full_disk(args);
        assert_eq!(ended, Some(code), "{args:?}: {stderr}");
        assert!(
            stderr.starts_with("error: cannot write stdout: "),
            "{args:?}: {stderr}"
        );
        assert!(!stderr.contains("nothing was"), "{args:?}: {stderr}");
    }
    let (ended, stderr) = into_a_full_disk(&["decode", &file, "-o", "/dev/full"]);
    assert_eq!(ended, Some(1));
    assert!(stderr.contains("cannot write /dev/full: "), "{stderr}");
}

#[test]
fn a_closed_stdout_is_not_an_error() {
    let file = vector("api", "20_all.bcp");
    let other = vector("api", "07_diff.bcp");
    for (args, code) in [
        (&["inspect", &file][..], 0),
        (&["stats", &file], 0),
        (&["decode", &file], 0),
        (&["diff", &file, &other], 1),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = std::process::Command::new(env!("CARGO_BIN_EXE_linkspan"))
            .arg("bcp")
            .args(args)
            .stdout(writer)
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&ran.stderr), "", "{args:?}");
        assert_eq!(ran.status.code(), Some(code), "{args:?}");
    }
}
