//! Secrets among the words of a command line.

use super::{MASKED, is_telling, masked_urls};

/// How tokens of well-known services begin.
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

/// The words with those masked that are secrets by what they say: the value of an option or variable
/// with a telling name, of a header, credentials in a URL, and tokens known by how they begin.
pub(super) fn telling<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut is_value = false;
    let mask = |word: &str| {
        let was_value = std::mem::replace(&mut is_value, announces(word));
        match was_value && !word.starts_with("--") {
            true => MASKED.to_owned(),
            false => by_its_words(word),
        }
    };
    words.map(mask).collect()
}

/// The words with everything masked but the names of options.
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

/// Whether an option says that the next word is a secret.
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
