//! Names of tools, prompts and the like, and what may be made of a folder's name.

use std::fs;
use std::path::Path;

use crate::exit::{Exit, Failure};
use crate::show::on_one_line;

/// The longest name that all clients take.
const LONGEST: usize = 64;

/// Whether every client and every file system takes it.
pub(crate) fn check(name: &str) -> Result<(), Failure> {
    let bad = |what: &str| {
        let name = on_one_line(name);
        Failure::usage(format!("`{name}` cannot be a name: {what}")).hint(
            "letters, digits, _ and -, at most 64 of them, beginning with a letter or a digit",
        )
    };
    if name.is_empty() {
        return Err(bad("it is empty"));
    }
    if name.len() > LONGEST {
        return Err(bad("it is too long"));
    }
    if let Some(c) = name.chars().find(|c| !plain(*c)) {
        return Err(bad(&format!("clients do not take `{}`", c.escape_debug())));
    }
    if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return Err(bad("it begins like a flag or something hidden"));
    }
    if is_device(name) {
        return Err(bad("Windows has a device of that name"));
    }
    Ok(())
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

/// A name made of that of a folder, for a server.
pub(crate) fn of_folder(dir: &Path) -> String {
    // `.` and `..` are no names.
    let whole = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
    let name = whole.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '-' })
        .take(LONGEST)
        .collect();
    let name = name.trim_matches(['-', '_']);
    match name.is_empty() {
        true => "server".to_owned(),
        false => name.to_owned(),
    }
}

/// What a person would write for it: `read-file` becomes `Read file`.
pub(crate) fn title(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let words = words.trim();
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_ascii_uppercase().to_string() + letters.as_str(),
        None => name.to_owned(),
    }
}

/// Refuses a name that something else in the same place has, whatever its ending.
pub(crate) fn not_taken<'a>(
    dir: &Path,
    paths: impl Iterator<Item = &'a str>,
    name: &str,
) -> Result<(), Failure> {
    for path in paths {
        // `tools/greet/tool.sh` competes with `tools/greet.py`: what counts is the first level.
        let Some((kind, _)) = path.split_once('/') else {
            continue;
        };
        let Ok(entries) = fs::read_dir(dir.join(kind)) else {
            continue;
        };
        for entry in entries.flatten() {
            let file = entry.file_name();
            let file = file.to_string_lossy();
            let same = file
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            // `review.language` is no `review`.
            if same && (kind != "completions" || ends_with_one_ending(&file, name)) {
                return Err(Failure::new(
                    Exit::Invalid,
                    format!("{kind}/{} is there already", on_one_line(&file)),
                )
                .hint("take another name, or remove it"));
            }
        }
    }
    Ok(())
}

fn ends_with_one_ending(file: &str, name: &str) -> bool {
    let rest = &file[name.len()..];
    rest.matches('.').count() <= 1
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
    fn a_title_is_what_a_person_would_write() {
        assert_eq!(title("read-file"), "Read file");
        assert_eq!(title("x_1"), "X 1");
        assert_eq!(title("---"), "---");
    }
}
