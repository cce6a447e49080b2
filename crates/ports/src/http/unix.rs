//! Targets of the form `unix:SOCKET[:/PATH]`: HTTP over a Unix socket.

use std::path::PathBuf;

use super::options_error::OptionsError;

const SCHEME: &str = "unix:";
/// The path of the endpoint if the target names none.
const ENDPOINT: &str = "/mcp";

/// A server that listens on a Unix socket.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnixTarget {
    pub(super) socket: PathBuf,
    /// What the server is asked for; its host is the `Host` header.
    pub(super) url: String,
}

/// Whether a word is written like a server on a Unix socket.
pub fn is_unix_target(word: &str) -> bool {
    word.starts_with(SCHEME)
}

/// The word with an absolute path of its socket, for programs that run in another folder. Other words stay as they are.
pub fn absolute_unix_target(word: &str) -> String {
    let absolute = || {
        let (socket, endpoint) = split(word)?;
        let socket = std::path::absolute(socket).ok()?;
        let endpoint = endpoint.map_or_else(String::new, |path| format!(":{path}"));
        Some(format!("{SCHEME}{}{endpoint}", socket.to_str()?))
    };
    absolute().unwrap_or_else(|| word.to_owned())
}

impl UnixTarget {
    /// `None` if the word has another form.
    pub(super) fn parse(word: &str) -> Option<Result<Self, OptionsError>> {
        let (socket, endpoint) = split(word)?;
        if !cfg!(unix) {
            return Some(Err(OptionsError::NoUnixSockets));
        }
        if socket.is_empty() || socket.ends_with('/') {
            return Some(Err(OptionsError::UnixSocket));
        }
        let endpoint = endpoint.unwrap_or(ENDPOINT);
        Some(Ok(Self {
            socket: socket.into(),
            url: format!("http://localhost{endpoint}"),
        }))
    }
}

/// The path of the socket and, if there is one, that of the endpoint. `unix:///path` is `unix:/path`.
fn split(word: &str) -> Option<(&str, Option<&str>)> {
    let rest = word.strip_prefix(SCHEME)?;
    let rest = rest
        .strip_prefix("//")
        .filter(|rest| rest.starts_with('/'))
        .unwrap_or(rest);
    Some(match rest.find(":/") {
        Some(colon) => (&rest[..colon], Some(&rest[colon + 1..])),
        None => (rest, None),
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn parsed(word: &str) -> Option<(String, String)> {
        let target = UnixTarget::parse(word)?.expect("it is valid");
        let socket = target.socket.to_str().expect("it is text");
        Some((socket.to_owned(), target.url))
    }

    #[test]
    fn a_target_names_a_socket_and_an_endpoint() {
        for (word, socket, url) in [
            ("unix:/run/s.sock", "/run/s.sock", "http://localhost/mcp"),
            ("unix:/run/s.sock:/", "/run/s.sock", "http://localhost/"),
            (
                "unix:/a b:/x/y?k=v:/w",
                "/a b",
                "http://localhost/x/y?k=v:/w",
            ),
            ("unix:///run/s.sock:/x", "/run/s.sock", "http://localhost/x"),
            ("unix:s.sock", "s.sock", "http://localhost/mcp"),
            ("unix:a:b.sock", "a:b.sock", "http://localhost/mcp"),
        ] {
            assert_eq!(parsed(word), Some((socket.into(), url.into())), "{word}");
        }
        assert_eq!(parsed("https://unix:1/"), None);
        for word in ["unix:", "unix::/mcp", "unix:/run/"] {
            assert!(UnixTarget::parse(word).unwrap().is_err(), "{word}");
        }
    }

    #[test]
    fn the_path_of_a_socket_becomes_absolute() {
        let here = std::env::current_dir().unwrap();
        let here = here.to_str().unwrap();
        assert_eq!(
            absolute_unix_target("unix:s.sock:/x"),
            format!("unix:{here}/s.sock:/x")
        );
        for word in ["unix:/s.sock", "https://x/mcp"] {
            assert_eq!(absolute_unix_target(word), word);
        }
    }
}
