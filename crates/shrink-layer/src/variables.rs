//! Defaults of a policy in the environment variables of bcp. Their values are passed in: `look` reads a variable.

use linkspan_bcp::render::Mode;
use linkspan_bcp_tools::variables::{RENDER_MODE, VariableError};
use linkspan_shrink::Thresholds;

const DETECT_THRESHOLD: &str = "BCP_DETECT_THRESHOLD";

/// A text that is not a confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a number from 0 to 1")]
pub struct NoConfidence;

/// A format of all results; `None` is chosen by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format(pub Option<Mode>);

impl Format {
    /// All of them, by name, with what they mean.
    pub const NAMED: [(&str, Self, &str); 4] = [
        ("auto", Self(None), "Chosen by kind, lossless"),
        ("xml", Self(Some(Mode::Xml)), "BCP blocks as XML"),
        (
            "markdown",
            Self(Some(Mode::Markdown)),
            "BCP blocks as Markdown",
        ),
        (
            "minimal",
            Self(Some(Mode::Minimal)),
            "BCP blocks with as little around them as possible",
        ),
    ];
}

/// Parses a confidence: a number from 0 to 1.
pub fn confidence(text: &str) -> Result<f32, NoConfidence> {
    match text.parse() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err(NoConfidence),
    }
}

/// The least confidence of a kind, which `BCP_DETECT_THRESHOLD` sets.
pub fn default_confidence(look: impl Fn(&str) -> Option<String>) -> Result<f32, VariableError> {
    let Some(text) = look(DETECT_THRESHOLD) else {
        return Ok(Thresholds::default().confidence);
    };
    confidence(&text).map_err(|right| VariableError::new(DETECT_THRESHOLD, text, right.to_string()))
}

/// The format of all results, which `BCP_RENDER_MODE` sets; `None` is chosen by kind.
pub fn default_render(
    look: impl Fn(&str) -> Option<String>,
) -> Result<Option<Mode>, VariableError> {
    let Some(text) = look(RENDER_MODE).filter(|text| text != "auto") else {
        return Ok(None);
    };
    match Mode::parse(&text) {
        None => {
            let right = "auto, xml, markdown or minimal";
            Err(VariableError::new(RENDER_MODE, text, right))
        }
        mode => Ok(mode),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(value: &'static str) -> impl Fn(&str) -> Option<String> {
        move |_| Some(value.to_owned())
    }

    #[test]
    fn without_variables_the_defaults_apply() {
        let confidence = default_confidence(|_| None).unwrap();
        assert!((confidence - Thresholds::default().confidence).abs() < f32::EPSILON);
        assert_eq!(default_render(|_| None), Ok(None));
    }

    #[test]
    fn values_are_checked() {
        assert_eq!(default_render(is("auto")), Ok(None));
        assert_eq!(default_render(is("minimal")), Ok(Some(Mode::Minimal)));
        let error = default_render(is("html")).unwrap_err();
        assert_eq!(error.right, "auto, xml, markdown or minimal");
        assert!(default_confidence(is("0.5")).is_ok());
        let error = default_confidence(is("2")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "BCP_DETECT_THRESHOLD is `2` in the environment"
        );
        assert_eq!(error.right, "a number from 0 to 1");
    }
}
