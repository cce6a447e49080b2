//! Files for the reader server, `linkspan bcp mcp`, and ways to call it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use linkspan_testkit::end_within;
use serde_json::{Value, json};

use crate::sdk::ALL;
use crate::{installed, once};

const LIMIT: Duration = Duration::from_secs(20);

/// A folder that the server may read and write, with vectors and manifests in it.
pub struct Library(PathBuf);

impl Library {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("linkspan-library-{}-{number}", std::process::id());
        let folder = fs::canonicalize(std::env::temp_dir()).expect("a folder for temporary files");
        let library = Self(folder.join(name));
        fs::create_dir_all(&library.0).expect("a folder can be made");
        let vectors = concat!(env!("CARGO_MANIFEST_DIR"), "/../bcp/tests/vectors");
        for name in [
            "api/20_all.bcp",
            "api/21_budget.bcp",
            "malformed/role_9.bcp",
            "cli/rep.json",
        ] {
            let from = PathBuf::from(vectors).join(name);
            let to = library.0.join(from.file_name().expect("it has a name"));
            fs::copy(&from, to).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        fs::write(library.0.join("notes.txt"), "no BCP\n").expect("a file can be written");
        library
    }

    pub fn path(&self, name: &str) -> String {
        let path = self.0.join(name);
        path.to_str().expect("our names are text").to_owned()
    }

    /// The words that start the server.
    pub fn words(&self) -> Vec<String> {
        let root = self.path("");
        let words = [installed::linkspan(), "bcp", "mcp", "--root", &root];
        words.map(str::to_owned).to_vec()
    }

    /// The result of one tool call with each SDK in each era.
    fn call(&self, tool: &str, arguments: &Value) -> Vec<Value> {
        let params = json!({"name": tool, "arguments": arguments}).to_string();
        let results = ALL.map(|sdk| {
            let told = sdk.run(&[("tools/call", &params)], &self.words());
            told.results.into_iter().next().expect("one result")
        });
        results.to_vec()
    }

    /// The text that all of them get.
    pub fn text(&self, tool: &str, arguments: &Value) -> String {
        let results = self.call(tool, arguments);
        for result in &results {
            assert_ne!(result["isError"], true, "{result}");
            assert_eq!(result["content"][0]["type"], "text", "{result}");
            assert_eq!(result["content"], results[0]["content"], "eras differ");
        }
        text_of(&results[0])
    }

    /// The diagnostic that all of them get.
    pub fn failure(&self, tool: &str, arguments: &Value) -> String {
        let results = self.call(tool, arguments);
        for result in &results {
            assert_eq!(result["isError"], true, "{result}");
            assert_eq!(result["content"], results[0]["content"], "eras differ");
        }
        text_of(&results[0])
    }

    /// The output of a command, run to its end.
    pub fn printed(words: &[&str]) -> String {
        let mut command = Command::new(installed::linkspan());
        once::run("bcp", command.arg("bcp").args(words))
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn text_of(result: &Value) -> String {
    let text = result["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text in {result}"))
        .to_owned()
}

/// The server without an SDK: lines in, lines out, and its log.
pub struct Raw {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Raw {
    pub fn spawn(library: &Library) -> Self {
        let words = library.words();
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("linkspan starts");
        let stdin = child.stdin.take().expect("its input is piped");
        let stdout = child.stdout.take().expect("its output is piped");
        let (sender, lines) = sync_channel(1024);
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self {
            child,
            stdin,
            lines,
        }
    }

    /// After the handshake.
    pub fn start(library: &Library) -> Self {
        let mut raw = Self::spawn(library);
        raw.ask(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#,
        );
        raw.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        raw
    }

    pub fn say(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").expect("it reads its input");
    }

    /// The next line. If the server has exited, the test fails.
    pub fn hear(&self) -> Value {
        let line = self.lines.recv_timeout(LIMIT).expect("it answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    pub fn ask(&mut self, line: &str) -> Value {
        self.say(line);
        self.hear()
    }

    /// Closes its input, and returns its exit code and its log.
    pub fn close(mut self) -> (Option<i32>, String) {
        drop(self.stdin);
        end_within(LIMIT, &mut self.child).expect("it ends");
        let output = self.child.wait_with_output().expect("the child is ours");
        let stderr = String::from_utf8_lossy(&output.stderr);
        (output.status.code(), stderr.into_owned())
    }
}
