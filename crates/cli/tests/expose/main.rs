//! `linkspan expose` from outside: a real process between scripted HTTP clients and scripted children.
//!
//! Each test is one promise to a user. Children tell the test what they hear and wait for gates that
//! it opens; and whatever a test does, its `Exposed` must end in order and leave no process behind.

mod both_ways;
mod chains;
mod crowded;
mod ending;
mod faults;
mod front_limits;
mod hosts;
mod http_rules;
mod listening;
mod many_sessions;
mod modern_calls;
mod modern_rules;
mod old_sse;
mod owners;
mod parked;
mod probing;
mod relaying;
mod roots;
mod sessions;
mod setup;
mod shared;
mod slow_peers;
mod slow_starts;
mod starting;
mod streams;
mod to_modern;
mod tokens;

#[test]
fn no_test_file_is_forgotten() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expose");
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
