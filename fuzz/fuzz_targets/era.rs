//! Whatever client and server say, in whatever order, an era machine neither panics nor writes
//! something that is no message.
#![no_main]

use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use linkspan_mcp::era::{
    Handshake, LegacyToModern, Machine, ModernToLegacy, ModernToLegacyOptions, Provenance, Step,
    Turn,
};
use linkspan_wire::{Id, Json, Message, quote};
use serde_json::value::RawValue;

const REQUESTS: [&str; 12] = [
    "initialize",
    "server/discover",
    "tools/call",
    "tools/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "logging/setLevel",
    "elicitation/create",
    "roots/list",
    "ping",
];
const NOTES: [&str; 6] = [
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/message",
    "notifications/tools/list_changed",
    "notifications/subscriptions/acknowledged",
];
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{},"roots":{}},"io.modelcontextprotocol/logLevel":"info","progressToken":1}"#;
const SERVER: &str = r#"{"protocolVersion":"2025-11-25","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}},"serverInfo":{"name":"s"}}"#;

fuzz_target!(|input: &[u8]| {
    let options = ModernToLegacyOptions::new("h".to_owned(), || "s".to_owned());
    play(ModernToLegacy::new(options), input);
    let mut options = ModernToLegacyOptions::new("h".to_owned(), || "s".to_owned());
    options.alone = false;
    play(ModernToLegacy::new(options), input);
    play(LegacyToModern::new(), input);
    play(Handshake::new(Box::new(|| {})), input);
});

fn play(mut machine: impl Machine, input: &[u8]) {
    let mut now = Instant::now();
    // Ids of requests that each side has got and could answer.
    let mut at_server: Vec<Id> = Vec::new();
    let mut at_client: Vec<Id> = Vec::new();
    let mut bytes = input.iter().copied();
    let mut next = || bytes.next();
    let mut texts = String::from_utf8_lossy(input)
        .split('\0')
        .map(str::to_owned)
        .collect::<Vec<_>>();
    while let (Some(what), Some(which)) = (next(), next()) {
        let text = texts.pop().unwrap_or_default();
        // Values that a fuzzer finds, or something that leads further.
        let value = match Json::parse(&text) {
            Ok(json) => json.text().to_owned(),
            Err(_) => format!(
                r#"{{"name":"t","uri":"a","requestState":{},"notifications":{{"toolsListChanged":true,"resourceSubscriptions":["a"]}},"inputResponses":{{"1":{{}}}},"requestId":{},{META}}}"#,
                quote("h.s"),
                which % 8
            ),
        };
        let is_object = value.starts_with('{');
        let params = if is_object { value.as_str() } else { "{}" };
        let id = Id::number(u64::from(which % 8));
        let request = REQUESTS[usize::from(which) % REQUESTS.len()];
        let note = NOTES[usize::from(which) % NOTES.len()];
        let result = match which % 3 {
            0 => SERVER,
            1 => {
                r#"{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{}}},"requestState":"x"}"#
            }
            _ => value.as_str(),
        };
        let turn = match what % 8 {
            0 | 1 => machine.front(Message::request(&id, request, Some(params)), now),
            2 => machine.front(Message::notification(note, Some(params)), now),
            3 => match at_client.pop() {
                Some(id) => machine.front(Message::result(&id, result), now),
                None => continue,
            },
            4 => match at_server.pop() {
                Some(id) => machine.back(Message::result(&id, result), Provenance::default(), now),
                None => continue,
            },
            5 => {
                let origin = Some(id.clone());
                let late = which % 16 == 15;
                let provenance = Provenance {
                    about: None,
                    late,
                    origin,
                };
                machine.back(
                    Message::request(&id, request, Some(params)),
                    provenance,
                    now,
                )
            }
            6 => machine.back(
                Message::notification(note, Some(params)),
                Provenance::default(),
                now,
            ),
            _ => {
                now += Duration::from_millis(u64::from(which) * 500);
                Turn::Steps(machine.on_time(now))
            }
        };
        let Turn::Steps(steps) = turn else { continue };
        for step in steps {
            let (msg, asked) = match step {
                Step::Back(msg) => (msg, &mut at_server),
                Step::Front { msg, .. } => (msg, &mut at_client),
            };
            let bytes = msg.to_bytes();
            serde_json::from_slice::<&RawValue>(&bytes).expect("what we write is JSON");
            if !msg.is_answer() {
                asked.extend(msg.id());
            }
        }
        assert!(
            at_server.len() + at_client.len() <= 4 * input.len() + 64,
            "no flood"
        );
    }
    let _ = machine.next_wake();
}
