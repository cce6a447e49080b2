//! Memory and CPU time of one process, from `/proc`, without its children: the proxies and the agent are the same in
//! every row.

use std::fs;

/// Resident memory in kB: now (`VmRSS`), without files (`RssAnon`) or its peak (`VmHWM`).
pub fn memory_kb(pid: u32, field: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

/// CPU nanoseconds of all its threads, by the scheduler's own account: ticks would be too coarse.
pub fn cpu_ns(pid: u32) -> Option<u64> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let of = |path: std::path::PathBuf| -> Option<u64> {
        let text = fs::read_to_string(path.join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    Some(threads.flatten().filter_map(|one| of(one.path())).sum())
}
