//! Ways in which secrets have leaked.

use linkspan_testkit::{Bridge, Conn, Flow, Launch, Request, Server};
use serde_json::{Value, json};

use crate::servers::{Scratch, answer_to, plain};
use crate::setup::{LATEST, launch};

/// Everything that a bridge has written except for messages to its client: a transcript and a log.
struct Told {
    record: Scratch,
    log: Scratch,
}

impl Told {
    fn new(name: &str) -> Self {
        Self {
            record: Scratch::new(&format!("{name}-record")),
            log: Scratch::new(&format!("{name}-log")),
        }
    }

    fn launch(&self, url: &str, flags: &[&str]) -> Launch {
        let files = [
            "-vv",
            "--record",
            self.record.as_str(),
            "--log-file",
            self.log.as_str(),
        ];
        launch(url, &[&files[..], flags].concat())
    }

    /// Ends the bridge and returns stderr, log and transcript.
    #[track_caller]
    fn end(&self, mut bridge: Bridge) -> [String; 3] {
        bridge.close_stdin();
        assert_eq!(bridge.exit_code(), Some(0));
        let record = self.record.read();
        for line in record.lines() {
            let entry: Value =
                serde_json::from_str(line).unwrap_or_else(|e| panic!("{e} in the record: {line}"));
            assert!(entry["message"].is_object(), "{line}");
        }
        [bridge.stderr(), self.log.read(), record]
    }
}

#[track_caller]
fn assert_silent(told: &[String; 3], secret: &str) {
    for (place, text) in ["stderr", "the log", "the record"].iter().zip(told) {
        let line = text.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret} in {place}");
    }
}

/// A server that repeats the headers of each request: `tools/call` in a result that the test composes, vendor methods
/// in a refusal.
fn telltale(
    result: impl Fn(&Request) -> String + Send + Sync + 'static,
) -> impl Fn(&Request, &mut Conn) -> Flow + Send + Sync + 'static {
    move |request, conn| {
        let words = || {
            let header = request.header("authorization").unwrap_or_default();
            format!("these are bad credentials: {header}")
        };
        match request.rpc() {
            Some("tools/call") => {
                let members = format!(r#""result":{}"#, result(request));
                Flow::written(conn.json(200, &answer_to(request, &members)))
            }
            Some(method) if method.contains("vendor/") => {
                Flow::written(conn.reply(401, &[("Content-Type", "text/plain")], &words()))
            }
            _ => plain(request, conn),
        }
    }
}

#[test]
fn a_refusal_that_repeats_the_token_does_not_tell_it() {
    let server = Server::legacy()
        .intercept(telltale(|_| "{}".to_owned()))
        .start();
    let told = Told::new("refusal");
    let bridge = told
        .launch(&server.url(), &["--bearer-env", "QUAY_TOKEN"])
        .env("QUAY_TOKEN", "hunter2-5ecret")
        .start();
    bridge.initialize(LATEST);
    bridge.notify("notifications/vendor/hello", &json!({}));
    server.wait_for_post("notifications/vendor/hello");
    bridge.request("1", "vendor/ask", &json!({}));
    let refused = bridge.answer("1");
    assert_eq!(refused.kind().as_deref(), Some("http_status"));
    let told = told.end(bridge);
    assert_silent(&told, "5ecret");
    for text in &told {
        assert!(text.contains("these are bad credentials"), "{text}");
    }
}

