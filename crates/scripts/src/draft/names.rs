//! Names of new servers, tools, prompts and resources.

use std::fmt;
use std::fs;
use std::path::Path;

use linkspan_wire::escape_line;

/// The longest name that all clients take.
const LONGEST: usize = 64;

/// Why a name is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` cannot be a name: {fault}", escape_line(name))]
pub struct NameError {
    /// The name.
    pub name: String,
    /// What is wrong with it.
    pub fault: NameFault,
}

/// What is wrong with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameFault {
    /// It is empty.
    Empty,
    /// It is longer than clients take.
    TooLong,
    /// It has a character that clients do not take.
    Character(char),
    /// It begins with `-` or `_`.
    Beginning,
    /// Windows has a device of that name.
    Device,
}

impl NameError {
    /// The rule.
    pub const HINT: &str =
        "letters, digits, _ and -, at most 64 of them, beginning with a letter or a digit";
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::TooLong => f.write_str("it is too long"),
            Self::Character(c) => write!(f, "clients do not take `{}`", c.escape_debug()),
            Self::Beginning => f.write_str("it begins like a flag or something hidden"),
            Self::Device => f.write_str("Windows has a device of that name"),
        }
    }
}

/// Whether every client and every file system takes the name.
pub fn check(name: &str) -> Result<(), NameError> {
    let fault = if name.is_empty() {
        NameFault::Empty
    } else if name.len() > LONGEST {
        NameFault::TooLong
    } else if let Some(c) = name.chars().find(|c| !is_plain(*c)) {
        NameFault::Character(c)
    } else if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        NameFault::Beginning
    } else if is_device(name) {
        NameFault::Device
    } else {
        return Ok(());
    };
    Err(NameError {
        name: name.to_owned(),
        fault,
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

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// The name of a server that is made of the name of its folder.
pub fn of_folder(dir: &Path) -> String {
    // `.` and `..` are resolved to the folder's name.
    let whole = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
    fit(&whole.file_name().unwrap_or_default().to_string_lossy())
}

/// The nearest name that every client takes.
pub fn fit(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|c| if is_plain(c) { c } else { '-' })
        .take(LONGEST)
        .collect();
    let name = name.trim_matches(['-', '_']);
    if name.is_empty() {
        "server".to_owned()
    } else {
        name.to_owned()
    }
}

/// The title of a name: `read-file` becomes `Read file`.
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
    fn names_are_what_every_client_and_file_system_takes() {
        for good in ["a", "read-file", "X_1", "com", "console", "com10", "7z"] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in [
            "", "-x", "_x", ".x", "a/b", "../a", "a b", "a.b", "ä", "a\nb", "nul", "COM1", "con",
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        assert!(check(&"a".repeat(64)).is_ok());
        assert!(check(&"a".repeat(65)).is_err());
    }

    #[test]
    fn a_folder_gives_a_name_whatever_it_is_called() {
        assert_eq!(of_folder(Path::new("/no/such/my server!")), "my-server");
        assert_eq!(of_folder(Path::new("/")), "server");
        assert_eq!(of_folder(Path::new("/no/such/äöü")), "server");
        assert_ne!(of_folder(Path::new(".")), "");
    }

    #[test]
    fn a_title_has_spaces_and_begins_with_a_capital() {
        assert_eq!(title("read-file"), "Read file");
        assert_eq!(title("x_1"), "X 1");
        assert_eq!(title("---"), "---");
    }
}
