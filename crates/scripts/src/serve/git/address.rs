//! Parses a git address: repository, revision, file.
//!
//! A client chose all of it, and parts become arguments of `git`, so the parser refuses everything that could
//! be an option, another address or a path out of the repository.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;

use crate::serve::options::NotFetched;
use crate::uri;

const FORMS: &str = "git+https://HOST/REPOSITORY?ref=REVISION#PATH, or git:///FOLDER?ref=REVISION#PATH \
                     for a repository of this machine";
/// Length limit of a revision or a path.
const LONGEST: usize = 1024;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) place: Location,
    pub(super) revision: String,
    /// The path of the file from the top of the repository.
    pub(super) path: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// A folder of this machine.
    Local(PathBuf),
    Remote(Remote),
}

/// A repository of another machine.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Remote {
    /// As in the URL.
    pub(super) host: String,
    pub(super) port: u16,
    /// As in the URL.
    pub(super) path: String,
}

impl Remote {
    pub(super) fn url(&self) -> String {
        format!("https://{}:{}{}", self.host, self.port, self.path)
    }
}

impl Address {
    pub(super) fn parse(text: &str) -> Result<Self, NotFetched> {
        let (scheme, rest) = text.split_once("://").ok_or_else(|| odd("it has no //"))?;
        let (rest, fragment) = rest
            .split_once('#')
            .ok_or_else(|| odd("it names no file"))?;
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, Some(query)),
            None => (rest, None),
        };
        let place = match scheme {
            "git+https" => Location::Remote(remote(rest)?),
            "git" | "git+file" => Location::Local(folder(rest)?),
            _ => return Err(odd("its scheme is not a git scheme")),
        };
        let (revision, path) = file(query, fragment)?;
        Ok(Self {
            place,
            revision,
            path,
        })
    }
}

fn odd(why: &str) -> NotFetched {
    NotFetched::Unsupported(format!("git cannot read this address, {why}: use {FORMS}"))
}

fn folder(rest: &str) -> Result<PathBuf, NotFetched> {
    if !rest.starts_with('/') {
        return Err(odd("a repository of this machine has three slashes"));
    }
    uri::to_file(&format!("file://{rest}")).ok_or_else(|| odd("its folder is not a path"))
}

fn remote(rest: &str) -> Result<Remote, NotFetched> {
    let (place, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if !place.ends_with(']') => {
            let port = port.parse().map_err(|_| odd("its port is not a number"))?;
            (host, port)
        }
        _ => (place, 443),
    };
    let host = host.to_ascii_lowercase();
    if !is_host(&host) {
        return Err(odd("its host is invalid or has something before it"));
    }
    // Other characters would be ambiguous.
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._~%+@,=-".contains(c);
    let decoded = decoded(path).ok_or_else(|| odd("its path has an invalid % escape"))?;
    let leaves = decoded.split('/').any(|part| part == ".." || part == ".");
    if !path.chars().all(plain) || path.len() > LONGEST || path.len() < 2 || leaves {
        return Err(odd("its path is odd"));
    }
    Ok(Remote {
        host,
        port,
        path: path.to_owned(),
    })
}

/// A name or a canonical IP address: parsers disagree about other spellings.
fn is_host(host: &str) -> bool {
    if let Some(inner) = host.strip_prefix('[') {
        let inner = inner.strip_suffix(']').unwrap_or_default();
        return inner.parse::<Ipv6Addr>().is_ok();
    }
    let label = |label: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        !label.is_empty() && !label.starts_with('-') && label.chars().all(plain)
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_name = last.starts_with(|c: char| c.is_ascii_alphabetic());
    host.split('.').all(label) && (is_name || host.parse::<Ipv4Addr>().is_ok())
}

/// Revision and path: `?ref=REVISION#PATH`, or `#REVISION:PATH` as git itself writes it.
fn file(query: Option<&str>, fragment: &str) -> Result<(String, String), NotFetched> {
    let fragment = decoded(fragment).ok_or_else(|| odd("its path has an invalid % escape"))?;
    let (revision, path) = match (query, fragment.split_once(':')) {
        (Some(query), _) => {
            let value = query
                .strip_prefix("ref=")
                .filter(|value| !value.contains('&'));
            let value = value.ok_or_else(|| odd("it has parameters other than ref"))?;
            let value = decoded(value).ok_or_else(|| odd("its ref has an invalid % escape"))?;
            (value, fragment)
        }
        (None, Some((revision, path))) => (revision.to_owned(), path.to_owned()),
        (None, None) => ("HEAD".to_owned(), fragment),
    };
    if !is_revision(&revision) {
        return Err(odd("its ref is no branch, tag or commit"));
    }
    if !is_path(&path) {
        return Err(odd("its path does not begin at the top of the repository"));
    }
    Ok((revision, path))
}

