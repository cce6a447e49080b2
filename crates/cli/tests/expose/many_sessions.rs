//! Sessions by the thousand that their clients abandon.

use linkspan_testkit::Exposed;
use serde_json::json;

use crate::setup::{LATEST, assert_works, expose, wait_for_sessions};

const MB: usize = 1_000_000;

/// Opens sessions and abandons them.
fn abandon(exposed: &Exposed, count: usize) {
    for _ in 0..count {
        exposed.client().session(LATEST);
    }
}

#[test]
fn a_thousand_abandoned_sessions_leave_no_process_and_no_memory() {
    let exposed = expose(&["--idle-timeout", "1", "--max-sessions", "2000"], &[]);
    abandon(&exposed, 100);
    exposed.children.wait_until_none();
    let before = exposed.bridge.resident_memory();
    abandon(&exposed, 1000);
    exposed.children.wait_until_none();
    assert_eq!(exposed.children.started(), 1100, "a child for each");
    wait_for_sessions(&exposed, 0);
    if let (Some(before), Some(now)) = (before, exposed.bridge.resident_memory()) {
        let more = now.saturating_sub(before);
        assert!(more < 30 * MB, "{} MB more after 1,000 sessions", more / MB);
    }
    assert_works(&exposed.client().session(LATEST));
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn sessions_that_were_open_at_once_give_their_memory_back() {
    let exposed = expose(&[], &[]);
    let own = || {
        let memory = exposed.bridge.resident_memory().unwrap();
        memory - exposed.bridge.mapped_memory().unwrap()
    };
    assert_works(&exposed.client().session(LATEST));
    let before = own();
    let sessions: Vec<_> = (0..150).map(|_| exposed.client().session(LATEST)).collect();
    let open = own();
    assert!(open > before + 5 * MB, "{open} {before}");
    for session in sessions {
        assert_eq!(session.end(), 204);
    }
    let most = before + (open - before) / 3;
    let what = format!("at most {most} of {open} bytes, and {before} before");
    linkspan_testkit::wait_for(&what, || own() <= most);
}

#[test]
fn a_thousand_abandoned_sessions_of_one_child_leave_no_memory() {
    let exposed = expose(
        &["--share", "--idle-timeout", "1", "--max-sessions", "2000"],
        &[],
    );
    // The allocator may keep the pages of the first thousand; the second thousand must reuse them.
    abandon(&exposed, 1000);
    wait_for_sessions(&exposed, 0);
    let before = exposed.bridge.resident_memory();
    abandon(&exposed, 1000);
    wait_for_sessions(&exposed, 0);
    let started = exposed.children.started();
    assert!(started <= 4, "{started} processes");
    if let (Some(before), Some(now)) = (before, exposed.bridge.resident_memory()) {
        let more = now.saturating_sub(before);
        assert!(more < 20 * MB, "{} MB more after 1,000 sessions", more / MB);
    }
    assert_works(&exposed.client().session(LATEST));
}

#[test]
fn abandoned_calls_and_streams_leave_nothing_either() {
    let exposed = expose(&["--idle-timeout", "1"], &[]);
    for _ in 0..50 {
        let session = exposed.client().session(LATEST);
        let mut listening = session.listen();
        listening.status();
        let call = session.call("1", "gate", &json!({"name": "open"}));
        drop((listening, call));
    }
    exposed.children.open("open");
    exposed.children.wait_until_none();
    wait_for_sessions(&exposed, 0);
}
