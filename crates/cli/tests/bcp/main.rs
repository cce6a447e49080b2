//! `linkspan bcp` as its users meet it, through the real binary.
//!
//! What the format asks for is checked against files that the reference made
//! (`crates/bcp/tests/vectors`); the reference itself is driven in `tests/peers`.

mod confinement;
mod diffing;
mod files;
mod flags;
mod folders;
mod json;
mod malformed;
mod manifests;
mod names;
mod reading;
mod round_trip;
mod run;
mod server;
mod server_files;
mod server_http;
mod server_tools;
mod streams;
mod truncation;
mod vectors;
mod writing;

#[test]
fn no_test_file_is_forgotten() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bcp");
    let main = include_str!("main.rs");
    for file in std::fs::read_dir(here).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs").filter(|m| !m.starts_with('.')) else {
            continue;
        };
        assert!(
            module == "main" || main.contains(&format!("mod {module};\n")),
            "{name} is in no `mod`"
        );
    }
}
