//! `linkspan connect` from outside: a real process between a scripted client and a scripted server.
//!
//! Each test is one promise to a user. Nothing here sleeps to wait for something: the fake server
//! has gates, records what it saw, and both sides can be asked to wait for a condition.

mod both_ways;
mod commands;
mod connecting;
mod damaged;
mod ending;
mod eras;
mod fidelity;
mod framing;
mod http_errors;
mod identity;
mod load;
mod modern;
mod old_sse;
mod reopening;
mod reviewed_again;
mod reviewed_barriers;
mod reviewed_bounds;
mod reviewed_ending;
mod reviewed_secrets;
mod reviewed_setup;
mod reviewed_sse;
mod reviewed_terminal;
mod routing;
mod secrets;
mod sessions;
mod setup;
mod streams;
mod tls;

#[test]
fn no_test_file_is_forgotten() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bridge");
    let main = include_str!("main.rs");
    for file in std::fs::read_dir(here).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.strip_suffix(".rs").unwrap_or(&name);
        assert!(
            module == "main" || main.contains(&format!("mod {module};\n")),
            "{name} is in no `mod`"
        );
    }
}
