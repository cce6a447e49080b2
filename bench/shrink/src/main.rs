//! How fast texts are looked at, counted and shrunk, on one thread.
//!
//! `bench-shrink [--quick]` reads lines `NAME⇥FILE` from stdin; files with one name are measured together.
//! One JSON object per name goes to stdout.

use std::io::Read;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use linkspan_shrink::{Context, Thresholds, detect, shrink};

fn main() -> ExitCode {
    let quick = std::env::args().skip(1).any(|arg| arg == "--quick");
    match run(Duration::from_millis(if quick { 60 } else { 400 })) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("bench-shrink: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(time: Duration) -> Result<(), String> {
    let mut list = String::new();
    let failed = |error: std::io::Error| error.to_string();
    std::io::stdin().read_to_string(&mut list).map_err(failed)?;
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for line in list.lines() {
        let (name, file) = line.split_once('\t').ok_or("no tab in a line")?;
        let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, texts)) => texts.push(text),
            None => groups.push((name, vec![text])),
        }
    }
    // The vocabulary is unpacked once per process; that is not measured here.
    Context::default().tokens("ready");
    for (name, texts) in &groups {
        println!("{}", measure(name, texts, time));
    }
    Ok(())
}

/// The figures of texts of one name.
fn measure(name: &str, texts: &[String], time: Duration) -> String {
    let (thresholds, context) = (Thresholds::default(), Context::default());
    let through = |text: &str| {
        let _ = std::hint::black_box(shrink(text, &thresholds, &context));
    };
    // These texts are new to the counter: only cached counts of other texts help.
    let mut first: Vec<f64> = texts.iter().map(|text| millis(&through, text)).collect();
    let (gate_rate, mut times) = repeated(texts, time, through);
    let (detect_rate, _) = repeated(texts, time / 3, |text| {
        std::hint::black_box(detect(text, thresholds.confidence));
    });
    let (count_rate, _) = repeated(texts, time / 3, |text| {
        std::hint::black_box(context.tokens(text));
    });
    let tokens = |text: &String| context.tokens(text);
    let before: u64 = texts.iter().map(tokens).sum();
    let saved = |text: &String| {
        shrink(text, &thresholds, &context).map_or(0, |shrunk| shrunk.before - shrunk.after)
    };
    let saved: u64 = texts.iter().map(saved).sum();
    let bytes: usize = texts.iter().map(String::len).sum();
    format!(
        r#"{{"name":"{name}","bytes":{bytes},"detect_mb":{detect_rate:.3},"count_mb":{count_rate:.3},"gate_mb":{gate_rate:.3},"first_ms":{:.4},"p50_ms":{:.4},"p99_ms":{:.4},"saved":{:.2}}}"#,
        quantile(&mut first, 0.5),
        quantile(&mut times, 0.5),
        quantile(&mut times, 0.99),
        100.0 * saved as f64 / before.max(1) as f64,
    )
}

/// Megabytes per second of CPU time over repeated rounds of all texts, and the milliseconds of each call by the clock.
fn repeated(texts: &[String], time: Duration, work: impl Fn(&str)) -> (f64, Vec<f64>) {
    let mut times = Vec::new();
    let mut bytes = 0;
    let (start, cpu) = (Instant::now(), cpu_time());
    while start.elapsed() < time {
        for text in texts {
            times.push(millis(&work, text));
            bytes += text.len();
        }
    }
    let used = match (cpu, cpu_time()) {
        (Some(before), Some(after)) if after > before => after - before,
        _ => start.elapsed(),
    };
    (bytes as f64 / used.as_secs_f64() / 1e6, times)
}

/// The CPU time of this thread, where Linux reports it: other processes on the machine do not count then.
fn cpu_time() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanos = told.split(' ').next()?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

fn millis(work: &impl Fn(&str), text: &str) -> f64 {
    let start = Instant::now();
    work(text);
    start.elapsed().as_secs_f64() * 1000.0
}

/// The smallest value that `share` (0 to 1) of all values do not exceed.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (share * values.len() as f64).ceil() as usize;
    values.get(rank.max(1) - 1).copied().unwrap_or_default()
}
