//! Checks that every test file is part of its suite.

use std::path::Path;

/// Asserts that `main`, the text of a `main.rs`, has a `mod` for every Rust file in its folder.
///
/// # Panics
/// When a file is in no `mod`, or the folder cannot be read.
#[track_caller]
pub fn assert_every_file_is_a_module(folder: impl AsRef<Path>, main: &str) {
    for file in std::fs::read_dir(folder).expect("the folder is there") {
        let name = file.expect("the folder can be read").file_name();
        let name = name.to_str().expect("names of test files are text");
        // Editors leave hidden files beside those that they write.
        let module = name.strip_suffix(".rs").filter(|m| !m.starts_with('.'));
        let is_module = |module: &str| main.contains(&format!("mod {module};\n"));
        assert!(
            module.is_none_or(|module| module == "main" || is_module(module)),
            "{name} is in no `mod`"
        );
    }
}
