//! `--health`: reports whether a project can be served, for the program that starts it.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::env::{self, Tooling};
use super::manual::Kind;
use super::project::Project;
use super::shell::{self, Script};
use super::trust;
use super::vars::Vars;

/// Checks a project; returns the text to print and the exit code: 0 healthy, 1 unhealthy, 2 no project. Writes
/// nothing. Blocks while the project's own checks run, at most for `timeout`.
pub fn probe(root: &Path, vars: &Vars, tooling: &Tooling, timeout: Duration) -> (String, i32) {
    if vars.is_on("MCPBASH_FORCE_MINIMAL") {
        return (
            json!({"status": "error", "reason": "json_tool_missing"}).to_string(),
            2,
        );
    }
    let began = Instant::now();
    let Ok(project) = Project::read(root, vars, tooling) else {
        return (String::new(), 2);
    };
    let state = |kind: Kind| {
        if project.faults.get(kind).is_some() {
            "failed"
        } else {
            "ok"
        }
    };
    let states = [
        state(Kind::Tools),
        state(Kind::Resources),
        state(Kind::Prompts),
    ];
    let left = timeout.saturating_sub(began.elapsed());
    let checks = if checks(&project, tooling, left) {
        "ok"
    } else {
        "failed"
    };
    let well = states.iter().chain([&checks]).all(|state| *state == "ok");
    let printed = json!({
        "status": if well { "ok" } else { "unhealthy" },
        "mode": "full",
        "jsonTool": "jq",
        "tools": states[0],
        "resources": states[1],
        "prompts": states[2],
        "projectChecks": checks,
    });
    (printed.to_string(), i32::from(!well))
}

/// Runs `health-checks.sh`, if it exists and is trusted.
fn checks(project: &Project, tooling: &Tooling, timeout: Duration) -> bool {
    let places = &project.places;
    let script = places.server.join("health-checks.sh");
    if !script.is_file() {
        return true;
    }
    if let Err(why) = trust::script(&script, &places.root) {
        tracing::warn!("health-checks.sh is not run: {why}");
        return true;
    }
    let ran = shell::run(&Script {
        mode: "health",
        words: vec![script.into()],
        env: env::of_hooks(&project.vars, places, tooling),
        cwd: &places.root,
        input: Vec::new(),
        timeout,
        most: 1 << 20,
        accept_writable: tooling.accept_writable,
    });
    ran.is_ok_and(|ran| {
        for line in ran.stderr.lines() {
            tracing::info!("health-checks.sh: {line}");
        }
        ran.get("status") == Some("0")
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::project;
    use super::*;
    use serde_json::Value;

    fn probed(files: &[(&str, &str)]) -> (Value, i32) {
        let (root, project) = project(files);
        let (printed, code) = probe(
            root.path(),
            &project.vars,
            &Tooling::default(),
            Duration::from_secs(20),
        );
        assert!(!root.path().join(".registry").exists());
        (serde_json::from_str(&printed).unwrap(), code)
    }

    #[test]
    fn a_project_without_checks_is_healthy() {
        let (printed, code) = probed(&[]);
        assert_eq!((printed["status"].as_str(), code), (Some("ok"), 0));
        assert_eq!(printed["projectChecks"], "ok");
    }

    #[test]
    fn its_own_checks_count() {
        let with = |script: &str| probed(&[("server.d/health-checks.sh", script)]);
        assert_eq!(with("mcp_health_check_command bash Bash").1, 0);
        let (printed, code) = with("mcp_health_check_command no-such-command-here");
        assert_eq!(
            (printed["projectChecks"].as_str(), code),
            (Some("failed"), 1)
        );
        assert_eq!(with("mcp_health_check_env NO_SUCH_VARIABLE").1, 1);
        assert_eq!(with("exit 3").1, 1);
    }

    #[test]
    fn a_missing_project_has_its_own_exit_code() {
        let vars = Vars::default();
        let code = probe(
            Path::new("/nowhere"),
            &vars,
            &Tooling::default(),
            Duration::ZERO,
        )
        .1;
        assert_eq!(code, 2);
    }
}
