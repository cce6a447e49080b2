//! Words in place of the server that are something else.

use std::path::Path;

use linkspan_bridge::Target;
use linkspan_schema::nearest;
use linkspan_wire::escape_line;

/// Extensions of files that hold results of tools.
const TEXTS: [&str; 12] = [
    "json", "ndjson", "jsonl", "txt", "log", "md", "csv", "tsv", "diff", "patch", "yaml", "yml",
];

/// What a word in place of the server is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoServer {
    /// A misspelt command.
    #[error(
        "`linkspan shrink` has no command `{}`; did you mean `{meant}`?",
        escape_line(word)
    )]
    Misspelt {
        /// The word.
        word: String,
        /// The command that was probably meant.
        meant: &'static str,
    },
    /// A file with a text: `try` was forgotten.
    #[error("`{0}` is a file with a text, not a server")]
    Text(String),
}

impl NoServer {
    /// Fails for a word that is a misspelt command, or the name of a text.
    pub fn check(word: &str) -> Result<(), Self> {
        if let Some(misspelt) = Self::misspelt(word) {
            return Err(misspelt);
        }
        let path = Path::new(word);
        let ending = path.extension().and_then(|ending| ending.to_str());
        let is_text = path.is_file() || ending.is_some_and(|ending| TEXTS.contains(&ending));
        if Target::is_named_by(word) || !is_text {
            return Ok(());
        }
        Err(Self::Text(word.to_owned()))
    }

    /// A word that is a misspelt command.
    pub fn misspelt(word: &str) -> Option<Self> {
        let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic());
        let meant = nearest(word, ["try", "decode", "stats"]).filter(|_| plain)?;
        (!Target::is_named_by(word)).then(|| Self::Misspelt {
            word: word.to_owned(),
            meant,
        })
    }

    /// What to type instead.
    pub fn hint(&self) -> String {
        match self {
            Self::Misspelt { meant, .. } => format!(
                "linkspan shrink {meant} --help shows how it is used; the command of a server goes after `--`"
            ),
            Self::Text(word) => format!(
                "`linkspan shrink try {word}` shows what becomes of it; a command that is a server goes after `--`"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_command_is_recognised() {
        let meant = |word| match NoServer::misspelt(word) {
            Some(NoServer::Misspelt { meant, .. }) => Some(meant),
            _ => None,
        };
        assert_eq!(meant("tri"), Some("try"));
        assert_eq!(meant("stat"), Some("stats"));
        assert_eq!(meant("npx"), None);
        assert_eq!(meant("./stats"), None);
    }

    #[test]
    fn a_text_is_not_a_server() {
        let text = NoServer::Text("result.json".to_owned());
        assert_eq!(NoServer::check("result.json"), Err(text));
        assert_eq!(NoServer::check("https://x/result.json"), Ok(()));
        assert_eq!(NoServer::check("server"), Ok(()));
    }
}
