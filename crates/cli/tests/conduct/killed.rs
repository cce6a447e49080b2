//! A conductor that is killed cannot end its components; its watchdog does.

use linkspan_testkit::{Bridge, Signal, Stage, wait_for};

use crate::bridged::{PLAIN, bridged, tools};
use crate::setup::{INITIALIZE, conduct, nested, pass, played, program, quote};

#[test]
fn components_that_ignore_the_end_of_their_input_are_terminated() {
    let chain = played(&[], 2);
    let components = [&chain.proxies[0], &chain.proxies[1], &chain.agent];
    for player in components {
        player.command("stubborn");
        player.wait_until_done("stubborn");
    }
    chain.agent.command("child");
    let grandchild = chain.stage.player("agent.child");
    chain.editor.signal(Signal::Kill);
    for player in components {
        player.wait_for_eof();
    }
    grandchild.wait_until_gone();
    chain.stage.wait_until_empty();
}

#[test]
fn components_that_end_by_themselves_get_no_signal() {
    let chain = played(&[], 0);
    chain.editor.signal(Signal::Kill);
    // The killed conductor sends no signal; its end only closes the agent's stdin.
    chain.agent.wait_for_eof();
    chain.stage.wait_until_empty();
}

#[test]
fn the_components_of_a_nested_conductor_are_terminated_too() {
    let stage = Stage::new();
    let inner = nested(&[stage.played("inner")]);
    let editor = conduct(&[], &[pass("D5"), inner, stage.played("agent")]);
    editor.send(INITIALIZE);
    let inner = stage.player("inner");
    let agent = stage.player("agent");
    for player in [&inner, &agent] {
        player.command("stubborn");
        player.wait_until_done("stubborn");
    }
    editor.signal(Signal::Kill);
    stage.wait_until_empty();
}

#[test]
fn components_inherit_descriptors_of_linkspan() {
    let dir = tempfile::TempDir::new().unwrap();
    let file = dir.path().join("given");
    std::fs::write(&file, "here you are\n").unwrap();
    let stage = Stage::new();
    let reading = |name: &str| {
        let script = format!("cat /dev/fd/7 >&2; exec {}", stage.played(name));
        format!("sh -c {}", quote(&script))
    };
    // As a shell does with `<(…)`.
    let editor = Bridge::launch("sh")
        .args(["-c", r#"file=$1; shift; exec "$@" 7<"$file""#, "sh"])
        .arg(&file)
        .arg(program())
        .arg("conduct")
        .args(["first", "second", "third"].map(reading))
        .start();
    editor.send(INITIALIZE);
    for name in ["first", "second", "third"] {
        stage.player(name);
    }
    for _ in 0..3 {
        editor.wait_for_stderr("here you are");
    }
}

#[test]
fn the_folder_of_the_bridges_socket_is_removed() {
    let chain = bridged(&[], &[tools("D5", "sparkle")], PLAIN);
    let server = chain.session("s").remove(0);
    let socket = server["args"][1].as_str().expect("a path").to_owned();
    let folder = std::path::Path::new(&socket).parent().unwrap().to_owned();
    assert!(folder.is_dir());
    chain.editor.signal(Signal::Kill);
    wait_for("the end of the folder", || !folder.exists());
}
