//! Finds interpreters, and checks whether desktop applications find them.

use std::ffi::OsStr;

use super::{Finding, shown};
use crate::author::interpreters::{Interpreter, is_always_found};

pub(super) fn interpreters(path: &OsStr) -> Vec<Finding> {
    let all = [
        ("bash", "tools in Bash need it; install bash"),
        ("python3", "only tools in Python need it"),
        ("node", "only tools in JavaScript need it"),
    ];
    all.map(|(name, missing)| interpreter(name, "--version", path, missing))
        .into()
}

fn interpreter(name: &'static str, flag: &str, path: &OsStr, missing: &str) -> Finding {
    let Interpreter { path, version } = Interpreter::look(name, flag, path);
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
