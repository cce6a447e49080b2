//! Plays a transcript.

use crate::http;
use crate::script::{Saved, Step, read};
use crate::workspace;
use linkspan_testkit::end_within;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// How long a message is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// The line end of sent lines.
#[derive(Clone, Copy, Debug)]
pub enum LineEnd {
    Lf,
    CrLf,
}

/// The head of a transcript.
struct Setup {
    args: Vec<String>,
    env: Vec<(String, String)>,
    /// Additional `initialize` params; with `None` the transcript does the handshake itself.
    handshake: Option<Value>,
}

/// Replays the transcript of an example.
pub fn play(name: &str, end: LineEnd) {
    let workspace = workspace::copy(name);
    let dir = workspace.path().canonicalize().expect("a path");
    let text = std::fs::read_to_string(dir.join("transcript.ndjson")).expect("a transcript");
    let steps = read(&text, &dir.to_string_lossy());
    let (setup, steps) = setup(steps);
    let mut player = Player::start(&dir, &setup, end);
    if let Some(handshake) = &setup.handshake {
        player.shake_hands(handshake);
    }
    for step in &steps {
        player.step(step, &dir);
    }
    player.finish();
}

fn setup(steps: Vec<Step>) -> (Setup, Vec<Step>) {
    let mut setup = Setup {
        args: Vec::new(),
        env: Vec::new(),
        handshake: Some(json!({})),
    };
    let text = |v: &Value| v.as_str().expect("a text").to_owned();
    let rest = steps.into_iter().filter(|step| {
        match step.kind.as_str() {
            "comment" => {}
            "serve" => {
                setup.args = step
                    .value
                    .as_array()
                    .expect("a list")
                    .iter()
                    .map(text)
                    .collect()
            }
            "env" => {
                let members = step.value.as_object().expect("an object");
                setup.env = members.iter().map(|(k, v)| (k.clone(), text(v))).collect();
            }
            "handshake" => setup.handshake = step.value.is_object().then(|| step.value.clone()),
            _ => return true,
        }
        false
    });
    let rest = rest.collect();
    (setup, rest)
}

struct Player {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that arrived before a step expected them.
    waiting: Vec<Value>,
    saved: Saved,
    end: LineEnd,
    http: Option<http::Address>,
    response: Value,
}

