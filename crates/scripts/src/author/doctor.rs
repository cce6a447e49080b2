//! Checks for problems that keep scripts from working on this machine.

mod machine;
mod programs;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use linkspan_wire::escape_block;
use serde_json::{Value, json};

use super::report::{errors, shown, summary};
use crate::folder::{Catalogue, FolderError};

const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const ODD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

/// The result of one check.
#[derive(Debug)]
pub struct Finding {
    /// A short name, the same on every machine.
    pub id: &'static str,
    /// The state of the checked item.
    pub state: State,
    /// What was found.
    pub text: String,
    /// What the user can do about it.
    pub hint: Option<String>,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It works.
    Good,
    /// It may not work.
    Odd,
    /// It does not work.
    Bad,
}

impl Finding {
    /// It works.
    pub fn good(id: &'static str, text: impl Into<String>) -> Self {
        Self {
            id,
            state: State::Good,
            text: text.into(),
            hint: None,
        }
    }

    /// A finding in the state [`State::Odd`].
    pub fn odd(id: &'static str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            id,
            state: State::Odd,
            text: text.into(),
            hint: Some(hint.into()),
        }
    }

    /// A finding in the state [`State::Bad`].
    pub fn bad(id: &'static str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            state: State::Bad,
            ..Self::odd(id, text, hint)
        }
    }

    /// Writes the finding as coloured text.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (style, mark) = match self.state {
            State::Good => (GOOD, "ok"),
            State::Odd => (ODD, "!!"),
            State::Bad => (BAD, "no"),
        };
        let text = escape_block(&self.text, "    ");
        writeln!(out, "{style}{mark}{style:#}  {text}")?;
        match &self.hint {
            Some(hint) => writeln!(out, "    hint: {}", escape_block(hint, "    ")),
            None => Ok(()),
        }
    }
}

/// The machine as this program sees it.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// This program, if its path is known.
    pub program: Option<&'a Path>,
    /// Its version.
    pub version: &'a str,
    /// The value of `PATH`.
    pub path: &'a OsStr,
    /// The folder for temporary files.
    pub temp: &'a Path,
}

impl Machine<'_> {
    /// Checks our own program, interpreters, the sandbox, the folder for temporary files and the limit of
    /// open files.
    pub fn check(&self) -> Vec<Finding> {
        let mut findings = vec![machine::own_program(self.program, self.version)];
        findings.extend(programs::interpreters(self.path));
        findings.push(machine::sandbox());
        findings.push(machine::scratch(self.temp));
        findings.push(machine::open_files());
        findings
    }
}

/// Checks whether a folder can be served.
pub fn folder(dir: &Path, catalogue: &Result<Catalogue, FolderError>) -> Finding {
    let catalogue = match catalogue {
        Ok(catalogue) => catalogue,
        Err(e) => {
            let hint = e.hint().unwrap_or_else(|| "is it readable?".to_owned());
            return Finding::bad("folder", e.to_string(), hint);
        }
    };
    let dir = shown(dir);
    match errors(catalogue) {
        0 => {
            let offered = summary(catalogue);
            Finding::good("folder", format!("{dir} can be served: {offered}"))
        }
        n => Finding::odd(
            "folder",
            format!("{dir}: {n} entries are not offered"),
            format!("linkspan validate {dir}"),
        ),
    }
}

/// Whether a finding is in the state [`State::Bad`].
pub fn has_errors(findings: &[Finding]) -> bool {
    findings.iter().any(|found| found.state == State::Bad)
}

/// The findings as JSON.
pub fn as_json(findings: &[Finding]) -> Value {
    let bad = has_errors(findings);
    let all: Vec<Value> = findings
        .iter()
        .map(|found| {
            json!({
                "id": found.id,
                "state": match found.state {
                    State::Good => "ok",
                    State::Odd => "warning",
                    State::Bad => "error",
                },
                "text": found.text,
                "hint": found.hint,
            })
        })
        .collect();
    let count = |state| findings.iter().filter(|found| found.state == state).count();
    json!({
        "schemaVersion": 1,
        "ok": !bad,
        "errors": count(State::Bad),
        "warnings": count(State::Odd),
        "findings": all,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_written_with_their_state_and_hint() {
        let findings = [
            Finding::good("a", "fine"),
            Finding::odd("b", "two\nlines", "do this"),
            Finding::bad("c", "broken", "do that"),
        ];
        let mut out = Vec::new();
        findings.iter().for_each(|one| one.write(&mut out).unwrap());
        let text = String::from_utf8(out).unwrap();
        for part in [
            "ok",
            "  fine\n",
            "!!",
            "two\n    lines",
            "hint: do this\n",
            "no",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let json = as_json(&findings);
        assert_eq!(json["ok"], false);
        assert_eq!((&json["errors"], &json["warnings"]), (&json!(1), &json!(1)));
        assert_eq!(json["findings"][0]["state"], "ok");
        assert!(!has_errors(&findings[..2]));
    }

    #[test]
    fn a_machine_without_programs_and_temporary_files_has_findings_for_each() {
        let none = Path::new("/nonexistent");
        let machine = Machine {
            program: None,
            version: "1",
            path: OsStr::new(""),
            temp: none,
        };
        let findings = machine.check();
        let state = |id| findings.iter().find(|one| one.id == id).unwrap().state;
        for id in ["linkspan", "bash", "python3", "node"] {
            assert_eq!(state(id), State::Odd, "{id}");
        }
        assert_eq!(state("scratch"), State::Bad);
    }
}
