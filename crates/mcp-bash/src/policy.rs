//! Decides which calls are allowed: by the operator's list and the project's `policy.sh`.
//!
//! Undecidable calls are refused. mcp-bash itself skips a `policy.sh` that other users can write, which allows
//! what the script would forbid.

use std::path::{Path, PathBuf};
use std::time::Duration;

use linkspan_wire::RpcError;
use serde_json::{Map, Value};

use super::env::{self, Scope, Tooling};
use super::places::Places;
use super::shell::{self, Script};
use super::vars::Vars;
use super::{meta, trust};

/// Time limit of `policy.sh`.
const TIMEOUT: Duration = Duration::from_secs(20);
const MOST: usize = 1 << 20;

/// The caller; error messages give different advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    /// A client of the server.
    Client,
    /// A user at a terminal: `run-tool`.
    Terminal,
}

/// An allowed call.
#[derive(Debug, Clone, PartialEq)]
pub struct Leave {
    /// The tool's file.
    pub path: PathBuf,
    /// The variables, with the changes of the policy.
    pub vars: Vars,
}

/// Decides about a call. Runs the project's script if there is one, and blocks meanwhile.
pub fn check(
    tool: &Map<String, Value>,
    asker: Asker,
    vars: &Vars,
    places: &Places,
    tooling: &Tooling,
) -> Result<Leave, RpcError> {
    let name = meta::text(tool, "name").unwrap_or_default();
    let path = places
        .tools
        .join(meta::text(tool, "path").unwrap_or_default());
    let trusted = trust::is_tool(&path, &places.tools, tooling.accept_writable) || !path.exists();
    let mut vars = vars.clone();
    let script = places.server.join("policy.sh");
    if script.symlink_metadata().is_ok() {
        ask(&script, tool, asker, trusted, &mut vars, places, tooling)?;
    } else {
        listed(name, asker, &vars)?;
        if !trusted {
            return Err(refused(format!("Tool '{name}' path rejected by policy")));
        }
    }
    if let Some(why) = Scope::Tool.refusal(&vars) {
        return Err(refused(why));
    }
    if !trusted {
        return Err(refused("Tool path rejected by policy".to_owned()));
    }
    if !path.is_file() || meta::argv(&path).is_none() {
        return Err(refused("Tool executable missing".to_owned()));
    }
    Ok(Leave { path, vars })
}

/// Whether the operator's list allows the tool.
fn listed(name: &str, asker: Asker, vars: &Vars) -> Result<(), RpcError> {
    let list = vars.get("MCPBASH_TOOL_ALLOWLIST").unwrap_or_default();
    let allowed = if list.is_empty() {
        matches!(
            vars.get("MCPBASH_TOOL_ALLOW_DEFAULT"),
            Some("allow" | "all")
        )
    } else {
        let mut entries = list.split([' ', ',', '\t', '\n']);
        entries.any(|entry| entry == "*" || entry == "all" || entry == name)
    };
    if allowed {
        return Ok(());
    }
    Err(not_listed(name, asker, list.is_empty()))
}

fn not_listed(name: &str, asker: Asker, no_list: bool) -> RpcError {
    let advice = match (asker, no_list) {
        (Asker::Terminal, _) => format!(". Try: mcp-bash run-tool {name} --allow-self ..."),
        (Asker::Client, true) => {
            ". Set MCPBASH_TOOL_ALLOWLIST in your MCP client config.".to_owned()
        }
        (Asker::Client, false) => " (not in MCPBASH_TOOL_ALLOWLIST)".to_owned(),
    };
    refused(format!("Tool '{name}' blocked by policy{advice}"))
}

