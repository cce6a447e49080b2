//! A legacy client, two translations, a legacy server: the client gets the server's own answer.

use std::time::{Duration, Instant};

use linkspan_wire::{Id, Json, Message};
use proptest::collection::vec;
use proptest::prelude::*;

use super::stage::at;
use super::{
    LegacyToModern, Machine, ModernToLegacy, ModernToLegacyOptions, Provenance, Step, Turn, caps,
    signed,
};

const INITIALIZE: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"url":{}}},"clientInfo":{"name":"c","version":"1"}}"#;
const SERVER: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"prompts":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}}"#;

/// Both machines in a row, as in a session of `expose --share`.
struct Row {
    legacy_to_modern: LegacyToModern,
    modern_to_legacy: ModernToLegacy,
    now: Instant,
    signed: bool,
    /// The messages that the client and the server have received.
    client: Vec<String>,
    server: Vec<String>,
}

impl Row {
    fn new(signed: bool) -> Self {
        let legacy_to_modern = if signed {
            LegacyToModern::signed()
        } else {
            LegacyToModern::new()
        };
        let options = ModernToLegacyOptions::new("home".to_owned(), || "secret".to_owned());
        let mut row = Self {
            legacy_to_modern,
            modern_to_legacy: ModernToLegacy::new(options),
            now: Instant::now(),
            signed,
            client: Vec::new(),
            server: Vec::new(),
        };
        row.says(&request("0", "initialize", INITIALIZE));
        let initialize = row.server.remove(0);
        row.answers(&initialize, "result", SERVER);
        let is_ping = |msg: &&String| at(msg, &["method"]) == r#""ping""#;
        let ping = row.server.iter().find(is_ping).cloned();
        row.answers(&ping.expect("it follows `initialized`"), "result", "{}");
        row.server.clear();
        row.client.clear();
        row
    }

    /// A message of the client.
    fn says(&mut self, text: &str) {
        let turn = self.legacy_to_modern.front(parsed(text), self.now);
        self.after_down(turn);
    }

    /// A message of the server.
    fn hears(&mut self, text: &str) {
        let msg = parsed(text);
        let origin = msg.id().filter(|_| !msg.is_answer());
        let provenance = Provenance {
            origin,
            ..Provenance::default()
        };
        let turn = self.modern_to_legacy.back(msg, provenance, self.now);
        self.after_up(turn);
    }

    fn answers(&mut self, request: &str, member: &str, body: &str) {
        let id = at(request, &["id"]);
        self.hears(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"{member}":{body}}}"#
        ));
    }

    fn after(&mut self, time: Duration) {
        self.now += time;
        let steps = self.modern_to_legacy.on_time(self.now);
        self.after_up(Turn::Steps(steps));
    }

    fn after_down(&mut self, turn: Turn) {
        for step in steps(turn, true) {
            match step {
                Step::Front { msg, .. } => self.client.push(msg.text()),
                Step::Back(msg) => {
                    let msg = if self.signed {
                        signed(&msg, "g", true)
                    } else {
                        msg
                    };
                    let turn = self.modern_to_legacy.front(msg, self.now);
                    self.after_up(turn);
                }
            }
        }
    }

    fn after_up(&mut self, turn: Turn) {
        for step in steps(turn, false) {
            match step {
                Step::Back(msg) => self.server.push(msg.text()),
                Step::Front { msg, about } => {
                    let provenance = Provenance {
                        about,
                        ..Provenance::default()
                    };
                    let turn = self.legacy_to_modern.back(msg, provenance, self.now);
                    self.after_down(turn);
                }
            }
        }
    }

    /// What the client gets if the server answers its request with this.
    fn through(&mut self, method: &str, member: &str, body: &str) -> String {
        self.says(&request("1", method, r#"{"name":"t","uri":"a://b"}"#));
        let mut request = self.server.remove(0);
        if at(&request, &["method"]) == r#""logging/setLevel""# {
            self.answers(&request, "result", "{}");
            request = self.server.remove(0);
        }
        self.answers(&request, member, body);
        assert_eq!(self.client.len(), 1, "{:?}", self.client);
        self.client.remove(0)
    }
}

fn steps(turn: Turn, to_back: bool) -> Vec<Step> {
    match turn {
        Turn::Steps(steps) => steps,
        Turn::Pass(msg) if to_back => vec![Step::Back(msg)],
        Turn::Pass(msg) => vec![Step::Front { msg, about: None }],
    }
}

fn parsed(text: &str) -> Message {
    Message::parse(text.to_owned().into()).unwrap()
}

fn request(id: &str, method: &str, params: &str) -> String {
    let id = Id::parse(Json::parse(id).unwrap()).unwrap();
    Message::request(&id, method, Some(params)).text()
}

fn canonical(text: &str) -> String {
    caps::key(Json::parse(text).unwrap())
}

/// Values that a server may put anywhere, including those that a translation interprets.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "null",
        "true",
        "0",
        "18446744073709551616",
        r#""complete""#,
        r#""input_required""#,
        r#""object""#,
        r#""a://b""#,
        "{}",
        "[]",
    ]);
    leaf.prop_map(str::to_owned)
        .prop_recursive(3, 16, 3, |inner| {
            prop_oneof![
                vec((key(), inner.clone()), 0..3).prop_map(object),
                vec(inner, 0..3).prop_map(|items| format!("[{}]", items.join(","))),
            ]
        })
}

