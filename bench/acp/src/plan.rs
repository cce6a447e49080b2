//! What is measured, and how much of it.

use std::time::Duration;

use crate::Outcome;

pub struct Plan {
    pub warm: u64,
    pub calls: u64,
    pub updates: u64,
    /// Before resident memory at rest is read.
    pub settle: Duration,
    pub command: Vec<String>,
}

impl Plan {
    pub fn parse(words: &[String]) -> Outcome<Self> {
        let mut plan = Self {
            warm: 500,
            calls: 2000,
            updates: 2000,
            settle: Duration::from_millis(500),
            command: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if !word.starts_with("--") {
                plan.command.push(word.clone());
                plan.command.extend(words.cloned());
                return Ok(plan);
            }
            let value = words.next().and_then(|value| value.parse().ok());
            let value: u64 = value.ok_or_else(|| format!("{word} needs a number"))?;
            match word.as_str() {
                "--warm" => plan.warm = value,
                "--calls" => plan.calls = value,
                "--updates" => plan.updates = value,
                "--settle" => plan.settle = Duration::from_millis(value),
                other => return Err(format!("unknown argument {other}")),
            }
        }
        Err("drive needs a command".to_owned())
    }
}
