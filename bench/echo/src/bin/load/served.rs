//! `linkspan serve` on its stdin and stdout: the time to the list of tools, and calls with many in flight.

use crate::ask::Ask;
use crate::bridge::Bridge;
use crate::measure::{self, Flooded, Link};
use crate::plan::{Bound, Plan};
use crate::proc::Who;
use crate::report::Report;
use crate::{Outcome, stats};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Start-ups: to the answer to `initialize`, and from there to that of the first `tools/list`.
pub fn starts(
    command: &[String],
    stderr: Option<&Path>,
    plan: &Plan,
    report: &mut Report,
) -> Outcome<()> {
    for _ in 0..plan.starts {
        let start = Instant::now();
        let mut link = Bridge::start(command, stderr)?;
        let answered = link.initialize()?;
        report.start_ms.push(stats::ms(answered - start));
        report.list_ms.push(stats::ms(link.call(Ask::ToolsList)?));
        drop(link);
        sleep(Duration::from_millis(50));
    }
    let mut link = Bridge::start(command, stderr)?;
    link.initialize()?;
    link.call(Ask::ToolsList)?;
    sleep(plan.settle);
    let own = Who::Alone(link.pid());
    report.rss_idle_kb = own.memory_kb("VmRSS");
    Ok(())
}

/// Calls with many in flight. The figures of the tools are separate from those of the server.
pub fn calls(
    command: &[String],
    stderr: Option<&Path>,
    plan: &Plan,
    report: &mut Report,
) -> Outcome<()> {
    let mut link = Served(Bridge::start(command, stderr)?);
    link.initialize()?;
    measure::many_at_once(&mut link, plan, report)?;
    report.rss_load_kb = Who::Alone(link.0.pid()).memory_kb("VmHWM");
    Ok(())
}

struct Served(Bridge);

impl Link for Served {
    fn initialize(&mut self) -> Outcome<Instant> {
        self.0.initialize()
    }

    fn call(&mut self, ask: Ask) -> Outcome<Duration> {
        self.0.call(ask)
    }

    fn flood(&mut self, in_flight: usize, bound: Bound) -> Outcome<Flooded> {
        self.0.flood(in_flight, bound)
    }

    fn bridge(&self) -> Option<Who> {
        Some(Who::Alone(self.0.pid()))
    }
}
