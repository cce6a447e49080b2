//! The child as an ACP agent: a prompt is a script, line by line, of what it is to do.
//!
//! * `say TEXT`, `think TEXT`: a chunk; `\n` in it is a new line
//! * `update JSON`: any `session/update`
//! * `ask METHOD PARAMS`: asks the client; says the result, or the error, as it came. `$S` is the session
//! * `note METHOD PARAMS`: tells the client something
//! * `env NAME`: says what is in its environment
//! * `gate NAME`: waits for the test, or stops as `cancelled` when it is told to
//! * `stubborn NAME`: waits for the test, whatever it is told
//! * `flood COUNT SIZE`: many large chunks
//! * `deaf`, as the whole prompt: it reads nothing more
//! * `stop REASON`, `fail ERROR`, `raw RESULT`: ends the turn so
//! * `die CODE TEXT`: says TEXT on stderr and exits
//!
//! Anything else is said as it is.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use linkspan_testkit::Message;
use parking_lot::Mutex;

use crate::options::Options;
use crate::server::Server;

/// The answer to `initialize`, unless the test sets another.
const HELLO: &str = r#"{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true},"mcpCapabilities":{"http":true},"sessionCapabilities":{"close":{},"list":{}}},"agentInfo":{"name":"linkspan-child","version":"1.2.3"},"authMethods":[]}"#;

/// Members of the answer to `session/new`, if the agent has modes.
const MODES: &str = r#","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]},"models":{"currentModelId":"m","availableModels":[{"modelId":"m","name":"M"}]},"configOptions":[{"id":"size","name":"Size","type":"select","currentValue":"small","options":[{"value":"small","name":"S"},{"value":"large","name":"L"}]}]"#;

/// One scripted agent.
pub struct Agent {
    server: Server,
    hello: String,
    sessions: AtomicU64,
    questions: AtomicU64,
    /// The open prompt of each session, by its id.
    prompts: Mutex<HashMap<String, String>>,
    known: Mutex<bool>,
}

impl Agent {
    pub fn new(options: Options) -> Self {
        let hello = options.hello.clone().unwrap_or_else(|| HELLO.to_owned());
        let known = Mutex::new(!options.auth);
        Self {
            server: Server::new(options),
            hello,
            sessions: AtomicU64::new(0),
            questions: AtomicU64::new(0),
            prompts: Mutex::default(),
            known,
        }
    }

