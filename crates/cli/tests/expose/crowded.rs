//! Clients and children that use up their share, and the requests of others meanwhile.

use linkspan_testkit::{Expose, Http};
use serde_json::json;

use crate::setup::{
    LATEST, assert_works, assert_works_for, legacy, pid, program, wait_for_sessions,
};

#[cfg(unix)]
#[test]
fn silent_connections_do_not_keep_requests_out() {
    let program = program().into_string().expect("its path is text");
    let script = r#"ulimit -n 256; exec "$0" "$@""#;
    let exposed = Expose::child("/bin/sh", &[])
        .by(&["-c", script, &program, "expose"])
        .flags(&["--header-timeout", "3600"])
        .start();
    let idle: Vec<_> = (0..400).map(|_| Http::connect(exposed.address())).collect();
    assert_works(&exposed.client().session(LATEST));
    assert_works_for(&exposed.client().modern());
    drop(idle);
}

#[cfg(unix)]
#[test]
fn a_child_that_does_not_read_has_only_its_own_client_refused() {
    let exposed = legacy();
    let stuck = exposed.client().session(LATEST);
    let signal = |how: &str, pid: u32| {
        let mut kill = std::process::Command::new("kill");
        let sent = kill.args(["-s", how, &pid.to_string()]).status();
        assert!(sent.expect("there is a `kill`").success());
    };
    let child = pid(&stuck);
    signal("STOP", child);
    let text = "x".repeat(1000);
    let note = json!({"jsonrpc": "2.0", "method": "notifications/x", "params": {"text": text}});
    let mut taken = 0;
    let mut refused = loop {
        let mut call = stuck.post(&note.to_string());
        if call.status() != 202 {
            break call;
        }
        taken += 1;
        assert!(taken < 100_000, "there is a bound");
    };
    assert_eq!(refused.status(), 503);
    assert_eq!(refused.header("retry-after").as_deref(), Some("1"));
    wait_for_sessions(&exposed, 1);
    assert_works(&exposed.client().session(LATEST));
    signal("CONT", child);
}
