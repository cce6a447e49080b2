//! TOON, converted by an external program, because its crate is not a dependency.

use std::io::Write;
use std::process::{Command, Stdio};

/// Converts JSON to TOON; `None` without the program, or if it fails.
pub fn toon(text: &str) -> Option<String> {
    let program = std::env::var_os("LINKSPAN_TOON")?;
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // The program reads all input before it writes.
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let toon = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(toon)
}
