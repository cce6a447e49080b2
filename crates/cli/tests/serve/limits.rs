//! Limits of output, concurrency and resources.

use std::fs;
use std::time::{Duration, Instant};

use linkspan_testkit::wait_until;
use serde_json::{Value, json};

use crate::folder::{Folder, LATEST};
use crate::served::{Served, text};

/// Prints the number of running instances, itself included.
const COUNT: &str = "mkdir -p running && : > running/$$; ls running | wc -l > seen.$$; sleep 0.3; rm running/$$; cat seen.$$; rm seen.$$";

fn numbers(server: &Served<'_>, tool: &str, calls: usize) -> Vec<usize> {
    let ids: Vec<_> = (0..calls).map(|_| server.begin(tool, &json!({}))).collect();
    let number = |id: &String| {
        let answer = server.answer(id).json();
        text(&answer["result"]).trim().parse().expect("a number")
    };
    ids.iter().map(number).collect()
}

#[test]
fn at_most_sixteen_calls_run_at_once() {
    let folder = Folder::with("count", COUNT);
    let server = folder.serve();
    let seen = numbers(&server, "count", 40);
    let most = seen.iter().max().expect("there were some");
    assert!((2..=16).contains(most), "{seen:?}");
}

#[test]
fn the_folder_sets_the_concurrency() {
    let folder = Folder::new();
    folder.sh_with("count", "concurrency: 1", COUNT);
    let server = folder.serve();
    assert_eq!(numbers(&server, "count", 6), [1; 6]);
}

#[test]
fn a_flag_sets_the_concurrency() {
    let folder = Folder::with("count", COUNT);
    let server = folder.serve_with(&["--concurrency", "2"]);
    assert!(numbers(&server, "count", 8).iter().all(|seen| *seen <= 2));
}

#[test]
fn a_waiting_call_can_be_cancelled() {
    let folder = Folder::new();
    folder.sh_with(
        "one",
        "concurrency: 1",
        "echo $MCP_ARG_n >> ran.txt; exec sleep 600",
    );
    let server = folder.serve();
    let first = server.begin("one", &json!({"n": 1}));
    folder.wait_for("ran.txt");
    let second = server.begin("one", &json!({"n": 2}));
    server.ping();
    server.cancel(&second);
    server.ping();
    server.cancel(&first);
    folder.wait_until_quiet();
    assert_eq!(folder.wait_for("ran.txt"), "1");
}

fn link(result: &Value) -> String {
    let content = result["content"].as_array().expect("a content");
    let link = content.iter().find(|part| part["type"] == "resource_link");
    let link = link.unwrap_or_else(|| panic!("no link in {result}"));
    link["uri"].as_str().expect("a URI").to_owned()
}

#[test]
fn large_output_is_cut_and_stored_as_a_resource() {
    let folder = Folder::new();
    folder.sh_with(
        "much",
        "maxOutputBytes: 5000",
        "echo first; i=0; while [ $i -lt 500 ]; do echo \"line number $i\"; i=$((i+1)); done; echo last",
    );
    let server = folder.serve();
    let result = server.failure("much", &json!({}));
    let said = text(&result);
    assert!(said.contains("first") && said.contains("last"), "{said}");
    assert!(said.len() < 6000, "{}", said.len());
    let whole = server.result("resources/read", &json!({"uri": link(&result)}));
    let whole = whole["contents"][0]["text"].as_str().expect("a text");
    assert!(
        whole.starts_with("first\nline number 0\n"),
        "{:.100}",
        whole
    );
    assert!(whole.ends_with("line number 499\nlast\n"));
}

#[test]
fn endless_output_is_stopped() {
    let folder = Folder::with("flood", "yes 'a line that is repeated for ever'");
    let server = folder.serve();
    let begun = Instant::now();
    let result = server.failure("flood", &json!({}));
    assert!(begun.elapsed() < Duration::from_secs(25));
    assert!(text(&result).len() < 1 << 20, "{}", text(&result).len());
    folder.wait_until_quiet();
    let peak = server.peak_memory().expect("this is Linux");
    assert!(peak < 200 << 20, "{peak}");
    server.ping();
}

#[test]
fn endless_stderr_is_discarded() {
    let folder = Folder::with(
        "flood",
        "yes 'an error that is repeated' | head -c 100000000 >&2; echo done",
    );
    let server = folder.serve();
    assert_eq!(server.text("flood", &json!({})), "done");
    let peak = server.peak_memory().expect("this is Linux");
    assert!(peak < 100 << 20, "{peak}");
}

#[test]
fn output_just_below_the_limit_passes() {
    let folder = Folder::new();
    let print = "head -c 999 /dev/zero | tr '\\0' x";
    folder.sh_with("most", "maxOutputBytes: 999", print);
    folder.sh_with("more", "maxOutputBytes: 998", print);
    let server = folder.serve();
    assert_eq!(server.text("most", &json!({})).len(), 999);
    server.failure("more", &json!({}));
}

