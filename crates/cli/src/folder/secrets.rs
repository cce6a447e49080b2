//! Variables that a flag names because a secret is in them. Scripts never get these.

use std::ffi::{OsStr, OsString};

/// The names of variables that the words of a command line read secrets from: the value of every flag
/// that ends in `-env` (`--token-env`, `--bearer-env`), and every `${NAME}` in a header. Words are looked
/// at whatever the command is, so that a new flag cannot be forgotten; that a name too many is kept from
/// scripts does no harm.
pub(super) fn named_by(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut names = Vec::new();
    let mut next_is_name = false;
    for word in words {
        if std::mem::take(&mut next_is_name) {
            names.push(word);
            continue;
        }
        let Some(text) = word.to_str() else { continue };
        let (flag, value) = match text.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (text, None),
        };
        if flag.starts_with("--") && flag.ends_with("-env") && flag != "--env" {
            match value {
                Some(value) => names.push(value.into()),
                None => next_is_name = true,
            }
        } else {
            names.extend(substituted(text));
        }
    }
    names
}

/// `NAME` of every `${NAME}`.
fn substituted(text: &str) -> impl Iterator<Item = OsString> {
    let parts = text.split("${").skip(1);
    parts.filter_map(|part| Some(part.split_once('}')?.0.into()))
}

/// Our environment without these.
pub(super) fn environment_without(names: &[OsString]) -> Vec<(OsString, OsString)> {
    let hidden = |name: &OsStr| names.iter().any(|other| other == name);
    std::env::vars_os()
        .filter(|(name, _)| !hidden(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> Vec<String> {
        let names = named_by(words.iter().map(OsString::from));
        names
            .into_iter()
            .map(|name| name.into_string().unwrap())
            .collect()
    }

    #[test]
    fn every_flag_that_reads_a_secret_is_known() {
        assert_eq!(names(&["serve", ".", "--token-env", "A"]), ["A"]);
        assert_eq!(names(&["serve", "--bearer-env=B", "--http"]), ["B"]);
        assert_eq!(
            names(&["-H", "X: ${C} and ${D}", "-HY:${E}"]),
            ["C", "D", "E"]
        );
        assert_eq!(names(&["serve", "--env", "--token-env"]), [] as [&str; 0]);
    }
}
