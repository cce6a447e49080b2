//! Commands as a person types them into a shell.

use std::borrow::Cow;

use linkspan_bridge::masked_words;
use linkspan_spawn::shell_quoted;

use super::on_one_line;

/// A command that can be pasted into a shell.
pub(crate) fn command_line<'a>(words: impl IntoIterator<Item = Cow<'a, str>>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| shell_quoted(&word)).collect();
    on_one_line(&words.join(" "))
}

/// The same without its secrets, for hints: what is printed may end up in a log.
pub(crate) fn shown_line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    command_line(masked_words(words).into_iter().map(Into::into))
}
