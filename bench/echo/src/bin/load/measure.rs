//! The sequence of measurements, which is the same for all transports.

use crate::ask::Ask;
use crate::plan::{Bound, Plan};
use crate::proc::Who;
use crate::report::Report;
use crate::{Outcome, proc, stats};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longest silence that is waited for, anywhere.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Between two phases: what the one left behind is not the other's.
const BREATHER: Duration = Duration::from_millis(200);

/// A transport to the server.
pub trait Link {
    /// The whole handshake; returns the time of the first answer.
    fn initialize(&mut self) -> Outcome<Instant>;
    /// One call alone.
    fn call(&mut self, ask: Ask) -> Outcome<Duration>;
    /// Echo calls with `in_flight` at once; as one is answered the next is sent.
    fn flood(&mut self, in_flight: usize, bound: Bound) -> Outcome<Flooded>;
    /// The process between client and server, if there is one.
    fn bridge(&self) -> Option<Who>;
}

pub struct Flooded {
    pub took: Duration,
    /// Milliseconds of each call.
    pub times: Vec<f64>,
}

/// Measures one session. A phase that fails is recorded, and ends the phases that need it.
pub fn session(link: &mut impl Link, plan: &Plan, report: &mut Report) -> Outcome<()> {
    link.initialize()?;
    link.call(Ask::ToolsList)?;
    sleep(plan.settle);
    let bridge = link.bridge();
    let memory = |field| bridge.and_then(|bridge| bridge.memory_kb(field));
    report.rss_idle_kb = memory("VmRSS");

    if !short_calls(link, plan, report) {
        return Ok(());
    }
    report.rss_load_kb = memory("VmHWM");
    sleep(BREATHER);
    match large(link, plan, Ask::Blob(1_000_000)) {
        Ok(times) => report.mb1_ms = times,
        Err(why) => report.failed("1 MB", why),
    }
    match large(link, plan, Ask::Blob(10_000_000)) {
        Ok(times) => report.mb10_ms = times,
        Err(why) => report.failed("10 MB", why),
    }
    report.rss_peak_kb = memory("VmHWM");
    match large(link, plan, Ask::Count(1_000_000)) {
        Ok(times) => report.argument_ms = times,
        Err(why) => report.failed("1 MB argument", why),
    }
    Ok(())
}

/// Measures the short calls alone. False if that failed.
pub fn short_calls(link: &mut impl Link, plan: &Plan, report: &mut Report) -> bool {
    if let Err(why) = one_at_a_time(link, plan, Ask::Echo, report) {
        report.failed("latency", why);
        return false;
    }
    sleep(BREATHER);
    if let Err(why) = many_at_once(link, plan, report) {
        report.failed("throughput", why);
        return false;
    }
    true
}

/// The same call repeatedly, each after the answer to the previous one.
pub fn one_at_a_time(
    link: &mut impl Link,
    plan: &Plan,
    ask: Ask,
    report: &mut Report,
) -> Outcome<()> {
    repeat(plan.warm, || link.call(ask))?;
    let meter = Meter::start(link.bridge());
    let mut times = repeat(plan.calls, || link.call(ask))?;
    let used = meter.stop(times.len());
    report.calls_1 = times.len();
    report.p50_ms = stats::quantile(&mut times, 0.50);
    report.p99_ms = stats::quantile(&mut times, 0.99);
    report.cpu_1 = used.bridge;
    report.foreign_1 = used.foreign;
    Ok(())
}

/// Calls with many in flight.
pub fn many_at_once(link: &mut impl Link, plan: &Plan, report: &mut Report) -> Outcome<()> {
    link.flood(plan.in_flight, plan.flood_warm)?;
    let meter = Meter::start(link.bridge());
    let mut flooded = link.flood(plan.in_flight, plan.flood)?;
    let calls = flooded.times.len();
    let used = meter.stop(calls);
    report.calls_64 = calls;
    report.per_second = Some(calls as f64 / flooded.took.as_secs_f64());
    report.p50_64_ms = stats::quantile(&mut flooded.times, 0.50);
    report.p99_64_ms = stats::quantile(&mut flooded.times, 0.99);
    report.cpu_64 = used.bridge;
    report.cpu_children_64 = used.children;
    report.cpu_all_64 = used.all;
    report.foreign_64 = used.foreign;
    Ok(())
}

fn large(link: &mut impl Link, plan: &Plan, ask: Ask) -> Outcome<Vec<f64>> {
    link.call(ask)?;
    repeat(plan.large, || link.call(ask))
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
pub struct Meter {
    who: Option<Who>,
    start: Instant,
    bridge: Option<f64>,
    children: Option<f64>,
    ours: f64,
    machine: Option<f64>,
}

pub struct Used {
    /// CPU milliseconds of the bridge per 1000 calls.
    bridge: Option<f64>,
    /// The same of the servers that it runs.
    children: Option<f64>,
    /// The same of load generator, bridge and echo server together.
    pub all: Option<f64>,
    /// Per cent of the machine that others used.
    pub foreign: Option<f64>,
}

impl Meter {
    pub fn start(who: Option<Who>) -> Self {
        Self {
            who,
            bridge: who.map(Who::cpu_ms),
            children: who.and_then(Who::children_cpu_ms),
            ours: ours().cpu_ms(),
            machine: proc::machine_cpu_ms(),
            start: Instant::now(),
        }
    }

    pub fn stop(self, calls: usize) -> Used {
        let wall = stats::ms(self.start.elapsed());
        let since =
            |then: Option<f64>, now: Option<f64>| now.zip(then).map(|(now, then)| now - then);
        let machine = since(self.machine, proc::machine_cpu_ms());
        let ours = ours().cpu_ms() - self.ours;
        let bridge = since(self.bridge, self.who.map(Who::cpu_ms));
        let children = since(self.children, self.who.and_then(Who::children_cpu_ms));
        let per_1000 = |ms: f64| ms * 1000.0 / calls.max(1) as f64;
        let cores = std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64);
        Used {
            bridge: bridge.map(per_1000),
            children: children.map(per_1000),
            all: Some(per_1000(ours)),
            // Ticks round: a short phase says nothing, and a quiet machine may come out just
            // below nothing.
            foreign: machine
                .filter(|_| wall > 200.0)
                .map(|m| ((m - ours) / (wall * cores) * 100.0).max(0.0)),
        }
    }
}

/// This process and its descendants.
fn ours() -> Who {
    Who::Tree(std::process::id())
}
