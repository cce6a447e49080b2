//! `linkspan agent` from outside: a real process between a scripted MCP client and a scripted ACP agent.
//!
//! Each test is one promise to a user. What the agent does is written in the prompt that it is given
//! (`linkspan-child --agent`), and the test opens its gates.

mod answering;
mod asking;
mod ending;
mod eras;
mod failing;
mod flags;
mod sessions;
mod setup;
mod targets;

#[test]
fn no_test_file_is_forgotten() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agent");
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
