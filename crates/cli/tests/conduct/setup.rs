//! Chains of an editor played by the test, proxies, and an agent played by the test.

use std::ffi::OsString;

use linkspan_testkit::{Bridge, Message, Player, Stage, part};

/// The binary under test. `LINKSPAN_BIN` selects another build.
pub fn program() -> OsString {
    linkspan_testkit::program_under_test(env!("CARGO_BIN_EXE_linkspan"))
}

/// The binary under test as a component.
pub fn nested(components: &[String]) -> String {
    let program = program();
    let program = program.to_str().expect("the path of a build is text");
    let quoted = components.iter().map(|one| format!(" {}", quote(one)));
    format!(
        "{} conduct --proxy{}",
        quote(program),
        quoted.collect::<String>()
    )
}

/// One word for a shell.
pub fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// `linkspan conduct` with these flags and components; the test plays the editor.
pub fn conduct(flags: &[&str], components: &[String]) -> Bridge {
    Bridge::launch(program())
        .arg("conduct")
        .args(flags)
        .args(components)
        .start()
}

/// A proxy of that dialect (`D0` … `D5`) that forwards everything. With `!` it refuses an unknown first
/// request; without, it forwards that too, like proxies on the official crates do.
pub fn pass(dialect: &str) -> String {
    match dialect.strip_suffix('!') {
        Some(dialect) => part(&["pass", dialect, "--refuse"]),
        None => part(&["pass", dialect]),
    }
}

/// Proxies that forward everything, and an agent played by the test.
pub struct Passing {
    pub editor: Bridge,
    pub agent: Player,
    pub stage: Stage,
}

/// A started chain of these dialects.
pub fn passing(dialects: &[&str]) -> Passing {
    let chain = waiting(&[], dialects);
    chain.begin();
    chain
}

/// A started chain of these proxies.
pub fn passing_through(proxies: Vec<String>) -> Passing {
    let chain = waiting_for(&[], proxies);
    chain.begin();
    chain
}

/// A chain with flags, to which `initialize` was sent; the agent has not read it yet.
pub fn waiting(flags: &[&str], dialects: &[&str]) -> Passing {
    waiting_for(
        flags,
        dialects.iter().map(|dialect| pass(dialect)).collect(),
    )
}

fn waiting_for(flags: &[&str], mut components: Vec<String>) -> Passing {
    let stage = Stage::new();
    components.push(stage.played("agent"));
    let editor = conduct(flags, &components);
    editor.send(INITIALIZE);
    let agent = stage.player("agent");
    Passing {
        editor,
        agent,
        stage,
    }
}

/// The editor's first request.
pub const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}"#;

/// The agent's answer to `initialize`.
pub const WELCOME: &str = r#"{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}"#;

impl Passing {
    /// The agent answers `initialize`; waits until the editor has the answer.
    #[track_caller]
    pub fn begin(&self) {
        answer(&self.agent, &self.agent.heard("initialize"), WELCOME);
        let welcome = self.editor.answer("\"begin\"");
        assert!(welcome.result.is_some(), "{}", welcome.text);
    }

    /// Closes the editor's side and expects every component to end without an error.
    #[track_caller]
    pub fn end(self) {
        end(self.editor, &self.stage);
    }
}

/// Closes the editor's side; all components have to end without an error.
#[track_caller]
fn end(mut editor: Bridge, stage: &Stage) {
    editor.close_stdin();
    assert_eq!(editor.exit_code(), Some(0), "{}", editor.stderr());
    stage.wait_until_empty();
}

/// Answers a request with that result.
#[track_caller]
pub fn answer(player: &Player, request: &Message, result: &str) {
    let id = id(request);
    player.say(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
    ));
}

/// The id of a request in its original spelling.
#[track_caller]
pub fn id(request: &Message) -> &str {
    let id = request.id.as_deref();
    id.unwrap_or_else(|| panic!("this is no request: {}", request.text))
}

/// A chain in which the test plays the editor and every component.
pub struct Played {
    pub editor: Bridge,
    pub proxies: Vec<Player>,
    pub agent: Player,
    pub stage: Stage,
}

impl Played {
    /// Closes the editor's side; all components have to end without an error.
    #[track_caller]
    pub fn end(self) {
        end(self.editor, &self.stage);
    }
}

/// A started chain of that many proxies in the current dialect.
pub fn played(flags: &[&str], proxies: usize) -> Played {
    let stage = Stage::new();
    let names: Vec<String> = (0..proxies).map(|n| format!("proxy{n}")).collect();
    let mut components: Vec<String> = names.iter().map(|name| stage.played(name)).collect();
    components.push(stage.played("agent"));
    let editor = conduct(flags, &components);
    editor.send(INITIALIZE);
    let proxies: Vec<Player> = names.iter().map(|name| stage.player(name)).collect();
    let agent = stage.player("agent");
    let begun: Vec<Message> = proxies.iter().map(forward_start).collect();
    answer(&agent, &agent.heard("initialize"), WELCOME);
    for (proxy, begin) in proxies.iter().zip(&begun).rev() {
        let welcome = proxy.answer("\"start\"");
        answer(proxy, begin, welcome.result.as_deref().expect("it worked"));
    }
    assert!(editor.answer("\"begin\"").result.is_some());
    Played {
        editor,
        proxies,
        agent,
        stage,
    }
}

/// The proxy forwards its first request; returns the request to answer later.
#[track_caller]
pub fn forward_start(proxy: &Player) -> Message {
    let begin = proxy.heard("proxy/initialize");
    let params = begin.params.as_deref().expect("a beginning has parameters");
    proxy.say(&format!(
        r#"{{"jsonrpc":"2.0","id":"start","method":"proxy/successor","params":{{"method":"initialize","params":{params}}}}}"#
    ));
    begin
}
