//! TOON, by a program of its own: its crate is no part of ours.

use std::io::Write;
use std::process::{Command, Stdio};

/// A JSON text as TOON; nothing if there is no program for it, or it cannot.
pub fn toon(text: &str) -> Option<String> {
    let program = std::env::var_os("LINKSPAN_TOON")?;
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // It reads everything before it writes anything.
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let toon = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(toon)
}
