//! Whatever is in a file of pins or in the lists of a server, it is read or refused; what was read is written as the
//! same pins, and a difference is shown on lines that cannot control a terminal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspan_gateway::audit::{AuditLine, Call, Chain, LONGEST_LINE, Outcome, Subject, verify};
use linkspan_gateway::pins::{Pins, Suspicion, diff};
use linkspan_gateway::{ListKind, ListReader};
use linkspan_wire::{Json, is_hidden};

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    if let Ok(pins) = Pins::from_json(&text) {
        round_trip(&pins);
    }
    let mut pins = Pins::default();
    for page in text.split('\n') {
        let mut reader = ListReader::new(ListKind::Tools);
        let Ok(json) = Json::parse(page) else {
            continue;
        };
        Suspicion::in_json(json);
        audit(json);
        if reader.page(json).is_ok() {
            let checked = pins.check_list("s", ListKind::Tools, &reader.finish());
            assert_eq!(checked.hidden(false, false).count(), 0);
        }
    }
    pins.check_instructions("s", Some(&text));
    pins.check_instructions("s", None);
    round_trip(&pins);
    for line in diff(&pins.changes("s")) {
        assert!(!line.contains(is_hidden), "{line:?}");
    }
    pins.accept("s", None);
    assert!(pins.changes("s").is_empty());
    round_trip(&pins);
});

fn round_trip(pins: &Pins) {
    assert_eq!(Pins::from_json(&pins.to_json()).as_ref(), Ok(pins));
}

fn audit(arguments: Json<'_>) {
    let text = arguments.text();
    let call = Call {
        time: "2026-11-19T20:00:00.000Z",
        who: Some(text),
        client: None,
        view: None,
        server: Some(text),
        subject: Subject::Tool(text),
        arguments: Some(arguments),
        keeps_arguments: true,
        decision: "allow",
        outcome: Outcome::Ok,
        ms: 1,
        bytes: 2,
        tokens: None,
        traceparent: None,
    };
    let mut chain = Chain::new();
    let lines = [0, 1].map(|_| chain.seal(AuditLine::call(&call)));
    assert!(lines.iter().all(|line| line.len() <= LONGEST_LINE));
    assert!(lines.iter().all(|line| !line.contains(['\n', '\r'])));
    assert_eq!(verify(&lines).map(|log| log.lines), Ok(2));
}
