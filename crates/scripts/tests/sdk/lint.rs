//! Constructs that the Bash files must not contain, because Bash 3.2 (macOS) lacks them.

use linkspan_scripts::sdk::FILES;
use std::process::Command;

const TOO_NEW: &[(&str, &str)] = &[
    ("declare -A", "associative arrays"),
    ("local -A", "associative arrays"),
    ("declare -n", "name references"),
    ("local -n", "name references"),
    ("declare -g", "global declarations"),
    ("mapfile", "mapfile"),
    ("readarray", "readarray"),
    ("coproc", "coprocesses"),
    ("wait -n", "waiting for any"),
    ("&>>", "appending both outputs"),
    ("|&", "piping both outputs"),
    (",,}", "lower case"),
    ("^^}", "upper case"),
    (";;&", "falling through"),
    (";&", "falling through"),
    ("@Q}", "transformations"),
    ("BASHPID", "BASHPID"),
    ("EPOCHSECONDS", "EPOCHSECONDS"),
    ("<(", "process substitution, which the seed leaves out"),
    ("[[ -v", "tests for set variables"),
    ("read -N", "reading characters"),
    ("{fd}", "automatic descriptors"),
];

fn shell_files() -> impl Iterator<Item = (&'static str, &'static str)> {
    let files = FILES.iter().filter(|f| f.path.ends_with(".sh"));
    files.map(|f| (f.path, f.text))
}

#[test]
fn nothing_is_newer_than_bash_3_2() {
    for (path, text) in shell_files() {
        for (number, line) in text.lines().enumerate() {
            let code = line.trim_start();
            if code.starts_with('#') {
                continue;
            }
            for (form, name) in TOO_NEW {
                assert!(
                    !code.contains(form),
                    "{path}:{}: {name}: {line}",
                    number + 1
                );
            }
            let substring = code.split("${").skip(1).any(|part| {
                let inner = part.split('}').next().unwrap_or_default();
                inner
                    .split_once(':')
                    .is_some_and(|(_, rest)| rest.starts_with(' ') || rest.starts_with("(-"))
            });
            assert!(
                !substring,
                "{path}:{}: negative substrings: {line}",
                number + 1
            );
        }
    }
}

#[test]
fn every_file_parses() {
    for (path, text) in shell_files() {
        let output = Command::new("bash")
            .args(["-n", "-c", text])
            .output()
            .expect("bash");
        assert!(
            output.status.success(),
            "{path}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// The documented functions of mcp-bash's SDK, and those that the specification of this SDK adds.
const FUNCTIONS: &[&str] = &[
    "mcp_progress",
    "mcp_is_cancelled",
    "mcp_log",
    "mcp_args_get",
    "mcp_args_raw",
    "mcp_emit_text",
    "mcp_emit_json",
    "mcp_args_require",
    "mcp_args_bool",
    "mcp_args_int",
    "mcp_meta_raw",
    "mcp_meta_get",
    "mcp_json_escape",
    "mcp_json_obj",
    "mcp_json_arr",
    "mcp_log_debug",
    "mcp_log_info",
    "mcp_log_warn",
    "mcp_log_error",
    "mcp_debug",
    "mcp_with_retry",
    "mcp_fail",
    "mcp_fail_invalid_args",
    "mcp_roots_list",
    "mcp_roots_count",
    "mcp_roots_contains",
    "mcp_require_path",
    "mcp_elicit",
    "mcp_elicit_url",
    "mcp_elicit_string",
    "mcp_elicit_confirm",
    "mcp_elicit_choice",
    "mcp_elicit_titled_choice",
    "mcp_elicit_multi_choice",
    "mcp_elicit_titled_multi_choice",
    "mcp_is_valid_json",
    "mcp_extract_cli_error",
    "mcp_byte_length",
    "mcp_result_success",
    "mcp_result_error",
    "mcp_result_text_with_resource",
    "mcp_error",
    "mcp_config_load",
    "mcp_config_get",
    "mcp_json_truncate",
    "mcp_download_safe",
    "mcp_download_safe_or_fail",
    "mcp_run_with_progress",
    "mcp_path_normalize",
    "mcp_client_supports_ui",
    "mcp_client_supports_extension",
    "mcp_result_with_ui",
    "mcp_result_with_ui_data",
    "mcp_tool_meta_with_ui",
    "mcp_ui_form",
    "mcp_ui_table",
];

#[test]
fn every_function_has_its_name() {
    let sdk = FILES
        .iter()
        .find(|f| f.path == "sdk/tool-sdk.sh")
        .expect("the SDK");
    for name in FUNCTIONS {
        assert!(sdk.text.contains(&format!("\n{name}() {{")), "{name}");
    }
}

#[test]
fn shellcheck_reports_nothing() {
    let Ok(version) = Command::new("shellcheck").arg("--version").output() else {
        return; // not installed here; the test command of the project installs it
    };
    assert!(version.status.success());
    let folder = tempfile::tempdir().expect("a folder");
    let written = linkspan_scripts::sdk::write_to(folder.path()).expect("written");
    let scripts = written
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "sh"));
    let output = Command::new("shellcheck")
        .args(["-S", "warning", "-s", "bash"])
        .args(scripts)
        .output()
        .expect("ran");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}
