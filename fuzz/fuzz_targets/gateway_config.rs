//! Whatever is in a configuration of the gateway, it is read, or every mistake has a place in the text. What is read
//! resolves, equals itself, and decides about every call.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspan_gateway::config::{Position, Reference};
use linkspan_gateway::{Access, GatewayConfig, ListKind, Sender};
use linkspan_wire::Json;

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    let lines: Vec<&str> = text.split('\n').collect();
    let is_inside = |at: Position| {
        let line = lines[at.line - 1];
        (1..=line.chars().count() + 1).contains(&at.column)
    };
    let config = match GatewayConfig::read("file", &text) {
        Ok(config) => config,
        Err(errors) => {
            assert!(!errors.errors.is_empty());
            assert!(
                errors.errors.iter().all(|error| is_inside(error.at)),
                "{errors}"
            );
            return;
        }
    };
    assert!(config.changes(&config).is_empty());
    let arguments = Json::parse(&text).ok();
    for server in &config.servers {
        assert!(is_inside(server.at));
        let mut values = |reference: &Reference| Ok(Some(reference.to_string()));
        // A value may make a text that does not fit its place.
        let _ = server.target.resolve(&mut values);
        let (naming, policy) = (config.settings.naming(), &config.settings.policy);
        for view in policy.views.iter().map(Some).chain([None]) {
            for kind in ListKind::ALL {
                let item = (&server.alias, "a");
                let access = Access::new(&Sender::Local, view, kind, naming, item, arguments);
                policy.decide(&access, arguments);
                policy.shows(&access);
            }
        }
    }
});
