//! Checks what could keep scripts and clients from working on this machine.

mod clients;
mod machine;
mod programs;

use std::path::Path;

use anstyle::{AnsiColor, Style};
use linkspan_scripts::folder::FolderError;
use serde_json::{Value, json};

use crate::args::folder::Compat;
use crate::exit::{Exit, Failure};
use crate::folder::{Reading, catalogue, errors, offered, refused};
use crate::show::{indented, path as shown, raw, say};

const GOOD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const ODD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
const BAD: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

/// One thing that was looked at.
#[derive(Debug)]
struct Finding {
    /// A short name, the same on every machine.
    id: &'static str,
    state: State,
    /// What was found.
    text: String,
    /// What to do about it.
    hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// Something may not work.
    Odd,
    /// Something does not work.
    Bad,
}

impl Finding {
    fn good(id: &'static str, text: impl Into<String>) -> Self {
        Self {
            id,
            state: State::Good,
            text: text.into(),
            hint: None,
        }
    }

    fn odd(id: &'static str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            id,
            state: State::Odd,
            text: text.into(),
            hint: Some(hint.into()),
        }
    }

    fn bad(id: &'static str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            state: State::Bad,
            ..Self::odd(id, text, hint)
        }
    }
}

/// Checks this machine, and a folder if there is one.
pub(crate) fn check(dir: Option<&Path>, json: bool) -> Result<Exit, Failure> {
    if let Some(dir) = dir.filter(|dir| !dir.is_dir()) {
        let path = dir.to_owned();
        return Err(refused(&FolderError::NotAFolder { path }));
    }
    let mut findings = vec![machine::us()];
    findings.extend(programs::interpreters());
    findings.push(machine::sandbox());
    findings.push(machine::scratch());
    findings.push(machine::open_files());
    findings.extend(clients::configurations());
    if let Some(dir) = dir {
        findings.push(folder(dir));
    }
    let bad = findings.iter().any(|found| found.state == State::Bad);
    if json {
        raw(&as_json(&findings, bad).to_string());
    } else {
        findings.iter().for_each(print);
    }
    Ok(if bad { Exit::Invalid } else { Exit::Ok })
}

fn print(found: &Finding) {
    let (style, mark) = match found.state {
        State::Good => (GOOD, "ok"),
        State::Odd => (ODD, "!!"),
        State::Bad => (BAD, "no"),
    };
    say!("{style}{mark}{style:#}  {}", indented(&found.text, "    "));
    if let Some(hint) = &found.hint {
        say!("    hint: {}", indented(hint, "    "));
    }
}

fn as_json(findings: &[Finding], bad: bool) -> Value {
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
        "exitCode": i32::from(bad),
        "errors": count(State::Bad),
        "warnings": count(State::Odd),
        "findings": all,
    })
}

/// Whether a folder can be served.
fn folder(dir: &Path) -> Finding {
    let catalogue = match catalogue(dir, &Reading::plain(Compat::Auto)) {
        Ok(catalogue) => catalogue,
        Err(e) => {
            let hint = e.hint().unwrap_or_else(|| "is it readable?".to_owned());
            return Finding::bad("folder", e.to_string(), hint);
        }
    };
    match errors(&catalogue) {
        0 => {
            let offered = offered(&catalogue);
            Finding::good("folder", format!("{} can be served: {offered}", shown(dir)))
        }
        n => Finding::odd(
            "folder",
            format!("{}: {n} things in it are not offered", shown(dir)),
            format!("linkspan validate {}", shown(dir)),
        ),
    }
}
