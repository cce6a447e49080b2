//! Values of flags that are words of a table.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A parser for the words of a table.
pub(crate) fn named<T: Copy + Send + Sync>(
    table: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let words = table.iter().map(|(word, _)| PossibleValue::new(*word));
    PossibleValuesParser::new(words).map(|given| {
        let mut found = table.iter().filter(|(word, _)| *word == given);
        found.next().expect("clap passes on these words only").1
    })
}

/// The same with what each word means, for completions and the manual page.
pub(crate) fn explained<T: Copy + Send + Sync>(
    table: &'static [(&'static str, T, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let words = table.iter();
    let words = words.map(|(word, _, meaning)| PossibleValue::new(*word).help(*meaning));
    PossibleValuesParser::new(words).map(|given| {
        let mut found = table.iter().filter(|(word, ..)| *word == given);
        found.next().expect("clap passes on these words only").1
    })
}
