//! Subscriptions: news of a server of one era reach clients of either.

use crate::exposed::Exposed;
use crate::sdk::{Era, Language, Sdk};
use crate::words;

/// Subscribes to a resource, makes the server report a change, and waits for the notification.
const EVERYTHING: [(&str, &str); 3] = [
    ("subscribe", r#"{"uri":"demo://resource/dynamic/text/1"}"#),
    (
        "tools/call",
        r#"{"name":"toggle-subscriber-updates","arguments":{}}"#,
    ),
    (
        "wait",
        r#"{"until":"notifications/resources/updated demo://resource/dynamic/text/1"}"#,
    ),
];

const PYTHON: [(&str, &str); 4] = [
    ("subscribe", r#"{"uri":"quay://notice"}"#),
    ("tools/call", r#"{"name":"announce","arguments":{}}"#),
    ("wait", r#"{"until":"notifications/tools/list_changed"}"#),
    (
        "wait",
        r#"{"until":"notifications/resources/updated quay://notice"}"#,
    ),
];

/// The client ends only when all notifications have arrived.
fn news_reach_clients_of_either_era(calls: &[(&str, &str)], target: &[String]) {
    for era in [Era::Legacy, Era::Modern] {
        let language = Language::TypeScript;
        let told = Sdk { language, era }.run(calls, target);
        let refused = told
            .results
            .iter()
            .find(|result| !result["error"].is_null());
        assert!(refused.is_none(), "{era:?}: {refused:?}");
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn news_of_a_legacy_server_pass_expose() {
    let exposed = Exposed::start(&words::everything());
    news_reach_clients_of_either_era(&EVERYTHING, &[exposed.url("/mcp")]);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn news_of_a_legacy_server_pass_connect() {
    news_reach_clients_of_either_era(&EVERYTHING, &words::connect(&words::everything()));
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn news_of_a_modern_server_pass_expose() {
    let exposed = Exposed::start(&words::python(&["--modern"]));
    news_reach_clients_of_either_era(&PYTHON, &[exposed.url("/mcp")]);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn news_of_a_modern_server_pass_connect() {
    let server = words::python(&["--modern"]);
    news_reach_clients_of_either_era(&PYTHON, &words::connect(&server));
}
