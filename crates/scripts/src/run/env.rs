//! The environment of a program.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use linkspan_wire::{Json, JsonKind};
use serde_json::Value;

use super::argv::spelled;
use crate::folder::{EnvMode, EnvSettings};

/// Variables, complete.
pub type Env = Vec<(OsString, OsString)>;

/// The variables that most programs need.
const MINIMAL: &[&str] = &[
    "PATH",
    "HOME",
    "TMPDIR",
    "LANG",
    "TZ",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "SystemRoot",
    "TEMP",
    "TMP",
];
/// Size limit of a variable: the system allows 128 KiB for each.
pub(crate) const LARGEST: usize = 64 << 10;
/// Size limit of all scalars of one call together.
const ALL_SCALARS: usize = 256 << 10;
/// Limit of scalars of one call: a client can send more than the system accepts, and each is compared with the
/// previous ones.
const MOST_SCALARS: usize = 1000;

/// The inherited part of a program's environment.
pub(crate) fn base(
    settings: &EnvSettings,
    ours: impl Iterator<Item = (OsString, OsString)>,
) -> Env {
    let mut env: Env = ours.filter(|(name, _)| passes(settings, name)).collect();
    for (name, value) in &settings.set {
        put(&mut env, name, value);
    }
    env
}

fn passes(settings: &EnvSettings, name: &OsStr) -> bool {
    let Some(name) = name.to_str() else {
        return settings.mode == EnvMode::Inherit;
    };
    let named = settings
        .allow
        .iter()
        .any(|allowed| match allowed.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == allowed,
        });
    named
        || match settings.mode {
            EnvMode::Inherit => true,
            EnvMode::Minimal => MINIMAL.contains(&name) || name.starts_with("LC_"),
            // Without `PATH` no program is found.
            EnvMode::Allowlist => name == "PATH",
        }
}

/// Sets a variable and replaces one of the same name.
pub fn put(env: &mut Env, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) {
    let (name, value) = (name.as_ref(), value.as_ref());
    if name.is_empty() || has(name, b'=') || has(name, 0) || has(value, 0) {
        return;
    }
    match env.iter_mut().find(|(known, _)| known == name) {
        Some(known) => value.clone_into(&mut known.1),
        None => env.push((name.to_owned(), value.to_owned())),
    }
}

fn has(text: &OsStr, byte: u8) -> bool {
    text.as_encoded_bytes().contains(&byte)
}

/// Sets `MCP_ARG_<name>` for scalar arguments.
pub(crate) fn scalars(env: &mut Env, arguments: Json<'_>) {
    let mut left = ALL_SCALARS;
    let scalars = arguments.members().filter(|(_, value)| {
        !matches!(
            value.kind(),
            JsonKind::Array | JsonKind::Object | JsonKind::Null
        )
    });
    for (name, value) in scalars.take(MOST_SCALARS) {
        let value = spelled(value);
        let Some(rest) = left.checked_sub(value.len() + name.len()) else {
            return;
        };
        if value.len() > LARGEST || name.len() > 128 {
            continue;
        }
        left = rest;
        put(env, format!("MCP_ARG_{}", variable(&name)), value);
    }
}

/// The name with characters replaced that shells do not allow.
fn variable(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

/// Sets the variables with the client's roots.
pub(crate) fn roots(env: &mut Env, roots: &[PathBuf]) {
    let listed = roots.iter().map(|root| {
        let uri = crate::uri::of_file(root);
        let name = root.file_name().unwrap_or_default().to_string_lossy();
        serde_json::json!({"uri": uri, "name": name, "path": root.to_string_lossy()})
    });
    put(
        env,
        "MCP_ROOTS_JSON",
        Value::Array(listed.collect()).to_string(),
    );
    let paths: Vec<&OsStr> = roots.iter().map(|root| root.as_os_str()).collect();
    put(env, "MCP_ROOTS_PATHS", paths.join(OsStr::new("\n")));
    put(env, "MCP_ROOTS_COUNT", roots.len().to_string());
}

/// The variables of every program.
pub(crate) struct Common<'a> {
    pub(crate) root: &'a Path,
    pub(crate) sdk: &'a Path,
    pub(crate) jq: &'a Path,
    pub(crate) marker: &'a str,
    pub(crate) cancel: &'a Path,
    pub(crate) log_level: &'a str,
}

impl Common<'_> {
    pub(crate) fn put(&self, env: &mut Env) {
        put(env, "MCP_PROJECT_ROOT", self.root);
        put(env, "MCP_SDK", self.sdk);
        put(env, "MCPBASH_JSON_TOOL", "jq");
        put(env, "MCPBASH_JSON_TOOL_BIN", self.jq);
        put(env, "LINKSPAN_CALL", self.marker);
        put(env, "MCP_CANCEL_FILE", self.cancel);
        put(env, "MCP_LOG_LEVEL", self.log_level);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ours() -> impl Iterator<Item = (OsString, OsString)> {
        [
            ("PATH", "/bin"),
            ("SECRET", "x"),
            ("LC_ALL", "C"),
            ("APP_A", "1"),
            ("APP_B", "2"),
        ]
        .into_iter()
        .map(|(a, b)| (a.into(), b.into()))
    }

    fn names(settings: &EnvSettings) -> Vec<String> {
        let env = base(settings, ours());
        env.into_iter()
            .map(|(name, _)| name.into_string().unwrap())
            .collect()
    }

    #[test]
    fn the_default_environment_is_minimal() {
        let mut settings = EnvSettings::default();
        assert_eq!(names(&settings), ["PATH", "LC_ALL"]);
        settings.allow = vec!["APP_*".to_owned()];
        assert_eq!(names(&settings), ["PATH", "LC_ALL", "APP_A", "APP_B"]);
        settings.mode = EnvMode::Allowlist;
        assert_eq!(names(&settings), ["PATH", "APP_A", "APP_B"]);
        settings.mode = EnvMode::Inherit;
        assert_eq!(names(&settings).len(), 5);
    }

    #[test]
    fn set_variables_override_inherited_ones() {
        let settings = EnvSettings {
            set: vec![("PATH".to_owned(), "/mine".to_owned())],
            ..EnvSettings::default()
        };
        let env = base(&settings, ours());
        assert_eq!(env[0], ("PATH".into(), "/mine".into()));
    }

    #[test]
    fn the_number_of_argument_variables_is_limited() {
        let mut env = Env::new();
        let many = (0..100_000).map(|n| (format!("n{n}"), n.into()));
        let many = Value::Object(many.collect()).to_string();
        scalars(&mut env, Json::parse(&many).unwrap());
        assert_eq!(env.len(), MOST_SCALARS);
    }

    #[test]
    fn scalar_arguments_become_variables_with_safe_names() {
        let mut env = Env::new();
        let given = json!({
            "name": "Ada", "n": 3, "yes": true, "odd-name.x": "o", "nothing": null,
            "list": [1], "nul": "a\0b", "large": "x".repeat(LARGEST + 1),
        });
        let given = given.to_string();
        scalars(&mut env, Json::parse(&given).unwrap());
        let all: Vec<String> = env
            .into_iter()
            .map(|(n, v)| format!("{}={}", n.to_str().unwrap(), v.to_str().unwrap()))
            .collect();
        assert_eq!(
            all,
            [
                "MCP_ARG_name=Ada",
                "MCP_ARG_n=3",
                "MCP_ARG_yes=true",
                "MCP_ARG_odd_name_x=o"
            ]
        );
    }
}
