//! The entries of a configuration file that start a given program, and whether they still work.

use std::path::Path;

use serde_json::Value;

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
    /// The servers whose command is the program `name`, in whatever folder.
    pub fn started_by<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let all = self.servers().into_iter().flatten();
        all.filter(move |(_, entry)| is_started_by(entry, name))
            .map(|(name, entry)| (name.as_str(), entry))
    }
}

fn is_started_by(entry: &Value, name: &str) -> bool {
    let command = entry.get("command").and_then(Value::as_str);
    command.is_some_and(|command| Path::new(command).file_stem().unwrap_or_default() == name)
}

/// The reason why the server of an entry cannot be started. `is_in_path` looks a program up; the folder after
/// the argument `serve` must exist.
pub fn problem(entry: &Value, is_in_path: impl Fn(&str) -> bool) -> Option<EntryProblem> {
    let command = entry.get("command").and_then(Value::as_str)?;
    if Path::new(command).components().count() > 1 {
        if !Path::new(command).is_file() {
            return Some(EntryProblem::NoProgram(command.to_owned()));
        }
    } else if !is_in_path(command) {
        return Some(EntryProblem::NotInPath(command.to_owned()));
    }
    let args = entry.get("args").and_then(Value::as_array)?;
    let mut words = args.iter().filter_map(Value::as_str);
    if words.next() != Some("serve") {
        return None;
    }
    let dir = words.find(|word| !word.starts_with('-'))?;
    let is_gone = Path::new(dir).is_absolute() && !Path::new(dir).is_dir();
    is_gone.then(|| EntryProblem::NoFolder(dir.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_server_whose_folder_has_gone_is_noticed() {
        let program = std::env::current_exe().unwrap();
        let args = json!(["serve", "--sandbox=2", "/no/such/folder"]);
        let entry = json!({ "command": program, "args": args });
        let gone = EntryProblem::NoFolder("/no/such/folder".to_owned());
        assert_eq!(problem(&entry, |_| false), Some(gone));
        let entry = json!({ "command": program, "args": ["serve", "."] });
        assert_eq!(problem(&entry, |_| false), None);
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
        assert!(is_started_by(
            &json!({ "command": "/x/linkspan" }),
            "linkspan"
        ));
        assert!(!is_started_by(&json!({ "command": "npx" }), "linkspan"));
        assert!(!is_started_by(&json!({ "url": "https://x" }), "linkspan"));
    }
}