/// A branch, a tag or a commit; not a revision expression or an option.
fn is_revision(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "._/@+-".contains(c);
    let first = |c: char| c.is_alphanumeric() || c == '_' || c == '@';
    text.len() <= LONGEST
        && text.starts_with(first)
        && text.chars().all(|c| plain(c) || c == '_')
        && !text.contains("..")
        && !text.contains("//")
        && !text.ends_with(['/', '.'])
        && !text.ends_with(".lock")
}

fn is_path(text: &str) -> bool {
    text.len() <= LONGEST
        && !text.starts_with('-')
        && !text.chars().any(char::is_control)
        && text.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            other => other,
        });
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match Address::parse(text) {
            Ok(found) => {
                let place = match found.place {
                    Location::Local(folder) => folder.display().to_string(),
                    Location::Remote(remote) => remote.url(),
                };
                format!("{place} {} {}", found.revision, found.path)
            }
            Err(e) => format!("{e:?}"),
        }
    }

    #[test]
    fn a_repository_a_revision_and_a_file() {
        for (text, found) in [
            (
                "git+https://Example.org/a/b.git?ref=v1.0#docs/x.md",
                "https://example.org:443/a/b.git v1.0 docs/x.md",
            ),
            (
                "git+https://example.org:8443/r#feature/x:a%20b",
                "https://example.org:8443/r feature/x a b",
            ),
            ("git+https://[::1]:9/r#x", "https://[::1]:9/r HEAD x"),
            ("git:///srv/a%20b#x:y", "/srv/a b x y"),
            ("git:///srv/a?ref=x#y:z", "/srv/a x y:z"),
            ("git+file:///srv/a.git#README", "/srv/a.git HEAD README"),
        ] {
            assert_eq!(shown(text), found, "{text}");
        }
    }

    #[test]
    fn options_and_path_traversal_are_refused() {
        let places = [
            "git://example.org/r#x",
            "git+file://host/r#x",
            "git+ssh://h/r#x",
            "git+https:///r#x",
            "git+https://h.org#x",
            "git+https://h.org/#x",
            "git+https://me@h.org/r#x",
            "git+https://me:pw@h.org/r#x",
            "git+https://-h.org/r#x",
            "git+https://h.org:x/r#x",
            "git+https://2130706433/r#x",
            "git+https://0x7f.1/r#x",
            "git+https://127.1/r#x",
            "git+https://h.org./r#x",
            "git+https://h.org/../r#x",
            "git+https://h.org/%2e%2e/r#x",
            "git+https://h.org/r\"\nx#x",
            "git+https://h.org/r%zz#x",
            "git+https://h.org/r",
            "git+https://h.org/r#",
            "git+https://h.org/r?depth=1#x",
            "git+https://h.org/r?ref=a&x=b#x",
            "git:///srv/a%00b#x",
        ];
        let revisions = [
            "",
            "-x",
            "--upload-pack=x",
            "+x",
            "a..b",
            "a%3Ab",
            "a^",
            "a~1",
            "@{u}",
            "a b",
            "a%0Ab",
            "/a",
            "a/",
            "a.lock",
            ".a",
            "^a",
            ":x",
            "refs/*",
        ];
        let paths = [
            "",
            "/etc/passwd",
            "../x",
            "a/../x",
            "./x",
            "a//b",
            "a/",
            "-x",
            "a%0Ab",
            "a%00",
            "..",
        ];
        let all = places
            .iter()
            .map(|place| (*place).to_owned())
            .chain(revisions.iter().map(|r| format!("git:///srv/a?ref={r}#x")))
            .chain(paths.iter().map(|p| format!("git:///srv/a?ref=x#{p}")));
        for text in all {
            assert!(shown(&text).starts_with("Unsupported"), "{text}");
        }
    }
}
