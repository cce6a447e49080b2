//! One text as the result of every call: the time of a bridge to forward it, or to shrink it.

use crate::ask::Ask;
use crate::bridge::Bridge;
use crate::measure::{self, Link};
use crate::plan::Plan;
use crate::proc::Who;
use crate::report::Report;
use crate::{Outcome, stats};
use std::path::Path;
use std::thread::sleep;

/// Calls one after the other. The first is reported separately: it may include one-time work.
pub fn calls(
    command: &[String],
    stderr: Option<&Path>,
    plan: &Plan,
    report: &mut Report,
) -> Outcome<()> {
    let mut link = Bridge::start(command, stderr)?;
    link.initialize()?;
    link.call(Ask::ToolsList)?;
    sleep(plan.settle);
    let own = Who::Alone(link.pid());
    report.rss_idle_kb = own.memory_kb("VmRSS");
    report.first_ms = Some(stats::ms(link.call(Ask::Text)?));
    measure::one_at_a_time(&mut link, plan, Ask::Text, report)?;
    report.rss_load_kb = own.memory_kb("VmHWM");
    Ok(())
}
