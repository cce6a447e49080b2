//! What a session costs a bridge in memory while no client calls.

use crate::ask::Ask;
use crate::exposed::Exposed;
use crate::measure::Link;
use crate::plan::Plan;
use crate::report::Report;
use crate::{Outcome, proc};
use std::thread::sleep;

/// Opens many sessions on a fresh bridge, each with a connection that stays open. What the
/// first session needs once (code, pools, caches) is not counted.
pub fn measure(mut bridge: Exposed, plan: &Plan, report: &mut Report) -> Outcome<()> {
    bridge.initialize()?;
    bridge.call(Ask::ToolsList)?;
    sleep(plan.settle);
    let (kb, processes) = size(&bridge)?;
    let mut clients = Vec::with_capacity(plan.sessions);
    for _ in 0..plan.sessions {
        let mut client = bridge.another_client()?;
        client.call(Ask::ToolsList)?;
        if !client.has_session() {
            return Err("it has no sessions".into());
        }
        clients.push(client);
    }
    sleep(plan.settle);
    let (kb_then, processes_then) = size(&bridge)?;
    let each = |now: f64, then: f64| (then - now) / plan.sessions as f64;
    report.session_kb = Some(each(kb as f64, kb_then as f64));
    report.session_processes = Some(each(processes as f64, processes_then as f64));
    Ok(())
}

/// Resident kB of the bridge itself, and how many processes it runs.
fn size(bridge: &Exposed) -> Outcome<(u64, usize)> {
    let who = bridge.bridge();
    who.and_then(|who| Some((who.memory_kb("VmRSS")?, proc::count(who))))
        .ok_or("it is gone".into())
}
