//! The command line of `mcp-bash run-tool`.

use std::path::{Path, PathBuf};

use linkspan_wire::{Json, JsonKind};

use super::{RunToolError, ToolRun, check_registry};
use crate::Vars;
use crate::author::{UsageError, Words};

/// A parsed `run-tool` command line.
#[derive(Debug, Clone)]
pub struct RunToolRequest {
    /// The call.
    pub run: ToolRun,
    /// What to do with the call.
    pub action: RunToolAction,
    no_refresh: bool,
    minimal: bool,
}

/// What to do with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunToolAction {
    /// Run the tool.
    Call,
    /// Print its environment.
    PrintEnv,
    /// Describe the call.
    DryRun,
}

impl RunToolRequest {
    /// Parses the words after `run-tool`; `here` is the current folder.
    pub fn parse(mut words: Words, vars: &Vars, here: Option<&Path>) -> Result<Self, UsageError> {
        let dry_run = words.flag("--dry-run");
        let print_env = words.flag("--print-env");
        let no_refresh = words.flag("--no-refresh");
        let minimal = words.flag("--minimal");
        let _ = words.flag("--verbose");
        Ok(Self {
            run: tool_run(words, vars, here)?,
            action: if print_env {
                RunToolAction::PrintEnv
            } else if dry_run {
                RunToolAction::DryRun
            } else {
                RunToolAction::Call
            },
            no_refresh,
            minimal,
        })
    }

    /// Refuses a combination of flags that no call can satisfy.
    pub fn check(&self) -> Result<(), RunToolError> {
        if self.minimal {
            return Err(RunToolError::Minimal);
        }
        if self.no_refresh {
            check_registry(&self.run.root.join(".registry/tools.json"))?;
        }
        Ok(())
    }
}

fn tool_run(mut words: Words, vars: &Vars, here: Option<&Path>) -> Result<ToolRun, UsageError> {
    let arguments = words.value("--args")?.filter(|args| !args.is_empty());
    let roots = words.value("--roots")?.unwrap_or_default();
    let timeout = words.value("--timeout")?;
    let all = words.flag("--allow-all").then(|| "*".to_owned());
    let allow_self = words.flag("--allow-self");
    let allowed: Vec<String> = all.into_iter().chain(words.values("--allow")?).collect();
    let source = words.values("--source")?;
    let wanted = vars.raw("MCPBASH_RUN_TOOL_SOURCE_SERVER_ENV");
    let wanted = wanted.is_some_and(|wanted| wanted == "1" || wanted == "true");
    let server_env = words.flag("--with-server-env") || wanted;
    let root = words.project(vars, here)?;
    words.no_options("run-tool")?;
    let name = words.take().ok_or(UsageError::NoTool)?;
    if let Some(more) = words.take() {
        return Err(UsageError::SecondTool(more));
    }
    let arguments = arguments.unwrap_or_else(|| "{}".to_owned());
    let is_object = Json::parse(&arguments).is_ok_and(|json| json.kind() == JsonKind::Object);
    if !is_object {
        return Err(UsageError::Arguments);
    }
    let roots = roots.split(',').filter(|root| !root.is_empty());
    Ok(ToolRun {
        source: source.iter().map(|file| root.join(file)).collect(),
        server_env: server_env.then(|| root.join("server.d/env.sh")),
        arguments,
        roots: roots.map(real).collect::<Result<_, _>>()?,
        timeout,
        allow: if allow_self {
            Some(name.clone())
        } else {
            (!allowed.is_empty()).then(|| allowed.join(" "))
        },
        name,
        root,
    })
}

fn real(root: &str) -> Result<PathBuf, UsageError> {
    std::fs::canonicalize(root).map_err(|source| UsageError::Root {
        root: root.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn parse(words: &[&str]) -> Result<RunToolRequest, UsageError> {
        let folder = std::env::temp_dir();
        let named = [
            OsString::from("--project-root"),
            folder.as_os_str().to_owned(),
        ];
        let words = named.into_iter().chain(words.iter().map(OsString::from));
        RunToolRequest::parse(words.collect(), &Vars::default(), None)
    }

    #[test]
    fn allow_flags_are_a_list_or_the_tool_itself() {
        let allow = |words: &[&str]| parse(words).unwrap().run.allow;
        assert_eq!(allow(&["t"]), None);
        assert_eq!(allow(&["t", "--allow-self"]).as_deref(), Some("t"));
        assert_eq!(
            allow(&["--allow", "a", "t", "--allow=b", "--allow-all"]).as_deref(),
            Some("* a b")
        );
    }

    #[test]
    fn usage_errors_are_specific() {
        let told = |words: &[&str]| parse(words).unwrap_err().to_string();
        assert_eq!(told(&[]), "tool name required");
        assert_eq!(told(&["t", "u"]), "unexpected argument: u");
        assert_eq!(told(&["t", "--args", "[]"]), "--args must be a JSON object");
        assert_eq!(
            told(&["t", "--what"]),
            "usage: mcp-bash run-tool: unknown option --what"
        );
        assert!(told(&["t", "--roots", "/no/such/root"]).starts_with("invalid --roots value"));
    }

    #[test]
    fn a_call_in_minimal_mode_is_refused() {
        let minimal = parse(&["t", "--minimal", "--dry-run"]).unwrap();
        assert_eq!(minimal.action, RunToolAction::DryRun);
        assert!(matches!(minimal.check(), Err(RunToolError::Minimal)));
        assert!(parse(&["t"]).unwrap().check().is_ok());
    }
}
