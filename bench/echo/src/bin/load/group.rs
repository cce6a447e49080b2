//! A process together with everything it starts.

use crate::Outcome;
use std::fs::OpenOptions;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Ended when dropped, with its whole process group.
pub struct Group(pub Child);

impl Group {
    /// Starts a bridge. Its stderr goes to a file, if one is given.
    pub fn start(
        command: &[String],
        stdin: Stdio,
        stdout: Stdio,
        stderr: Option<&Path>,
    ) -> Outcome<Self> {
        let (program, args) = command.split_first().ok_or("no command")?;
        let stderr = match stderr {
            // Appended: one file holds all start-ups of one bridge.
            Some(path) => OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)
                .map_err(|e| format!("{}: {e}", path.display()))?
                .into(),
            None => Stdio::null(),
        };
        let child = Command::new(program)
            .args(args)
            .process_group(0)
            .stdin(stdin)
            .stdout(stdout)
            .stderr(stderr)
            .spawn()
            .map_err(|e| format!("cannot start {program}: {e}"))?;
        Ok(Self(child))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        end(&mut self.0);
    }
}

/// Kills the process group of `leader` by the shell's `kill`: the standard library has no call for it, and no
/// measurement is running then.
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
