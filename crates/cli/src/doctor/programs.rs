//! Interpreters, and whether desktop apps find them.

use std::path::PathBuf;

use linkspan_scripts::author::interpreters::{self, Interpreter, is_always_found};

use super::Finding;
use crate::show::path as shown;

pub(crate) fn interpreters() -> Vec<Finding> {
    vec![
        interpreter("bash", "--version", "tools in Bash need it; install bash"),
        interpreter("python3", "--version", "only tools in Python need it"),
        interpreter("node", "--version", "only tools in JavaScript need it"),
    ]
}

fn interpreter(name: &'static str, flag: &str, missing: &str) -> Finding {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Interpreter { path, version } = Interpreter::look(name, flag, &path);
    let Some(path) = path else {
        return Finding::odd(name, format!("{name} is not in PATH"), missing);
    };
    let place = shown(&path);
    let Some(version) = version else {
        return Finding::bad(
            name,
            format!("{place} does not say its version"),
            format!("try {name} {flag}"),
        );
    };
    let text = format!("{name}: {version} ({place})");
    if cfg!(unix) && !is_always_found(&path) {
        let hint = format!(
            "desktop apps may not find {name}: their PATH is often shorter; pass on yours with linkspan config --with-path"
        );
        return Finding::odd(name, text, hint);
    }
    Finding::good(name, text)
}

/// The program of that name that a shell would run.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    interpreters::find(name, &std::env::var_os("PATH")?)
}
