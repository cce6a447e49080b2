//! Names of tools, prompts and servers.

use std::fs;
use std::path::Path;

/// The longest name that all clients accept.
const LONGEST: usize = 64;

/// A name that clients or file systems do not accept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` cannot be a name: {problem}")]
pub struct NameError {
    /// The name.
    pub name: String,
    /// The reason.
    pub problem: NameProblem,
}

impl NameError {
    /// The rule.
    pub const HINT: &str =
        "letters, digits, _ and -, at most 64 of them, beginning with a letter or a digit";
}

/// Why a name is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameProblem {
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// It has more than 64 characters.
    #[error("it is too long")]
    TooLong,
    /// It has a character other than a letter, a digit, `_` and `-`.
    #[error("clients do not accept `{}`", .0.escape_debug())]
    Character(char),
    /// It does not begin with a letter or a digit.
    #[error("it must begin with a letter or a digit")]
    Beginning,
    /// It is the name of a Windows device.
    #[error("Windows has a device of that name")]
    Device,
}

/// Checks a name against the rules of clients and file systems.
///
/// # Errors
/// If the name breaks a rule.
pub fn check(name: &str) -> Result<(), NameError> {
    let problem = if name.is_empty() {
        NameProblem::Empty
    } else if name.len() > LONGEST {
        NameProblem::TooLong
    } else if let Some(c) = name.chars().find(|c| !plain(*c)) {
        NameProblem::Character(c)
    } else if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        NameProblem::Beginning
    } else if is_device(name) {
        NameProblem::Device
    } else {
        return Ok(());
    };
    Err(NameError {
        name: name.to_owned(),
        problem,
    })
}

fn is_device(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    match name.as_bytes() {
        b"con" | b"prn" | b"aux" | b"nul" => true,
        [b'c', b'o', b'm', n] | [b'l', b'p', b't', n] => n.is_ascii_digit(),
        _ => false,
    }
}

fn plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// A server name from the name of a folder.
pub fn of_folder(dir: &Path) -> String {
    // Resolves `.` and `..`.
    let whole = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
    fit(&whole.file_name().unwrap_or_default().to_string_lossy())
}

/// A server name from the host of a URL, without common parts, or from the file of a Unix socket.
pub fn of_url(url: &str) -> String {
    if let Some(place) = url.strip_prefix("unix:") {
        let socket = place.split(":/").next().unwrap_or_default();
        let file = socket.rsplit('/').next().unwrap_or_default();
        return fit(file.split('.').next().unwrap_or_default());
    }
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = place.rsplit_once('@').map_or(place, |(_, host)| host);
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let mut labels: Vec<&str> = host.split('.').collect();
    let is_address = labels.iter().all(|label| label.parse::<u8>().is_ok());
    if !is_address && labels.len() > 1 {
        labels.pop();
        let common = ["mcp", "www", "api"];
        if labels.len() > 1 && common.contains(&labels[0]) {
            labels.remove(0);
        }
    }
    fit(&labels.join("-"))
}

/// A server name from a command: its program, or the package or script that the program runs.
pub fn of_command(words: &[String]) -> String {
    let is_plain = |word: &&String| !word.starts_with('-');
    let stem = |word: &str| {
        let last = word.rsplit(['/', '\\']).next().unwrap_or(word);
        // `server-everything@1.2`, `server.py`
        let last = last.split('@').next().unwrap_or(last);
        let ending = [".py", ".js", ".mjs", ".ts", ".sh", ".exe"];
        let ending = ending.iter().find_map(|ending| last.strip_suffix(ending));
        fit(ending.unwrap_or(last))
    };
    let program = words.first().map_or("", String::as_str);
    let launchers = [
        "npx", "uvx", "bunx", "node", "python", "python3", "deno", "bun", "uv", "pnpm", "sh",
        "bash",
    ];
    let verbs = ["run", "dlx", "exec", "tool", "x"];
    let started = words
        .iter()
        .skip(1)
        .filter(is_plain)
        .find(|word| !verbs.contains(&word.as_str()));
    match started {
        Some(started) if launchers.contains(&program) => stem(started),
        _ => stem(program),
    }
}

/// The most similar name that every client accepts.
fn fit(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '-' })
        .take(LONGEST)
        .collect();
    let name = name.trim_matches(['-', '_']);
    if name.is_empty() {
        return "server".to_owned();
    }
    name.to_owned()
}

/// A title from a name: `read-file` becomes `Read file`.
pub fn title(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let words = words.trim();
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_ascii_uppercase().to_string() + letters.as_str(),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_names_come_from_host_or_program() {
        for (url, name) in [
            ("https://mcp.example.com/mcp", "example"),
            ("https://user:pw@api.weather.co.uk:8443/x", "weather-co"),
            ("http://localhost:8808/mcp", "localhost"),
            ("http://127.0.0.1:8808/mcp", "127-0-0-1"),
            ("https://", "server"),
            ("unix:/run/quay.sock:/mcp", "quay"),
        ] {
            assert_eq!(of_url(url), name, "{url}");
        }
        for (words, name) in [
            (
                &["npx", "-y", "@modelcontextprotocol/server-everything@1.2"][..],
                "server-everything",
            ),
            (&["uvx", "mcp-server-git"], "mcp-server-git"),
            (&["python3", "./my server.py"], "my-server"),
            (&["uv", "run", "server.py"], "server"),
            (&["./target/debug/tool", "serve"], "tool"),
            (&["node"], "node"),
        ] {
            let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
            assert_eq!(of_command(&words), name, "{words:?}");
            check(name).unwrap();
        }
    }

    #[test]
    fn a_name_is_accepted_by_every_client_and_file_system() {
        for good in ["a", "read-file", "X_1", "com", "console", "com10", "7z"] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in [
            "", "-x", "_x", ".x", "a/b", "../a", "a b", "a.b", "ä", "a\nb", "nul", "COM1", "con",
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        let error = check("a b").unwrap_err();
        assert_eq!(error.problem, NameProblem::Character(' '));
        assert!(check(&"a".repeat(64)).is_ok());
        assert!(check(&"a".repeat(65)).is_err());
    }

    #[test]
    fn any_folder_name_gives_a_server_name() {
        assert_eq!(of_folder(Path::new("/no/such/my server!")), "my-server");
        assert_eq!(of_folder(Path::new("/")), "server");
        assert_eq!(of_folder(Path::new("/no/such/äöü")), "server");
        assert_ne!(of_folder(Path::new(".")), "");
    }

    #[test]
    fn a_title_is_derived_from_a_name() {
        assert_eq!(title("read-file"), "Read file");
        assert_eq!(title("x_1"), "X 1");
        assert_eq!(title("---"), "---");
    }
}
