//! Ends all processes with a mark, whatever their parent: cleans up after a starter that has ended.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

use crate::orphans::MARKER;

/// Limit of rounds; a round may find processes that the previous round's processes started before they died.
const ROUNDS: usize = 20;

/// Kills every process whose environment has `LINKSPAN_CALL=<beginning>…`; returns their number.
///
/// Scans all processes of the machine, so it is too slow for every call.
pub fn end_marked(beginning: &str) -> usize {
    let mark = format!("{MARKER}={beginning}").into_bytes();
    let mut killed = 0;
    for _ in 0..ROUNDS {
        let found: Vec<Pid> = marked(&mark).collect();
        if found.is_empty() {
            break;
        }
        for pid in found {
            killed += usize::from(kill_process(pid, Signal::KILL).is_ok());
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    killed
}

fn marked(mark: &[u8]) -> impl Iterator<Item = Pid> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let ours = std::process::id();
    pids.filter(move |pid| u32::try_from(*pid) != Ok(ours))
        .filter(|pid| {
            // Empty for a zombie, unreadable for a process of another user.
            let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ
                .split(|byte| *byte == 0)
                .any(|variable| variable.starts_with(mark))
        })
        .filter_map(Pid::from_raw)
}
