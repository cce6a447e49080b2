//! Environment variables that a user names because a secret is in them.

use std::ffi::OsString;

use super::options_error::OptionsError;

/// `NAME` of every `${NAME}` in a text.
pub fn variables_in(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split("${").skip(1);
    parts.filter_map(|part| Some(part.split_once('}')?.0))
}

/// The names of variables that a command line reads secrets from: the value of every flag that ends in `-env`
/// (`--token-env`, `--bearer-env`), or what follows `=` in it (`--credential-env`), and every `${NAME}` in a header.
/// The command does not matter, so that a new flag is covered too; an extra name that is hidden from scripts does no
/// harm.
pub fn variables_named_by(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut names = Vec::new();
    let mut next_is_name = false;
    for word in words {
        if std::mem::take(&mut next_is_name) {
            names.push(
                word.to_str()
                    .map_or(word.clone(), |word| named_by(word).into()),
            );
            continue;
        }
        let Some(text) = word.to_str() else { continue };
        let (flag, value) = match text.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (text, None),
        };
        if flag.starts_with("--") && flag.ends_with("-env") && flag != "--env" {
            match value {
                Some(value) => names.push(named_by(value).into()),
                None => next_is_name = true,
            }
        } else {
            names.extend(variables_in(text).map(OsString::from));
        }
    }
    names
}

/// The token in the environment variable that a flag names; `value` is the value of the variable.
///
/// # Errors
/// If there is no token, or the word cannot be the name of a variable.
pub fn token_in(flag: &str, variable: &str, value: Option<&str>) -> Result<String, OptionsError> {
    match value.map(str::trim) {
        Some("") => Err(OptionsError::Empty(variable.to_owned())),
        Some(token) => Ok(token.to_owned()),
        None => {
            check_variable(flag, variable)?;
            Err(OptionsError::NotSet(variable.to_owned()))
        }
    }
}

/// The same for a flag whose word may be `NAME?`: there is no token then if the variable is not set or empty.
///
/// # Errors
/// As [`token_in`]; for `NAME?` only if the word cannot be the name of a variable.
pub fn optional_token_in(
    flag: &str,
    word: &str,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<String>, OptionsError> {
    let name = name_of(word);
    let value = lookup(name);
    let has_token = value
        .as_deref()
        .is_some_and(|value| !value.trim().is_empty());
    if name == word || has_token {
        return token_in(flag, name, value.as_deref()).map(Some);
    }
    check_variable(flag, name).map(|()| None)
}

/// The variable that the value of a flag names.
fn named_by(value: &str) -> &str {
    name_of(value.rsplit('=').next().unwrap_or(value))
}

/// The name of a variable without the mark of one that need not be set.
fn name_of(word: &str) -> &str {
    word.strip_suffix('?').unwrap_or(word)
}

/// Refuses a word that may be the token itself, without showing it.
///
/// # Errors
/// If the word cannot be the name of a variable.
pub fn check_variable(flag: &str, word: &str) -> Result<(), OptionsError> {
    if is_variable_name(word) {
        Ok(())
    } else {
        Err(OptionsError::NotAVariable(flag.to_owned()))
    }
}

/// Whether a word is certainly the name of a variable. Many tokens (`ghp_…`, `AKIA…`) have only characters of names,
/// but they are long and mix letters with digits.
fn is_variable_name(word: &str) -> bool {
    let is_name = !word.is_empty()
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let longest_part = word.split('_').map(str::len).max().unwrap_or_default();
    let has_digits = word.contains(|c: char| c.is_ascii_digit());
    is_name && longest_part < 24 && (!has_digits || longest_part < 12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_of_a_text_are_listed() {
        let names = |text: &'static str| variables_in(text).collect::<Vec<_>>();
        assert_eq!(names("X: ${C} and ${D}"), ["C", "D"]);
        assert_eq!(names("$X ${"), [] as [&str; 0]);
    }

    fn names(words: &[&str]) -> Vec<String> {
        let names = variables_named_by(words.iter().map(OsString::from));
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
            names(&["--bearer-env", "A?", "--bearer-env=B?"]),
            ["A", "B"]
        );
        assert_eq!(
            names(&["-H", "X: ${C} and ${D}", "-HY:${E}"]),
            ["C", "D", "E"]
        );
        assert_eq!(
            names(&["--credential-env", "a=A", "--credential-env=b=B"]),
            ["A", "B"]
        );
        assert_eq!(names(&["serve", "--env", "--token-env"]), [] as [&str; 0]);
    }

    #[test]
    fn a_token_in_place_of_a_variable_s_name_is_not_shown() {
        let told = |word: &str| {
            let error = token_in("--bearer-env", word, None).unwrap_err();
            format!("{error}; {}", error.hint())
        };
        for token in [
            "sk-live-abc",
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "AKIAIOSFODNN7EXAMPLE",
            "eyJhbGciOi.eyJzdWIi.c2ln",
            "123456",
            "",
        ] {
            let told = told(token);
            assert!(told.starts_with("--bearer-env takes the name"), "{told}");
            assert!(token.is_empty() || !told.contains(token), "{told}");
        }
        for name in ["TOK", "my_token", "GITHUB_PERSONAL_ACCESS_TOKEN_2"] {
            let told = told(name);
            assert!(told.contains(&format!("{name} is not set")), "{told}");
        }
    }

    #[test]
    fn an_empty_token_is_refused() {
        for empty in ["", " \n"] {
            let error = token_in("--bearer-env", "TOK", Some(empty)).unwrap_err();
            assert_eq!(error.to_string(), "the environment variable TOK is empty");
        }
        assert_eq!(token_in("--bearer-env", "TOK", Some(" a ")).unwrap(), "a");
    }

    #[test]
    fn only_a_variable_with_a_mark_may_be_missing_or_empty() {
        let token = |word: &str, value: Option<&str>| {
            let lookup = |name: &str| (name == "TOK").then(|| value.map(str::to_owned)).flatten();
            optional_token_in("--bearer-env", word, &lookup).map_err(|error| error.to_string())
        };
        assert_eq!(token("TOK?", None), Ok(None));
        assert_eq!(token("TOK?", Some(" ")), Ok(None));
        assert_eq!(token("TOK?", Some("a")), Ok(Some("a".to_owned())));
        assert_eq!(token("TOK", Some("a")), Ok(Some("a".to_owned())));
        assert!(token("TOK", None).is_err() && token("TOK", Some("")).is_err());
        assert!(token("sk-live-abc?", None).is_err());
    }
}
