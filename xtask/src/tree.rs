//! Kills a child with all its descendants.
//!
//! The tree is walked, and children stay in our process group, so that Ctrl-C on the terminal reaches them all: a group
//! of their own would outlive an interrupted `cargo xtask`.

use std::process::{Child, Command, Stdio};

pub fn kill(child: &mut Child) {
    let pairs = parents();
    let mut doomed = vec![child.id()];
    let mut next = 0;
    while let Some(&parent) = doomed.get(next) {
        doomed.extend(
            pairs
                .iter()
                .filter(|(_, of)| *of == parent)
                .map(|(pid, _)| *pid),
        );
        next += 1;
    }
    let descendants = doomed.iter().skip(1).map(u32::to_string);
    // An error means that a process has ended by itself.
    let _ = child.kill();
    let _ = Command::new("sh")
        .args(["-c", "kill -KILL \"$@\"", "sh"])
        .args(descendants)
        .stderr(Stdio::null())
        .status();
    let _ = child.wait();
}

/// Every process with its parent.
fn parents() -> Vec<(u32, u32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return from_ps();
    };
    entries
        .filter_map(|entry| {
            let pid = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // "PID (name) STATE PARENT …", where the name may contain anything.
            let (_, fields) = stat.rsplit_once(')')?;
            Some((pid, fields.split_whitespace().nth(1)?.parse().ok()?))
        })
        .collect()
}

fn from_ps() -> Vec<(u32, u32)> {
    let Ok(ps) = Command::new("ps").args(["-A", "-o", "pid=,ppid="]).output() else {
        return Vec::new();
    };
    String::from_utf8_lossy(&ps.stdout)
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
        })
        .collect()
}
