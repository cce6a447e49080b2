//! Values of flags that are words of a list, or a number of tokens.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use linkspan_tokens::Vocabulary;

/// A value from a list of words. Shells complete the names; `parse` may accept other spellings as well (upper case,
/// aliases).
#[derive(Clone, Copy)]
pub(crate) struct Words<T> {
    pub(crate) parse: fn(&str) -> Result<T, String>,
    pub(crate) names: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Words<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        self.parse.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

/// A tokenizer.
pub(crate) const VOCABULARIES: Words<Vocabulary> = Words {
    parse: |word| Vocabulary::parse(word).ok_or("it must be o200k, cl100k or estimate".to_owned()),
    names: || Vocabulary::ALL.iter().map(|one| one.name()).collect(),
};

/// A number of tokens.
pub(crate) fn tokens(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "it must be a whole number of tokens, such as 4000".to_owned())
}
