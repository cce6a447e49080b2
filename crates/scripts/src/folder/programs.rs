//! Determines how a file is run, without running it.

use std::ffi::OsString;
use std::path::Path;

use super::catalogue::{Fix, Program, Severity};
use super::listing::Item;
use super::reader::Reader;
use super::script::{Kind, Script};
use super::settings::RunSettings;
use crate::run::env::base;
use crate::trust::{Start, WalkError};

impl Reader<'_> {
    /// The command line of an executable file.
    pub(super) fn program(&mut self, item: &Item, script: &Script) -> Option<Program> {
        if item.metadata.len() == 0 {
            // Perhaps it is just being written.
            self.error(&item.shown, "is empty".to_owned());
            return None;
        }
        let path = item.path.clone().into_os_string();
        let with = |words: Vec<String>| {
            let words = words.into_iter().map(OsString::from);
            Some(Program::Argv(words.chain([path.clone()]).collect()))
        };
        match script.kind {
            Kind::Binary => Some(Program::Argv(vec![path])),
            Kind::Script if script.interpreter.is_empty() => {
                let text = "its #! line names no interpreter".to_owned();
                self.tell(Severity::Error, &item.shown, Some(1), text);
                None
            }
            Kind::Script => {
                let interpreter = &script.interpreter[0];
                if !self.is_there(interpreter) {
                    let text = format!("its interpreter {interpreter} does not exist");
                    let hint = "`#!/usr/bin/env NAME` finds it wherever it is installed".to_owned();
                    let problem = self.tell(Severity::Warning, &item.shown, Some(1), text);
                    problem.hint = Some(hint);
                } else if let Some(name) = found_by_env(&script.interpreter)
                    && !self.is_there(name)
                {
                    let text = format!("its interpreter `{name}` is not on the PATH");
                    let hint = "install it, or name an existing one (`python3`, not `python`)";
                    let problem = self.tell(Severity::Warning, &item.shown, Some(1), text);
                    problem.hint = Some(hint.to_owned());
                }
                if !script.spoilt {
                    return Some(Program::Argv(vec![path]));
                }
                let text = "its #! line has a byte order mark or a carriage return, which the \
                            system cannot read"
                    .to_owned();
                let hint = "save it as UTF-8 without a mark and with LF at the end of lines";
                let problem = self.tell(Severity::Warning, &item.shown, Some(1), text);
                problem.hint = Some(hint.to_owned());
                with(script.interpreter.clone())
            }
            Kind::Other => {
                let Some(interpreter) = interpreter(item.extension()) else {
                    let text = "is not a program and has no #! line".to_owned();
                    let hint = "begin it with a line such as `#!/usr/bin/env bash`".to_owned();
                    let problem = self.tell(Severity::Error, &item.shown, Some(1), text);
                    problem.hint = Some(hint);
                    return None;
                };
                let text = format!("has no #! line; it is run by {interpreter}");
                let hint = format!("begin it with `#!/usr/bin/env {interpreter}`");
                let problem = self.tell(Severity::Warning, &item.shown, Some(1), text);
                problem.hint = Some(hint);
                with(vec![interpreter.to_owned()])
            }
        }
    }

    /// Whether the program of an entry and its interpreters are trusted; reports a problem if not.
    pub(super) fn trusts(&mut self, item: &Item, program: &Program, run: &RunSettings) -> bool {
        let words: Vec<OsString> = match program {
            Program::Argv(words) => words.clone(),
            Program::Template(words) => words.iter().map(OsString::from).collect(),
        };
        let start = Start {
            words: &words,
            env: &base(&run.env, self.options.env.iter().cloned()),
            cwd: run.cwd.as_deref().unwrap_or(&self.root),
        };
        let Ok(path) = start.program() else {
            return true;
        };
        if let Err(WalkError::Untrusted(found)) = self.trust.program(&path, start, &self.root) {
            let problem = self.error(
                &item.shown,
                format!("is left out: its interpreter is not trusted: {found}"),
            );
            problem.hint = Some(found.repair());
            return false;
        }
        true
    }

    /// Whether an interpreter or program exists.
    pub(super) fn is_there(&mut self, interpreter: &str) -> bool {
        if let Some((_, there)) = self.interpreters.iter().find(|(i, _)| i == interpreter) {
            return *there;
        }
        let there = if interpreter.contains('/') {
            // A relative path depends on the working directory of the call, which is not known here.
            !interpreter.starts_with('/') || Path::new(interpreter).exists()
        } else {
            is_on_path(interpreter, &self.options.env)
        };
        self.interpreters.push((interpreter.to_owned(), there));
        there
    }

    /// Reports a file that looks like a program but is not executable.
    pub(super) fn not_executable(&mut self, item: &Item) {
        let problem = self.error(&item.shown, "is not executable".to_owned());
        problem.hint = Some(
            "chmod +x, or `linkspan validate --fix`; files that are no entries need a name that begins with `_`"
                .to_owned(),
        );
        problem.fix = Some(Fix::MakeExecutable(item.path.clone()));
    }
}

/// The name that `env` looks up, if its argument is only a name.
fn found_by_env(words: &[String]) -> Option<&str> {
    let [first, rest] = words else { return None };
    let name = rest.strip_prefix("-S").unwrap_or(rest).split_whitespace();
    let name = name.into_iter().next()?;
    let plain = !name.starts_with('-') && !name.contains(['=', '/']);
    (first.ends_with("/env") && plain).then_some(name)
}

/// `true` if `PATH` is unknown.
fn is_on_path(name: &str, env: &[(OsString, OsString)]) -> bool {
    let Some((_, path)) = env.iter().find(|(name, _)| name == "PATH") else {
        return true;
    };
    std::env::split_paths(path).any(|folder| folder.join(name).is_file())
}

/// The default interpreter of a script without a `#!` line.
pub(super) fn interpreter(extension: &str) -> Option<&'static str> {
    match extension {
        "sh" => Some("sh"),
        "bash" => Some("bash"),
        "zsh" => Some("zsh"),
        "py" => Some("python3"),
        "js" | "mjs" | "cjs" => Some("node"),
        "rb" => Some("ruby"),
        "pl" => Some("perl"),
        "php" => Some("php"),
        "lua" => Some("lua"),
        _ => None,
    }
}