#[test]
fn an_unexpected_answer_does_not_tell_the_token() {
    let hook = |request: &Request, conn: &mut Conn| {
        if request.tool().as_deref() != Some("late") {
            return plain(request, conn);
        }
        conn.wait_for_gate("cancelled");
        let header = request.header("authorization").unwrap_or_default();
        let answer = answer_to(request, &format!(r#""result":{{"text":"{header}"}}"#));
        let after = r#"{"jsonrpc":"2.0","method":"notifications/vendor/after"}"#;
        let mut stream = || {
            conn.start_sse(&[])?;
            conn.chunk(&format!("data: {answer}\n\ndata: {after}\n\n"))?;
            conn.end()
        };
        Flow::written(stream())
    };
    let server = Server::legacy().intercept(hook).start();
    let told = Told::new("late");
    let bridge = told
        .launch(&server.url(), &["--bearer-env", "QUAY_TOKEN"])
        .env("QUAY_TOKEN", "hunter2-5ecret")
        .start();
    bridge.initialize(LATEST);
    bridge.call("1", "late", &json!({}));
    server.wait_for_calls("late", 1);
    bridge.notify("notifications/cancelled", &json!({"requestId": 1}));
    server.wait_for_post("notifications/cancelled");
    server.open("cancelled");
    bridge.heard("notifications/vendor/after");
    assert_silent(&told.end(bridge), "5ecret");
}

#[test]
fn a_token_is_recognised_however_json_spells_it() {
    let server = Server::legacy()
        .intercept(telltale(|request| {
            let token = request.header("authorization").unwrap_or_default();
            let token = token.strip_prefix("Bearer ").unwrap_or_default();
            let slashes = token.replace('/', "\\/");
            let codes: String = token
                .chars()
                .map(|c| format!("\\u{:04x}", u32::from(c)))
                .collect();
            format!(r#"{{"plain":"{token}","php":"{slashes}","codes":"a {codes} z"}}"#)
        }))
        .start();
    let told = Told::new("spelling");
    let bridge = told
        .launch(&server.url(), &["--bearer-env", "QUAY_TOKEN"])
        .env("QUAY_TOKEN", "abcd/efgh+5ecret")
        .start();
    bridge.initialize(LATEST);
    let answer = bridge.ask("1", "any", &json!({}));
    assert_eq!(
        answer.string_at(&["result", "php"]).as_deref(),
        Some("abcd/efgh+5ecret"),
        "the client gets what the server sent"
    );
    let told = told.end(bridge);
    for spelling in ["abcd/efgh+5ecret", r"abcd\/efgh+5ecret", r"\u0061\u0062"] {
        assert_silent(&told, spelling);
    }
}

#[test]
fn a_variable_that_is_only_part_of_a_header_is_a_secret_too() {
    let server = Server::legacy()
        .intercept(telltale(|request| {
            let cookie = request.header("cookie").unwrap_or_default();
            let id = cookie.split(['=', ';']).nth(1).unwrap_or_default();
            format!(r#"{{"sid":"{id}","said":"your session is {id}, welcome"}}"#)
        }))
        .start();
    let told = Told::new("cookie");
    let bridge = told
        .launch(&server.url(), &["-H", "Cookie: sid=${SID}; theme=dark"])
        .env("SID", "cookie-5ecret")
        .start();
    bridge.initialize(LATEST);
    let answer = bridge.ask("1", "any", &json!({}));
    assert_eq!(
        answer.string_at(&["result", "sid"]).as_deref(),
        Some("cookie-5ecret")
    );
    let told = told.end(bridge);
    assert_silent(&told, "5ecret");
    assert!(told[2].contains("welcome"), "the rest stays: {}", told[2]);
}

#[test]
fn a_key_in_the_address_is_a_secret_too() {
    let server = Server::legacy()
        .intercept(telltale(|request| {
            let key = request.query("key").unwrap_or_default();
            format!(r#"{{"path":"{}","key":"{key}"}}"#, request.target)
        }))
        .start();
    let told = Told::new("query");
    let url = format!("{}?key=address-5ecret&v=1", server.url());
    let bridge = told.launch(&url, &[]).start();
    bridge.initialize(LATEST);
    let answer = bridge.ask("1", "any", &json!({}));
    assert_eq!(
        answer.string_at(&["result", "key"]).as_deref(),
        Some("address-5ecret")
    );
    assert_silent(&told.end(bridge), "5ecret");
}

#[test]
fn a_list_of_headers_with_a_telling_name_is_masked() {
    let server = Server::legacy()
        .intercept(telltale(|_| {
            r#"{"headers":{"Authorization":["Bearer someone-5ecret"],"Set-Cookie":{"sid":"else-5ecret"},"Accept":["text/plain"]}}"#.to_owned()
        }))
        .start();
    let told = Told::new("list");
    let bridge = told.launch(&server.url(), &[]).start();
    bridge.initialize(LATEST);
    bridge.ask("1", "any", &json!({}));
    let told = told.end(bridge);
    assert_silent(&told, "5ecret");
    assert!(
        told[2].contains("text/plain"),
        "the rest stays: {}",
        told[2]
    );
}

#[test]
fn a_secret_that_is_a_number_leaves_the_record_json() {
    let server = Server::legacy()
        .intercept(telltale(|_| {
            r#"{"n":1234,"deep":[-1234,12345,1234.5],"text":"pin 1234","1234":true}"#.to_owned()
        }))
        .start();
    let told = Told::new("number");
    let bridge = told.launch(&server.url(), &["-H", "X-Pin: 1234"]).start();
    bridge.initialize(LATEST);
    bridge.ask("1234", "any", &json!({}));
    // Checks every line of the transcript.
    let [_, _, record] = told.end(bridge);
    assert!(!record.contains("pin 1234"), "{record}");
    assert!(!record.contains(r#""n":1234,"#), "{record}");
}
