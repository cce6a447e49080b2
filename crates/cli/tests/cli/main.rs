//! What a person at a terminal sees of `linkspan`, through the real binary.
//!
//! Output is shown, not described: the snapshots stand in the tests. `cargo insta review` takes new
//! ones over; by hand works as well.

#[cfg(unix)]
mod asked;
mod calling;
#[cfg(unix)]
mod commands;
#[cfg(unix)]
mod documented;
#[cfg(unix)]
mod ending;
mod failing;
mod help;
mod listing;
mod pages;
#[cfg(unix)]
mod pty;
#[cfg(unix)]
mod script;
mod security_page;
mod setup;
#[cfg(unix)]
mod shim;
mod shrink_pages;
mod terminal;
#[cfg(unix)]
mod waiting;

#[test]
fn no_test_file_is_forgotten() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
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
