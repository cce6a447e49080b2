//! `server.d/register.sh`: a script that registers the entries of a project.

use std::time::Duration;

use super::env::{self, Tooling};
use super::hook_error::{EnvScriptError, RegisterError};
use super::manual::{Kind, Manual};
use super::meta;
use super::places::Places;
use super::shell::{self, Script};
use super::trust;
use super::vars::Vars;

/// Time limit of `register.sh`.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Default output limit of `register.sh`.
pub(super) const MOST: u64 = 1 << 20;

/// Runs `register.sh`, if it exists and the operator allows hooks. An error affects every kind of entry.
pub fn register(places: &Places, vars: &Vars, tooling: &Tooling) -> Result<Manual, RegisterError> {
    let script = places.server.join("register.sh");
    let runs = meta::is_executable(&script) || meta::has_shebang(&script);
    if !script.is_file() || !runs || !vars.is_on("MCPBASH_ALLOW_PROJECT_HOOKS") {
        return Ok(Manual::default());
    }
    trust::script(&script, &places.root).map_err(|why| RegisterError::Refused {
        file: "register.sh",
        why,
    })?;
    let most = vars.number("MCPBASH_MAX_MANUAL_REGISTRY_BYTES");
    let most = most.filter(|&n| n > 0).unwrap_or(MOST);
    let ran = shell::run(&Script {
        mode: "register",
        words: vec![script.into()],
        env: env::of_hooks(vars, places, tooling),
        cwd: &places.root,
        input: Vec::new(),
        timeout: TIMEOUT,
        most: usize::try_from(most).unwrap_or(usize::MAX),
        accept_writable: tooling.accept_writable,
    });
    let ran = ran.map_err(RegisterError::Start)?;
    if ran.late {
        return Err(RegisterError::Late(TIMEOUT));
    }
    if ran.too_much {
        return Err(RegisterError::TooMuch(most));
    }
    if ran.get("status") != Some("0") {
        return Err(RegisterError::Failed(last_line(&ran.stderr)));
    }
    collect(&ran.said, places)
}

/// The variables that `server.d/env.sh` sets, if it exists and the operator allows hooks. mcp-bash documents
/// this file, but only its `run-tool` reads it, on request. linkspan's `run-tool` reads it before the server
/// starts and sets `LINKSPAN_SERVER_ENV=off`.
pub fn environment(
    places: &Places,
    vars: &Vars,
    tooling: &Tooling,
) -> Result<Vec<(String, String)>, EnvScriptError> {
    let script = places.server.join("env.sh");
    let wanted =
        vars.is_on("MCPBASH_ALLOW_PROJECT_HOOKS") && vars.get("LINKSPAN_SERVER_ENV") != Some("off");
    if !wanted || !script.is_file() {
        return Ok(Vec::new());
    }
    trust::script(&script, &places.root)?;
    let ran = shell::run(&Script {
        mode: "environment",
        words: vec![script.into()],
        env: env::of_hooks(vars, places, tooling),
        cwd: &places.root,
        input: Vec::new(),
        timeout: TIMEOUT,
        most: usize::try_from(MOST).unwrap_or(usize::MAX),
        accept_writable: tooling.accept_writable,
    })?;
    if ran.late || ran.too_much || ran.said.is_empty() {
        return Err(EnvScriptError::Failed(last_line(&ran.stderr)));
    }
    Ok(ran.said)
}

fn last_line(stderr: &str) -> String {
    let last = stderr.lines().next_back();
    last.unwrap_or("no output on stderr").to_owned()
}

/// The registrations in the records of a script.
fn collect(said: &[(String, String)], places: &Places) -> Result<Manual, RegisterError> {
    let mut manual = Manual::default();
    for (name, value) in said {
        match name.as_str() {
            // Sections are ignored; the entries in them are registered.
            "begin" | "done" => {}
            "printed" => manual.printed(value),
            _ => {
                if let Some(kind) = Kind::parse(name) {
                    let entry = serde_json::from_str(value);
                    let entry = entry.map_err(|why| RegisterError::Entry { kind, why })?;
                    manual.add(kind, entry);
                }
            }
        }
    }
    manual.checked(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    fn registered(script: &str, hooks: bool) -> Result<Manual, RegisterError> {
        let root = tempfile::tempdir().unwrap();
        let server = root.path().join("server.d");
        fs::create_dir_all(root.path().join("completions")).unwrap();
        fs::create_dir_all(&server).unwrap();
        fs::write(root.path().join("completions/x.sh"), "").unwrap();
        fs::write(server.join("register.sh"), script).unwrap();
        fs::set_permissions(server.join("register.sh"), Permissions::from_mode(0o755)).unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut vars: Vars = [("PATH", path)].into_iter().collect();
        if hooks {
            vars.set("MCPBASH_ALLOW_PROJECT_HOOKS", "true");
        }
        let places = Places::of(root.path(), &vars);
        register(&places, &vars, &Tooling::default())
    }

    #[test]
    fn hooks_run_only_if_the_operator_allows_them() {
        let manual = registered("mcp_register_tool '{\"name\":\"x\",\"path\":\"y\"}'", false);
        assert_eq!(manual.unwrap(), Manual::default());
    }

    #[test]
    fn helpers_register_and_explicit_sections_too() {
        let script = r#"#!/usr/bin/env bash
set -euo pipefail
mcp_register_tool '{"name":"a","path":"m/a.sh"}'
mcp_completion_manual_begin
mcp_completion_register_manual '{"name":"c","path":"completions/x.sh","timeoutSecs":2}'
mcp_completion_manual_finalize
return 0
"#;
        let manual = registered(script, true).unwrap();
        assert_eq!(manual.get(Kind::Tools).unwrap().len(), 1);
        assert_eq!(manual.get(Kind::Completions).unwrap()[0]["timeoutSecs"], 2);
        assert_eq!(manual.get(Kind::Prompts), None);
    }

    #[test]
    fn registrations_may_be_json_on_stdout() {
        let manual = registered(
            "#!/bin/bash\necho '{\"prompts\":[],\"tools\":[{\"name\":\"t\",\"path\":\"p\"}]}'",
            true,
        );
        let manual = manual.unwrap();
        assert_eq!(manual.get(Kind::Tools).unwrap()[0]["name"], "t");
        assert_eq!(manual.get(Kind::Prompts), Some(&[][..]));
        assert_eq!(manual.get(Kind::Resources), None);
        // Other output is no registration.
        assert_eq!(
            registered("#!/bin/bash\necho hello", true).unwrap(),
            Manual::default()
        );
    }

    #[test]
    fn a_failing_script_registers_nothing_and_is_reported() {
        let why = registered("#!/bin/bash\nset -e\necho no >&2\nfalse\n", true).unwrap_err();
        assert!(why.to_string().contains("register.sh failed"), "{why}");
        assert!(registered("mcp_register_tool 'not json'", true).is_err());
    }
}
