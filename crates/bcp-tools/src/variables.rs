//! The environment variables of bcp. Their values are passed in: `look` reads a variable.

use std::time::Duration;

use linkspan_bcp::render::Mode;
use tracing::level_filters::LevelFilter;

use crate::settings::Settings;

/// The mode of commands and calls that do not set one.
pub const RENDER_MODE: &str = "BCP_RENDER_MODE";
const TIMEOUT: &str = "BCP_CLI_TIMEOUT_MS";
const LOG_LEVEL: &str = "BCP_LOG_LEVEL";

/// A variable with an invalid value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is `{value}` in the environment")]
pub struct VariableError {
    /// The variable.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// The valid values.
    pub right: String,
}

impl VariableError {
    /// For a variable that must be `right`.
    pub fn new(name: &'static str, value: String, right: impl Into<String>) -> Self {
        Self {
            name,
            value,
            right: right.into(),
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> String {
        format!("it must be {}; unset it to use the default", self.right)
    }
}

impl Settings {
    /// The settings of the variables `BCP_RENDER_MODE` and `BCP_CLI_TIMEOUT_MS`.
    pub fn of_variables(look: impl Fn(&str) -> Option<String>) -> Result<Self, VariableError> {
        let mut settings = Self {
            mode: default_mode(&look)?,
            ..Self::default()
        };
        if let Some(text) = look(TIMEOUT) {
            let Ok(limit) = text.parse() else {
                let right = "a number of milliseconds";
                return Err(VariableError::new(TIMEOUT, text, right));
            };
            settings.limit = Some(Duration::from_millis(limit)).filter(|limit| !limit.is_zero());
        }
        Ok(settings)
    }
}

/// The mode that `BCP_RENDER_MODE` sets; XML without it.
pub fn default_mode(look: impl Fn(&str) -> Option<String>) -> Result<Mode, VariableError> {
    let Some(text) = look(RENDER_MODE) else {
        return Ok(Mode::Xml);
    };
    Mode::parse(&text)
        .ok_or_else(|| VariableError::new(RENDER_MODE, text, "xml, markdown or minimal"))
}

/// The log level that `BCP_LOG_LEVEL` sets for the BCP server.
pub fn default_log_level(
    look: impl Fn(&str) -> Option<String>,
) -> Result<LevelFilter, VariableError> {
    let Some(text) = look(LOG_LEVEL) else {
        return Ok(LevelFilter::INFO);
    };
    match text.as_str() {
        "debug" => Ok(LevelFilter::DEBUG),
        "info" => Ok(LevelFilter::INFO),
        "warn" => Ok(LevelFilter::WARN),
        "error" => Ok(LevelFilter::ERROR),
        _ => {
            let right = "debug, info, warn or error";
            Err(VariableError::new(LOG_LEVEL, text, right))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &'static str, value: &'static str) -> Result<Settings, VariableError> {
        Settings::of_variables(|asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn without_variables_the_defaults_apply() {
        let settings = Settings::of_variables(|_| None).unwrap();
        assert_eq!(settings, Settings::default());
        assert_eq!(settings.mode, Mode::Xml);
        assert_eq!(settings.limit, Some(Duration::from_secs(30)));
        assert_eq!(default_log_level(|_| None), Ok(LevelFilter::INFO));
    }

    #[test]
    fn each_variable_has_an_effect() {
        let mode = read("BCP_RENDER_MODE", "minimal").unwrap().mode;
        assert_eq!(mode, Mode::Minimal);
        let limit = read("BCP_CLI_TIMEOUT_MS", "250").unwrap().limit;
        assert_eq!(limit, Some(Duration::from_millis(250)));
        assert_eq!(read("BCP_CLI_TIMEOUT_MS", "0").unwrap().limit, None);
        let level = default_log_level(|_| Some("error".to_owned())).unwrap();
        assert_eq!(level, LevelFilter::ERROR);
    }

    #[test]
    fn an_unknown_value_is_refused() {
        let error = read("BCP_RENDER_MODE", "html").unwrap_err();
        assert_eq!(
            error.to_string(),
            "BCP_RENDER_MODE is `html` in the environment"
        );
        assert_eq!(
            error.hint(),
            "it must be xml, markdown or minimal; unset it to use the default"
        );
        assert!(read("BCP_CLI_TIMEOUT_MS", "soon").is_err());
        assert!(default_log_level(|_| Some("loud".to_owned())).is_err());
    }
}
