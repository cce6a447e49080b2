//! The target of a command: a URL, a folder of scripts, or a command.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use linkspan_ports::is_unix_target;
use linkspan_wire::escape_line;

use crate::record::masked_url;

/// The server to connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A server at a URL, or on a Unix socket (`unix:PATH`).
    Url(String),
    /// A folder of scripts.
    Folder(PathBuf),
    /// A program and its arguments.
    Command(OsString, Vec<OsString>),
}

/// Why words do not name a target. The words may be secrets in a log; the messages omit credentials of URLs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// There are no words.
    #[error("no target")]
    Missing,
    /// A word and a command.
    #[error("two targets: `{0}` and a command after `--`")]
    Two(String),
    /// Other words follow the target.
    #[error("the target `{}` comes last", escape_line(&masked_url(.0)))]
    NotLast(String),
    /// A URL in place of a command.
    #[error("a URL goes without `--`; what follows `--` is a command")]
    UrlAsCommand,
    /// A folder in place of a command.
    #[error("`{}` is a folder, and a folder goes without `--`", escape_line(.0))]
    FolderAsCommand(String),
    /// A whole command in one word.
    #[error("there is no program `{}`: the words of a command are separate", escape_line(.0))]
    CommandInOneWord(String),
    /// An argument in place of a command.
    #[error("`{}` is an argument, not a command", escape_line(.0))]
    Argument(String),
    /// A file in place of a folder.
    #[error("`{}` is a file, not a folder", escape_line(.0))]
    File(String),
    /// A program in place of a folder.
    #[error("`{}` is a command, and a command goes after `--`", escape_line(.0))]
    Program(String),
    /// A URL without its scheme.
    #[error(
        "`{}` is not a URL: the scheme is missing",
        escape_line(without_query(word))
    )]
    NoScheme {
        /// The word.
        word: String,
        /// The URL that was probably meant.
        url: String,
    },
    /// A path of a folder that does not exist.
    #[error("there is no folder `{}`", escape_line(.0))]
    NoFolder(String),
    /// A word of unknown meaning.
    #[error("`{}` is not a URL, and there is no folder of that name", escape_line(.0))]
    Unknown(String),
}

impl Target {
    /// Exactly one of `word` and `command` must be given. Programs are looked up in `path`, a value of the variable
    /// `PATH`.
    pub fn new(
        word: Option<String>,
        command: Vec<OsString>,
        path: &OsStr,
    ) -> Result<Self, TargetError> {
        let mut words = command.into_iter();
        match (word, words.next()) {
            (Some(word), None) if Self::is_url(&word) => Ok(Self::Url(word)),
            (Some(word), None) if Path::new(&word).is_dir() => Ok(Self::Folder(word.into())),
            (Some(word), None) => Err(TargetError::of_word(&word, path)),
            (None, Some(program)) => match not_a_command(&program, path) {
                Some(error) => Err(error),
                None => Ok(Self::Command(program, words.collect())),
            },
            (None, None) => Err(TargetError::Missing),
            (Some(word), Some(_)) => Err(TargetError::Two(word)),
        }
    }

    /// Whether a word is a URL or a Unix socket, by its form.
    pub fn is_url(word: &str) -> bool {
        word.contains("://") || is_unix_target(word)
    }

    /// Whether a word can be a target.
    pub fn is_named_by(word: &str) -> bool {
        Self::is_url(word) || Path::new(word).is_dir()
    }
}

impl TargetError {
    /// Why a word that is neither a URL nor a folder is not a target.
    pub fn of_word(word: &str, path: &OsStr) -> Self {
        Self::something_else(word, path).unwrap_or_else(|| {
            let is_path = matches!(word, "." | "..") || word.contains(std::path::is_separator);
            if is_path {
                Self::NoFolder(word.to_owned())
            } else {
                Self::Unknown(word.to_owned())
            }
        })
    }

    /// What a word names that is not a folder: a file, a program, or a URL without its scheme.
    pub fn something_else(word: &str, path: &OsStr) -> Option<Self> {
        let owned = word.to_owned();
        if Path::new(word).is_file() {
            return Some(Self::File(owned));
        }
        if is_program(word, path) {
            return Some(Self::Program(owned));
        }
        with_scheme(word).map(|url| Self::NoScheme { word: owned, url })
    }
}

/// Programs that start servers, for machines that do not have them.
const LAUNCHERS: [&str; 11] = [
    "npx", "uvx", "bunx", "node", "python", "python3", "deno", "docker", "uv", "pnpm", "bun",
];

/// Whether a word is the name of a program, or an executable file.
pub fn is_program(word: &str, path: &OsStr) -> bool {
    match Path::new(word).components().count() {
        1 => LAUNCHERS.contains(&word) || is_found(OsStr::new(word), path),
        _ => Path::new(word).is_file(),
    }
}

/// Whether a program of that name is found.
pub fn is_found(program: &OsStr, path: &OsStr) -> bool {
    let program = Path::new(program);
    if program.components().count() > 1 || cfg!(windows) {
        // Windows searches further folders and file extensions.
        return cfg!(windows) || program.exists();
    }
    find_program(program, path).is_some()
}

