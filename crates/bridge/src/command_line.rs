//! Command lines of `linkspan` for hints: what to type instead, or to see the same server.

mod mistake;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

use linkspan_spawn::shell_quoted;
use linkspan_wire::escape_line;

use crate::record::masked_words;
use crate::target::TargetError;

pub use mistake::LineMistake;

/// A command that can be pasted into a shell.
pub fn command_line<'a>(words: impl IntoIterator<Item = Cow<'a, str>>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| shell_quoted(&word)).collect();
    escape_line(&words.join(" ")).into_owned()
}

/// The same without its secrets, for hints: printed text may end up in a log.
pub fn shown_line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    command_line(masked_words(words).into_iter().map(Into::into))
}

/// `linkspan tools …` for this target, with the flags that the server needs.
pub fn tools_of(flags: &[String], url: Option<&str>, command: &[impl AsRef<OsStr>]) -> String {
    let command: Vec<_> = command
        .iter()
        .map(|word| word.as_ref().to_string_lossy())
        .collect();
    let dashes = (!command.is_empty()).then_some("--");
    let flags = flags.iter().map(String::as_str);
    let words = ["linkspan", "tools"].into_iter().chain(flags).chain(url);
    shown_line(
        words
            .chain(dashes)
            .chain(command.iter().map(|word| &**word)),
    )
}

/// `linkspan tools …` for a folder.
pub fn tools_of_folder(dir: &Path) -> String {
    let dir = escape_line(&dir.to_string_lossy()).into_owned();
    // Without a separator the word could name other things than a folder.
    let dir = if dir.contains(std::path::is_separator) || dir.starts_with('.') {
        dir
    } else {
        format!("./{dir}")
    };
    tools_of(&[], Some(&dir), &[] as &[&OsStr])
}

/// The command line that was typed, without the program's name.
#[derive(Debug, Clone)]
pub struct TypedLine(Vec<String>);

impl TypedLine {
    /// Of these words.
    pub fn new(words: Vec<String>) -> Self {
        Self(words)
    }

    /// A hint for the user about a word that is not a target.
    pub fn hint(self, error: &TargetError) -> String {
        let hint = match error {
            TargetError::Missing => {
                "the target comes last: a URL, a folder, or a command after `--`"
            }
            TargetError::Two(_) => "give one of them",
            TargetError::NotLast(target) => return self.with_last(target),
            TargetError::UrlAsCommand | TargetError::FolderAsCommand(_) => {
                return self.without_dashes();
            }
            TargetError::CommandInOneWord(word) => {
                let words: Vec<&str> = word.split_whitespace().collect();
                return self.with_instead(word, &words);
            }
            TargetError::Argument(_) => {
                "arguments come before the target: linkspan call TOOL NAME=VALUE (URL | FOLDER | -- COMMAND…)"
            }
            TargetError::File(word) => {
                let program = match Path::new(word).components().count() {
                    1 => format!("./{word}"),
                    _ => word.clone(),
                };
                let line = self.with_instead(word, &["--", &program]);
                return format!("a command goes after `--`: {line}");
            }
            TargetError::Program(word) => return self.with_instead(word, &["--", word]),
            TargetError::NoScheme { word, url } => return self.with_instead(word, &[url]),
            TargetError::NoFolder(_) => {
                "a folder of scripts has tools, prompts or resources in it; a URL begins with https://; a command goes after `--`"
            }
            TargetError::Unknown(_) => {
                "a URL begins with https://, for example https://mcp.example.com/mcp; a command goes after `--`"
            }
        };
        hint.to_owned()
    }

    /// Inserts `--` before the first word that is this program; `None` if no word is.
    pub fn with_dashes_before(self, program: &str) -> Option<String> {
        let at = self.0.iter().position(|word| word == program)?;
        Some(self.with_dashes_at(at))
    }

    /// Inserts `--` before the word at this position.
    pub fn with_dashes_at(mut self, at: usize) -> String {
        self.0.insert(at, "--".to_owned());
        self.shown()
    }

    /// Moves this word to the end.
    fn with_last(mut self, target: &str) -> String {
        if let Some(at) = self.0.iter().rposition(|word| word == target) {
            let word = self.0.remove(at);
            self.0.push(word);
        }
        self.shown()
    }

    /// Without its `--`.
    fn without_dashes(mut self) -> String {
        if let Some(at) = self.0.iter().position(|word| word == "--") {
            self.0.remove(at);
        }
        self.shown()
    }

    /// Replaces this word.
    fn with_instead(mut self, word: &str, instead: &[&str]) -> String {
        let Some(at) = self.0.iter().rposition(|typed| typed == word) else {
            return shown_line(instead.iter().copied());
        };
        let instead = instead.iter().map(|word| (*word).to_owned());
        self.0.splice(at..=at, instead);
        self.shown()
    }

    /// The whole line, without its secrets.
    fn shown(&self) -> String {
        shown_line(std::iter::once("linkspan").chain(self.0.iter().map(String::as_str)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(line: &str, error: &TargetError) -> String {
        TypedLine::new(line.split(' ').map(str::to_owned).collect()).hint(error)
    }

    #[test]
    fn a_target_in_the_wrong_place_gets_the_right_line() {
        let owned = str::to_owned;
        assert_eq!(
            hint("call . echo", &TargetError::NotLast(owned("."))),
            "linkspan call echo ."
        );
        assert_eq!(
            hint("tools -- https://x/mcp", &TargetError::UrlAsCommand),
            "linkspan tools https://x/mcp"
        );
        assert_eq!(
            hint("tools run.sh", &TargetError::File(owned("run.sh"))),
            "a command goes after `--`: linkspan tools -- ./run.sh"
        );
        assert_eq!(hint("other", &TargetError::Program(owned("npx"))), "-- npx");
    }

    #[test]
    fn the_command_line_that_is_suggested_has_no_secrets() {
        let none: &[&str] = &[];
        let line = tools_of(
            &[],
            Some("https://me:pw@mcp.example.com/mcp?token=abc"),
            none,
        );
        assert_eq!(line, "linkspan tools 'https://mcp.example.com/mcp?…'");
        let line = tools_of(&[], Some("https://me:p@w@host/a@b"), none);
        assert_eq!(line, "linkspan tools https://host/a@b");
    }

    #[test]
    fn the_command_line_that_is_suggested_keeps_the_credentials_by_name() {
        let flags = [
            "--bearer-env",
            "MY_TOKEN",
            "-H",
            "X-Key: ${KEY}",
            "-H",
            "X-Other: abc",
        ];
        let none: &[&str] = &[];
        assert_eq!(
            tools_of(&flags.map(str::to_owned), Some("https://host/mcp"), none),
            "linkspan tools --bearer-env MY_TOKEN -H 'X-Key: ${KEY}' -H 'X-Other: ***' https://host/mcp"
        );
    }

    #[test]
    fn the_command_line_that_is_suggested_can_be_pasted() {
        let none: &[&str] = &[];
        let line = tools_of(&[], Some("https://mcp.example.com/mcp"), none);
        assert_eq!(line, "linkspan tools https://mcp.example.com/mcp");
        let line = tools_of(&[], None, &["npx", "-y", "my server"]);
        assert_eq!(line, "linkspan tools -- npx -y 'my server'");
        assert_eq!(
            tools_of_folder(Path::new("my-server")),
            "linkspan tools ./my-server"
        );
        assert_eq!(tools_of_folder(Path::new(".")), "linkspan tools .");
    }
}
