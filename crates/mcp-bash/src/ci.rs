//! The files that mcp-bash writes in CI, to analyse failures.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::env::Tooling;
use super::meta;
use super::vars::Vars;

/// The folder for these files; `None` outside CI mode.
pub fn folder(vars: &Vars) -> Option<PathBuf> {
    if vars.get("MCPBASH_CI_MODE") != Some("true") {
        return None;
    }
    let tmp = vars.get("TMPDIR").unwrap_or("/tmp");
    let usual = || Path::new(tmp).join(format!("mcpbash.ci.{}", std::process::id()));
    let folder = vars
        .get("MCPBASH_LOG_DIR")
        .map_or_else(usual, PathBuf::from);
    fs::create_dir_all(&folder).ok()?;
    Some(folder)
}

/// Writes a description of the server's environment.
pub fn snapshot(vars: &Vars, tooling: &Tooling, cwd: &Path) {
    let Some(folder) = folder(vars) else {
        return;
    };
    let all: usize = vars
        .iter()
        .map(|(name, value)| name.len() + value.len() + 2)
        .sum();
    let jq = vars
        .get("MCPBASH_JSON_TOOL_BIN")
        .map_or_else(|| tooling.jq.clone(), PathBuf::from);
    let snapshot = json!({
        "ts": format!("{:.0}", jiff::Timestamp::now()),
        "bashVersion": vars.get("BASH_VERSION").unwrap_or("unknown"),
        "os": std::env::consts::OS,
        "cwd": cwd,
        "pathBytes": vars.get("PATH").map_or(0, str::len),
        "envBytes": all,
        "jsonTool": "jq",
        "jsonToolBin": jq,
    });
    if let Err(e) = fs::write(folder.join("env-snapshot.json"), snapshot.to_string()) {
        tracing::warn!("env-snapshot.json: {e}");
    }
}

/// A failed tool call.
pub struct Failure<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Its exit code.
    pub code: i32,
    /// Whether it timed out.
    pub late: bool,
    /// The arguments as JSON.
    pub arguments: &'a str,
    /// The error message sent to the client.
    pub message: &'a str,
    /// The end of the tool's stderr.
    pub stderr: &'a str,
    /// The last line of the tool's trace.
    pub trace: Option<&'a str>,
    /// The number of roots.
    pub roots: usize,
}

/// Records a failed call.
pub fn failed(failure: &Failure<'_>, vars: &Vars) {
    let Some(folder) = folder(vars) else {
        return;
    };
    let arguments: Value = serde_json::from_str(failure.arguments).unwrap_or_default();
    let line = json!({
        "ts": format!("{:.0}", jiff::Timestamp::now()),
        "tool": failure.tool,
        "exitCode": failure.code,
        "timedOut": failure.late,
        "argCount": arguments.as_object().map_or(0, serde_json::Map::len),
        "argBytes": failure.arguments.len(),
        "argHash": super::cursor::hash(&[arguments.to_string()]),
        "roots": failure.roots,
        "message": failure.message,
        "stderrTail": failure.stderr,
        "traceLine": failure.trace.unwrap_or_default(),
    });
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.join("failure-summary.jsonl"));
    if let Err(e) = file.and_then(|mut file| writeln!(file, "{line}")) {
        tracing::warn!("failure-summary.jsonl: {e}");
    }
}

/// The trace file of a call, if tracing is on and the tool is a shell script.
pub fn trace(tool: &str, script: &Path, vars: &Vars, tooling: &Tooling) -> Option<PathBuf> {
    static LAST: AtomicU64 = AtomicU64::new(0);
    if !vars.is_on("MCPBASH_TRACE_TOOLS") || !is_shell(script) {
        return None;
    }
    let usual = || {
        vars.get("MCPBASH_STATE_DIR")
            .map_or_else(|| tooling.state.clone(), PathBuf::from)
    };
    let folder = vars
        .get("MCPBASH_LOG_DIR")
        .map_or_else(usual, PathBuf::from);
    fs::create_dir_all(&folder).ok()?;
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '_'
        }
    };
    let safe: String = tool.chars().map(safe).collect();
    let last = LAST.fetch_add(1, Ordering::Relaxed);
    Some(folder.join(format!("trace.{safe}.{}.{last}.log", std::process::id())))
}

