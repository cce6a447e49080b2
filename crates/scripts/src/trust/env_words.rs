//! The program that `env` executes: parses options and assignments like GNU and BSD `env`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::os::{OsStrExt as _, OsStringExt as _};

/// Long options that take a value, which may be the next word.
const WITH_VALUE: [&str; 4] = ["--split-string", "--unset", "--chdir", "--argv0"];

/// The inputs of a lookup.
pub(super) struct Env<'a> {
    all: &'a [(OsString, OsString)],
    path: Option<OsString>,
    pub(super) cwd: PathBuf,
}

impl<'a> Env<'a> {
    pub(super) fn new(all: &'a [(OsString, OsString)], cwd: &Path) -> Self {
        let cwd = cwd.to_owned();
        let mut this = Self {
            all,
            path: None,
            cwd,
        };
        this.path = this.get(b"PATH").map(OsStr::to_owned);
        this
    }

    /// The file of a word, looked up as `env` does: also in relative folders of `PATH`.
    pub(super) fn find(&self, word: &OsStr) -> Option<PathBuf> {
        let found = linkspan_spawn::find(word, self.path.as_deref(), Some(&self.cwd));
        Some(self.cwd.join(found.ok()?))
    }

    fn get(&self, name: &[u8]) -> Option<&'a OsStr> {
        let mut all = self.all.iter().rev();
        let (_, value) = all.find(|(known, _)| known.as_bytes() == name)?;
        Some(value)
    }
}

/// The program that `env` executes for these arguments, with its arguments; empty if it executes none.
pub(super) fn executed_by_env(arguments: Vec<OsString>, env: &mut Env<'_>) -> Vec<OsString> {
    let mut rest: Vec<Vec<u8>> = arguments.into_iter().map(OsString::into_vec).collect();
    // The last element is the next word.
    rest.reverse();
    let mut takes_options = true;
    while let Some(word) = rest.pop() {
        if takes_options && word == b"--" {
            takes_options = false;
        } else if takes_options && word.starts_with(b"--") {
            long_option(&word, &mut rest, env);
        } else if takes_options && word.starts_with(b"-") {
            short_options(&word[1..], &mut rest, env);
        } else if word.contains(&b'=') {
            takes_options = false;
            if let Some(path) = word.strip_prefix(b"PATH=") {
                env.path = Some(OsString::from_vec(path.to_vec()));
            }
        } else {
            rest.push(word);
            return rest.into_iter().rev().map(OsString::from_vec).collect();
        }
    }
    Vec::new()
}

fn long_option(word: &[u8], rest: &mut Vec<Vec<u8>>, env: &mut Env<'_>) {
    let at = word.iter().position(|byte| *byte == b'=');
    let (name, value) = word.split_at(at.unwrap_or(word.len()));
    // Options may be abbreviated.
    if b"--ignore-environment".starts_with(name) {
        env.path = None;
    }
    let known = |known: &&&str| known.as_bytes().starts_with(name);
    let Some(option) = WITH_VALUE.iter().find(known) else {
        return;
    };
    let value = match value.strip_prefix(b"=") {
        Some(value) => value.to_vec(),
        None => rest.pop().unwrap_or_default(),
    };
    match *option {
        "--split-string" => rest.extend(split(&value, env).into_iter().rev()),
        "--unset" if value == b"PATH" => env.path = None,
        "--chdir" => env.cwd.push(OsString::from_vec(value)),
        _ => {}
    }
}

fn short_options(options: &[u8], rest: &mut Vec<Vec<u8>>, env: &mut Env<'_>) {
    if options.is_empty() {
        env.path = None;
    }
    for (at, option) in options.iter().enumerate() {
        let after = &options[at + 1..];
        let mut value = || match after {
            b"" => rest.pop().unwrap_or_default(),
            after => after.to_vec(),
        };
        match option {
            b'i' => env.path = None,
            b'u' => {
                if value() == b"PATH" {
                    env.path = None;
                }
                return;
            }
            b'P' => {
                env.path = Some(OsString::from_vec(value()));
                return;
            }
            b'C' => {
                env.cwd.push(OsString::from_vec(value()));
                return;
            }
            b'a' => {
                value();
                return;
            }
            b'S' => {
                let words = split(&value(), env);
                rest.extend(words.into_iter().rev());
                return;
            }
            _ => {}
        }
    }
}

/// Takes a text apart as `env -S` does: quotes, backslashes and `${NAME}`.
fn split(text: &[u8], env: &Env<'_>) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'\'' | b'"' if quote.is_none() => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            _ if quote == Some(byte) => quote = None,
            b' ' | b'\t'..=b'\r' if quote.is_none() => words.extend(word.take()),
            b'\\' if quote != Some(b'\'') => {
                let escaped = text.get(at).copied().unwrap_or(b'\\');
                at += 1;
                match escaped {
                    b'_' if quote.is_none() => words.extend(word.take()),
                    b'_' => word.get_or_insert_default().push(b' '),
                    b'c' => break,
                    escaped => word.get_or_insert_default().push(escaped),
                }
            }
            b'$' if quote != Some(b'\'') && text.get(at) == Some(&b'{') => {
                let name = text[at + 1..].split(|byte| *byte == b'}');
                let name = name.into_iter().next().unwrap_or_default();
                at += name.len() + 2;
                let value = env.get(name).unwrap_or_default();
                word.get_or_insert_default().extend(value.as_bytes());
            }
            byte => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words
}
