//! `linkspan shrink` from outside: a real process between a scripted client and a scripted server.
//!
//! Each test is one promise to a user. The server says exactly the bytes that the test has written
//! into a file (its tool `say`), so that a test can tell what was changed on the way and what was not.

mod acceptance;
mod choosing;
mod eras;
mod faults;
mod fetching;
mod flag;
mod imitating;
mod old_names;
mod passing;
mod repeating;
mod results;
mod run;
mod same;
mod samples;
mod setup;
mod stats;
mod storing;
mod structured;
mod trying;

#[test]
fn no_test_file_is_forgotten() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shrink");
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
