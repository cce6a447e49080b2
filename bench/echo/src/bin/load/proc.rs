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
    /// Its own, and that of its children that have ended.
    ticks: u64,
    ended_ticks: u64,
}

/// Whose figures are wanted.
#[derive(Clone, Copy)]
pub enum Who {
    /// A process and its descendants.
    Tree(u32),
    /// A process whose children are not its own work: servers that it runs.
    Alone(u32),
}

impl Who {
    /// CPU milliseconds used so far. Ended children are in their parent's figure, so a
    /// difference of two readings misses nothing.
    pub fn cpu_ms(self) -> f64 {
        match self {
            Self::Tree(root) => cpu_ms(tree(root).iter().map(|s| s.ticks + s.ended_ticks)),
            Self::Alone(pid) => cpu_ms(stat(pid).iter().map(|s| s.ticks)),
        }
    }

    /// The same of the children, where they are separate.
    pub fn children_cpu_ms(self) -> Option<f64> {
        match self {
            Self::Tree(_) => None,
            Self::Alone(pid) => Some(Self::Tree(pid).cpu_ms() - self.cpu_ms()),
        }
    }

    /// Resident memory in kB: now (`VmRSS`) or its peak (`VmHWM`).
    pub fn memory_kb(self, field: &str) -> Option<u64> {
        let of = |pid: u32| -> Option<u64> {
            let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            let line = text
                .lines()
                .find_map(|l| l.strip_prefix(field)?.strip_prefix(':'))?;
            line.split_whitespace().next()?.parse().ok()
        };
        match self {
            Self::Alone(pid) => of(pid),
            Self::Tree(root) => {
                let all: Vec<u64> = tree(root).iter().filter_map(|s| of(s.pid)).collect();
                (!all.is_empty()).then(|| all.iter().sum())
            }
        }
    }
}

/// The number of processes in the tree.
pub fn count(who: Who) -> usize {
    let (Who::Tree(root) | Who::Alone(root)) = who;
    tree(root).len()
}

fn cpu_ms(ticks: impl Iterator<Item = u64>) -> f64 {
    ticks.sum::<u64>() as f64 * 1000.0 / *TICKS
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
    // The name in parentheses may contain anything, so fields count from the last parenthesis.
    let fields: Vec<&str> = text[text.rfind(')')? + 1..].split_whitespace().collect();
    let number = |i: usize| fields.get(i).and_then(|f| f.parse::<u64>().ok());
    Some(Stat {
        pid,
        parent: u32::try_from(number(1)?).ok()?,
        group: u32::try_from(number(2)?).ok()?,
        ticks: (11..=12).filter_map(number).sum(),
        ended_ticks: (13..=14).filter_map(number).sum(),
    })
}
