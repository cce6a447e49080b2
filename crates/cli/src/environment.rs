//! What the reader server is told by its environment.

use std::time::Duration;

use linkspan_bcp::render::Mode;
use tracing::level_filters::LevelFilter;

use crate::exit::Failure;

/// How long a call may take if nobody says otherwise.
const USUAL_LIMIT: Duration = Duration::from_secs(30);

/// Settings of the reader server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// How files are rendered if a call does not say.
    pub(crate) mode: Mode,
    /// How long a call may take.
    pub(crate) limit: Option<Duration>,
}

impl Settings {
    /// Reads them; `look` knows the variables.
    pub(crate) fn read(look: impl Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        let mode = mode(&look)?;
        let limit = match look("BCP_CLI_TIMEOUT_MS") {
            None => USUAL_LIMIT,
            Some(text) => Duration::from_millis(
                text.parse()
                    .map_err(|_| bad("BCP_CLI_TIMEOUT_MS", &text, "a number of milliseconds"))?,
            ),
        };
        Ok(Self {
            mode,
            limit: Some(limit).filter(|limit| !limit.is_zero()),
        })
    }
}

/// How files are rendered if nobody says.
pub(crate) fn mode(look: impl Fn(&str) -> Option<String>) -> Result<Mode, Failure> {
    match look("BCP_RENDER_MODE") {
        None => Ok(Mode::Xml),
        Some(text) => Mode::parse(&text)
            .ok_or_else(|| bad("BCP_RENDER_MODE", &text, "xml, markdown or minimal")),
    }
}

/// What is logged if no flag says so.
pub(crate) fn log_level(look: impl Fn(&str) -> Option<String>) -> Result<LevelFilter, Failure> {
    let Some(text) = look("BCP_LOG_LEVEL") else {
        return Ok(LevelFilter::INFO);
    };
    match text.as_str() {
        "debug" => Ok(LevelFilter::DEBUG),
        "info" => Ok(LevelFilter::INFO),
        "warn" => Ok(LevelFilter::WARN),
        "error" => Ok(LevelFilter::ERROR),
        _ => Err(bad("BCP_LOG_LEVEL", &text, "debug, info, warn or error")),
    }
}

/// A variable of our environment; one that is empty is not there.
pub(crate) fn variable(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?.to_string_lossy().into_owned();
    Some(value).filter(|value| !value.is_empty())
}

fn bad(name: &str, value: &str, right: &str) -> Failure {
    Failure::usage(format!("{name} is `{value}` in the environment"))
        .hint(format!("it must be {right}; without it the usual is done"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &'static str, value: &'static str) -> Result<Settings, Failure> {
        Settings::read(|asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn without_settings_everything_is_as_usual() {
        let usual = Settings {
            mode: Mode::Xml,
            limit: Some(Duration::from_secs(30)),
        };
        assert_eq!(Settings::read(|_| None).unwrap(), usual);
    }

    #[test]
    fn each_variable_means_something() {
        let mode = read("BCP_RENDER_MODE", "minimal").unwrap().mode;
        assert_eq!(mode, Mode::Minimal);
        let limit = read("BCP_CLI_TIMEOUT_MS", "250").unwrap().limit;
        assert_eq!(limit, Some(Duration::from_millis(250)));
        assert_eq!(read("BCP_CLI_TIMEOUT_MS", "0").unwrap().limit, None);
        let level = log_level(|_| Some("error".to_owned())).unwrap();
        assert_eq!(level, LevelFilter::ERROR);
    }

    #[test]
    fn what_means_nothing_is_refused_at_the_start() {
        assert!(read("BCP_RENDER_MODE", "html").is_err());
        assert!(read("BCP_CLI_TIMEOUT_MS", "soon").is_err());
        assert!(log_level(|_| Some("loud".to_owned())).is_err());
    }
}
