//! Commands as a person types them into a shell.

use std::borrow::Cow;

use linkspan_bridge::masked_words;

use super::on_one_line;

/// A command that can be pasted into a shell.
pub(crate) fn command_line<'a>(words: impl IntoIterator<Item = Cow<'a, str>>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| quoted(&word)).collect();
    on_one_line(&words.join(" "))
}

/// The same without its secrets, for hints: what is printed may end up in a log.
pub(crate) fn shown_line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    command_line(masked_words(words).into_iter().map(Into::into))
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_out_of_a_shell_as_they_went_in() {
        assert_eq!(quoted("/a/b-c.d"), "/a/b-c.d");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("$(rm)"), "'$(rm)'");
        assert_eq!(quoted(""), "''");
    }
}
