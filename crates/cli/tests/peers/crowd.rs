//! Many clients at once: each is asked, and gets the answer to its own input.

use std::thread;

use crate::exposed::Exposed;
use crate::{sdk, words};

/// Two clients of each kind, each with a user name of its own, are asked repeatedly.
fn assert_questions_reach_their_own_client(
    exposed: &Exposed,
    ask: (&str, &str),
    says: fn(&str) -> String,
) {
    let target = [exposed.url("/mcp")];
    let calls = [ask; 4];
    // After a server's first question, calls that may ask do not overlap.
    sdk::ALL[3].run(&[ask], &target);
    thread::scope(|scope| {
        for (number, sdk) in sdk::ALL.into_iter().chain(sdk::ALL).enumerate() {
            let (target, calls) = (&target, &calls);
            scope.spawn(move || {
                let name = format!("Ada{number}");
                let told = sdk.run_as(&name, calls, target);
                for result in &told.results {
                    let text = result["content"].to_string();
                    assert!(text.contains(&says(&name)), "{name}: {text}");
                }
                let asked = told.asked_but_for_roots();
                assert!(asked.len() >= calls.len(), "{name}: {asked:?}");
            });
        }
    });
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn questions_of_a_legacy_server_find_their_clients() {
    let exposed = Exposed::start(&words::everything());
    assert_questions_reach_their_own_client(&exposed, ASK, once);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn questions_of_a_shared_legacy_server_find_their_clients() {
    let exposed = shared(words::everything());
    assert_questions_reach_their_own_client(&exposed, ASK, once);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn questions_of_a_modern_server_find_their_clients() {
    let exposed = Exposed::start(&words::python(&["--modern"]));
    assert_questions_reach_their_own_client(&exposed, ASK_TWICE, twice);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn questions_of_a_shared_modern_server_find_their_clients() {
    let exposed = shared(words::python(&["--modern"]));
    assert_questions_reach_their_own_client(&exposed, ASK_TWICE, twice);
}

fn shared(server: Vec<String>) -> Exposed {
    let mut target = vec!["--share".to_owned(), "--".to_owned()];
    target.extend(server);
    Exposed::target(&target)
}

const ASK: (&str, &str) = (
    "tools/call",
    r#"{"name":"trigger-elicitation-request","arguments":{}}"#,
);

fn once(name: &str) -> String {
    format!("Name: {name}")
}

const ASK_TWICE: (&str, &str) = ("tools/call", r#"{"name":"ask_twice","arguments":{}}"#);

fn twice(name: &str) -> String {
    format!("{name} and {name}")
}