/// Runs the project's script.
fn ask(
    script: &Path,
    tool: &Map<String, Value>,
    asker: Asker,
    trusted: bool,
    vars: &mut Vars,
    places: &Places,
    tooling: &Tooling,
) -> Result<(), RpcError> {
    let name = meta::text(tool, "name").unwrap_or_default();
    let blocked = |why: String| refused(format!("Tool '{name}' blocked by policy: {why}"));
    trust::script(script, &places.root).map_err(|why| blocked(why.to_string()))?;
    let mut env = env::of_hooks(vars, places, tooling);
    env.push((
        "LINKSPAN_PATH_TRUSTED".into(),
        if trusted { "1" } else { "0" }.into(),
    ));
    if asker == Asker::Terminal {
        env.push(("MCPBASH_TOOL_POLICY_CONTEXT".into(), "run-tool".into()));
    }
    let ran = shell::run(&Script {
        mode: "policy",
        words: vec![script.into(), name.into()],
        env,
        cwd: &places.root,
        input: Value::Object(tool.clone()).to_string().into_bytes(),
        timeout: TIMEOUT,
        most: MOST,
        accept_writable: tooling.accept_writable,
    });
    let ran = ran.map_err(|e| blocked(format!("policy.sh did not start: {e}")))?;
    match ran.get("verdict") {
        Some("yes") => {}
        Some(_) => return Err(said_no(&ran, name, asker, vars)),
        None => {
            let why = ran
                .stderr
                .lines()
                .next_back()
                .unwrap_or("policy.sh did not decide");
            return Err(blocked(why.to_owned()));
        }
    }
    for (said, variable) in [
        ("mode", "MCPBASH_TOOL_ENV_MODE"),
        ("allow", "MCPBASH_TOOL_ENV_ALLOWLIST"),
    ] {
        if let Some(value) = ran.get(said).filter(|value| !value.is_empty()) {
            vars.set(variable, value);
        }
    }
    Ok(())
}

/// The error for a refusal, with the script's own message if it has one.
fn said_no(ran: &shell::Ran, name: &str, asker: Asker, vars: &Vars) -> RpcError {
    let message = ran.get("message").unwrap_or_default();
    let code = ran
        .get("code")
        .and_then(|code| code.parse().ok())
        .unwrap_or(0);
    let data = ran.get("data").filter(|data| !data.is_empty());
    let error = match (code, message) {
        (0, "default") => {
            return not_listed(name, asker, vars.get("MCPBASH_TOOL_ALLOWLIST").is_none());
        }
        (0, "path") => refused(format!("Tool '{name}' path rejected by policy")),
        (0, _) => refused(format!("Tool '{name}' blocked by policy")),
        (code, message) => RpcError::new(code, message.to_owned()),
    };
    match data {
        Some(data) => error.with_data(data),
        None => error,
    }
}

