//! The sequence of measurements, the same for every way to the server.

use crate::message::Ask;
use crate::plan::{Bound, Plan};
use crate::report::Report;
use crate::{Outcome, proc, stats};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longest silence that is waited for, anywhere.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Between two phases: what the one left behind is not the other's.
const BREATHER: Duration = Duration::from_millis(200);

/// One way to the server.
pub trait Link {
    /// The handshake, to its end.
    fn initialize(&mut self) -> Outcome<()>;
    /// One call alone.
    fn call(&mut self, ask: Ask) -> Outcome<Duration>;
    /// Echo calls with `in_flight` at once; as one is answered the next is sent.
    fn flood(&mut self, in_flight: usize, bound: Bound) -> Outcome<Flooded>;
    /// The process that stands between, if there is one.
    fn bridge_pid(&self) -> Option<u32>;
}

pub struct Flooded {
    pub took: Duration,
    /// Milliseconds of each call.
    pub times: Vec<f64>,
}

/// Measures one session. A phase that fails is noted, and ends what builds on it.
pub fn session(link: &mut impl Link, plan: &Plan, report: &mut Report) -> Outcome<()> {
    link.initialize()?;
    link.call(Ask::ToolsList)?;
    sleep(plan.settle);
    let pid = link.bridge_pid();
    let memory = |field| pid.and_then(|pid| proc::memory_kb(pid, field));
    report.rss_idle_kb = memory("VmRSS");

    if let Err(why) = one_at_a_time(link, plan, report) {
        report.failed("latency", why);
        return Ok(());
    }
    sleep(BREATHER);
    if let Err(why) = many_at_once(link, plan, report) {
        report.failed("throughput", why);
        return Ok(());
    }
    report.rss_load_kb = memory("VmHWM");
    sleep(BREATHER);
    match blobs(link, plan, 1_000_000) {
        Ok(times) => report.mb1_ms = times,
        Err(why) => report.failed("1 MB", why),
    }
    match blobs(link, plan, 10_000_000) {
        Ok(times) => report.mb10_ms = times,
        Err(why) => report.failed("10 MB", why),
    }
    report.rss_peak_kb = memory("VmHWM");
    Ok(())
}

fn one_at_a_time(link: &mut impl Link, plan: &Plan, report: &mut Report) -> Outcome<()> {
    repeat(plan.warm, || link.call(Ask::Echo))?;
    let meter = Meter::start(link.bridge_pid());
    let mut times = repeat(plan.calls, || link.call(Ask::Echo))?;
    let used = meter.stop(times.len());
    report.calls_1 = times.len();
    report.p50_ms = stats::quantile(&mut times, 0.50);
    report.p99_ms = stats::quantile(&mut times, 0.99);
    report.cpu_1 = used.bridge;
    report.foreign_1 = used.foreign;
    Ok(())
}

fn many_at_once(link: &mut impl Link, plan: &Plan, report: &mut Report) -> Outcome<()> {
    link.flood(plan.in_flight, plan.flood_warm)?;
    let meter = Meter::start(link.bridge_pid());
    let mut flooded = link.flood(plan.in_flight, plan.flood)?;
    let calls = flooded.times.len();
    let used = meter.stop(calls);
    report.calls_64 = calls;
    report.per_second = Some(calls as f64 / flooded.took.as_secs_f64());
    report.p50_64_ms = stats::quantile(&mut flooded.times, 0.50);
    report.p99_64_ms = stats::quantile(&mut flooded.times, 0.99);
    report.cpu_64 = used.bridge;
    report.cpu_all_64 = used.all;
    report.foreign_64 = used.foreign;
    Ok(())
}

fn blobs(link: &mut impl Link, plan: &Plan, size: usize) -> Outcome<Vec<f64>> {
    link.call(Ask::Blob(size))?;
    repeat(plan.blobs, || link.call(Ask::Blob(size)))
}

/// Milliseconds of each repetition.
fn repeat(bound: Bound, mut call: impl FnMut() -> Outcome<Duration>) -> Outcome<Vec<f64>> {
    let until = Instant::now() + bound.time;
    let mut times = Vec::with_capacity(bound.count);
    while times.len() < bound.count && (times.is_empty() || Instant::now() < until) {
        times.push(stats::ms(call()?));
    }
    Ok(times)
}

/// CPU time between two moments: of the bridge, of everything we run, of all others.
struct Meter {
    bridge_pid: Option<u32>,
    start: Instant,
    bridge: f64,
    ours: f64,
    machine: Option<f64>,
}

struct Used {
    /// CPU milliseconds of the bridge per 1000 calls.
    bridge: Option<f64>,
    /// The same of load generator, bridge and echo server together.
    all: Option<f64>,
    /// Per cent of the machine that others used.
    foreign: Option<f64>,
}

impl Meter {
    fn start(bridge_pid: Option<u32>) -> Self {
        Self {
            bridge_pid,
            bridge: bridge_pid.map_or(0.0, proc::cpu_ms),
            ours: proc::cpu_ms(std::process::id()),
            machine: proc::machine_cpu_ms(),
            start: Instant::now(),
        }
    }

    fn stop(self, calls: usize) -> Used {
        let wall = stats::ms(self.start.elapsed());
        let machine = proc::machine_cpu_ms()
            .zip(self.machine)
            .map(|(now, then)| now - then);
        let ours = proc::cpu_ms(std::process::id()) - self.ours;
        let bridge = self.bridge_pid.map(|pid| proc::cpu_ms(pid) - self.bridge);
        let per_1000 = |ms: f64| ms * 1000.0 / calls.max(1) as f64;
        let cores = std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64);
        Used {
            bridge: bridge.map(per_1000),
            all: Some(per_1000(ours)),
            // Ticks round: a short phase says nothing, and a quiet machine may come out just
            // below nothing.
            foreign: machine
                .filter(|_| wall > 200.0)
                .map(|m| ((m - ours) / (wall * cores) * 100.0).max(0.0)),
        }
    }
}
