//! The environment of a project's programs: inherited variables and those of mcp-bash.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use linkspan_scripts::sdk::Installed;

use super::files::CallFiles;
use super::meta_env::is_name;
use super::places::Places;
use super::roots::Root;
use super::vars::Vars;

/// The release of mcp-bash that this implementation reports.
pub const VERSION: &str = "1.3.0";

/// Longer texts always go into a file: the system limits the length of a variable.
const LONGEST: usize = 120_000;
const LONG: u64 = 65_536;

/// What we bring along for programs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tooling {
    /// The folder with `tool-sdk.sh`.
    pub sdk: PathBuf,
    /// The folder that takes the place of mcp-bash's own.
    pub home: PathBuf,
    /// The program that runs jq filters.
    pub jq: PathBuf,
    /// The folder for state while the server runs.
    pub state: PathBuf,
    /// Whether files that other users can write are run nevertheless.
    pub accept_writable: bool,
}

impl Tooling {
    /// Tooling with installed files; files that other users can write are not run.
    pub fn new(installed: Installed, state: PathBuf) -> Self {
        Self {
            sdk: installed.sdk,
            home: installed.home,
            jq: installed.jq,
            state,
            accept_writable: false,
        }
    }
}

/// The kinds of programs, which inherit different variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// A tool.
    Tool,
    /// A resource provider or a completion program.
    Provider,
}

impl Scope {
    /// The prefix of the variables that configure the scope.
    fn prefix(self) -> &'static str {
        match self {
            Self::Tool => "MCPBASH_TOOL_ENV",
            Self::Provider => "MCPBASH_PROVIDER_ENV",
        }
    }

    /// Whether programs of this scope inherit the whole environment.
    pub fn inherits(self, vars: &Vars) -> bool {
        mode(self, vars) == "inherit"
    }

    /// Why a program may not inherit the whole environment: the operator has not allowed it.
    pub fn refusal(self, vars: &Vars) -> Option<String> {
        let prefix = self.prefix();
        let allowed = vars.get(&format!("{prefix}_INHERIT_ALLOW")) == Some("true");
        (self.inherits(vars) && !allowed)
            .then(|| format!("{prefix}_MODE=inherit requires {prefix}_INHERIT_ALLOW=true"))
    }
}

fn mode(scope: Scope, vars: &Vars) -> String {
    let mode = vars.get(&format!("{}_MODE", scope.prefix()));
    mode.unwrap_or("minimal").to_ascii_lowercase()
}

/// Whether a variable is one that mcp-bash sets for programs.
pub fn is_ours(name: &str) -> bool {
    const NAMES: [&str; 7] = [
        "MCP_SDK",
        "MCP_LOG_STREAM",
        "MCP_CANCEL_FILE",
        "MCP_RESOURCES_ROOTS",
        "MCP_CONFIG_JSON",
        "MCP_TRANSPORT",
        "MCP_PATH_DEBUG",
    ];
    const FAMILIES: [&str; 7] = [
        "MCP_TOOL_",
        "MCP_ELICIT_",
        "MCP_PROGRESS_",
        "MCP_ROOTS_",
        "MCP_COMPLETION_",
        "MCP_PROMPT_",
        "MCP_RESOURCE_",
    ];
    NAMES.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family))
}

/// The inherited variables of a program.
fn base(scope: Scope, vars: &Vars) -> Vars {
    let mode = mode(scope, vars);
    let allowed = vars
        .get(&format!("{}_ALLOWLIST", scope.prefix()))
        .unwrap_or_default();
    let allowed: Vec<_> = allowed
        .split([',', ' '])
        .filter(|name| is_name(name))
        .collect();
    let sees = |name: &OsStr| {
        let Some(name) = name.to_str() else {
            return mode == "inherit";
        };
        // These describe one read of one resource; the caller's values must not leak in.
        if name.starts_with("MCP_RESOURCE_TEMPLATE_") {
            return false;
        }
        if mode == "inherit" {
            return true;
        }
        if name.starts_with("MCPBASH_REMOTE_TOKEN") {
            return false;
        }
        matches!(name, "PATH" | "HOME" | "TMPDIR" | "LANG")
            || name.starts_with("MCPBASH_")
            || is_ours(name)
            || (mode == "allowlist" && allowed.contains(&name))
    };
    let mut base: Vars = vars.iter().filter(|(name, _)| sees(name)).collect();
    for (name, usual) in [("PATH", "/usr/bin:/bin"), ("TMPDIR", "/tmp"), ("LANG", "C")] {
        if base.get(name).is_none() {
            base.set(name, usual);
        }
    }
    base
}

