//! A project, and a client that communicates with its server by lines.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use linkspan_testkit::end_within;
use serde_json::{Value, json};

/// Longer than any step takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A temporary folder.
pub struct Project {
    root: PathBuf,
    env: Vec<(String, String)>,
    flags: Vec<&'static str>,
}

impl Project {
    /// A project whose tools may all be called.
    pub fn new() -> Self {
        let mut project = Self::strict();
        project = project.env("MCPBASH_TOOL_ALLOWLIST", "*");
        project
    }

    /// A project with default settings: no tool may be called.
    pub fn strict() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let last = LAST.fetch_add(1, Ordering::Relaxed);
        let name = format!("mcp-bash-{}-{last}", std::process::id());
        let root = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(name)
            .join("my-project");
        make(&root);
        let root = root.canonicalize().expect("it is there");
        let project = Self {
            root,
            env: Vec::new(),
            flags: Vec::new(),
        };
        project.file("server.d/server.meta.json", "{}")
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub fn file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        self.write(path, text);
        self
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        make(path.parent().expect("it lies in the project"));
        fs::write(&path, text).expect("a file can be written");
        set_mode(&path, 0o644);
    }

    pub fn program(self, path: &str, text: &str) -> Self {
        let project = self.file(path, text);
        project.mode(path, 0o755);
        project
    }

    pub fn mode(&self, path: &str, mode: u32) {
        set_mode(&self.root.join(path), mode);
    }

    /// A tool with one script; its metadata has its name and `more`.
    pub fn tool(self, name: &str, script: &str, more: Value) -> Self {
        let mut about = json!({"name": name, "description": "d"});
        for (key, value) in more.as_object().expect("it is an object") {
            about[key] = value.clone();
        }
        let script = format!("#!/usr/bin/env bash\n{script}\n");
        self.program(&format!("tools/{name}/tool.sh"), &script)
            .file(&format!("tools/{name}/tool.meta.json"), about.to_string())
    }

    /// A tool whose script sources mcp-bash's SDK.
    pub fn sdk_tool(self, name: &str, script: &str) -> Self {
        let script = format!("set -euo pipefail\nsource \"${{MCP_SDK}}/tool-sdk.sh\"\n{script}");
        self.tool(name, &script, json!({}))
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Starts the server without a watch.
    pub fn unwatched(mut self) -> Self {
        self.flags.push("--no-watch");
        self
    }

    /// The server before the handshake.
    pub fn start(&self) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkspan"));
        command
            .arg("serve")
            .args(&self.flags)
            .arg(&self.root)
            .current_dir("/")
            .env_remove("RUST_LOG")
            .envs(self.env.iter().map(|(n, v)| (n, v)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let (said, lines) = mpsc::sync_channel(1024);
        let stdout = BufReader::new(child.stdout.take().expect("it has a stdout"));
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let json = serde_json::from_str(&line);
                let json = json.unwrap_or_else(|e| panic!("no JSON: {e}: {line}"));
                if said.send(json).is_err() {
                    return;
                }
            }
        });
        Server {
            stdin: child.stdin.take(),
            child,
            lines,
            last: 0,
            notes: Vec::new(),
        }
    }

    /// Its server, ready.
    pub fn serve(&self) -> Server {
        self.serve_for(json!({}))
    }

    /// The server after the handshake with these client capabilities.
    pub fn serve_for(&self, capabilities: Value) -> Server {
        let mut server = self.start();
        server.ask("initialize", json!({"capabilities": capabilities}));
        server.tell("notifications/initialized", json!({}));
        for _ in 0..3 {
            let news = server.next();
            assert!(method(&news).ends_with("/list_changed"), "{news}");
        }
        server
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.root.parent().unwrap_or(&self.root));
    }
}

pub struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    last: u64,
    /// Messages that arrived while an answer was awaited.
    pub notes: Vec<Value>,
}

impl Server {
    pub fn line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("it is open");
        writeln!(stdin, "{line}").expect("it listens");
    }

    pub fn send(&mut self, message: Value) {
        self.line(&message.to_string());
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The next message.
    pub fn next(&mut self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("it says nothing")
    }

    /// Sends a request; returns its id.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Waits for the answer to a request; other messages go into `notes`.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let said = self.next();
            if said["id"] == id && said.get("method").is_none() {
                return said;
            }
            self.notes.push(said);
        }
    }

    /// Waits for a request or notification; other messages go into `notes`.
    pub fn hear(&mut self, wanted: &str) -> Value {
        loop {
            let said = self.next();
            if method(&said) == wanted {
                return said;
            }
            self.notes.push(said);
        }
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Sends a request that must fail; returns code and message.
    pub fn fails(&mut self, method: &str, params: Value) -> (i64, String) {
        let error = self.error(method, params);
        let message = error["message"].as_str().unwrap_or_default().to_owned();
        (error["code"].as_i64().expect("a code"), message)
    }

    pub fn error(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_some(), "{method}: {answer}");
        answer["error"].clone()
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The text of a tool's result.
    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        text_of(&result).to_owned()
    }

    /// The contents of a resource.
    pub fn read(&mut self, uri: &str) -> Value {
        let result = self.ask("resources/read", json!({"uri": uri}));
        result["contents"][0].clone()
    }

    /// Closes stdin.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Closes stdin; returns the remaining messages and the exit code.
    pub fn end(mut self) -> (Vec<Value>, i32) {
        self.close_stdin();
        self.wait()
    }

    /// Waits for the end of the process.
    pub fn wait(mut self) -> (Vec<Value>, i32) {
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(said) => rest.push(said),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end"),
            }
        }
        (
            rest,
            self.child
                .wait()
                .expect("it has ended")
                .code()
                .expect("a code"),
        )
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stdin = None;
        end_within(Duration::from_secs(2), &mut self.child);
    }
}

pub fn method(message: &Value) -> &str {
    message["method"].as_str().unwrap_or_default()
}

/// The text of a result.
fn text_of(result: &Value) -> &str {
    let text = result["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text: {result}"))
}

/// Makes a folder that others cannot write, whatever the tester's umask.
fn make(folder: &Path) {
    if !folder.exists() {
        make(folder.parent().expect("it has a parent"));
        fs::create_dir(folder).expect("a folder can be made");
        set_mode(folder, 0o755);
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
}