fn refused(why: String) -> RpcError {
    RpcError::invalid_params(why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    struct Bench(tempfile::TempDir);

    impl Bench {
        fn new(policy: Option<&str>) -> Self {
            let root = tempfile::tempdir().unwrap();
            for folder in ["tools/x", "server.d"] {
                fs::create_dir_all(root.path().join(folder)).unwrap();
            }
            let bench = Self(root);
            bench.write("tools/x/tool.sh", "#!/bin/sh\n", 0o755);
            if let Some(policy) = policy {
                bench.write("server.d/policy.sh", policy, 0o644);
            }
            bench
        }

        fn write(&self, path: &str, text: &str, mode: u32) {
            let path = self.0.path().join(path);
            fs::write(&path, text).unwrap();
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }

        fn ask(&self, vars: &[(&str, &str)]) -> Result<Leave, RpcError> {
            let tool = json!({"name": "x", "path": "x/tool.sh", "timeoutSecs": 20});
            let path = std::env::var("PATH").unwrap_or_default();
            let vars: Vars = vars
                .iter()
                .copied()
                .chain([("PATH", path.as_str())])
                .collect();
            let places = Places::of(self.0.path(), &vars);
            let tool = tool.as_object().unwrap();
            check(tool, Asker::Client, &vars, &places, &Tooling::default())
        }

        fn why(&self, vars: &[(&str, &str)]) -> String {
            self.ask(vars).unwrap_err().message().to_owned()
        }
    }

    const ALL: (&str, &str) = ("MCPBASH_TOOL_ALLOWLIST", "*");

    #[test]
    fn without_an_allow_list_every_call_is_refused() {
        let bench = Bench::new(None);
        let advice =
            "Tool 'x' blocked by policy. Set MCPBASH_TOOL_ALLOWLIST in your MCP client config.";
        assert_eq!(bench.why(&[]), advice);
        assert!(
            bench
                .ask(&[("MCPBASH_TOOL_ALLOW_DEFAULT", "allow")])
                .is_ok()
        );
        assert!(bench.ask(&[ALL]).is_ok());
        assert!(bench.ask(&[("MCPBASH_TOOL_ALLOWLIST", "y, x")]).is_ok());
        let why = bench.why(&[("MCPBASH_TOOL_ALLOWLIST", "y")]);
        assert!(why.ends_with("(not in MCPBASH_TOOL_ALLOWLIST)"));
    }

    #[test]
    fn an_untrusted_or_missing_tool_is_refused() {
        let bench = Bench::new(None);
        bench.write("tools/x/tool.sh", "#!/bin/sh\n", 0o777);
        assert_eq!(bench.why(&[ALL]), "Tool 'x' path rejected by policy");
        fs::remove_file(bench.0.path().join("tools/x/tool.sh")).unwrap();
        assert_eq!(bench.why(&[ALL]), "Tool executable missing");
        let inherit = [ALL, ("MCPBASH_TOOL_ENV_MODE", "inherit")];
        assert!(
            bench
                .why(&inherit)
                .contains("MCPBASH_TOOL_ENV_INHERIT_ALLOW=true")
        );
    }

    #[test]
    fn the_policy_script_may_set_the_error() {
        let policy = r#"set -euo pipefail
mcp_tools_policy_check() {
  [ "${READ_ONLY:-0}" = 1 ] || return 0
  mcp_tools_error -32600 "Read only: $1" "$(printf '{"n":%s}' "$(wc -c <<<"$2" | tr -d ' ')")"
  return 1
}
"#;
        let bench = Bench::new(Some(policy));
        // The script overrides the list.
        assert!(bench.ask(&[]).is_ok());
        let error = bench.ask(&[("READ_ONLY", "1")]).unwrap_err();
        assert_eq!(error.code(), -32600);
        assert_eq!(error.message(), "Read only: x");
    }

    #[test]
    fn the_policy_script_may_use_the_default_policy() {
        let policy =
            "mcp_tools_policy_check() { mcp_tools_policy_check_default \"$@\" || return 1; }";
        let bench = Bench::new(Some(policy));
        assert!(bench.why(&[]).contains("Set MCPBASH_TOOL_ALLOWLIST"));
        assert!(bench.ask(&[ALL]).is_ok());
        bench.write("tools/x/tool.sh", "", 0o777);
        assert_eq!(bench.why(&[ALL]), "Tool 'x' path rejected by policy");
    }

    #[test]
    fn an_untrusted_or_unreadable_policy_refuses_every_call() {
        let bench = Bench::new(Some("mcp_tools_policy_check() { return 0; }"));
        let file = bench.0.path().join("server.d/policy.sh");
        fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
        assert!(bench.why(&[ALL]).contains("can be written by others"));
        assert!(
            Bench::new(Some("if then"))
                .why(&[ALL])
                .contains("blocked by policy")
        );
        assert!(
            Bench::new(Some("exit 0"))
                .why(&[ALL])
                .contains("did not decide")
        );
        assert!(
            Bench::new(Some("return 7"))
                .why(&[ALL])
                .contains("blocked by policy")
        );
    }

    #[test]
    fn the_policy_may_change_the_environment() {
        let policy = "MCPBASH_TOOL_ENV_MODE=inherit\nmcp_tools_policy_check() { return 0; }";
        let why = Bench::new(Some(policy)).why(&[]);
        assert!(why.contains("INHERIT_ALLOW=true"), "{why}");
    }
}
