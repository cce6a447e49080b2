//! The program in the entries of clients.

use crate::server::program;
use crate::server_error::ServerError;

/// How clients start linkspan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A path, or a name that the client looks up.
    Path(String),
    /// The npm package, which npx downloads.
    Npx,
    /// The Python package, which uvx downloads.
    Uvx,
}

impl Program {
    /// The program that a word names: `npx`, `uvx`, a path, or a name in `PATH`.
    ///
    /// # Errors
    /// If there is no program with this path.
    pub fn named(word: &str) -> Result<Self, ServerError> {
        match word {
            "npx" => Ok(Self::Npx),
            "uvx" => Ok(Self::Uvx),
            path => program(path).map(Self::Path),
        }
    }

    /// The command line with these arguments.
    pub fn command_line(&self, arguments: Vec<String>, is_windows: bool) -> Vec<String> {
        let start: &[&str] = match self {
            Self::Path(path) => &[path],
            // npx is a script, which Windows starts in a shell only.
            Self::Npx if is_windows => &["cmd", "/c", "npx", "-y", "linkspan"],
            Self::Npx => &["npx", "-y", "linkspan"],
            Self::Uvx => &["uvx", "linkspan"],
        };
        let mut line: Vec<String> = start.iter().map(|word| (*word).to_owned()).collect();
        line.extend(arguments);
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_started_by_their_launchers() {
        let line = |word, is_windows| {
            let line = Program::named(word).unwrap();
            line.command_line(vec!["serve".to_owned()], is_windows)
                .join(" ")
        };
        assert_eq!(line("npx", false), "npx -y linkspan serve");
        assert_eq!(line("npx", true), "cmd /c npx -y linkspan serve");
        assert_eq!(line("uvx", false), "uvx linkspan serve");
        assert_eq!(line("linkspan", true), "linkspan serve");
        assert!(Program::named("./no/such/program").is_err());
    }
}
