//! Calls that end early: cancelled, timed out, or with remaining child processes.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::folder::Folder;
use crate::served::{Served, text};

const HANG: &str = "echo begun > begun.txt; exec sleep 600";

/// Calls a tool, and cancels the call when the tool reports that it runs.
fn begin_and_cancel(server: &Served<'_>, tool: &str) {
    let id = server.begin(tool, &json!({}));
    server.folder().wait_for("begun.txt");
    server.cancel(&id);
}

#[test]
fn a_cancelled_call_has_no_answer_and_its_tool_ends() {
    let folder = Folder::with("hang", HANG);
    let server = folder.serve();
    begin_and_cancel(&server, "hang");
    folder.wait_until_quiet();
    server.ping();
    assert_eq!(server.unread(), Vec::<String>::new());
}

#[test]
fn the_cancel_file_exists_before_the_signal() {
    let folder = Folder::new();
    folder.sh_with(
        "kind",
        "graceSecs: 20",
        r#"trap 'if [ -e "$MCP_CANCEL_FILE" ]; then echo yes > seen.txt; else echo no > seen.txt; fi; exit' TERM
           [ -e "$MCP_CANCEL_FILE" ] && exit 1
           echo begun > begun.txt; while :; do sleep 0.05; done"#,
    );
    let server = folder.serve();
    begin_and_cancel(&server, "kind");
    assert_eq!(folder.wait_for("seen.txt"), "yes");
}

