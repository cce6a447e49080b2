//! Projects of mcp-bash, unmodified, through the real binary: what their clients see.
#![cfg(unix)]

mod defects;
mod lifecycle;
mod lists;
mod operator;
mod policy;
mod prompts;
mod register;
mod resources;
mod setup;
mod talking;
mod tools;
mod validate;

#[test]
fn no_test_file_is_forgotten() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp_bash");
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
