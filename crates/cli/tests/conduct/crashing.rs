//! However a component ends, every pending request is answered with its name and the reason, and all
//! processes end.

use linkspan_testkit::{Message, Player, Stage};

use crate::setup::{INITIALIZE, Played, conduct, forward_start, pass, played, waiting};

/// The last stderr output of the crashing component.
const LAST_WORDS: &str = "the quay is closed";

/// The components that crash.
const VICTIMS: [&str; 3] = ["the agent", "proxy[0]", "proxy[1]"];

fn victim<'a>(chain: &'a Played, who: &str) -> &'a Player {
    match who {
        "the agent" => &chain.agent,
        "proxy[0]" => &chain.proxies[0],
        _ => &chain.proxies[1],
    }
}

/// Sends requests that stay pending: two of the editor, one of each component. Returns once each peer has
/// received them.
fn ask_around(chain: &Played) {
    for id in ["\"e-1\"", "\"e-2\""] {
        chain.editor.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"_slow"}}"#
        ));
        chain.proxies[0].heard("_slow");
    }
    // Each proxy sends a request towards the editor, and the first one also towards the agent.
    chain.proxies[0].say(r#"{"jsonrpc":"2.0","id":"up-0","method":"_up0"}"#);
    chain.editor.heard("_up0");
    chain.proxies[1].say(r#"{"jsonrpc":"2.0","id":"up-1","method":"_up1"}"#);
    chain.proxies[0].heard("proxy/successor");
    chain.proxies[0].say(
        r#"{"jsonrpc":"2.0","id":"down-0","method":"proxy/successor","params":{"method":"_down0"}}"#,
    );
    chain.proxies[1].heard("_down0");
    chain
        .agent
        .say(r#"{"jsonrpc":"2.0","id":"up-a","method":"_upa"}"#);
    chain.proxies[1].heard("proxy/successor");
}

#[track_caller]
fn assert_explains(error: &Message, who: &str, status: &str) {
    let text = &error.text;
    assert_eq!(error.code(), Some(-32603), "{text}");
    let data = |name| error.string_at(&["error", "data", name]);
    assert_eq!(data("component").as_deref(), Some(who), "{text}");
    assert!(
        data("command").is_some_and(|c| c.contains("play")),
        "{text}"
    );
    let exit = data("exit").unwrap_or_default();
    assert!(exit.contains(status), "{text}");
    let tail = data("stderrTail").unwrap_or_default();
    assert!(tail.contains(LAST_WORDS), "{text}");
    let message = error.string_at(&["error", "message"]).unwrap_or_default();
    assert!(message.contains(who) && message.contains(status), "{text}");
}

/// Ends each component in turn with these commands.
fn die_by(commands: &[&str], status: &str) {
    for who in VICTIMS {
        let mut chain = played(&[], 2);
        ask_around(&chain);
        let dying = victim(&chain, who);
        dying.complain(LAST_WORDS);
        for command in commands {
            dying.command(command);
        }
        // The editor's requests are answered in their order.
        for id in ["\"e-1\"", "\"e-2\""] {
            let answer = chain.editor.find("an answer", Message::is_response);
            assert_eq!(answer.id.as_deref(), Some(id), "{who}");
            assert_explains(&answer, who, status);
        }
        if who != "the agent" {
            assert_explains(&chain.agent.answer("\"up-a\""), who, status);
        }
        if who != "proxy[0]" {
            assert_explains(&chain.proxies[0].answer("\"up-0\""), who, status);
            assert_explains(&chain.proxies[0].answer("\"down-0\""), who, status);
        }
        if who != "proxy[1]" {
            assert_explains(&chain.proxies[1].answer("\"up-1\""), who, status);
        }
        assert_eq!(chain.editor.exit_code(), Some(4), "{who}");
        let said = chain.editor.stderr();
        assert!(said.contains(who) && said.contains(LAST_WORDS), "{said}");
        chain.stage.wait_until_empty();
    }
}

#[test]
fn a_component_exits_with_a_status() {
    die_by(&["exit 7"], "exit status: 7");
}

#[test]
fn a_component_exits_with_status_0() {
    die_by(&["exit 0"], "exit status: 0");
}

#[cfg(unix)]
#[test]
fn a_component_is_killed_by_a_signal() {
    die_by(&["signal 9"], "signal: 9");
    die_by(&["signal 6"], "signal: 6");
}

#[test]
fn a_component_crashes_in_the_middle_of_a_line() {
    die_by(
        &[r#"half {"jsonrpc":"2.0","id":1,"resu"#, "exit 3"],
        "exit status: 3",
    );
}

#[cfg(unix)]
#[test]
fn a_component_closes_its_stdout() {
    die_by(&["stubborn", "shut"], "signal: 15");
}

#[test]
fn a_component_leaves_a_grandchild_that_holds_stdout_open() {
    for who in VICTIMS {
        let mut chain = played(&[], 2);
        let dying = victim(&chain, who);
        dying.command("child");
        let name = match who {
            "the agent" => "agent.child",
            "proxy[0]" => "proxy0.child",
            _ => "proxy1.child",
        };
        let grandchild = chain.stage.player(name);
        ask_around(&chain);
        dying.complain(LAST_WORDS);
        dying.command("exit 5");
        for id in ["\"e-1\"", "\"e-2\""] {
            assert_explains(&chain.editor.answer(id), who, "exit status: 5");
        }
        assert_eq!(chain.editor.exit_code(), Some(4));
        grandchild.wait_until_gone();
        chain.stage.wait_until_empty();
    }
}

#[test]
fn messages_sent_before_a_crash_arrive_first() {
    let mut chain = played(&[], 0);
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":"a","method":"_a"}"#);
    let a = chain.agent.heard("_a");
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":"b","method":"_b"}"#);
    chain.agent.heard("_b");
    chain.agent.command("flood 100 10 session/update");
    crate::setup::answer(&chain.agent, &a, "1.10");
    chain.agent.command("exit 1");
    for number in 1..=100 {
        let update = chain.editor.line();
        assert!(update.contains(&format!(r#"{{"n":{number},"#)), "{update}");
    }
    assert_eq!(
        chain.editor.line(),
        r#"{"jsonrpc":"2.0","id":"a","result":1.10}"#
    );
    assert_eq!(chain.editor.answer("\"b\"").code(), Some(-32603));
    assert_eq!(chain.editor.exit_code(), Some(4));
}

#[test]
fn a_component_crashes_during_its_start() {
    for commands in [&["exit 7"][..], &["exit 0"], &["half {", "exit 1"]] {
        let chain = waiting(&[], &["D2", "D5"]);
        chain.agent.heard("initialize");
        chain
            .editor
            .send(r#"{"jsonrpc":"2.0","id":2,"method":"_behind"}"#);
        chain.agent.heard("_behind");
        chain.agent.complain(LAST_WORDS);
        for command in commands {
            chain.agent.command(command);
        }
        let mut editor = chain.editor;
        for id in ["\"begin\"", "2"] {
            let answer = editor.find("an answer", Message::is_response);
            assert_eq!(answer.id.as_deref(), Some(id));
            assert_explains(&answer, "the agent", "exit status");
        }
        assert_eq!(editor.exit_code(), Some(4));
    }
}

#[test]
fn a_command_that_does_not_exist_is_the_answer_to_initialize() {
    let stage = Stage::new();
    for (missing, who) in [(0, "proxy[0]"), (1, "proxy[1]"), (2, "the agent")] {
        let mut components = [pass("D5"), pass("D2"), stage.played("agent")];
        components[missing] = "no-such-program-anywhere --flag".to_owned();
        let mut editor = conduct(&[], &components);
        editor.send(INITIALIZE);
        let answer = editor.answer("\"begin\"");
        assert_eq!(answer.code(), Some(-32603), "{}", answer.text);
        let data = |name| answer.string_at(&["error", "data", name]);
        assert_eq!(data("component").as_deref(), Some(who));
        let command = data("command").unwrap_or_default();
        assert_eq!(command, "no-such-program-anywhere --flag");
        assert!(data("hint").is_some());
        assert_eq!(editor.exit_code(), Some(3), "{}", editor.stderr());
        assert!(editor.stderr().contains(who), "{}", editor.stderr());
    }
    stage.wait_until_empty();
}

#[test]
fn the_start_timeout_names_the_component() {
    let stage = Stage::new();
    let names = ["proxy0", "proxy1", "agent"];
    for (holder, who) in [(0, "proxy[0]"), (1, "proxy[1]"), (2, "the agent")] {
        let components = names.map(|name| stage.played(&format!("{name}-{holder}")));
        let mut editor = conduct(&["--start-timeout", "1"], &components);
        editor.send(INITIALIZE);
        for name in &names[..holder] {
            forward_start(&stage.player(&format!("{name}-{holder}")));
        }
        let answer = editor.answer("\"begin\"");
        assert_eq!(answer.code(), Some(-32603), "{}", answer.text);
        let component = answer.string_at(&["error", "data", "component"]);
        assert_eq!(component.as_deref(), Some(who), "{}", answer.text);
        assert!(answer.text.contains("initialize"), "{}", answer.text);
        assert_eq!(editor.exit_code(), Some(6), "{}", editor.stderr());
        assert!(editor.stderr().contains(who), "{}", editor.stderr());
    }
    stage.wait_until_empty();
}

#[test]
fn invalid_lines_on_stdout_are_skipped() {
    let chain = played(&[], 1);
    for player in [&chain.agent, &chain.proxies[0]] {
        player.command("noise 500");
        player.say("");
        player.say(r#"{"jsonrpc":"2.0""#);
        player.say("[]");
        player.say("7");
    }
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"_a"}"#);
    let asked = chain.proxies[0].heard("_a");
    chain.proxies[0]
        .say(r#"{"jsonrpc":"2.0","id":"p","method":"proxy/successor","params":{"method":"_b"}}"#);
    crate::setup::answer(&chain.agent, &chain.agent.heard("_b"), "1");
    assert!(chain.proxies[0].answer("\"p\"").result.is_some());
    crate::setup::answer(&chain.proxies[0], &asked, "2");
    assert_eq!(chain.editor.answer("1").result.as_deref(), Some("2"));
    assert!(
        chain.editor.unread().is_empty(),
        "noise must not reach the editor: {:?}",
        chain.editor.unread()
    );
}

#[test]
fn a_component_with_too_many_invalid_lines_is_given_up() {
    let mut chain = played(&[], 1);
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"_a"}"#);
    chain.proxies[0].heard("_a");
    chain.agent.command("noise 100000");
    let answer = chain.editor.answer("1");
    assert_eq!(answer.code(), Some(-32603), "{}", answer.text);
    let component = answer.string_at(&["error", "data", "component"]);
    assert_eq!(component.as_deref(), Some("the agent"));
    assert_eq!(chain.editor.exit_code(), Some(4));
    chain.stage.wait_until_empty();
}

#[test]
fn a_neighbour_that_does_not_read_blocks_nothing() {
    let mut chain = played(&[], 1);
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"_a"}"#);
    chain.proxies[0].heard("_a");
    chain.proxies[0].command("deaf");
    chain.proxies[0].wait_until_done("deaf");
    chain.agent.command("exit 9");
    // The proxy does not read, and every request is answered nevertheless.
    let answer = chain.editor.answer("1");
    assert_eq!(answer.code(), Some(-32603), "{}", answer.text);
    assert_eq!(chain.editor.exit_code(), Some(4));
    chain.stage.wait_until_empty();
}

#[test]
fn a_message_that_is_too_large_is_refused_and_the_chain_continues() {
    let chain = waiting(&["--max-message", "8KiB"], &["D5", "D2"]);
    chain.begin();
    let editor = &chain.editor;
    let ask = |id: &str, bytes: usize| {
        let fill = "x".repeat(bytes);
        editor.send(&format!(
            r#"{{"jsonrpc":"2.0","id":"{id}","method":"_a","params":{{"fill":"{fill}"}}}}"#
        ));
    };
    // One is too large by itself, the other only in the envelope of a proxy.
    for (id, bytes) in [("\"much\"", 20_000), ("\"just\"", 8192 - 70)] {
        ask(id.trim_matches('"'), bytes);
        let refused = editor.answer(id);
        assert_eq!(refused.code(), Some(-32600), "{}", refused.text);
        assert!(refused.text.contains("8192"), "{}", refused.text);
    }
    ask("fits", 7000);
    crate::setup::answer(&chain.agent, &chain.agent.heard("_a"), "1");
    assert!(editor.answer("\"fits\"").result.is_some());
    // An answer of the agent that is too large becomes an error too.
    ask("back", 10);
    let asked = chain.agent.heard("_a");
    crate::setup::answer(&chain.agent, &asked, &format!("\"{}\"", "y".repeat(20_000)));
    let failed = editor.answer("\"back\"");
    assert_eq!(failed.code(), Some(-32603), "{}", failed.text);
    chain.end();
}