fn is_shell(script: &Path) -> bool {
    if meta::is_shell_script(script) {
        return true;
    }
    let first = fs::read(script).unwrap_or_default();
    let first = first.split(|b| *b == b'\n').next().unwrap_or_default();
    first.starts_with(b"#!") && String::from_utf8_lossy(first).contains("sh")
}

/// The command line that runs a script and writes its trace into `MCPBASH_TRACE_FILE`.
pub fn traced(script: &Path) -> Vec<OsString> {
    // Not `bash -x` with PS4 in the environment: a root shell ignores that.
    const RUN: &str = r#"exec 9>"${MCPBASH_TRACE_FILE}" && BASH_XTRACEFD=9 && PS4="${MCPBASH_TRACE_PS4}" && set -x && . "$0""#;
    vec!["bash".into(), "-c".into(), RUN.into(), script.into()]
}

/// The environment variables for [`traced`].
pub fn trace_env(file: &Path, vars: &Vars) -> [(&'static str, OsString); 2] {
    let ps4 = vars
        .get("MCPBASH_TRACE_PS4")
        .unwrap_or("+ ${BASH_SOURCE[0]##*/}:${LINENO}: ");
    [
        ("MCPBASH_TRACE_FILE", file.into()),
        ("MCPBASH_TRACE_PS4", ps4.into()),
    ]
}

/// The last line of a trace file.
pub fn last_line(file: &Path) -> Option<String> {
    let bytes = fs::read(file).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().next_back()?;
    Some(line.chars().take(512).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_outside_ci_mode() {
        assert_eq!(folder(&Vars::default()), None);
        let root = tempfile::tempdir().unwrap();
        let log = root.path().join("log");
        let vars: Vars = [
            ("MCPBASH_CI_MODE", "true"),
            ("MCPBASH_LOG_DIR", log.to_str().unwrap()),
            ("PATH", "/bin"),
        ]
        .into_iter()
        .collect();
        snapshot(&vars, &Tooling::default(), root.path());
        let text = fs::read_to_string(log.join("env-snapshot.json")).unwrap();
        let snapshot: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(snapshot["pathBytes"], 4);
        assert!(snapshot["envBytes"].as_u64().unwrap() > 0);
        let failure = Failure {
            tool: "t",
            code: 7,
            late: false,
            arguments: r#"{"a":1}"#,
            message: "m",
            stderr: "",
            trace: None,
            roots: 1,
        };
        failed(&failure, &vars);
        failed(&failure, &vars);
        let text = fs::read_to_string(log.join("failure-summary.jsonl")).unwrap();
        assert_eq!(text.lines().count(), 2);
        let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(
            (&first["tool"], &first["argCount"]),
            (&json!("t"), &json!(1))
        );
    }

    #[test]
    fn without_tmpdir_the_default_folder_is_used() {
        let vars: Vars = [("MCPBASH_CI_MODE", "true")].into_iter().collect();
        let folder = folder(&vars).unwrap();
        assert!(folder.starts_with("/tmp"));
        fs::remove_dir(folder).unwrap();
    }

    #[test]
    fn a_trace_records_the_commands_of_a_script() {
        let root = tempfile::tempdir().unwrap();
        let script = root.path().join("tool.sh");
        fs::write(&script, "echo out\nfalse\n").unwrap();
        let mut vars: Vars = [("MCPBASH_TRACE_TOOLS", "true")].into_iter().collect();
        vars.set("MCPBASH_LOG_DIR", root.path());
        let file = trace("a b", &script, &vars, &Tooling::default()).unwrap();
        assert!(
            file.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with("trace.a_b.")
        );
        let words = traced(&script);
        let out = std::process::Command::new(&words[0])
            .args(&words[1..])
            .envs(trace_env(&file, &vars))
            .output()
            .unwrap();
        assert_eq!(out.stdout, b"out\n");
        assert!(out.stderr.is_empty());
        assert!(last_line(&file).unwrap().ends_with("+ tool.sh:2: false"));
    }
}
