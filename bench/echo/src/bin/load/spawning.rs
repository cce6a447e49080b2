//! The program of a tool without a server: started, read to its end and waited for, as fast as possible.
//!
//! This is the upper limit for a server of one-shot tools. The standard library starts programs with `posix_spawn`, and
//! each thread starts one after the other.

use crate::ask::echo_text;
use crate::measure::{Flooded, Meter};
use crate::plan::{Bound, Plan};
use crate::report::Report;
use crate::{Outcome, stats};
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

pub fn measure(command: &[String], plan: &Plan, report: &mut Report) -> Outcome<()> {
    flood(command, plan.in_flight, plan.flood_warm)?;
    let meter = Meter::start(None);
    let mut flooded = flood(command, plan.in_flight, plan.flood)?;
    let calls = flooded.times.len();
    let used = meter.stop(calls);
    report.calls_64 = calls;
    report.per_second = Some(calls as f64 / flooded.took.as_secs_f64());
    report.p50_64_ms = stats::quantile(&mut flooded.times, 0.50);
    report.p99_64_ms = stats::quantile(&mut flooded.times, 0.99);
    report.cpu_all_64 = used.all;
    report.foreign_64 = used.foreign;
    Ok(())
}

fn flood(command: &[String], at_once: usize, bound: Bound) -> Outcome<Flooded> {
    let begun = AtomicUsize::new(0);
    let times = Mutex::new(Vec::with_capacity(bound.count));
    let start = Instant::now();
    let work = || -> Outcome<()> {
        let mut mine = Vec::new();
        while start.elapsed() < bound.time {
            let number = begun.fetch_add(1, Ordering::Relaxed);
            if number >= bound.count {
                break;
            }
            let from = Instant::now();
            once(command, number as u64)?;
            mine.push(stats::ms(from.elapsed()));
        }
        let mut all = times.lock().map_err(|_| "a thread fell")?;
        all.append(&mut mine);
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        let results = threads.into_iter().map(|t| t.join());
        results
            .map(|ended| ended.map_err(|_| "a thread fell".to_owned())?)
            .collect::<Outcome<Vec<()>>>()
    })?;
    let took = start.elapsed();
    let times = times.into_inner().map_err(|_| "a thread fell")?;
    Ok(Flooded { took, times })
}

/// What a script sees of our environment.
const USUAL: &[&str] = &[
    "PATH", "HOME", "TMPDIR", "LANG", "TZ", "USER", "LOGNAME", "SHELL", "TERM",
];

/// One run, with what a tool is given: arguments on stdin and in the environment, three pipes.
fn once(command: &[String], id: u64) -> Outcome<()> {
    let (program, args) = command.split_first().ok_or("no command")?;
    let text = echo_text(id);
    let args = args.iter().map(|word| word.replace("{text}", &text));
    let mut child = Command::new(program)
        .args(args)
        .env_clear()
        // What a script sees of the environment as well: a locale alone costs many programs 0.2 ms.
        .envs(std::env::vars_os().filter(|(name, _)| {
            let name = name.to_string_lossy();
            USUAL.contains(&&*name) || name.starts_with("LC_")
        }))
        .env("MCP_ARG_text", &text)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot start {program}: {e}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // The program may not read its stdin.
        let _ = write!(stdin, r#"{{"text":"{text}"}}"#);
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    if output.stdout == text.as_bytes() {
        Ok(())
    } else {
        Err(format!(
            "unexpected output: {}",
            String::from_utf8_lossy(&output.stdout)
        ))
    }
}
