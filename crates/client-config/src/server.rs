//! The server to configure.

use std::fs;
use std::path::{Path, PathBuf};

use linkspan_wire::escape_line;

use crate::server_error::ServerError;

/// A server that clients start through `linkspan`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    /// A folder of scripts.
    Folder(PathBuf),
    /// A server at a URL.
    Url {
        /// The URL.
        url: String,
        /// Further arguments for the connection.
        options: Vec<String>,
    },
    /// A command that is a server.
    Command(Vec<String>),
    /// A command line of linkspan, without the program.
    Own(Vec<String>),
}

impl Server {
    /// The arguments of `linkspan` for this server, with absolute paths: clients start it in any folder.
    pub fn arguments(&self) -> Result<Vec<String>, ServerError> {
        let mut words = Vec::new();
        match self {
            Self::Folder(dir) => words.extend(["serve".to_owned(), folder(dir)?]),
            Self::Url { url, options } => {
                words.push("connect".to_owned());
                words.extend_from_slice(options);
                words.push(url.clone());
            }
            Self::Command(command) => {
                words.extend(["connect".to_owned(), "--".to_owned()]);
                if let Some((first, rest)) = command.split_first() {
                    words.push(program(first)?);
                    words.extend_from_slice(rest);
                }
            }
            Self::Own(own) => {
                let (own, command) = match own.iter().position(|word| word == "--") {
                    Some(at) => own.split_at(at),
                    None => own.split_at(own.len()),
                };
                words.extend(own.iter().map(|word| absolute(word)));
                words.extend(command.iter().take(1).cloned());
                if let Some((first, rest)) = command.get(1..).and_then(<[_]>::split_first) {
                    words.push(program(first)?);
                    words.extend_from_slice(rest);
                }
            }
        }
        let secret = headers(&words).find_map(secret_header);
        match secret.map(str::to_owned) {
            Some(name) => Err(ServerError::Secret(name)),
            None => Ok(words),
        }
    }
}

impl Server {
    /// The folder, URL or command; also that in a command line of linkspan.
    #[must_use]
    pub fn subject(self) -> Self {
        let Self::Own(words) = self else {
            return self;
        };
        let own = words.iter().position(|word| word == "--");
        let (own, command) = words.split_at(own.unwrap_or(words.len()));
        match (command, own.iter().find(|word| word.contains("://"))) {
            ([_, command @ ..], _) if !command.is_empty() => Self::Command(command.to_vec()),
            (_, Some(url)) => Self::Url {
                url: url.clone(),
                options: Vec::new(),
            },
            _ => {
                let mut words = own.iter().skip(1);
                let dir = words.rfind(|word| !word.starts_with('-'));
                Self::Folder(dir.map_or(".", String::as_str).into())
            }
        }
    }
}

/// The values of a flag in a command line of linkspan.
fn values<'a>(words: &'a [String], flag: &'a str) -> impl Iterator<Item = &'a str> {
    let own = words.iter().take_while(|word| *word != "--");
    own.enumerate()
        .filter_map(move |(at, word)| match word.split_once('=') {
            Some((name, value)) if name == flag => Some(value),
            _ if word == flag => words.get(at + 1).map(String::as_str),
            // `-HNAME:VALUE`
            _ if !flag.starts_with("--") => word.strip_prefix(flag),
            _ => None,
        })
}

/// The headers in a command line of linkspan.
fn headers(words: &[String]) -> impl Iterator<Item = &str> {
    values(words, "-H").chain(values(words, "--header"))
}

/// The name of a header with a secret value, which is not that of a variable.
fn secret_header(header: &str) -> Option<&str> {
    const TELLING: [&str; 6] = [
        "authorization",
        "token",
        "key",
        "secret",
        "cookie",
        "password",
    ];
    let (name, value) = header.split_once(':')?;
    let lower = name.to_ascii_lowercase();
    let is_secret = TELLING.iter().any(|word| lower.contains(word)) && !value.contains("${");
    is_secret.then_some(name.trim())
}

/// A path as text.
pub fn utf8(path: &Path) -> Result<String, ServerError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| ServerError::NotUtf8(path.to_owned()))
}

/// The absolute path of a folder.
fn folder(given: &Path) -> Result<String, ServerError> {
    let real = fs::canonicalize(given).map_err(|source| ServerError::Folder {
        path: given.to_owned(),
        source,
    })?;
    utf8(&real)
}

