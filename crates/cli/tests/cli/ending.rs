//! However a command ends, it leaves no process of its server.

use linkspan_testkit::{Bridge, Server, Signal};

use crate::setup::{Scratch, linkspan};

/// Ignores every signal that can be ignored.
const STUBBORN: &str = "trap \"\" TERM INT HUP PIPE;";

#[test]
fn the_children_of_a_server_end_with_it() {
    for how in ["", STUBBORN] {
        let scratch = Scratch::new("children");
        let (start, grandchild) = scratch.grandchild(how);
        let server = scratch.server(&start);
        assert_eq!(linkspan(&["tools", "--", "sh", &server]).code, Some(0));
        grandchild.wait_until_up();
        grandchild.assert_gone();
    }
}

#[test]
fn a_server_that_will_not_end_is_made_to() {
    let scratch = Scratch::new("stubborn");
    let (start, grandchild) = scratch.grandchild("");
    let server = scratch.server(&start);
    let line = format!("{STUBBORN} . '{server}'; while :; do sleep 1; done");
    assert_eq!(linkspan(&["tools", "--", "sh", "-c", &line]).code, Some(0));
    grandchild.wait_until_up();
    grandchild.assert_gone();
}

#[test]
fn a_timeout_leaves_nothing_behind() {
    let scratch = Scratch::new("timeout");
    let (start, grandchild) = scratch.grandchild("");
    let server = scratch.server(&format!("on_call() {{ sleep 600; }}; {start}"));
    let args = ["call", "hello", "--timeout", "1", "--", "sh", &server];
    assert_eq!(linkspan(&args).code, Some(6));
    grandchild.wait_until_up();
    grandchild.assert_gone();
}

#[test]
fn a_server_that_never_answers_leaves_nothing_behind() {
    let scratch = Scratch::new("silent");
    let (start, grandchild) = scratch.grandchild("");
    let server = scratch.server(&format!("{start} sleep 600"));
    let args = ["tools", "--timeout", "1", "--", "sh", &server];
    assert_eq!(linkspan(&args).code, Some(6));
    grandchild.wait_until_up();
    grandchild.assert_gone();
}

#[test]
fn a_server_that_dies_leaves_nothing_behind() {
    let scratch = Scratch::new("dead");
    let (start, grandchild) = scratch.grandchild("");
    let server = scratch.server(&format!("{start} exit 1"));
    assert_eq!(linkspan(&["tools", "--", "sh", &server]).code, Some(4));
    grandchild.wait_until_up();
    grandchild.assert_gone();
}

#[test]
fn a_signal_leaves_nothing_behind() {
    for (signal, code) in [(Signal::Interrupt, 130), (Signal::Terminate, 143)] {
        let scratch = Scratch::new("signal");
        let (start, grandchild) = scratch.grandchild("");
        let server = scratch.server(&format!("on_call() {{ {start} sleep 600; }}"));
        let mut command = Bridge::launch(env!("CARGO_BIN_EXE_linkspan"))
            .args(["call", "hello", "--", "sh", &server])
            .start();
        grandchild.wait_until_up();
        command.signal(signal);
        assert_eq!(command.exit_code(), Some(code));
        grandchild.assert_gone();
    }
}

#[test]
fn a_signal_ends_the_session_of_a_remote_server() {
    for (signal, code) in [(Signal::Interrupt, 130), (Signal::Terminate, 143)] {
        let server = Server::legacy().start();
        let mut command = Bridge::launch(env!("CARGO_BIN_EXE_linkspan"))
            .args(["call", "gate", "name=never", &server.url()])
            .start();
        server.wait_for_calls("gate", 1);
        command.signal(signal);
        assert_eq!(command.exit_code(), Some(code));
        assert_eq!(server.with_method("DELETE").len(), 1);
    }
}
