//! Applies settings from metadata on top of defaults.

use std::path::{Path, PathBuf};

use super::meta::{Meta, texts};
use super::node::Node;
use super::settings::{EnvMode, LimitSettings, Mode, MountSettings, RunSettings, WorkerSettings};
use super::units;

impl RunSettings {
    /// Applies metadata whose names and types were checked.
    pub(super) fn apply(&mut self, meta: &Meta, root: &Path) {
        let seconds = |name| meta.seconds(name);
        self.timeout = seconds("timeoutSecs").unwrap_or(self.timeout);
        self.max_timeout = seconds("maxTimeoutSecs").unwrap_or(self.max_timeout);
        self.grace = seconds("graceSecs").unwrap_or(self.grace);
        if let Some(hint) = meta.text("timeoutHint") {
            self.timeout_hint = Some(hint.to_owned());
        }
        let extends = meta.flag("progressExtendsTimeout");
        self.progress_extends = extends.unwrap_or(self.progress_extends);
        let bytes = meta.bytes("maxOutputBytes");
        self.max_output = bytes.map_or(self.max_output, |bytes| bytes as usize);
        let count = |name| meta.count(name).map(|count| count as usize);
        self.progress_per_minute = count("progressPerMinute").unwrap_or(self.progress_per_minute);
        self.logs_per_minute = count("logsPerMinute").unwrap_or(self.logs_per_minute);
        if let Some(env) = meta.node("env") {
            self.apply_env(env);
        }
        if let Some(limits) = meta.node("limits") {
            apply_limits(&mut self.limits, limits);
        }
        if let Some(sandbox) = meta.node("sandbox") {
            self.apply_sandbox(sandbox, root);
        }
    }

    fn apply_env(&mut self, node: &Node) {
        let env = &mut self.env;
        match node.member("mode").and_then(Node::text) {
            Some("minimal") => env.mode = EnvMode::Minimal,
            Some("allowlist") => env.mode = EnvMode::Allowlist,
            Some("inherit") => env.mode = EnvMode::Inherit,
            _ => {}
        }
        if let Some(allow) = node.member("allow") {
            env.allow = texts(allow);
        }
        let set = node.member("set").and_then(Node::map).unwrap_or_default();
        for member in set {
            let value = member.value.scalar().unwrap_or_default().to_owned();
            match env.set.iter_mut().find(|(name, _)| *name == member.name) {
                Some((_, old)) => *old = value,
                None => env.set.push((member.name.clone(), value)),
            }
        }
    }

    fn apply_sandbox(&mut self, node: &Node, root: &Path) {
        let sandbox = &mut self.sandbox;
        let level = node.member("level").unwrap_or(node);
        if let Ok(level) = units::count(level) {
            sandbox.level = level.min(2) as u8;
        }
        let paths = |node: &Node| -> Vec<PathBuf> {
            let paths = texts(node).into_iter();
            paths.map(|path| root.join(path)).collect()
        };
        if let Some(read) = node.member("read") {
            sandbox.read = paths(read);
        }
        if let Some(write) = node.member("write") {
            sandbox.write = paths(write);
        }
        if let Some(net) = node.member("net") {
            sandbox.net = match net.flag() {
                Some(true) => None,
                Some(false) => Some(Vec::new()),
                None => Some(texts(net).iter().flat_map(|port| port.parse()).collect()),
            };
        }
        let flag = |name| node.member(name).and_then(Node::flag);
        sandbox.roots = flag("roots").unwrap_or(sandbox.roots);
        sandbox.optional = flag("optional").unwrap_or(sandbox.optional);
    }
}

fn apply_limits(limits: &mut LimitSettings, node: &Node) {
    let member = |name| node.member(name);
    let count = |name| member(name).and_then(|node| units::count(node).ok());
    let bytes = |name| member(name).and_then(|node| units::bytes(node).ok());
    let cpu = member("cpuSecs").and_then(|node| units::seconds(node).ok());
    // The system counts whole seconds, and 0 would mean no time at all.
    limits.cpu = cpu
        .map(|cpu| cpu.as_secs_f64().ceil() as u64)
        .or(limits.cpu);
    limits.memory = bytes("memoryBytes").or(limits.memory);
    limits.files = count("openFiles").or(limits.files);
    limits.file_size = bytes("fileSizeBytes").or(limits.file_size);
    limits.processes = count("processes").or(limits.processes);
}

/// The mode of a tool.
pub(super) fn mode(meta: &Meta) -> Mode {
    match meta.text("mode") {
        Some("worker") => Mode::Worker(workers(meta.node("workers"))),
        Some("mcp") => Mode::Mcp(MountSettings {
            prefix: meta.text("prefix").map(str::to_owned),
        }),
        _ => Mode::Once,
    }
}

fn workers(node: Option<&Node>) -> WorkerSettings {
    let mut workers = WorkerSettings::default();
    let Some(node) = node else { return workers };
    let count = |name| node.member(name).and_then(|node| units::count(node).ok());
    workers.count = count("count").map_or(workers.count, |n| n as usize);
    workers.concurrency = count("concurrency").map_or(workers.concurrency, |n| n as usize);
    let idle = node.member("idleSecs");
    let idle = idle.and_then(|node| units::seconds(node).ok());
    workers.idle = idle.unwrap_or(workers.idle);
    workers.max_calls = count("maxCalls");
    workers
}
