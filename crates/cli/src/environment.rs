//! What this program takes from its environment: variables, and its own path.

use std::ffi::OsString;
use std::path::PathBuf;

use linkspan_client_config::System;
use linkspan_ports::variables_named_by;
use linkspan_shrink_layer::JqCommand;

use crate::exit::{Exit, Failure};

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

/// This system, with the home folder of the user.
pub(crate) fn system() -> System {
    System::this(|name| std::env::var_os(name))
}

/// A path in a variable of the environment, unless it is empty.
fn path(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}

/// The file for the statistics of `shrink`, unless a flag names one.
pub(crate) fn stats_file() -> Option<PathBuf> {
    path("LINKSPAN_SHRINK_STATS").or_else(|| Some(state_folder()?.join("shrink.ndjson")))
}

/// The file for the pins of the gateway, unless a flag names one.
pub(crate) fn pins_file() -> Option<PathBuf> {
    Some(state_folder()?.join("pins.json"))
}

/// The folder where mcp-remote keeps its sign-ins.
pub(crate) fn mcp_remote_folder() -> Option<PathBuf> {
    path("MCP_REMOTE_CONFIG_DIR").or_else(|| Some(system().home?.join(".mcp-auth")))
}

/// The folder for the state of this program.
pub(crate) fn state_folder() -> Option<PathBuf> {
    path("LINKSPAN_STATE").or_else(|| system().state_folder())
}

/// Whether a browser can be opened for the user.
pub(crate) fn can_show_browser() -> bool {
    linkspan_auth_io::can_show_browser(&|name| variable(name).is_some())
}
