//! Replays the examples: each transcript against `linkspan serve` in a copy of its folder, with LF and with
//! CR LF line ends. examples/README.md describes the format.

mod http;
mod player;
mod script;
mod shown;
mod workspace;

use player::LineEnd;

macro_rules! examples {
    ($($test:ident => $folder:literal),* $(,)?) => {
        $(
            mod $test {
                #[test]
                fn replays_its_transcript() {
                    super::player::play($folder, super::LineEnd::Lf);
                }

                #[test]
                fn replays_its_transcript_with_crlf() {
                    super::player::play($folder, super::LineEnd::CrLf);
                }
            }
        )*

        const TESTED: &[&str] = &[$($folder),*];
    };
}

examples! {
    hello_tool => "00-hello-tool",
    args_and_validation => "01-args-and-validation",
    logging_and_levels => "02-logging-and-levels",
    progress_and_cancellation => "03-progress-and-cancellation",
    timeouts => "04-timeouts",
    pagination_basics => "05-pagination-basics",
    resources_file_provider => "06-resources-file-provider",
    prompts_and_rendering => "07-prompts-and-rendering",
    completion => "08-completion",
    large_output_and_truncation => "09-large-output-and-truncation",
    structured_output_deep => "10-structured-output-deep",
    windows_paths => "11-windows-paths",
    minimal_mode_diagnostics => "12-minimal-mode-diagnostics",
    error_catalog => "13-error-catalog",
    manual_registration => "14-manual-registration",
    process_groups_and_kill => "15-process-groups-and-kill",
    http_proxy_smoke => "16-http-proxy-smoke",
    batch_compat => "17-batch-compat",
    registry_live_update => "18-registry-live-update",
    stress_suite => "19-stress-suite",
}

#[test]
fn no_example_is_forgotten() {
    let folders = std::fs::read_dir(workspace::examples()).expect("examples");
    let mut found: Vec<String> = folders
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| name.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    found.sort();
    assert_eq!(found, TESTED);
}

#[test]
fn every_example_has_its_parts() {
    for name in TESTED {
        let folder = workspace::examples().join(name);
        let readme = std::fs::read_to_string(folder.join("README.md")).expect("a README");
        for heading in [
            "## You need",
            "## Run it",
            "## What happens",
            "## What you learn",
            "## If it does not work",
        ] {
            assert!(
                readme.contains(heading),
                "{name}/README.md has no {heading:?}"
            );
        }
        assert!(
            readme.contains(&format!("examples/run {}", &name[..2])),
            "{name}/README.md: how is it run?"
        );
    }
}

#[test]
fn the_harness_runs_an_example_and_sends_to_it() {
    let examples = workspace::examples();
    let script = "cd \"$1\" && ./send tools/call '{\"name\":\"hello\"}' | ./run 00 && ./check-env";
    let output = std::process::Command::new("bash")
        .args(["-euo", "pipefail", "-c", script, "harness"])
        .arg(&examples)
        .env("LINKSPAN", env!("CARGO_BIN_EXE_linkspan"))
        .output()
        .expect("bash");
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{out}\n{err}");
    assert!(out.contains("Hello, World!"), "{out}\n{err}");
    assert!(out.contains("linkspan"), "{out}");
}