#[test]
fn cancellation_is_sent_on_the_control_channel() {
    let folder = Folder::new();
    folder.sh_with(
        "kind",
        "graceSecs: 20",
        r#"trap '' TERM; echo begun > begun.txt; while [ -z "$line" ]; do read -r line <&3 || exit; done; echo "$line" > heard.txt"#,
    );
    let server = folder.serve();
    begin_and_cancel(&server, "kind");
    assert!(
        folder
            .wait_for("heard.txt")
            .contains(r#""method":"cancel""#)
    );
    folder.wait_until_quiet();
}

#[test]
fn a_late_result_of_a_cancelled_call_is_dropped() {
    let folder = Folder::with(
        "late",
        "trap 'echo too late; exit 0' TERM; echo begun > begun.txt; while :; do sleep 0.02; done",
    );
    let server = folder.serve();
    begin_and_cancel(&server, "late");
    folder.wait_until_quiet();
    server.ping();
    assert_eq!(server.unread(), Vec::<String>::new());
}

#[test]
fn a_tool_that_ignores_term_is_killed() {
    let folder = Folder::with(
        "stubborn",
        "trap '' TERM INT HUP; echo begun > begun.txt; while :; do sleep 1; done",
    );
    let server = folder.serve();
    begin_and_cancel(&server, "stubborn");
    folder.wait_until_quiet();
    server.ping();
}

#[test]
fn a_cancelled_call_ends_all_descendants() {
    let folder = Folder::with(
        "family",
        "sh -c 'trap \"\" TERM; sleep 600 & wait' & (sleep 600 | cat) & setsid sleep 600 & echo begun > begun.txt; wait",
    );
    let server = folder.serve();
    begin_and_cancel(&server, "family");
    folder.wait_until_quiet();
}

#[test]
fn cancelling_an_unknown_call_is_harmless() {
    let folder = Folder::with("hello", "echo hello");
    let server = folder.serve();
    server.cancel("\"init\"");
    server.cancel("\"nothing\"");
    server.cancel("17");
    server.notify("notifications/cancelled", &json!({}));
    let id = server.begin("hello", &json!({}));
    server.answer(&id);
    server.cancel(&id);
    assert_eq!(server.text("hello", &json!({})), "hello");
}

#[test]
fn initialize_cannot_be_cancelled() {
    let folder = Folder::with("hello", "echo hello");
    let server = folder.untouched();
    let client = json!({"name": "c", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    server.request("1", "initialize", &params);
    server.cancel("1");
    assert!(server.answer("1").result.is_some());
}

#[test]
fn a_timeout_ends_the_tool_and_is_reported() {
    let folder = Folder::new();
    folder.sh_with("hang", "timeoutSecs: 1\ntimeoutHint: Ask for less.", HANG);
    let server = folder.serve();
    let begun = Instant::now();
    let result = server.failure("hang", &json!({}));
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(900), "{took:?}");
    assert!(text(&result).contains("Ask for less."), "{result}");
    let error = &result["structuredContent"]["error"];
    assert_eq!(error["type"], "timeout");
    assert_eq!(error["timeoutSecs"], 1);
    assert!(result["_meta"].get("exitCode").is_some(), "{result}");
    folder.wait_until_quiet();
}

#[test]
fn a_timeout_does_not_break_the_output_schema() {
    let folder = Folder::new();
    folder.sh_with(
        "hang",
        "timeoutSecs: 1\noutputSchema: {type: object, required: [n]}",
        HANG,
    );
    let server = folder.serve();
    let result = server.failure("hang", &json!({}));
    assert!(result.get("structuredContent").is_none(), "{result}");
}

#[test]
fn progress_gives_a_long_tool_more_time() {
    let folder = Folder::new();
    // A tool that runs for five minutes with a usual time limit of ten seconds, scaled down a hundredfold.
    folder.sh_with(
        "long",
        "timeoutSecs: 1\nprogressExtendsTimeout: true\nmaxTimeoutSecs: 30",
        r#"for i in 1 2 3 4 5 6 7 8 9 10; do echo "{\"method\":\"progress\",\"params\":{\"progress\":$i}}" >&3; sleep 0.3; done; echo done"#,
    );
    let server = folder.serve();
    assert_eq!(server.text("long", &json!({})), "done");
}

#[test]
fn progress_extends_the_timeout_up_to_a_limit() {
    let folder = Folder::new();
    folder.sh_with(
        "long",
        "timeoutSecs: 1\nprogressExtendsTimeout: true\nmaxTimeoutSecs: 2",
        r#"while :; do echo '{"method":"progress","params":{"progress":1}}' >&3; sleep 0.2; done"#,
    );
    let server = folder.serve();
    let begun = Instant::now();
    let result = server.failure("long", &json!({}));
    assert_eq!(result["structuredContent"]["error"]["type"], "timeout");
    assert!(begun.elapsed() < Duration::from_secs(15));
    folder.wait_until_quiet();
}

#[test]
fn progress_does_not_extend_the_timeout_by_default() {
    let folder = Folder::new();
    folder.sh_with(
        "long",
        "timeoutSecs: 1",
        r#"while :; do echo '{"method":"progress","params":{"progress":1}}' >&3; sleep 0.1; done"#,
    );
    let server = folder.serve();
    server.failure("long", &json!({}));
    folder.wait_until_quiet();
}

#[test]
fn a_slow_tool_blocks_no_other() {
    let folder = Folder::with("hang", HANG);
    folder.sh("quick", "echo quick");
    let server = folder.serve();
    let id = server.begin("hang", &json!({}));
    folder.wait_for("begun.txt");
    assert_eq!(server.text("quick", &json!({})), "quick");
    server.tools();
    server.ping();
    server.cancel(&id);
}

#[test]
fn grandchildren_with_open_pipes_do_not_delay_the_answer() {
    let folder = Folder::with("fork", "sleep 600 & echo parent is done");
    let server = folder.serve();
    let begun = Instant::now();
    assert_eq!(server.text("fork", &json!({})), "parent is done");
    assert!(begun.elapsed() < Duration::from_secs(20));
    folder.wait_until_quiet();
}

#[test]
fn grandchildren_that_hide_are_found() {
    for hide in [
        "setsid sleep 600 > /dev/null 2>&1 < /dev/null &",
        "(setsid sh -c 'sleep 600 & exec sleep 600' > /dev/null 2>&1 &) &",
        "(cd / && exec 3>&- && exec nohup setsid sleep 600 > /dev/null 2>&1) &",
    ] {
        let folder = Folder::with("fork", &format!("{hide}\necho done"));
        let server = folder.serve();
        assert_eq!(server.text("fork", &json!({})), "done", "{hide}");
        folder.wait_until_quiet();
    }
}

#[test]
fn grandchildren_without_an_environment_end_when_no_call_runs() {
    let hide = "env -i /usr/bin/env setsid sh -c 'echo $$ > daemon.txt; exec sleep 600' \
                > /dev/null 2>&1 < /dev/null &";
    let folder = Folder::with(
        "fork",
        &format!("{hide}\nwhile [ ! -s daemon.txt ]; do :; done; echo done"),
    );
    let server = folder.serve();
    assert_eq!(server.text("fork", &json!({})), "done");
    let pid = folder.wait_for("daemon.txt");
    let process = format!("/proc/{}", pid.trim());
    linkspan_testkit::wait_until("the end of the daemon", || {
        (!std::path::Path::new(&process).exists()).then_some(())
    });
}

#[test]
fn no_zombies_are_left() {
    let folder = Folder::with(
        "fork",
        "(sleep 0.05 &) ; setsid sh -c 'sleep 0.05' & echo done",
    );
    let server = folder.serve();
    for _ in 0..5 {
        server.text("fork", &json!({}));
    }
    let children = format!("/proc/{0}/task/{0}/children", server.pid());
    linkspan_testkit::wait_until("an end of all children", || {
        let left = std::fs::read_to_string(&children).expect("it runs");
        left.trim().is_empty().then_some(())
    });
}
