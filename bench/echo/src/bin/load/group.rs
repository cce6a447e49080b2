//! Ending a process together with everything it started.

use std::process::{Child, Command, Stdio};

/// Kills the process group that `leader` leads. By the shell's own `kill`: the standard
/// library has no call for it, and this is never inside a measurement.
pub fn kill(leader: u32) {
    let _ = Command::new("sh")
        .args(["-c", &format!("kill -KILL -{leader}")])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

/// Kills the group and collects the leader's remains.
pub fn end(child: &mut Child) {
    kill(child.id());
    let _ = child.kill();
    let _ = child.wait();
}