/// Sets the variables of every program.
fn common(env: &mut Vars, vars: &Vars, places: &Places, tooling: &Tooling) {
    for (name, place) in places.vars() {
        env.set(name, place);
    }
    if env.get("HOME").is_none() {
        env.set("HOME", &places.root);
    }
    env.set("MCPBASH_HOME", &tooling.home);
    env.set("MCP_SDK", &tooling.sdk);
    env.set("MCPBASH_MODE", "full");
    env.set("MCPBASH_FRAMEWORK_VERSION", VERSION);
    if vars.get("MCPBASH_JSON_TOOL_BIN").is_none() {
        env.set("MCPBASH_JSON_TOOL", "jq");
        env.set("MCPBASH_JSON_TOOL_BIN", &tooling.jq);
    } else if vars.get("MCPBASH_JSON_TOOL").is_none() {
        env.set("MCPBASH_JSON_TOOL", "jq");
    }
    let tmp = vars.get("TMPDIR").unwrap_or("/tmp").trim_end_matches('/');
    for (name, usual) in [
        ("MCPBASH_STATE_DIR", tooling.state.as_os_str()),
        ("MCPBASH_TMP_ROOT", OsStr::new(tmp)),
    ] {
        if vars.get(name).is_none() {
            env.set(name, usual);
        }
    }
    env.set("MCPBASH_LOG_LEVEL", level(vars, places));
}

/// The log level: the operator's, or `debug` if the project has the file that enables it.
pub fn level(vars: &Vars, places: &Places) -> String {
    match vars
        .get("MCPBASH_LOG_LEVEL")
        .map(str::to_ascii_lowercase)
        .as_deref()
    {
        Some("true" | "1") => "debug".to_owned(),
        Some("false" | "0") => "info".to_owned(),
        Some("warn") => "warning".to_owned(),
        Some(level) => level.to_owned(),
        None if places.server.join(".debug").exists() => "debug".to_owned(),
        None => "info".to_owned(),
    }
}

/// A tool call, as its program sees it.
pub struct ToolCall<'a> {
    /// The tool.
    pub name: &'a str,
    /// Its file.
    pub path: &'a Path,
    /// The arguments as JSON on one line.
    pub arguments: &'a str,
    /// The registry item of the tool as JSON.
    pub metadata: &'a str,
    /// The request's `_meta`, without secrets, as JSON.
    pub meta: &'a str,
    /// The progress token; empty without one.
    pub token: &'a str,
    /// Where the client lets us work.
    pub roots: &'a [Root],
    /// Whether the client supports elicitation.
    pub elicits: bool,
    /// Whether the client shows user interfaces.
    pub ui: bool,
}

/// The environment of a tool. Long texts are written to `files`.
pub fn of_tool(
    call: &ToolCall<'_>,
    files: &CallFiles,
    vars: &Vars,
    places: &Places,
    tooling: &Tooling,
) -> io::Result<Vec<(OsString, OsString)>> {
    let mut env = base(Scope::Tool, vars);
    common(&mut env, vars, places, tooling);
    env.set("MCP_TOOL_NAME", call.name);
    env.set("MCP_TOOL_PATH", call.path);
    let long = vars.number("MCPBASH_ENV_PAYLOAD_THRESHOLD").unwrap_or(LONG);
    let long = usize::try_from(long).unwrap_or(LONGEST).min(LONGEST);
    for (name, text) in [
        ("ARGS", call.arguments),
        ("METADATA", call.metadata),
        ("META", call.meta),
    ] {
        let (json, file) = (
            format!("MCP_TOOL_{name}_JSON"),
            format!("MCP_TOOL_{name}_FILE"),
        );
        if text.len() > long || text.contains('\0') {
            env.set(json, "");
            env.set(file, files.payload(name, text)?);
        } else {
            env.set(json, text);
            env.unset(&file);
        }
    }
    env.set("MCP_TOOL_ERROR_FILE", files.error());
    env.set("MCP_TOOL_RESOURCES_FILE", files.resources());
    env.set("MCP_PROGRESS_STREAM", files.progress());
    env.set("MCP_LOG_STREAM", files.log());
    env.set("MCP_PROGRESS_TOKEN", call.token);
    env.set("MCP_CANCEL_FILE", files.cancel_file());
    env.set("MCP_ELICIT_SUPPORTED", if call.elicits { "1" } else { "0" });
    for (name, file) in [
        ("MCP_ELICIT_REQUEST_FILE", files.question()),
        ("MCP_ELICIT_RESPONSE_FILE", files.answer_file()),
    ] {
        if call.elicits {
            env.set(name, file);
        } else {
            env.unset(name);
        }
    }
    if vars.get("MCPBASH_DEBUG_LOG").is_none() {
        env.set("MCPBASH_DEBUG_LOG", files.debug_log());
    }
    env.set(
        "MCPBASH_CLIENT_SUPPORTS_UI",
        if call.ui { "1" } else { "0" },
    );
    env.set("MCP_ROOTS_JSON", super::roots::json(call.roots));
    env.set("MCP_ROOTS_PATHS", super::roots::paths(call.roots));
    env.set("MCP_ROOTS_COUNT", call.roots.len().to_string());
    Ok(finish(env))
}

