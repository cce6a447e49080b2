//! What those who write a folder of scripts see of `linkspan`, through the real binary.

mod begin;
mod clients;
mod doctor;
mod looking;
mod manual;
mod mcp_bash;
mod providers;
mod running;
mod setup;
mod theirs;
mod web;

#[test]
fn no_test_file_is_forgotten() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/author");
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
