//! Where a command writes to, and the removal of partial files when a signal ends the process.

use std::io;
use std::path::Path;

use linkspan_bcp_tools::files::{Output, PartialFiles};
use linkspan_console::when_stopped;

use crate::exit::{Exit, Failure};

/// The output of a command that runs on one thread; `-` and `/dev/stdout` are stdout. From here on, SIGINT, SIGTERM and
/// SIGHUP remove partial files and end the process. A server has its own handler.
pub(super) fn output(path: &Path) -> Result<Output, Failure> {
    Ok(Output::open(path, io::stdout(), &partial_files())?)
}

fn partial_files() -> PartialFiles {
    let partial = PartialFiles::new(std::env::temp_dir());
    let files = partial.clone();
    when_stopped(move |stop| {
        // Held until the end, so that no further file is created or renamed.
        let _cleared = files.clear();
        std::process::exit(Exit::from(stop).code().into());
    });
    partial
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::io::{self, BufRead, BufReader, Read, Write};
    use std::path::Path;
    use std::process::{Command, Stdio};

    use linkspan_bcp_tools::files::Output;

    use super::*;

    const TARGET: &str = "LINKSPAN_TEST_TARGET";

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        entries.map(name).collect()
    }

    #[test]
    fn a_signal_removes_partial_files() {
        for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
            // With `nohup`, or where that cannot be detected, SIGHUP is ignored.
            let deaf = !cfg!(target_os = "linux") || linkspan_console::outlives_its_terminal();
            if signal == "HUP" && deaf {
                continue;
            }
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("ctx.bcp");
            fs::write(&target, "old").unwrap();
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "--ignored", "--nocapture"])
                .arg("commands::bcp::output::tests::a_command_that_writes")
                .env(TARGET, &target)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            // Open until the end: waiting for the child would close it, and the child would go on.
            let _stdin = child.stdin.take();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            assert!(lines.any(|line| line.unwrap().ends_with("writing")));
            assert_eq!(names(folder.path()).len(), 2);
            let sent = Command::new("kill")
                .args(["-s", signal, &child.id().to_string()])
                .status();
            assert!(sent.unwrap().success());
            assert_eq!(child.wait().unwrap().code(), Some(code));
            assert_eq!(names(folder.path()), ["ctx.bcp"]);
            assert_eq!(fs::read(target).unwrap(), b"old");
        }
    }

    /// Not a test: the program that the test above starts.
    #[test]
    #[ignore = "a part of another test"]
    fn a_command_that_writes() {
        let Some(target) = std::env::var_os(TARGET) else {
            return;
        };
        let partial = partial_files();
        let mut output = Output::create(Path::new(&target), &partial).unwrap();
        output.write_all(b"half of ").unwrap();
        writeln!(io::stdout(), "writing").unwrap();
        let _ = io::stdin().read(&mut [0]);
    }
}