impl Player {
    fn start(dir: &Path, setup: &Setup, end: LineEnd) -> Self {
        let over_http = setup.args.iter().any(|arg| arg == "--http");
        let mut child = Command::new(env!("CARGO_BIN_EXE_linkspan"))
            .arg("serve")
            .arg(dir)
            .args(&setup.args)
            .envs(setup.env.iter().map(|(k, v)| (k, v)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(if over_http {
                Stdio::piped()
            } else {
                Stdio::inherit()
            })
            .spawn()
            .expect("linkspan");
        let stdin = child.stdin.take();
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let http = over_http.then(|| {
            let stderr = child.stderr.take().expect("piped");
            http::Address::found(&mut stdout, stderr)
        });
        let (sender, messages) = sync_channel(1000);
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let Ok(line) = line else { return };
                let message = serde_json::from_str(&line);
                let message =
                    message.unwrap_or_else(|e| json!({"not JSON": line, "because": e.to_string()}));
                // Several answers in one line count like several lines.
                let each = match message {
                    Value::Array(each) => each,
                    one => vec![one],
                };
                for message in each {
                    if sender.send(message).is_err() {
                        return;
                    }
                }
            }
        });
        Self {
            child,
            stdin,
            messages,
            waiting: Vec::new(),
            saved: Saved::default(),
            end,
            http,
            response: Value::Null,
        }
    }

    fn shake_hands(&mut self, more: &Value) {
        let mut params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "example", "version": "1"},
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        self.write(
            &json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params})
                .to_string(),
        );
        self.expect(
            0,
            &json!({"id": "hello", "result": {"protocolVersion": params["protocolVersion"]}}),
        );
        self.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }

    fn step(&mut self, step: &Step, dir: &Path) {
        for n in 1..=step.times {
            let value = self.saved.fill(&step.value, n);
            match step.kind.as_str() {
                "send" => self.write(&value.to_string()),
                "raw" => self.write(value.as_str().expect("a text")),
                "expect" => self.expect(step.line, &value),
                "never" => self.never(step.line, &value),
                "write" => write_file(dir, &value),
                "remove" => std::fs::remove_file(dir.join(value.as_str().expect("a path")))
                    .expect("removed"),
                "http" => self.response = self.http.as_ref().expect("--http").request(&value),
                "response" => {
                    let fits = self.saved.matches(&value, &self.response);
                    assert!(
                        fits,
                        "line {}: expected {value}, got {}",
                        step.line, self.response
                    );
                }
                other => panic!("line {}: there is no step {other:?}", step.line),
            }
        }
    }

    fn write(&mut self, line: &str) {
        let end = match self.end {
            LineEnd::Lf => "\n",
            LineEnd::CrLf => "\r\n",
        };
        let stdin = self.stdin.as_mut().expect("open");
        stdin
            .write_all(format!("{line}{end}").as_bytes())
            .expect("linkspan reads");
        stdin.flush().expect("linkspan reads");
    }

    fn expect(&mut self, line: usize, pattern: &Value) {
        let until = Instant::now() + PATIENCE;
        let mut looked_at = 0;
        loop {
            while looked_at < self.waiting.len() {
                if self.saved.matches(pattern, &self.waiting[looked_at]) {
                    self.waiting.remove(looked_at);
                    return;
                }
                looked_at += 1;
            }
            match self
                .messages
                .recv_timeout(until.saturating_duration_since(Instant::now()))
            {
                Ok(message) => self.waiting.push(message),
                Err(e) => {
                    let why = if e == RecvTimeoutError::Timeout {
                        "not in time"
                    } else {
                        "linkspan ended"
                    };
                    let seen: Vec<String> = self.waiting.iter().map(Value::to_string).collect();
                    panic!(
                        "line {line}: {why}: {pattern}\nthere were:\n{}",
                        seen.join("\n")
                    );
                }
            }
        }
    }

    /// Fails: no message matches.
    fn never(&mut self, line: usize, pattern: &Value) {
        self.waiting.extend(self.messages.try_iter());
        let saved = &mut self.saved;
        let found = self
            .waiting
            .iter()
            .find(|message| saved.matches(pattern, message));
        assert!(found.is_none(), "line {line}: {found:?}");
    }

    /// Closes stdin; the server must end without further messages.
    fn finish(mut self) {
        drop(self.stdin.take());
        if self.http.is_some() {
            self.child.kill().expect("killed");
            self.child.wait().expect("ended");
            return;
        }
        let status = end_within(PATIENCE, &mut self.child).expect("linkspan ends");
        assert!(status.success(), "linkspan ended with {status}");
        self.waiting.extend(self.messages.iter());
        let noise: Vec<_> = self
            .waiting
            .iter()
            .filter(|m| m.get("not JSON").is_some())
            .collect();
        assert!(noise.is_empty(), "{noise:?}");
        let answers: Vec<_> = self
            .waiting
            .iter()
            .filter(|m| m.get("id").is_some_and(|id| !id.is_null()))
            .collect();
        assert!(answers.is_empty(), "unexpected answers: {answers:?}");
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Replaces a file atomically, as editors do.
fn write_file(dir: &Path, what: &Value) {
    let path = dir.join(what["path"].as_str().expect("a path"));
    let draft = dir.join(".draft");
    std::fs::write(&draft, what["text"].as_str().expect("a text")).expect("written");
    let mode = what.get("mode").and_then(Value::as_str).unwrap_or("644");
    let mode = u32::from_str_radix(mode, 8).expect("octal");
    std::fs::set_permissions(&draft, std::fs::Permissions::from_mode(mode)).expect("permissions");
    std::fs::rename(draft, path).expect("in place");
}
