//! Runs `linkspan shrink` between a client, played by the test, and a scripted server.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use linkspan_testkit::mcp_client::META;
use linkspan_testkit::{Bridge, Children, Expose, Exposed, Launch, Message, child_program};
pub use linkspan_testkit::{LATEST, clip};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Legacy with a handshake, or modern without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    Legacy,
    Modern,
}

/// Environment variables that are cleared, so that settings of the test machine have no effect.
const SETTINGS: [&str; 3] = ["BCP_RENDER_MODE", "BCP_DETECT_THRESHOLD", "BCP_LOG_LEVEL"];

/// The binary under test.
pub fn program() -> &'static str {
    env!("CARGO_BIN_EXE_linkspan")
}

/// A temporary folder for one test.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder can be made"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in the folder.
    pub fn file(&self, name: &str) -> String {
        let path = self.0.path().join(name);
        path.to_str().expect("our names are text").to_owned()
    }

    /// Creates a file with this content.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let file = self.file(name);
        std::fs::write(&file, bytes).expect("the file can be written");
        file
    }

    /// The arguments with which the tool `say` returns exactly this result.
    pub fn saying(&self, result: impl AsRef<[u8]>) -> Value {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        json!({"file": self.write(&format!("result-{number}"), result)})
    }

    /// The file for statistics.
    pub fn stats(&self) -> PathBuf {
        self.0.path().join("stats.ndjson")
    }
}

/// The configuration of a line.
#[must_use]
pub struct Setting {
    verb: Vec<String>,
    flags: Vec<String>,
    child: Vec<String>,
    env: Vec<(String, String)>,
    client: Era,
    server: Era,
    name: String,
    pub place: Place,
}

/// A generous time box, because the machine may be busy with other tests; tests of the time box set their own.
const PATIENCE: [&str; 2] = ["--time-box", "60000"];

/// `linkspan shrink` between a legacy client and a legacy server.
pub fn shrink(flags: &[&str]) -> Setting {
    let place = Place::new();
    let stats = place.stats().to_str().expect("text").to_owned();
    let mut env: Vec<_> = SETTINGS.map(|name| (name.to_owned(), String::new())).into();
    env.push(("LINKSPAN_SHRINK_STATS".to_owned(), stats));
    Setting {
        verb: vec!["shrink".to_owned()],
        flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
        child: Vec::new(),
        env,
        client: Era::Legacy,
        server: Era::Legacy,
        name: "testkit-client".to_owned(),
        place,
    }
}

impl Setting {
    /// Another command, with its own flags.
    pub fn by(mut self, verb: &[&str]) -> Self {
        self.verb = verb.iter().map(|word| (*word).to_owned()).collect();
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Flags of the scripted server.
    pub fn child(mut self, flags: &[&str]) -> Self {
        self.child
            .extend(flags.iter().map(|flag| (*flag).to_owned()));
        self
    }

    /// A server with these tools, given as members of its list.
    pub fn tools(self, members: &str) -> Self {
        let file = self.place.write("tools", members);
        self.child(&["--tools", &file])
    }

    /// The eras of client and server.
    pub fn eras(mut self, client: Era, server: Era) -> Self {
        (self.client, self.server) = (client, server);
        match server {
            Era::Legacy => self,
            Era::Modern => self.child(&["--modern"]),
        }
    }

    /// The name in the client info.
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// The command line of the scripted server.
    pub fn server_words(&self, children: &Children) -> Vec<String> {
        let program = child_program().to_str().expect("text").to_owned();
        let watch = ["--watch".to_owned(), children.address()];
        let words = std::iter::once(program).chain(self.child.clone());
        words.chain(watch).collect()
    }

    /// Starts the processes; a legacy client completes its handshake.
    pub fn ready(self) -> Line {
        let children = Children::listen();
        let words = self.server_words(&children);
        let launch = self.launch().arg("--").args(words);
        self.begun(launch, children)
    }

    /// The same with another end of the command line.
    pub fn ready_with(self, words: &[String], children: Children) -> Line {
        let launch = self.launch().args(words);
        self.begun(launch, children)
    }

    /// The process with its flags and settings, without a server.
    pub fn launch(&self) -> Launch {
        let launch = Bridge::launch(program())
            .args(&self.verb)
            .args(self.flags())
            .within(self.place.path());
        let set = |launch: Launch, (name, value): &(String, String)| launch.env(name, value);
        self.env.iter().fold(launch, set)
    }

    /// The flags, plus a generous time box where the command has that flag and the test has not set it.
    fn flags(&self) -> Vec<&str> {
        let mut flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        if self.verb == ["shrink"] && !flags.contains(&PATIENCE[0]) {
            flags.extend(PATIENCE);
        }
        flags
    }

    fn begun(self, launch: Launch, children: Children) -> Line {
        let line = Line {
            bridge: launch.start(),
            children,
            place: self.place,
            client: self.client,
            server: self.server,
            name: self.name,
            next: Cell::new(1),
        };
        if line.client == Era::Legacy {
            line.shake_hands();
        }
        line
    }

    /// Serves over HTTP instead.
    pub fn over_http(self) -> (Exposed, Place) {
        let mut verb: Vec<&str> = self.verb.iter().map(String::as_str).collect();
        if verb == ["shrink"] {
            verb.push("--http");
        }
        let child: Vec<&str> = self.child.iter().map(String::as_str).collect();
        let exposing = Expose::child(program(), &child)
            .by(&verb)
            .flags(&self.flags());
        let set = |one: Expose, (name, value): &(String, String)| one.env(name, value);
        (self.env.iter().fold(exposing, set).start(), self.place)
    }
}

/// A client, `linkspan` and a server.
pub struct Line {
    pub bridge: Bridge,
    pub children: Children,
    pub place: Place,
    client: Era,
    server: Era,
    name: String,
    next: Cell<u64>,
}

impl Line {
    fn shake_hands(&self) {
        let params = json!({
            "protocolVersion": LATEST,
            "capabilities": {"sampling": {}, "elicitation": {}, "roots": {"listChanged": true}},
            "clientInfo": {"name": self.name, "version": "1"},
        });
        self.bridge.request("\"init\"", "initialize", &params);
        let answer = self.bridge.answer("\"init\"");
        assert!(answer.result.is_some(), "{}", answer.text);
        self.bridge
            .send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }

    /// Sends a request in the client's era; returns its id.
    pub fn send(&self, method: &str, params: &Value) -> String {
        let number = self.next.get();
        self.next.set(number + 1);
        let id = number.to_string();
        let mut params = params.clone();
        if self.client == Era::Modern {
            for (name, value) in [
                ("protocolVersion", json!("2026-07-28")),
                (
                    "clientCapabilities",
                    json!({"sampling": {}, "elicitation": {}, "roots": {}}),
                ),
                ("clientInfo", json!({"name": self.name, "version": "1"})),
            ] {
                params["_meta"][format!("{META}{name}")] = value;
            }
        }
        self.bridge.request(&id, method, &params);
        id
    }

    /// Sends a request and waits for its answer.
    pub fn ask(&self, method: &str, params: &Value) -> Message {
        self.bridge.answer(&self.send(method, params))
    }

    /// Calls a tool; returns the id of the call.
    pub fn begin(&self, tool: &str, arguments: &Value) -> String {
        self.send("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool and waits for its answer.
    pub fn call(&self, tool: &str, arguments: &Value) -> Message {
        self.bridge.answer(&self.begin(tool, arguments))
    }

    /// A result as a server of this line's era writes it.
    pub fn spelled(&self, result: &str) -> String {
        match self.server {
            Era::Legacy => result.to_owned(),
            Era::Modern => format!(r#"{{"resultType":"complete",{}"#, &result[1..]),
        }
    }

    /// The answer to a call that returns this result, as written by a legacy server.
    pub fn answer_to(&self, result: &str) -> Message {
        let result = self.spelled(result);
        self.call("say", &self.place.saying(result))
    }

    /// The answer to a call that returns this text.
    #[track_caller]
    pub fn given(&self, text: &str) -> String {
        one_text(&self.answer_to(&result_of(text)))
    }

    /// The tools in the client's list.
    #[track_caller]
    pub fn tools(&self) -> Vec<Value> {
        let answer = self.ask("tools/list", &json!({})).json();
        let tools = answer["result"]["tools"].as_array();
        tools.unwrap_or_else(|| panic!("{answer}")).clone()
    }

    /// Their names.
    #[track_caller]
    pub fn tool_names(&self) -> Vec<String> {
        let name = |tool: Value| tool["name"].as_str().expect("a name").to_owned();
        self.tools().into_iter().map(name).collect()
    }

    /// Closes stdin and waits for both processes; returns the exit code.
    pub fn end(&mut self) -> Option<i32> {
        self.bridge.close_stdin();
        let code = self.bridge.exit_code();
        self.children.wait_until_none();
        code
    }
}

/// A result with one text.
pub fn result_of(text: &str) -> String {
    json!({"content": [{"type": "text", "text": text}]}).to_string()
}

/// The only text of a result.
#[track_caller]
pub fn one_text(answer: &Message) -> String {
    let json = answer.json();
    let content = json["result"]["content"].as_array();
    let content = content.unwrap_or_else(|| panic!("no content: {}", clip(&answer.text)));
    assert_eq!(content.len(), 1, "{}", clip(&answer.text));
    let text = content[0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text: {}", clip(&answer.text)))
        .to_owned()
}

/// The `_meta` entry that describes how a result was shortened.
pub fn meta(answer: &Message) -> Value {
    answer.json()["result"]["_meta"]["linkspan/shrink"].clone()
}

/// Asserts that a result has the same bytes as its server wrote.
#[track_caller]
pub fn assert_untouched(answer: &Message, result: &str) {
    let got = answer.result.as_deref().unwrap_or(&answer.text);
    assert!(got == result, "{}\nis not\n{}", clip(got), clip(result));
}
