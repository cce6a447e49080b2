//! Servers that start badly or slowly.

use std::path::PathBuf;
use std::time::Duration;

use linkspan_testkit::{Expose, child_program};
use serde_json::json;

use crate::setup::{assert_works_for, program};

/// A path that is this test's own and does not exist yet.
fn fresh(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("linkspan-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn a_modern_server_that_died_once_at_its_start_is_not_taken_for_a_legacy_one() {
    let mark = fresh("died-once");
    let script = r#"if [ ! -e "$0" ]; then : > "$0"; exit 3; fi; exec "$1" --modern"#;
    let child = child_program();
    let command = [
        "sh",
        "-c",
        script,
        mark.to_str().unwrap(),
        child.to_str().unwrap(),
    ];
    let exposed = Expose::command(program(), &command).start();
    let client = exposed.client().modern();
    assert_works_for(&client);
    assert_works_for(&client);
    std::fs::remove_file(mark).unwrap();
}

#[test]
fn a_slow_start_survives_the_clients_that_give_up() {
    let starts = fresh("starts");
    let script = r#"echo started >> "$0"; sleep 2; exec "$1""#;
    let child = child_program();
    let command = [
        "sh",
        "-c",
        script,
        starts.to_str().unwrap(),
        child.to_str().unwrap(),
    ];
    let exposed = Expose::command(program(), &command).start();
    let client = exposed.client().modern();
    for id in ["1", "2", "3"] {
        let call = client.call(id, "echo", &json!({}));
        // The patience of a client, not a wait for something.
        std::thread::sleep(Duration::from_millis(300));
        drop(call);
    }
    assert_works_for(&client);
    let started = std::fs::read_to_string(&starts).unwrap();
    assert_eq!(
        started.lines().count(),
        1,
        "all of them waited for the same"
    );
    std::fs::remove_file(starts).unwrap();
}
