//! The entries of a configuration file that start a given program, and whether they still work.

use std::path::Path;

use serde_json::Value;

use crate::clients::{Client, PLACEHOLDER, WRITTEN};
use crate::file::ConfigFile;

/// Why a client cannot start a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryProblem {
    /// The program does not exist.
    #[error("there is no {0}")]
    NoProgram(String),
    /// No folder of `PATH` has the program.
    #[error("{0} is not in PATH")]
    NotInPath(String),
    /// The folder to serve does not exist.
    #[error("there is no folder {0}")]
    NoFolder(String),
}

impl ConfigFile {
    /// The servers that linkspan runs.
    pub fn ours(&self) -> Vec<(&str, &Value)> {
        let client = self.client();
        let all = self.servers().into_iter();
        all.filter(|(_, entry)| is_ours(client, entry)).collect()
    }
}

/// The program whose entries are ours.
const PROGRAM: &str = "linkspan";

/// Whether an entry runs linkspan.
pub(crate) fn is_ours(client: Client, entry: &Value) -> bool {
    let line = client.command_line(entry);
    line.is_some_and(|line| own_arguments(&line).is_some())
}

/// The arguments of linkspan in a command line: after a path of the program, `npx -y linkspan` or `uvx linkspan`.
pub(crate) fn own_arguments<'a>(line: &'a [&'a str]) -> Option<&'a [&'a str]> {
    const LAUNCHERS: [&str; 7] = ["npx", "bunx", "pnpm", "uvx", "uv", "cmd", "docker"];
    let is_program = |word: &str| {
        let word = word.rsplit(['/', '\\']).next().unwrap_or_default();
        let word = word.split('@').next().unwrap_or_default();
        Path::new(word).file_stem().unwrap_or_default() == PROGRAM
    };
    let first = *line.first()?;
    if is_program(first) {
        return Some(&line[1..]);
    }
    let stem = Path::new(first).file_stem().unwrap_or_default();
    if !LAUNCHERS.iter().any(|launcher| stem == *launcher) {
        return None;
    }
    let words = line.iter();
    let at = words.take(8).position(|word| is_program(word))?;
    Some(&line[at + 1..])
}

/// Keeps what the user has written in the existing entry: the values of secrets in the place of placeholders, and all
/// members that say neither how the server is started nor where it is.
pub(crate) fn keep(client: Client, entry: &mut Value, existing: &Value) {
    let member = client.env_member();
    let env = entry.get_mut(member).and_then(Value::as_object_mut);
    for (name, value) in env.into_iter().flatten() {
        let written = existing.get(member).and_then(|env| env.get(name));
        if let (true, Some(written)) = (*value == PLACEHOLDER, written) {
            *value = written.clone();
        }
    }
    let written = existing.as_object().into_iter().flatten();
    for (name, value) in written.filter(|(name, _)| !WRITTEN.contains(&name.as_str())) {
        entry[name.as_str()] = value.clone();
    }
}

/// The reason why the server of an entry cannot be started. `is_in_path` looks a program up; the folder after
/// the argument `serve` must exist.
pub fn problem(
    client: Client,
    entry: &Value,
    is_in_path: impl Fn(&str) -> bool,
) -> Option<EntryProblem> {
    let line = client.command_line(entry)?;
    let command = *line.first()?;
    if Path::new(command).components().count() > 1 {
        if !Path::new(command).is_file() {
            return Some(EntryProblem::NoProgram(command.to_owned()));
        }
    } else if !is_in_path(command) {
        return Some(EntryProblem::NotInPath(command.to_owned()));
    }
    let mut words = own_arguments(&line)?.iter();
    if words.next() != Some(&"serve") {
        return None;
    }
    let dir = words.find(|word| !word.starts_with('-'))?;
    let is_gone = Path::new(dir).is_absolute() && !Path::new(dir).is_dir();
    is_gone.then(|| EntryProblem::NoFolder((*dir).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn problem(entry: &Value, is_in_path: impl Fn(&str) -> bool) -> Option<EntryProblem> {
        super::problem(Client::Cursor, entry, is_in_path)
    }

    #[test]
    fn a_server_whose_folder_has_gone_is_noticed() {
        let args = json!([
            "-y",
            "linkspan@1",
            "serve",
            "--sandbox=2",
            "/no/such/folder"
        ]);
        let entry = json!({ "command": "npx", "args": args });
        let gone = EntryProblem::NoFolder("/no/such/folder".to_owned());
        assert_eq!(problem(&entry, |_| true), Some(gone));
        let entry = json!({ "command": "linkspan", "args": ["serve", "."] });
        assert_eq!(problem(&entry, |_| true), None);
    }

    #[test]
    fn a_program_that_has_gone_is_noticed() {
        let entry = json!({ "command": "/no/such/linkspan", "args": ["serve", "/"] });
        let gone = EntryProblem::NoProgram("/no/such/linkspan".to_owned());
        assert_eq!(problem(&entry, |_| true), Some(gone));
        let entry = json!({ "command": "linkspan" });
        assert_eq!(problem(&entry, |_| true), None);
        let missing = EntryProblem::NotInPath("linkspan".to_owned());
        assert_eq!(problem(&entry, |_| false), Some(missing));
    }

    #[test]
    fn a_server_is_known_by_its_program() {
        let ours = |entry: Value| is_ours(Client::Cursor, &entry);
        assert!(ours(json!({ "command": "/x/linkspan" })));
        assert!(ours(json!({ "command": "C:\\x\\linkspan.exe" })));
        assert!(ours(
            json!({ "command": "npx", "args": ["-y", "linkspan@latest", "connect"] })
        ));
        assert!(ours(
            json!({ "command": "cmd", "args": ["/c", "npx", "-y", "linkspan"] })
        ));
        assert!(ours(
            json!({ "command": "uvx", "args": ["linkspan", "serve", "/x"] })
        ));
        assert!(!ours(
            json!({ "command": "npx", "args": ["-y", "mcp-remote", "https://x"] })
        ));
        assert!(!ours(json!({ "command": "cat", "args": ["linkspan"] })));
        assert!(!ours(json!({ "url": "https://x/linkspan" })));
        assert!(is_ours(
            Client::OpenCode,
            &json!({ "command": ["linkspan", "serve"] })
        ));
        assert!(is_ours(
            Client::Goose,
            &json!({ "cmd": "linkspan", "args": [] })
        ));
    }

    #[test]
    fn what_the_user_has_written_is_kept() {
        let mut entry = json!({ "command": "linkspan", "env": { "A": "…", "B": "1" } });
        let existing = json!({ "command": "old", "url": "old", "autoApprove": ["x"], "disabled": true,
            "env": { "A": "secret", "B": "2" } });
        keep(Client::Cline, &mut entry, &existing);
        let kept = json!({ "command": "linkspan", "env": { "A": "secret", "B": "1" },
            "autoApprove": ["x"], "disabled": true });
        assert_eq!(entry, kept);
        let mut entry = json!({ "enabled": true, "cmd": "linkspan", "timeout": 300 });
        let existing = json!({ "enabled": false, "cmd": "old", "timeout": 60 });
        keep(Client::Goose, &mut entry, &existing);
        assert_eq!(
            entry,
            json!({ "enabled": false, "cmd": "linkspan", "timeout": 60 })
        );
    }
}