#[test]
fn a_result_of_ten_megabytes_passes() {
    let folder = Folder::with("big", "head -c 10000000 /dev/zero | tr '\\0' x");
    let server = folder.serve();
    assert_eq!(server.text("big", &json!({})).len(), 10_000_000);
}

#[test]
fn a_full_disk_is_reported_with_the_cut_output() {
    let folder = Folder::new();
    let print = "head -c 3000000 /dev/zero | tr '\\0' x";
    folder.sh_with("much", "maxOutputBytes: 1000000", print);
    folder.sh("little", "echo little");
    // A disk of one megabyte for temporary files, if mounting is allowed; otherwise a limit of the file size.
    let mount = r#"mount -t tmpfs -o size=1m,mode=700 none "$TMPDIR""#;
    let may = std::process::Command::new("unshare")
        .args(["-rm", "sh", "-c", mount])
        .env("TMPDIR", folder.beside("home"))
        .output()
        .is_ok_and(|output| output.status.success());
    let launch = if may {
        let program = env!("CARGO_BIN_EXE_linkspan");
        let script = format!("{mount} && exec \"$@\"");
        let launch = linkspan_testkit::Bridge::launch("unshare")
            .args(["-rm", "sh", "-c", &script, "sh", program, "serve"])
            .arg(folder.root());
        launch
            .env("TMPDIR", &folder.beside("tmp").display().to_string())
            .env(
                "XDG_RUNTIME_DIR",
                &folder.beside("tmp").display().to_string(),
            )
            .env(
                "XDG_CACHE_HOME",
                &folder.beside("cache").display().to_string(),
            )
    } else {
        folder.launch_after("ulimit -f 2048; trap '' XFSZ")
    };
    let server = Served::new(&folder, launch.start());
    server.initialize(LATEST);
    for _ in 0..3 {
        let result = server.failure("much", &json!({}));
        assert!(text(&result).len() < 10_000);
    }
    assert_eq!(server.text("little", &json!({})), "little");
}

#[test]
fn without_files_to_open_calls_fail_and_later_ones_work() {
    let folder = Folder::with("slow", "sleep 0.2; echo done");
    let server = Served::new(&folder, folder.launch_after("ulimit -n 48").start());
    server.initialize(LATEST);
    let ids: Vec<_> = (0..60).map(|_| server.begin("slow", &json!({}))).collect();
    let mut worked = 0;
    for id in &ids {
        let answer = server.answer(id).json();
        // Either kind of answer: a call that could not start reports an error.
        worked += usize::from(answer["result"]["content"][0]["text"] == "done");
    }
    assert!(worked > 0);
    assert_eq!(server.text("slow", &json!({})), "done");
}

#[test]
fn calls_leave_no_files_open() {
    let folder = Folder::with("hello", "echo hello");
    folder.sh_with("late", "timeoutSecs: 1", "exec sleep 600");
    let server = folder.serve();
    server.text("hello", &json!({}));
    let before = server.open_files();
    for _ in 0..50 {
        server.text("hello", &json!({"text": "x".repeat(70_000)}));
    }
    server.failure("late", &json!({}));
    let id = server.begin("late", &json!({}));
    server.ping();
    server.cancel(&id);
    folder.wait_until_quiet();
    wait_until("as many open files as before", || {
        (server.open_files() <= before).then_some(())
    });
}

#[test]
fn calls_leave_no_temporary_files() {
    let folder = Folder::with("hello", "echo hello");
    let server = folder.serve();
    let count = || {
        let mut folders = vec![folder.beside("tmp")];
        let mut files = 0;
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(next).expect("a folder").flatten() {
                match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    true => folders.push(entry.path()),
                    false => files += 1,
                }
            }
        }
        files
    };
    server.text("hello", &json!({}));
    let before = count();
    for _ in 0..20 {
        server.text("hello", &json!({"text": "x".repeat(100_000)}));
    }
    wait_until("as many temporary files as before", || {
        (count() <= before).then_some(())
    });
}

#[test]
fn resource_limits_of_the_metadata_apply() {
    let folder = Folder::new();
    folder.sh_with("files", "limits: {openFiles: 32}", "ulimit -n");
    folder.sh_with("size", "limits: {fileSizeBytes: 1048576}", "ulimit -f");
    folder.sh_with(
        "cpu",
        "limits: {cpuSecs: 1}\ntimeoutSecs: 25",
        "while :; do :; done",
    );
    let server = folder.serve();
    assert_eq!(server.text("files", &json!({})), "32");
    assert_ne!(server.text("size", &json!({})), "unlimited");
    server.failure("cpu", &json!({}));
    folder.wait_until_quiet();
}
