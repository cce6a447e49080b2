//! Runs jq filters, each in its own process: a filter may loop forever, and a process can be killed.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use linkspan_shrink::marks;
use linkspan_wire::Json;

use super::{FetchError, MOST};

/// How long a filter may run.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most bytes of jq's error output to report.
const MOST_ERRORS: usize = 4 << 10;

/// A command that reads JSON from stdin and applies a jq filter, which is its last argument.
///
/// The command must limit the memory of the process and deny the filter access to files and variables.
#[derive(Debug, Clone)]
pub struct JqCommand {
    /// The program.
    pub program: PathBuf,
    /// The arguments before the filter.
    pub args: Vec<OsString>,
    /// The whole environment of the process.
    pub env: Vec<(OsString, OsString)>,
}

impl JqCommand {
    /// Applies a filter to an original.
    pub(super) fn run(&self, text: &Arc<str>, filter: &str) -> Result<String, FetchError> {
        if Json::parse(text).is_err() {
            return Err(FetchError::NotJson);
        }
        let failed = |e: io::Error| FetchError::JqNotStarted(e.to_string());
        let mut child = self.start(filter).map_err(failed)?;
        let input = child.stdin.take();
        let text = text.clone();
        // The thread ends with the process at the latest, because that closes the pipe.
        let feeding = thread::spawn(move || {
            input.map(|mut input| input.write_all(text.as_bytes()));
        });
        let output = reader(child.stdout.take(), MOST);
        let errors = reader(child.stderr.take(), MOST_ERRORS);
        let status = wait(&mut child).map_err(failed)?;
        let (output, cut) = output.join().unwrap_or_default();
        let (errors, _) = errors.join().unwrap_or_default();
        let _ = feeding.join();
        let Some(status) = status else {
            return Err(FetchError::JqTimeout(PATIENCE.as_secs()));
        };
        if !cut && !status.success() {
            let errors = String::from_utf8_lossy(&errors);
            return Err(FetchError::Jq(errors.trim_end().to_owned()));
        }
        let mut output = marks::escape(&String::from_utf8_lossy(&output)).into_owned();
        if cut {
            output.push_str("\n[linkspan: cut here; a narrower filter gives the rest]");
        }
        Ok(output)
    }

    fn start(&self, filter: &str) -> io::Result<Child> {
        Command::new(&self.program)
            .args(&self.args)
            .arg(filter)
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }
}

/// How the process ended; `None` if it was killed because it took too long.
fn wait(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let end = Instant::now() + PATIENCE;
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(Some(status)),
            None if Instant::now() < end => thread::sleep(Duration::from_millis(2)),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(None);
            }
        }
    }
}

/// Reads the first `most` bytes of a pipe, closes it, and reports whether there were more bytes.
fn reader(pipe: Option<impl Read + Send + 'static>, most: usize) -> JoinHandle<(Vec<u8>, bool)> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            let _ = pipe.take(most as u64 + 1).read_to_end(&mut bytes);
        }
        let cut = bytes.len() > most;
        bytes.truncate(most);
        (bytes, cut)
    })
}
