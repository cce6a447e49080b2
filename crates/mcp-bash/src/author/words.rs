//! The arguments of mcp-bash's command line. Flags may appear anywhere.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::Vars;

/// The remaining arguments of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words(VecDeque<String>);

/// Errors of the command line.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// A flag without a value.
    #[error("usage: mcp-bash {0} needs a value")]
    NoValue(String),
    /// The command has no such flag or argument.
    #[error("usage: mcp-bash {verb}: unexpected {} {word}", kind(word))]
    Unexpected {
        /// The verb.
        verb: String,
        /// The word.
        word: String,
    },
    /// The command has no such flag.
    #[error("usage: mcp-bash {verb}: unknown option {word}")]
    UnknownOption {
        /// The verb.
        verb: &'static str,
        /// The word.
        word: String,
    },
    /// A subcommand is missing or unknown.
    #[error("usage: mcp-bash {0}")]
    Form(&'static str),
    /// The name of a new entry is missing.
    #[error("{what} name required")]
    NoName {
        /// The kind of the entry.
        what: String,
        /// An example of the command.
        example: String,
    },
    /// `run-tool` without a tool.
    #[error("tool name required")]
    NoTool,
    /// `run-tool` takes one name.
    #[error("unexpected argument: {0}")]
    SecondTool(String),
    /// The tool arguments are not a JSON object.
    #[error("--args must be a JSON object")]
    Arguments,
    /// A root does not exist.
    #[error("invalid --roots value: {root}: {source}")]
    Root {
        /// The root.
        root: String,
        /// Why not.
        source: io::Error,
    },
    /// The client is unknown.
    #[error("`{0}` is not a client that is known here")]
    Client(String),
    /// No project is given, and none was found.
    #[error(
        "No MCP project found: MCPBASH_PROJECT_ROOT is not set, and neither this folder nor one above it has server.d/server.meta.json"
    )]
    NoProject,
    /// The given project does not exist.
    #[error("{} does not exist", super::error::shown(.0))]
    ProjectMissing(PathBuf),
}

fn kind(word: &str) -> &'static str {
    if word.starts_with('-') {
        "option"
    } else {
        "argument"
    }
}

impl UsageError {
    /// What the user can do about the error.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoValue(_)
            | Self::Unexpected { .. }
            | Self::UnknownOption { .. }
            | Self::Form(_) => "mcp-bash --help".to_owned(),
            Self::NoName { example, .. } => example.clone(),
            Self::Client(_) => {
                let words = super::config::CLIENTS.map(|known| known.word);
                format!("--client is one of {}", words.join(", "))
            }
            Self::NoProject => {
                "mcp-bash init makes a project here; --project-root DIR names one".to_owned()
            }
            Self::ProjectMissing(_) => {
                "MCPBASH_PROJECT_ROOT or --project-root names the folder of the project".to_owned()
            }
            Self::NoTool | Self::SecondTool(_) | Self::Arguments | Self::Root { .. } => {
                return None;
            }
        };
        Some(hint)
    }
}

impl FromIterator<OsString> for Words {
    fn from_iter<I: IntoIterator<Item = OsString>>(words: I) -> Self {
        let words = words.into_iter();
        Self(words.map(|w| w.to_string_lossy().into_owned()).collect())
    }
}

impl Words {
    /// The first word.
    pub fn first(&self) -> Option<&str> {
        self.0.front().map(String::as_str)
    }

    /// Removes and returns the first word.
    pub fn take(&mut self) -> Option<String> {
        self.0.pop_front()
    }

    /// Removes the first word and returns it unless it is empty.
    pub fn take_name(&mut self) -> Option<String> {
        self.take().filter(|name| !name.is_empty())
    }

    /// Removes a flag; `true` if it was given.
    pub fn flag(&mut self, name: &str) -> bool {
        let at = self.0.iter().position(|word| word == name);
        at.and_then(|at| self.0.remove(at)).is_some()
    }

    /// Removes a flag and returns its value.
    pub fn value(&mut self, name: &str) -> Result<Option<String>, UsageError> {
        let with = format!("{name}=");
        let is_it = |word: &String| word == name || word.starts_with(&with);
        let Some(at) = self.0.iter().position(is_it) else {
            return Ok(None);
        };
        let word = self.0.remove(at).unwrap_or_default();
        if let Some(value) = word.strip_prefix(&with) {
            return Ok(Some(value.to_owned()));
        }
        match self.0.remove(at) {
            Some(value) => Ok(Some(value)),
            None => Err(UsageError::NoValue(name.to_owned())),
        }
    }