/// The file of a program in the folders of `path`.
pub fn find_program(program: &Path, path: &OsStr) -> Option<PathBuf> {
    let mut places = std::env::split_paths(path).map(|folder| folder.join(program));
    places.find(|place| place.is_file())
}

/// Why the first word of a command cannot be a program.
fn not_a_command(program: &OsStr, path: &OsStr) -> Option<TargetError> {
    let word = program.to_str()?;
    if Target::is_url(word) {
        return Some(TargetError::UrlAsCommand);
    }
    let file = Path::new(word);
    if file.is_file() || (file.components().count() == 1 && is_found(program, path)) {
        return None;
    }
    if file.is_dir() {
        return Some(TargetError::FolderAsCommand(word.to_owned()));
    }
    let mut words = word.split_whitespace();
    let first = words.next().filter(|_| words.next().is_some());
    if first.is_some_and(|first| is_program(first, path)) {
        return Some(TargetError::CommandInOneWord(word.to_owned()));
    }
    let (name, _) = word.split_once('=')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| TargetError::Argument(word.to_owned()))
}

/// The URL that is meant by `localhost:8808/mcp` or `mcp.example.com/mcp`.
fn with_scheme(word: &str) -> Option<String> {
    let (place, path) = word.split_once('/').unwrap_or((word, ""));
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (place, None),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
    let is_host = host.starts_with(|c: char| c.is_ascii_alphanumeric()) && host.chars().all(plain);
    let is_port = port.is_some_and(|port| port.parse::<u16>().is_ok());
    let named = host == "localhost" || (host.contains('.') && word.contains('/'));
    if !is_host || (port.is_some() && !is_port) || !(is_port || named) {
        return None;
    }
    let is_here = host == "localhost" || host.starts_with("127.");
    let scheme = if is_here { "http" } else { "https" };
    let path = if path.is_empty() { "mcp" } else { path };
    Some(format!("{scheme}://{place}/{path}"))
}

fn without_query(word: &str) -> &str {
    word.split(['?', '#']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_without_its_scheme_is_recognised() {
        for (word, url) in [
            ("localhost:1/mcp", "http://localhost:1/mcp"),
            ("localhost", "http://localhost/mcp"),
            ("127.0.0.1:8808", "http://127.0.0.1:8808/mcp"),
            ("mcp.example.com/mcp", "https://mcp.example.com/mcp"),
            ("my-host:443", "https://my-host:443/mcp"),
        ] {
            assert_eq!(with_scheme(word).as_deref(), Some(url), "{word}");
        }
        for word in [
            "foo",
            "server.py",
            "./my-server",
            "../a.b/c",
            "/a/b",
            "a:b",
            "a/b",
            "",
        ] {
            assert_eq!(with_scheme(word), None, "{word}");
        }
    }

    #[test]
    fn exactly_one_target_is_taken() {
        let target = |word: Option<&str>, command: &[&str]| {
            let command = command.iter().map(OsString::from).collect();
            Target::new(word.map(str::to_owned), command, OsStr::new(""))
        };
        let url = "https://x/mcp".to_owned();
        assert_eq!(target(Some(&url), &[]), Ok(Target::Url(url.clone())));
        let socket = "unix:/run/s.sock".to_owned();
        assert_eq!(target(Some(&socket), &[]), Ok(Target::Url(socket)));
        assert_eq!(target(Some("."), &[]), Ok(Target::Folder(".".into())));
        assert_eq!(target(None, &[]), Err(TargetError::Missing));
        assert_eq!(target(Some(&url), &["npx"]), Err(TargetError::Two(url)));
        let command = Target::Command("server".into(), vec!["-x".into()]);
        assert_eq!(target(None, &["server", "-x"]), Ok(command));
    }

    #[test]
    fn a_word_in_the_wrong_place_is_recognised() {
        let path = OsStr::new("");
        let told = |word: &str| TargetError::of_word(word, path).to_string();
        assert_eq!(
            told("npx"),
            "`npx` is a command, and a command goes after `--`"
        );
        assert_eq!(
            told("host.example/mcp?key=abc"),
            "`host.example/mcp` is not a URL: the scheme is missing"
        );
        assert_eq!(told("./none"), "there is no folder `./none`");
        assert_eq!(
            told("no\nthing"),
            "`no\\nthing` is not a URL, and there is no folder of that name"
        );
        let refused = |word: &str| not_a_command(OsStr::new(word), path);
        let owned = str::to_owned;
        assert_eq!(refused("https://x"), Some(TargetError::UrlAsCommand));
        assert_eq!(refused("."), Some(TargetError::FolderAsCommand(owned("."))));
        assert_eq!(
            refused("npx -y x"),
            Some(TargetError::CommandInOneWord(owned("npx -y x")))
        );
        assert_eq!(refused("a=1"), Some(TargetError::Argument(owned("a=1"))));
        assert_eq!(refused("unknown"), None);
    }
}
