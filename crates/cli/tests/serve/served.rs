//! A folder server on stdin and stdout.

use std::cell::Cell;
use std::ops::Deref;

use linkspan_testkit::{Bridge, Message, Signal};
use serde_json::{Value, json};

use crate::folder::Folder;

/// A server and its client. On drop, the server has to end cleanly without leftovers.
pub struct Served<'a> {
    folder: &'a Folder,
    bridge: Bridge,
    calls: Cell<u32>,
    ended: bool,
}

impl<'a> Served<'a> {
    pub fn new(folder: &'a Folder, bridge: Bridge) -> Self {
        Self {
            folder,
            bridge,
            calls: Cell::new(0),
            ended: false,
        }
    }

    /// The served folder.
    pub fn folder(&self) -> &Folder {
        self.folder
    }

    /// A new request id.
    pub fn id(&self) -> String {
        self.calls.set(self.calls.get() + 1);
        format!("\"call-{}\"", self.calls.get())
    }

    /// Sends a request and waits for its answer.
    #[track_caller]
    pub fn answer_to(&self, method: &str, params: &Value) -> Message {
        let id = self.id();
        self.request(&id, method, params);
        self.answer(&id)
    }

    /// Sends a request and waits for its result.
    #[track_caller]
    pub fn result(&self, method: &str, params: &Value) -> Value {
        let answer = self.answer_to(method, params);
        assert!(answer.result.is_some(), "{}", answer.text);
        answer.json()["result"].take()
    }

    /// Sends a request and waits for its error.
    #[track_caller]
    pub fn error(&self, method: &str, params: &Value) -> Value {
        let answer = self.answer_to(method, params);
        assert!(answer.error.is_some(), "{}", answer.text);
        answer.json()["error"].take()
    }

    /// Calls a tool and waits for its result.
    #[track_caller]
    pub fn tool(&self, name: &str, arguments: &Value) -> Value {
        self.result("tools/call", &json!({"name": name, "arguments": arguments}))
    }

    /// Calls a tool that must succeed; returns the text of its result.
    #[track_caller]
    pub fn text(&self, name: &str, arguments: &Value) -> String {
        let result = self.tool(name, arguments);
        assert_ne!(result["isError"], true, "{result}");
        text(&result)
    }

    /// Calls a tool that must fail; returns its result.
    #[track_caller]
    pub fn failure(&self, name: &str, arguments: &Value) -> Value {
        let result = self.tool(name, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result
    }

    /// Sends a tool call; returns its id.
    pub fn begin(&self, name: &str, arguments: &Value) -> String {
        let id = self.id();
        self.call(&id, name, arguments);
        id
    }

    /// Sends a tool call with a progress token; returns its id.
    pub fn begin_with_token(&self, name: &str, arguments: &Value, token: &Value) -> String {
        let id = self.id();
        let meta = json!({"progressToken": token});
        let params = json!({"name": name, "arguments": arguments, "_meta": meta});
        self.request(&id, "tools/call", &params);
        id
    }

    /// Cancels a call.
    pub fn cancel(&self, id: &str) {
        let id: Value = serde_json::from_str(id).expect("an id is JSON");
        self.notify("notifications/cancelled", &json!({"requestId": id}));
    }

    /// Answers a question of the server.
    #[track_caller]
    pub fn respond(&self, question: &Message, result: &Value) {
        let id = question.id.as_deref().expect("a question has an id");
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
        ));
    }

    /// The names of all tools, from every page.
    #[track_caller]
    pub fn tools(&self) -> Vec<String> {
        self.all("tools/list", "tools", "name")
    }

    /// A member of every list entry, from every page.
    #[track_caller]
    pub fn all(&self, method: &str, kind: &str, member: &str) -> Vec<String> {
        let mut names = Vec::new();
        let mut params = json!({});
        loop {
            let page = self.result(method, &params);
            let listed = page[kind].as_array().expect("a list").iter();
            names.extend(listed.map(|one| one[member].as_str().expect("a name").to_owned()));
            match page.get("nextCursor") {
                Some(cursor) => params["cursor"] = cursor.clone(),
                None => return names,
            }
        }
    }

    /// One tool of the list.
    #[track_caller]
    pub fn listed(&self, name: &str) -> Value {
        let list = self.result("tools/list", &json!({}));
        let tools = list["tools"].as_array().expect("a list of tools");
        let tool = tools.iter().find(|tool| tool["name"] == name);
        tool.unwrap_or_else(|| panic!("no {name} in {list}"))
            .clone()
    }

    /// Sends a ping and waits: everything sent before has been read then.
    #[track_caller]
    pub fn ping(&self) {
        assert_eq!(self.result("ping", &json!({})), json!({}));
    }

    /// The number of files that the server has open.
    pub fn open_files(&self) -> usize {
        let files = std::fs::read_dir(format!("/proc/{}/fd", self.pid()));
        files.expect("it runs, and is ours").count()
    }

    /// Closes stdin and waits for a clean end.
    #[track_caller]
    pub fn end(mut self) {
        self.close();
    }

    /// Sends a signal and waits for a clean end.
    #[track_caller]
    pub fn end_with(mut self, signal: Signal, code: i32) {
        self.ended = true;
        self.bridge.signal(signal);
        assert_eq!(
            self.bridge.exit_code(),
            Some(code),
            "{}",
            self.bridge.stderr()
        );
        self.look_around();
    }

    /// Waits until the server has ended by itself, cleanly.
    #[track_caller]
    pub fn find_exit(mut self, code: i32) {
        self.ended = true;
        let ended = self.bridge.exit_code();
        assert_eq!(ended, Some(code), "{}", self.bridge.stderr());
        self.look_around();
    }

    #[track_caller]
    fn close(&mut self) {
        self.ended = true;
        self.bridge.close_stdin();
        let code = self.bridge.exit_code();
        assert_eq!(code, Some(0), "{}", self.bridge.stderr());
        self.look_around();
    }

    #[track_caller]
    fn look_around(&self) {
        let log = self.bridge.stderr();
        assert!(!log.contains("panicked"), "{log}");
        self.folder.wait_until_quiet();
        let left = self.folder.leftovers();
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}

impl Deref for Served<'_> {
    type Target = Bridge;

    fn deref(&self) -> &Bridge {
        &self.bridge
    }
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log: String = self.bridge.stderr().chars().take(4000).collect();
            eprintln!("the server's log:\n{log}");
        } else if !self.ended {
            self.close();
        }
    }
}

/// The concatenated texts of a result.
#[track_caller]
pub fn text(result: &Value) -> String {
    let content = result["content"].as_array().expect("a content");
    let texts = content.iter().filter_map(|part| part["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}
