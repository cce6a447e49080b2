//! The flag for the tokenizer.

use clap::Args;
use linkspan_tokens::Vocabulary;

use crate::value_words::VOCABULARIES;

// Which vocabulary.
#[derive(Debug, Args)]
pub(super) struct TokenizerArg {
    /// Tokenizer for counting: o200k (GPT-4o and later), cl100k (GPT-4), or estimate (a guess)
    #[arg(long, value_name = "NAME", default_value = "o200k", value_parser = VOCABULARIES, hide_possible_values = true)]
    tokenizer: Vocabulary,
}

impl TokenizerArg {
    pub(super) fn vocabulary(&self) -> Vocabulary {
        self.tokenizer
    }
}
