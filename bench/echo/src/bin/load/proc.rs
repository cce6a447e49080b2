//! CPU time and memory from `/proc`.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// Clock ticks per second, the unit of CPU time in `/proc`.
static TICKS: LazyLock<f64> = LazyLock::new(|| {
    let out = Command::new("getconf")
        .arg("CLK_TCK")
        .stdin(Stdio::null())
        .output()
        .ok();
    out.and_then(|o| String::from_utf8(o.stdout).ok())
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(100.0)
});

struct Stat {
    pid: u32,
    parent: u32,
    group: u32,
    ticks: u64,
}

/// CPU milliseconds that `root` and all that it started have used. Ended children are in
/// their parent's figure, so a difference of two readings misses nothing.
pub fn cpu_ms(root: u32) -> f64 {
    let ticks: u64 = tree(root).iter().map(|s| s.ticks).sum();
    ticks as f64 * 1000.0 / *TICKS
}

/// CPU milliseconds that the whole machine has used, stolen time included.
pub fn machine_cpu_ms() -> Option<f64> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let fields: Vec<u64> = text
        .lines()
        .next()?
        .split_whitespace()
        .skip(1)
        .map_while(|f| f.parse().ok())
        .collect();
    // user nice system idle iowait irq softirq steal (guest time is inside user)
    let busy: u64 = [0, 1, 2, 5, 6, 7]
        .iter()
        .filter_map(|i| fields.get(*i))
        .sum();
    Some(busy as f64 * 1000.0 / *TICKS)
}

/// Resident memory of the tree in kB: now (`VmRSS`) or its peak (`VmHWM`).
pub fn memory_kb(root: u32, field: &str) -> Option<u64> {
    let of = |stat: &Stat| -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/{}/status", stat.pid)).ok()?;
        let line = text
            .lines()
            .find_map(|l| l.strip_prefix(field)?.strip_prefix(':'))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let all: Vec<u64> = tree(root).iter().filter_map(of).collect();
    (!all.is_empty()).then(|| all.iter().sum())
}

/// `root`, its descendants, and what belongs to its process group even if orphaned.
fn tree(root: u32) -> Vec<Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all: Vec<Stat> = entries
        .filter_map(|e| e.file_name().to_str()?.parse().ok())
        .filter_map(stat)
        .collect();
    let mut members = BTreeSet::from([root]);
    loop {
        let before = members.len();
        for s in &all {
            if s.group == root || members.contains(&s.parent) {
                members.insert(s.pid);
            }
        }
        if members.len() == before {
            return all
                .into_iter()
                .filter(|s| members.contains(&s.pid))
                .collect();
        }
    }
}

fn stat(pid: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything, so count from the last parenthesis.
    let fields: Vec<&str> = text[text.rfind(')')? + 1..].split_whitespace().collect();
    let number = |i: usize| fields.get(i).and_then(|f| f.parse::<u64>().ok());
    Some(Stat {
        pid,
        parent: u32::try_from(number(1)?).ok()?,
        group: u32::try_from(number(2)?).ok()?,
        ticks: (11..=14).filter_map(number).sum(),
    })
}