    /// The server part of the agent.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Handles a message; each prompt gets its own thread.
    pub fn take(self: &Arc<Self>, message: Message) {
        let method = message.method.clone().unwrap_or_default();
        let session = message.string_at(&["params", "sessionId"]);
        let session = session.unwrap_or_default();
        let Some(id) = message.id.clone() else {
            let prompt = self.prompts.lock().get(&session).cloned();
            if let ("session/cancel", Some(prompt)) = (&*method, prompt) {
                self.server.watch.cancel(&prompt);
            }
            return;
        };
        if message.is_response() {
            if let Some(waiting) = self.server.lock().asked.remove(&id) {
                // The channel has room for the one answer.
                let _ = waiting.try_send(message);
            }
            return;
        }
        match &*method {
            "initialize" if self.server.options.mute => {}
            "initialize" => self.result(&id, &self.hello),
            "session/new" if !*self.known.lock() => self.error(
                &id,
                r#"{"code":-32000,"message":"Authentication required"}"#,
            ),
            "session/new" => {
                let number = self.sessions.fetch_add(1, Ordering::Relaxed) + 1;
                let modes = if self.server.options.modes { MODES } else { "" };
                self.result(&id, &format!(r#"{{"sessionId":"s-{number}"{modes}}}"#));
            }
            "session/load" => {
                self.say(&session, "from earlier times");
                self.result(&id, "{}");
            }
            "session/list" => self.result(
                &id,
                r#"{"sessions":[{"sessionId":"old","cwd":"/","title":"Old"}],"nextCursor":"more"}"#,
            ),
            "authenticate" => {
                *self.known.lock() = true;
                self.result(&id, "{}");
            }
            "session/set_config_option" => {
                let value = message.at(&["params", "value"]).unwrap_or_default();
                self.result(
                    &id,
                    &format!(r#"{{"configOptions":[{{"id":"size","currentValue":{value}}}]}}"#),
                );
            }
            "session/close" | "session/set_mode" => self.result(&id, "{}"),
            "session/prompt" if message.text.contains(r#""text":"deaf""#) => {
                self.result(&id, r#"{"stopReason":"end_turn"}"#);
                crate::park();
            }
            "session/prompt" => {
                self.prompts.lock().insert(session.clone(), id.clone());
                let agent = Arc::clone(self);
                thread::spawn(move || {
                    agent.prompt(&id, &session, &message);
                    agent.server.watch.tell("note", &format!("answered {id}"));
                    // The next prompt may have begun already.
                    let mut prompts = agent.prompts.lock();
                    if prompts.get(&session) == Some(&id) {
                        prompts.remove(&session);
                    }
                });
            }
            _ => self.error(&id, r#"{"code":-32601,"message":"Method not found"}"#),
        }
    }

    fn prompt(&self, id: &str, session: &str, message: &Message) {
        let prompt = message.json()["params"]["prompt"].clone();
        let mut stop = "end_turn".to_owned();
        for block in prompt.as_array().into_iter().flatten() {
            let Some(script) = block["text"].as_str() else {
                self.say(session, &block.to_string());
                continue;
            };
            for line in script.lines() {
                let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
                match word {
                    "say" => self.say(session, &rest.replace("\\n", "\n")),
                    "think" => self.chunk(session, "agent_thought_chunk", rest),
                    "update" => self.update(session, rest),
                    "ask" => self.ask(session, rest),
                    "note" => {
                        let (method, params) = rest.split_once(' ').unwrap_or((rest, "{}"));
                        self.server.note(method, params);
                    }
                    "env" => self.say(
                        session,
                        &std::env::var(rest).unwrap_or(format!("{rest} is not set")),
                    ),
                    "gate" if !self.server.watch.gate(rest, id) => {
                        return self.result(id, r#"{"stopReason":"cancelled"}"#);
                    }
                    "stubborn" => drop(self.server.watch.gate(rest, "uncancelled")),
                    "gate" => {}
                    "flood" => self.flood(session, rest),
                    "stop" => rest.clone_into(&mut stop),
                    "fail" => return self.error(id, rest),
                    "raw" => return self.result(id, rest),
                    "die" => {
                        let (code, words) = rest.split_once(' ').unwrap_or((rest, ""));
                        eprintln!("{words}");
                        std::process::exit(code.parse().unwrap_or(1));
                    }
                    _ => self.say(session, line),
                }
            }
        }
        self.result(id, &format!(r#"{{"stopReason":"{stop}"}}"#));
    }

    fn ask(&self, session: &str, rest: &str) {
        let (method, params) = rest.split_once(' ').unwrap_or((rest, "{}"));
        let number = self.questions.fetch_add(1, Ordering::Relaxed);
        let params = params.replace("$S", session);
        let answer = self
            .server
            .ask(&format!("\"q-{number}\""), method, &params)
            .recv();
        let answer = answer
            .ok()
            .and_then(|answer| answer.result.or(answer.error));
        self.say(session, &answer.unwrap_or_default());
    }

    fn flood(&self, session: &str, rest: &str) {
        let (count, size) = rest.split_once(' ').unwrap_or((rest, "1"));
        let text = "x".repeat(size.parse().unwrap_or(1));
        for _ in 0..count.parse().unwrap_or(1) {
            self.say(session, &text);
        }
    }

    fn say(&self, session: &str, text: &str) {
        self.chunk(session, "agent_message_chunk", text);
    }

    fn chunk(&self, session: &str, kind: &str, text: &str) {
        let text = serde_json::Value::from(text);
        self.update(
            session,
            &format!(r#"{{"sessionUpdate":"{kind}","content":{{"type":"text","text":{text}}}}}"#),
        );
    }

    fn update(&self, session: &str, update: &str) {
        let params = format!(r#"{{"sessionId":"{session}","update":{update}}}"#);
        self.server.note("session/update", &params);
    }

    fn result(&self, id: &str, result: &str) {
        self.server.write(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
        ));
    }

    fn error(&self, id: &str, error: &str) {
        self.server
            .write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#));
    }
}