    /// Removes all occurrences of a flag and returns their values.
    pub fn values(&mut self, name: &str) -> Result<Vec<String>, UsageError> {
        let mut values = Vec::new();
        while let Some(value) = self.value(name)? {
            values.push(value);
        }
        Ok(values)
    }

    /// Fails if flags are left.
    pub fn no_options(&self, verb: &'static str) -> Result<(), UsageError> {
        match self.0.iter().find(|word| word.starts_with("--")) {
            Some(word) => Err(UsageError::UnknownOption {
                verb,
                word: word.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Fails if words are left.
    pub fn end(&self, verb: &str) -> Result<(), UsageError> {
        match self.0.front() {
            Some(word) => Err(UsageError::Unexpected {
                verb: verb.to_owned(),
                word: word.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Removes the project flag and returns the project: that of the flag, else of the environment, else the
    /// nearest one above the current folder `here`.
    pub fn project(&mut self, vars: &Vars, here: Option<&Path>) -> Result<PathBuf, UsageError> {
        let found = self.named_project(vars)?.or_else(|| nearest(vars, here?));
        found.ok_or(UsageError::NoProject)
    }

    /// As [`Words::project`]; `None` if there is no project.
    pub fn any_project(
        &mut self,
        vars: &Vars,
        here: Option<&Path>,
    ) -> Result<Option<PathBuf>, UsageError> {
        match self.project(vars, here) {
            Ok(root) => Ok(Some(root)),
            Err(UsageError::NoProject) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The project of the flag or of the environment.
    fn named_project(&mut self, vars: &Vars) -> Result<Option<PathBuf>, UsageError> {
        let said = self.value("--project-root")?.map(PathBuf::from);
        let said = said.or_else(|| set(vars, "MCPBASH_PROJECT_ROOT").map(PathBuf::from));
        match said {
            Some(root) if !root.is_dir() => Err(UsageError::ProjectMissing(root)),
            said => Ok(said),
        }
    }
}

/// The value of a variable, unless it is empty.
fn set<'a>(vars: &'a Vars, name: &str) -> Option<&'a OsStr> {
    vars.raw(name).filter(|value| !value.is_empty())
}

/// The nearest project above a folder. mcp-bash's own folder does not count.
fn nearest(vars: &Vars, here: &Path) -> Option<PathBuf> {
    let home = set(vars, "MCPBASH_HOME").and_then(|home| Path::new(home).canonicalize().ok());
    let is_project = |dir: &&Path| {
        let is_theirs = home.as_ref().is_some_and(|home| dir.starts_with(home));
        !is_theirs && dir.join("server.d/server.meta.json").is_file()
    };
    here.ancestors().find(is_project).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn words(words: &[&str]) -> Words {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn flags_are_found_at_any_position() {
        let mut all = words(&["a", "--x", "1", "--y=2", "--z", "b"]);
        assert_eq!(all.value("--x").unwrap().as_deref(), Some("1"));
        assert_eq!(all.value("--y").unwrap().as_deref(), Some("2"));
        assert!(all.flag("--z") && !all.flag("--z"));
        assert_eq!(all, words(&["a", "b"]));
        assert!(words(&["--x"]).value("--x").is_err());
    }

    #[test]
    fn leftover_words_are_named() {
        let left = |word| words(&[word]).end("init").unwrap_err().to_string();
        assert_eq!(left("x"), "usage: mcp-bash init: unexpected argument x");
        assert_eq!(left("--x"), "usage: mcp-bash init: unexpected option --x");
    }

    #[test]
    fn the_default_project_is_the_nearest_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let deep = root.join("tools/a");
        fs::create_dir_all(&deep).unwrap();
        let none = Vars::default();
        let project = |words: &mut Words, vars: &Vars| words.project(vars, Some(&deep));
        assert!(matches!(
            project(&mut words(&[]), &none),
            Err(UsageError::NoProject)
        ));
        fs::create_dir(root.join("server.d")).unwrap();
        fs::write(root.join("server.d/server.meta.json"), "{}").unwrap();
        assert_eq!(project(&mut words(&[]), &none).unwrap(), root);
        let theirs: Vars = [("MCPBASH_HOME", root.as_os_str())].into_iter().collect();
        assert!(project(&mut words(&[]), &theirs).is_err());
        let set: Vars = [("MCPBASH_PROJECT_ROOT", deep.as_os_str())]
            .into_iter()
            .collect();
        assert_eq!(project(&mut words(&[]), &set).unwrap(), deep);
        let mut flag = words(&["--project-root", "/no/such/folder", "x"]);
        let missing = project(&mut flag, &set).unwrap_err();
        assert_eq!(missing.to_string(), "/no/such/folder does not exist");
        assert_eq!(flag, words(&["x"]));
    }
}
