//! Secrets among the words of a command line.

use std::borrow::Cow;

use linkspan_ports::is_unix_target;

use super::{MASKED, is_telling, masked_urls};

/// Prefixes of the tokens of well-known services.
const TOKENS: [&str; 12] = [
    "sk-",
    "pk-",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xox",
    "hf_",
    "AKIA",
    "eyJ",
    "Bearer ",
];

/// Masks the words that look like secrets: the value of an option or variable with a telling name, the value of a
/// header, credentials in a URL, and tokens with a known prefix.
pub(super) fn telling<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut is_value = false;
    let mask = |word: &str| {
        let was_value = std::mem::replace(&mut is_value, announces(word));
        if was_value && !word.starts_with("--") {
            MASKED.to_owned()
        } else {
            by_its_words(word)
        }
    };
    words.map(mask).collect()
}

/// The words of our own command line for a hint: masks words as [`telling`] does, and also headers whose value is not a
/// variable, and the user information and query of URLs.
pub(super) fn shown<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let words: Vec<&str> = words.collect();
    let mut masked = telling(words.iter().copied());
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |before| words[before]);
        let attached = ["--header=", "-H"]
            .into_iter()
            .find(|flag| word.len() > flag.len() && word.starts_with(flag));
        let is_variable = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        masked[at] = match (before, attached) {
            ("-H" | "--header", _) => header(word),
            (_, Some(flag)) => format!("{flag}{}", header(&word[flag.len()..])),
            ("--bearer-env" | "--token-env", _) if word.chars().all(is_variable) => {
                by_its_words(word)
            }
            _ if word.contains("://") || is_unix_target(word) => url(word).into_owned(),
            _ => continue,
        };
    }
    masked
}

/// `Name: ***`, unless the value comes from a variable.
fn header(text: &str) -> String {
    match text.split_once(':') {
        Some((_, value)) if value.contains("${") => text.to_owned(),
        Some((name, _)) => format!("{name}: {MASKED}"),
        None => MASKED.to_owned(),
    }
}

/// A URL without its possible secrets: user information, and values in the query.
pub(super) fn url(target: &str) -> Cow<'_, str> {
    if is_unix_target(target) {
        return match target.split_once('?') {
            Some((place, _)) => format!("{place}?…").into(),
            None => target.into(),
        };
    }
    let Some((scheme, rest)) = target.split_once("://") else {
        return target.into();
    };
    let (place, query) = match rest.split_once(['?', '#']) {
        Some((place, _)) => (place, true),
        None => (rest, false),
    };
    let host = place.split('/').next().unwrap_or_default();
    if query || host.contains('@') {
        let at = host.rfind('@').map_or(0, |at| at + 1);
        let query = if query { "?…" } else { "" };
        format!("{scheme}://{}{query}", &place[at..]).into()
    } else {
        target.into()
    }
}

/// Masks everything but the names of options.
pub(super) fn all<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mask = |word: &str| {
        let mut letters = word.chars();
        match (letters.next(), letters.next()) {
            (Some('-'), Some('-')) => match word.split_once('=') {
                Some((name, _)) => format!("{name}={MASKED}"),
                None => word.to_owned(),
            },
            (Some('-'), Some(letter)) if letter.is_ascii_alphabetic() && word.len() > 2 => {
                format!("-{letter}{MASKED}")
            }
            (Some('-'), Some(letter)) if letter.is_ascii_alphabetic() => word.to_owned(),
            _ => MASKED.to_owned(),
        }
    };
    words.map(mask).collect()
}

/// Whether the word after this option is a secret.
fn announces(word: &str) -> bool {
    word.starts_with('-') && !word.contains('=') && is_telling(word)
}

fn by_its_words(word: &str) -> String {
    if TOKENS.iter().any(|token| word.starts_with(token)) {
        return MASKED.to_owned();
    }
    for (separator, between) in [('=', ""), (':', " ")] {
        if let Some((name, _)) = word.split_once(separator)
            && is_telling(name)
            && !name.contains(['/', ' '])
        {
            return format!("{name}{separator}{between}{MASKED}");
        }
    }
    masked_urls(word).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(words: &[&str]) -> String {
        telling(words.iter().copied()).join(" ")
    }

    #[test]
    fn a_secret_is_known_by_the_words_around_it() {
        for (words, masked) in [
            (&["--api-key", "abc", "x"][..], "--api-key *** x"),
            (&["--token=abc", "-v"], "--token=*** -v"),
            (&["--password", "--verbose"], "--password --verbose"),
            (&["GITHUB_TOKEN=abc", "HOME=/x"], "GITHUB_TOKEN=*** HOME=/x"),
            (
                &["-H", "Authorization: Bearer abc"],
                "-H Authorization: ***",
            ),
            (&["-H", "Accept: text/html"], "-H Accept: text/html"),
            (&["postgres://u:p@h/db"], "postgres://***@h/db"),
            (&["sk-ant-abc", "ghp_abc"], "*** ***"),
            (&["-y", "@scope/secret-server"], "-y @scope/secret-server"),
        ] {
            assert_eq!(told(words), masked);
        }
    }

    #[test]
    fn a_hint_has_no_headers_and_no_credentials_of_urls() {
        for (words, masked) in [
            (&["-H", "X-Any: abc", "x"][..], "-H X-Any: *** x"),
            (&["-HX-Any: abc"], "-HX-Any: ***"),
            (&["--header=X-Any: abc"], "--header=X-Any: ***"),
            (&["-H", "X-Any: ${ABC}"], "-H X-Any: ${ABC}"),
            (&["--bearer-env", "MY_TOKEN"], "--bearer-env MY_TOKEN"),
            (&["--bearer-env", "abc-def"], "--bearer-env ***"),
            (&["https://u:p@h/x?k=abc"], "https://h/x?…"),
            (&["unix:/s:/x?k=abc"], "unix:/s:/x?…"),
            (&["--", "npx", "--api-key", "abc"], "-- npx --api-key ***"),
        ] {
            assert_eq!(shown(words.iter().copied()).join(" "), masked);
        }
    }

    #[test]
    fn only_the_names_of_options_are_left_of_all() {
        let words = [
            "-y",
            "@scope/server",
            "--port=80",
            "--token",
            "abc",
            "-pabc",
            "-",
            "-7",
        ];
        assert_eq!(
            all(words.into_iter()).join(" "),
            "-y *** --port=*** --token *** -p*** *** ***"
        );
    }
}