/// A word of a command line; the path of an existing file or folder becomes absolute, also after `--flag=`.
fn absolute(word: &str) -> String {
    let (flag, path) = match word.split_once('=') {
        Some((flag, path)) if flag.starts_with('-') => (word.len() - path.len(), path),
        _ => (0, word),
    };
    let is_path = path.contains(['/', '\\']) || path == "." || Path::new(path).is_dir();
    if path.starts_with('-') || !is_path || !Path::new(path).exists() {
        return word.to_owned();
    }
    match std::path::absolute(path) {
        Ok(real) => format!("{}{}", &word[..flag], real.to_string_lossy()),
        Err(_) => word.to_owned(),
    }
}

/// The absolute path of a program; a plain name is looked up by the client.
pub(crate) fn program(given: &str) -> Result<String, ServerError> {
    let path = Path::new(given);
    if path.components().count() < 2 {
        return Ok(given.to_owned());
    }
    let real = std::path::absolute(path).ok();
    let real = real.filter(|real| real.is_file());
    utf8(&real.ok_or_else(|| ServerError::NoProgram(path.to_owned()))?)
}

pub(crate) fn shown(path: &Path) -> String {
    escape_line(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_absolute_and_names_are_left_to_the_client() {
        let here = fs::canonicalize(".").unwrap();
        let words = Server::Folder(".".into()).arguments().unwrap();
        assert_eq!(words, ["serve", here.to_str().unwrap()]);
        let words = Server::Command(vec!["npx".to_owned(), "./x".to_owned()]);
        let words = words.arguments().unwrap();
        assert_eq!(words, ["connect", "--", "npx", "./x"]);
        let missing = Server::Command(vec!["./no/such/program".to_owned()]);
        assert!(matches!(
            missing.arguments(),
            Err(ServerError::NoProgram(_))
        ));
        let missing = Server::Folder("/no/such/folder".into()).arguments();
        let hint = missing.unwrap_err().hint();
        assert_eq!(hint, "linkspan new /no/such/folder makes a folder");
    }

    #[test]
    fn paths_in_a_command_line_of_ours_are_absolute() {
        let here = std::path::absolute("src").unwrap();
        let here = here.to_str().unwrap();
        let own = "serve --shrink --root=./src ./no/such/file src -- ./src/x".split(' ');
        let own = Server::Own(own.map(str::to_owned).collect());
        assert!(matches!(own.arguments(), Err(ServerError::NoProgram(_))));
        let own = "connect --shrink --ca=./src ./no/such/file src -- npx ./src".split(' ');
        let own = Server::Own(own.map(str::to_owned).collect());
        assert_eq!(
            own.arguments().unwrap().join(" "),
            format!("connect --shrink --ca={here} ./no/such/file {here} -- npx ./src")
        );
    }

    #[test]
    fn a_secret_is_named_by_a_variable() {
        let with = |option: &str| Server::Url {
            url: "https://x/mcp".to_owned(),
            options: vec!["-H".to_owned(), option.to_owned()],
        };
        let error = with("Authorization: Bearer abc").arguments().unwrap_err();
        assert!(matches!(&error, ServerError::Secret(name) if name == "Authorization"));
        assert!(error.hint().contains("--bearer-env"));
        assert!(with("X-Api-Key: ${KEY}").arguments().is_ok());
        assert!(with("X-Team: blue").arguments().is_ok());
        let own = ["connect", "--header=X-Token: abc", "https://x/mcp"];
        let own = Server::Own(own.map(str::to_owned).into());
        assert!(matches!(own.arguments(), Err(ServerError::Secret(_))));
        let own = ["connect", "-HX-Token: abc", "https://x/mcp"].map(str::to_owned);
        assert!(matches!(
            Server::Own(own.into()).arguments(),
            Err(ServerError::Secret(_))
        ));
        let own = ["connect", "--", "x", "-H", "Authorization: abc"].map(str::to_owned);
        assert!(Server::Own(own.into()).arguments().is_ok());
    }

    #[test]
    fn the_subject_of_a_command_line_of_ours_is_its_target() {
        let subject =
            |line: &str| Server::Own(line.split(' ').map(str::to_owned).collect()).subject();
        let npx = Server::Command(vec!["npx".to_owned(), "x".to_owned()]);
        assert_eq!(subject("connect --proxy http://p -- npx x"), npx);
        assert_eq!(
            subject("serve ./x --no-watch"),
            Server::Folder("./x".into())
        );
        let Server::Url { url, .. } = subject("connect https://x/mcp --shrink") else {
            panic!("no URL");
        };
        assert_eq!(url, "https://x/mcp");
    }

    #[test]
    fn the_options_of_a_url_come_before_it() {
        let server = Server::Url {
            url: "https://x/mcp".to_owned(),
            options: vec!["--insecure-http".to_owned()],
        };
        let words = server.arguments().unwrap();
        assert_eq!(words, ["connect", "--insecure-http", "https://x/mcp"]);
    }
}
