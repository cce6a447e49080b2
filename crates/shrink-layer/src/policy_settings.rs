//! What a user says about shorter texts.

use linkspan_bcp_tools::variables::VariableError;
use linkspan_shrink::{Level, Lossy, Policy, Thresholds};
use linkspan_tokens::Vocabulary;

use crate::variables::{Format, default_confidence, default_render};

/// What a user says about shorter texts. What is missing comes from the environment.
#[derive(Debug, Clone)]
pub struct PolicySettings {
    /// How compact a text may become.
    pub level: Level,
    /// The least confidence of a kind.
    pub confidence: Option<f32>,
    /// What has to be saved, in percent.
    pub percent: u64,
    /// The tokenizer.
    pub vocabulary: Vocabulary,
    /// The format of all results.
    pub render: Option<Format>,
    /// What may be lost.
    pub lossy: Vec<Lossy>,
}

impl PolicySettings {
    /// The policy; `look` reads a variable.
    pub fn policy(self, look: impl Fn(&str) -> Option<String>) -> Result<Policy, VariableError> {
        let confidence = match self.confidence {
            Some(confidence) => confidence,
            None => default_confidence(&look)?,
        };
        let render = match self.render {
            Some(Format(mode)) => mode,
            None => default_render(&look)?,
        };
        Ok(Policy {
            thresholds: Thresholds {
                confidence,
                percent: self.percent,
                ..Thresholds::default()
            },
            level: self.level,
            vocabulary: self.vocabulary,
            render,
            lossy: self.lossy,
            ..Policy::default()
        })
    }
}