fn key() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "_meta",
        "resultType",
        "ttlMs",
        "cacheScope",
        "content",
        "structuredContent",
        "tools",
        "outputSchema",
        "type",
        "uri",
        "task",
        "inputRequests",
        "requestState",
        "linkspan/legacy",
        "io.modelcontextprotocol/serverInfo",
    ])
}

fn object(mut members: Vec<(&'static str, String)>) -> String {
    members.sort();
    members.dedup_by_key(|member| member.0);
    let members: Vec<String> = members
        .iter()
        .map(|(key, value)| format!(r#""{key}":{value}"#))
        .collect();
    format!("{{{}}}", members.join(","))
}

fn method() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "tools/call",
        "tools/list",
        "resources/read",
        "prompts/get",
        "completion/complete",
        "vendor/method",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_result_reaches_a_legacy_client_as_the_server_gave_it(
        method in method(),
        result in vec((key(), value()), 0..5).prop_map(object),
        signed in any::<bool>(),
    ) {
        let got = Row::new(signed).through(method, "result", &result);
        prop_assert_eq!(canonical(&at(&got, &["result"])), canonical(&result));
    }

    #[test]
    fn an_error_reaches_a_legacy_client_as_the_server_gave_it(
        method in method(),
        code in prop::sample::select(vec![
            -32700, -32603, -32602, -32601, -32600, -32042, -32022, -32021, -32020, -32002, -32001, -32000, 0, 1,
        ]),
        data in prop_oneof![
            Just(None),
            value().prop_map(Some),
            Just(Some(r#"{"uri":"a://b"}"#.to_owned())),
            Just(Some(r#"{"supported":["2026-07-28"]}"#.to_owned())),
            Just(Some(r#"{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://x","message":"m"}]}"#.to_owned())),
            Just(Some(r#"{"elicitations":[{"mode":"form","message":"m"}]}"#.to_owned())),
        ],
        signed in any::<bool>(),
    ) {
        let data = data.map_or_else(String::new, |data| format!(r#","data":{data}"#));
        let error = format!(r#"{{"code":{code},"message":"no"{data}}}"#);
        let got = Row::new(signed).through(method, "error", &error);
        prop_assert_eq!(canonical(&at(&got, &["error"])), canonical(&error));
    }
}

const LOG: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;

#[test]
fn a_client_that_has_named_no_level_gets_what_the_server_logs_by_itself_from_info_on() {
    let mut row = Row::new(true);
    row.says(&request("1", "tools/call", r#"{"name":"t"}"#));
    assert_eq!(row.server.len(), 1, "{:?}", row.server);
    assert_eq!(at(&row.server[0], &["method"]), r#""tools/call""#);
    assert!(!row.server[0].contains("linkspan/"), "{:?}", row.server);
    row.hears(&LOG.replace("info", "debug"));
    row.hears(LOG);
    assert_eq!(row.client, [LOG]);
}

#[test]
fn a_level_that_a_client_has_named_counts() {
    let mut row = Row::new(true);
    row.says(&request("1", "logging/setLevel", r#"{"level":"warning"}"#));
    row.client.clear();
    row.says(&request("2", "tools/call", r#"{"name":"t"}"#));
    let level = row.server.remove(0);
    assert_eq!(at(&level, &["params", "level"]), r#""warning""#);
    row.answers(&level, "result", "{}");
    row.hears(LOG);
    assert!(row.client.is_empty(), "{:?}", row.client);
}

#[test]
fn a_client_that_has_named_no_level_gets_the_usual_one_if_the_request_does_not_identify_it() {
    let mut row = Row::new(false);
    row.says(&request("1", "tools/call", r#"{"name":"t"}"#));
    let level = row.server.remove(0);
    assert_eq!(at(&level, &["params", "level"]), r#""info""#);
}

#[test]
fn a_legacy_client_is_asked_nothing_that_it_has_not_declared_and_its_call_goes_on() {
    let mut row = Row::new(true);
    row.says(&request("1", "tools/call", r#"{"name":"t"}"#));
    let call = row.server.remove(0);
    row.hears(r#"{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}"#);
    let refusal = row.server.remove(0);
    assert_eq!(at(&refusal, &["error", "code"]), "-32601");
    assert!(row.client.is_empty(), "{:?}", row.client);
    row.answers(&call, "result", r#"{"content":[]}"#);
    assert_eq!(at(&row.client[0], &["result"]), r#"{"content":[]}"#);
}

#[test]
fn a_call_that_wants_to_be_a_task_is_run_as_a_call() {
    let mut row = Row::new(true);
    let params = r#"{"name":"t","task":{"ttl":60000},"arguments":{"task":1}}"#;
    row.says(&request("1", "tools/call", params));
    let call = row.server.remove(0);
    assert_eq!(at(&call, &["params", "task"]), "", "{call}");
    assert_eq!(at(&call, &["params", "arguments"]), r#"{"task":1}"#);
}

#[test]
fn a_question_reaches_the_client_and_its_answer_the_server() {
    let mut row = Row::new(true);
    row.says(&request("1", "tools/call", r#"{"name":"t"}"#));
    let ask = r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://x","elicitationId":"e"}}"#;
    row.hears(ask);
    row.server.clear();
    row.after(Duration::from_secs(1));
    let asked = row.client.remove(0);
    assert_eq!(at(&asked, &["params", "url"]), r#""https://x""#);
    let id = at(&asked, &["id"]);
    row.says(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"action":"accept"}}}}"#
    ));
    assert_eq!(
        row.server,
        [r#"{"jsonrpc":"2.0","id":7,"result":{"action":"accept"}}"#]
    );
}
