//! What this program takes from its environment: variables, and its own path.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use linkspan_bcp::render::Mode;
use linkspan_bcp_tools::Settings;
use linkspan_client_config::System;
use linkspan_ports::variables_named_by;
use linkspan_shrink_layer::JqCommand;
use tracing::level_filters::LevelFilter;

use crate::exit::{Exit, Failure};

/// Settings of the reader server; `look` reads a variable.
pub(crate) fn reader_settings(look: impl Fn(&str) -> Option<String>) -> Result<Settings, Failure> {
    let mut settings = Settings {
        mode: mode(&look)?,
        ..Settings::default()
    };
    if let Some(text) = look("BCP_CLI_TIMEOUT_MS") {
        let limit = text
            .parse()
            .map_err(|_| wrong("BCP_CLI_TIMEOUT_MS", &text, "a number of milliseconds"))?;
        settings.limit = Some(Duration::from_millis(limit)).filter(|limit| !limit.is_zero());
    }
    Ok(settings)
}

/// The mode of commands and calls that do not set one.
pub(crate) fn mode(look: impl Fn(&str) -> Option<String>) -> Result<Mode, Failure> {
    match look("BCP_RENDER_MODE") {
        None => Ok(Mode::Xml),
        Some(text) => Mode::parse(&text)
            .ok_or_else(|| wrong("BCP_RENDER_MODE", &text, "xml, markdown or minimal")),
    }
}

/// The log level of the reader server without flags.
pub(crate) fn log_level(look: impl Fn(&str) -> Option<String>) -> Result<LevelFilter, Failure> {
    let Some(text) = look("BCP_LOG_LEVEL") else {
        return Ok(LevelFilter::INFO);
    };
    match text.as_str() {
        "debug" => Ok(LevelFilter::DEBUG),
        "info" => Ok(LevelFilter::INFO),
        "warn" => Ok(LevelFilter::WARN),
        "error" => Ok(LevelFilter::ERROR),
        _ => Err(wrong("BCP_LOG_LEVEL", &text, "debug, info, warn or error")),
    }
}

/// The key of the credential store.
pub(crate) const STORE_KEY: &str = "LINKSPAN_STORE_KEY";

/// The variables with secrets of ours, which no program that we start must see: the key of the store, and those that
/// our own flags name. What follows `--` is the command line of another program.
pub(crate) fn secret_variables() -> Vec<OsString> {
    let words = std::env::args_os().take_while(|word| word != "--");
    let mut names = variables_named_by(words);
    names.push(STORE_KEY.into());
    names
}

/// Our environment without those.
pub(crate) fn environment_of_children() -> impl Iterator<Item = (OsString, OsString)> {
    let secret = secret_variables();
    std::env::vars_os().filter(move |(name, _)| !secret.contains(name))
}

/// A variable of the environment, unless it is empty.
pub(crate) fn variable(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?.to_string_lossy().into_owned();
    Some(value).filter(|value| !value.is_empty())
}

/// Set for a jq with an untrusted filter: the filter can access neither files nor variables.
pub(crate) const JQ_RESTRICTED: &str = "LINKSPAN_JQ_RESTRICTED";

/// Set for a jq whose memory and time are limited.
pub(crate) const JQ_LIMITED: &str = "LINKSPAN_JQ_LIMITED";

/// The path of this program.
pub(crate) fn own_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|e| {
        let what = format!("cannot find our own program: {e}");
        Failure::new(Exit::Unreachable, what)
    })
}

/// The value of `PATH`.
pub(crate) fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// The built-in jq for the filters of a model.
pub(crate) fn jq_command() -> Result<JqCommand, Failure> {
    Ok(JqCommand {
        program: own_program()?,
        args: vec!["jq".into(), "--".into()],
        env: [JQ_RESTRICTED, JQ_LIMITED]
            .map(|name| (name.into(), "1".into()))
            .into(),
    })
}

/// The places where clients keep their configuration.
pub(crate) fn system() -> System {
    let path = |name| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    let is_windows = cfg!(windows);
    let (home, config) = if is_windows {
        ("USERPROFILE", "APPDATA")
    } else {
        ("HOME", "XDG_CONFIG_HOME")
    };
    System {
        home: path(home),
        config: path(config),
        is_mac: cfg!(target_os = "macos"),
        is_windows,
    }
}

/// The file for the statistics of `shrink`, unless a flag names one.
pub(crate) fn stats_file() -> Option<PathBuf> {
    let named = std::env::var_os("LINKSPAN_SHRINK_STATS").filter(|value| !value.is_empty());
    named
        .map(PathBuf::from)
        .or_else(|| Some(state_folder()?.join("shrink.ndjson")))
}

/// The home folder of the user.
pub(crate) fn home() -> Option<PathBuf> {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let value = std::env::var_os(name).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}

/// The folder for the state of this program.
pub(crate) fn state_folder() -> Option<PathBuf> {
    let path = |name| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    if let Some(folder) = path("LINKSPAN_STATE") {
        return Some(folder);
    }
    let folder = if cfg!(windows) {
        path("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        path("HOME")?.join("Library/Application Support")
    } else {
        path("XDG_STATE_HOME").or_else(|| Some(path("HOME")?.join(".local/state")))?
    };
    Some(folder.join("linkspan"))
}

/// Whether a browser can be opened for the user.
pub(crate) fn can_show_browser() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"];
    if is_set("BROWSER") || has_display.into_iter().any(is_set) {
        return true;
    }
    // Over SSH the browser would open on the other machine.
    (cfg!(windows) || cfg!(target_os = "macos")) && !is_set("SSH_CONNECTION")
}

/// The error for an invalid value of a variable.
pub(crate) fn wrong(name: &str, value: &str, right: &str) -> Failure {
    Failure::usage(format!("{name} is `{value}` in the environment"))
        .hint(format!("it must be {right}; unset it to use the default"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &'static str, value: &'static str) -> Result<Settings, Failure> {
        reader_settings(|asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn without_variables_the_defaults_apply() {
        let settings = reader_settings(|_| None).unwrap();
        assert_eq!(settings.mode, Mode::Xml);
        assert_eq!(settings.limit, Some(Duration::from_secs(30)));
    }

    #[test]
    fn each_variable_has_an_effect() {
        let mode = read("BCP_RENDER_MODE", "minimal").unwrap().mode;
        assert_eq!(mode, Mode::Minimal);
        let limit = read("BCP_CLI_TIMEOUT_MS", "250").unwrap().limit;
        assert_eq!(limit, Some(Duration::from_millis(250)));
        assert_eq!(read("BCP_CLI_TIMEOUT_MS", "0").unwrap().limit, None);
        let level = log_level(|_| Some("error".to_owned())).unwrap();
        assert_eq!(level, LevelFilter::ERROR);
    }

    #[test]
    fn an_unknown_value_is_refused() {
        assert!(read("BCP_RENDER_MODE", "html").is_err());
        assert!(read("BCP_CLI_TIMEOUT_MS", "soon").is_err());
        assert!(log_level(|_| Some("loud".to_owned())).is_err());
    }
}