/// The environment of a provider or completion program; `more` is specific to this run.
pub fn of_provider<'a>(
    more: impl IntoIterator<Item = (&'a str, OsString)>,
    vars: &Vars,
    places: &Places,
    tooling: &Tooling,
) -> Vec<(OsString, OsString)> {
    let mut env = base(Scope::Provider, vars);
    common(&mut env, vars, places, tooling);
    if vars.get("MCP_RESOURCES_ROOTS").is_none() {
        env.set("MCP_RESOURCES_ROOTS", &places.resources);
    }
    for (name, value) in more {
        env.set(name, value);
    }
    finish(env)
}

/// The environment of the scripts in `server.d`: everything, because they are the operator's own.
pub fn of_hooks(vars: &Vars, places: &Places, tooling: &Tooling) -> Vec<(OsString, OsString)> {
    let mut env = vars.clone();
    common(&mut env, vars, places, tooling);
    finish(env)
}

fn finish(env: Vars) -> Vec<(OsString, OsString)> {
    env.iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(scope: Scope, vars: &[(&str, &str)]) -> Vec<String> {
        let vars: Vars = vars.iter().copied().collect();
        let base = base(scope, &vars);
        base.iter()
            .map(|(name, _)| name.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn a_tool_sees_little_unless_the_operator_says_more() {
        let vars = [
            ("PATH", "/bin"),
            ("FOO", "x"),
            ("BAR", "y"),
            ("MCP_REGISTRY_TOKEN", "secret"),
            ("MCP_TOOL_X", "1"),
            ("MCPBASH_X", "1"),
            ("MCPBASH_REMOTE_TOKEN", "secret"),
            ("MCP_RESOURCE_TEMPLATE_NAME", "host"),
        ];
        let usual = ["LANG", "MCPBASH_X", "MCP_TOOL_X", "PATH", "TMPDIR"];
        assert_eq!(seen(Scope::Tool, &vars), usual);
        assert_eq!(seen(Scope::Provider, &vars), usual);
        let mut more = vars.to_vec();
        more.push(("MCPBASH_TOOL_ENV_MODE", "allowlist"));
        more.push((
            "MCPBASH_TOOL_ENV_ALLOWLIST",
            "BAR,MCP_REGISTRY_TOKEN MCPBASH_REMOTE_TOKEN *",
        ));
        let tool = seen(Scope::Tool, &more);
        assert!(
            tool.contains(&"BAR".to_owned()) && tool.contains(&"MCP_REGISTRY_TOKEN".to_owned())
        );
        assert!(
            !tool.contains(&"FOO".to_owned()) && !tool.contains(&"MCPBASH_REMOTE_TOKEN".to_owned())
        );
        let mut all = vars.to_vec();
        all.push(("MCPBASH_TOOL_ENV_MODE", "INHERIT"));
        let tool = seen(Scope::Tool, &all);
        assert!(tool.contains(&"FOO".to_owned()));
        assert!(!tool.contains(&"MCP_RESOURCE_TEMPLATE_NAME".to_owned()));
    }

    #[test]
    fn seeing_everything_needs_a_second_switch() {
        let mut vars: Vars = [("MCPBASH_TOOL_ENV_MODE", "inherit")].into_iter().collect();
        let why = Scope::Tool.refusal(&vars).unwrap();
        assert!(why.contains("MCPBASH_TOOL_ENV_INHERIT_ALLOW=true"));
        vars.set("MCPBASH_TOOL_ENV_INHERIT_ALLOW", "true");
        assert_eq!(Scope::Tool.refusal(&vars), None);
        assert_eq!(Scope::Provider.refusal(&vars), None);
    }

    #[test]
    fn a_long_text_goes_into_a_file_and_its_variable_is_empty() {
        let root = tempfile::tempdir().unwrap();
        let files = CallFiles::create(root.path()).unwrap();
        let vars: Vars = [("MCPBASH_ENV_PAYLOAD_THRESHOLD", "10")]
            .into_iter()
            .collect();
        let places = Places::of(root.path(), &vars);
        let long = r#"{"a":"0123456789"}"#;
        let call = ToolCall {
            name: "x",
            path: Path::new("/x"),
            arguments: long,
            metadata: "{}",
            meta: "{}",
            token: "",
            roots: &[],
            elicits: false,
            ui: false,
        };
        let env = of_tool(&call, &files, &vars, &places, &Tooling::default()).unwrap();
        let get = |name: &str| env.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        assert_eq!(get("MCP_TOOL_ARGS_JSON").unwrap(), "");
        let file = get("MCP_TOOL_ARGS_FILE").unwrap();
        assert_eq!(std::fs::read_to_string(file).unwrap(), long);
        assert_eq!(get("MCP_TOOL_META_JSON").unwrap(), "{}");
        assert_eq!(get("MCP_TOOL_META_FILE"), None);
        assert_eq!(get("MCP_ELICIT_REQUEST_FILE"), None);
        assert_eq!(get("MCPBASH_LOG_LEVEL").unwrap(), "info");
        assert_eq!(get("MCP_ROOTS_JSON").unwrap(), "[]");
    }
}
