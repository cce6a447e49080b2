//! `linkspan conduct`: an editor in front, a chain of proxies and an agent behind.

pub(crate) mod args;
pub(crate) mod bridge;
mod component;
mod trace;

use std::cell::Cell;
use std::ffi::OsString;

use linkspan_acp::{
    BreakReason, Chain, ChainBroken, ChainEnded, ChainHandle, Conductor, McpBridge, Node, PartPlan,
    Plan, Tracer,
};
use linkspan_ports::{ChildOptions, child, stdio};
use linkspan_wire::Limits;

use self::args::{BridgeArg, ConductArgs};
use self::bridge::{BridgeOptions, Bridging};
use self::component::Component;
use self::trace::Traces;
use crate::exit::{Exit, Failure};
use crate::show::say;
use crate::signals::Signals;
use crate::waiting;

/// Bytes that a component or the editor may be ahead of us: the chain has queues of its own.
const AHEAD: usize = 256 << 10;

pub(crate) async fn run(args: ConductArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let components = args.components.iter().map(|text| Component::parse(text));
    let components: Vec<Component> = components.collect::<Result<_, _>>()?;
    let plan = plan(&args, &components);
    if args.dry_run {
        show(&plan, &args);
        return Ok(Exit::Ok);
    }
    let traces = Traces::start(&plan, args.trace.as_deref(), args.debug_dir.as_deref())?;
    let traces = traces.map(|traces| Box::new(traces) as Box<dyn Tracer>);
    wait_for_editor(args.proxy);
    let limits = Limits::new(args.max_message).with_ahead(AHEAD);
    let (handle, joins) = ChainHandle::pair();
    let bridge = (args.mcp_bridge != BridgeArg::Off).then(|| {
        let options = BridgeOptions {
            how: args.mcp_bridge,
            transport: args.bridge_transport,
            limits,
            introduction: bridge::INTRODUCTION,
        };
        Box::new(Bridging::new(options, handle)) as Box<dyn McpBridge>
    });
    let parts = components.len();
    let labels: Vec<String> = (0..parts).map(|part| plan.name(Node::Part(part))).collect();
    let chain = Chain::new(plan, bridge, traces);
    let acp = limits.with_null_ids();
    let start = move |part: usize| start(&components[part], &labels[part], acp.with_envelopes());
    let outside = match args.proxy {
        true => stdio(acp.with_envelopes()),
        false => stdio(acp),
    };
    let conductor = Conductor::new(chain, outside, parts, start, joins, args.drain);
    let signal = Cell::new(None);
    let stop = async { signal.set(Some(signals.stop().await)) };
    match conductor.run(stop).await {
        ChainEnded::Broken(broken) => Err(failure(&broken)),
        ChainEnded::OutsideClosed | ChainEnded::Stopped => Ok(signal.get().unwrap_or(Exit::Ok)),
    }
}

fn plan(args: &ConductArgs, components: &[Component]) -> Plan {
    let parts = components.iter().map(|component| PartPlan {
        command: component.shown(),
        dialect: component.dialect,
    });
    let mut plan = Plan::new(parts.collect(), args.proxy);
    plan.start_timeout = args.start_timeout;
    plan
}

fn start(
    component: &Component,
    label: &str,
    limits: Limits,
) -> Result<linkspan_session::Port, String> {
    let env = component.env.iter();
    let env = env.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let options = ChildOptions {
        label: Some(label.to_owned()),
        program: OsString::from(&component.program),
        args: component.args_os(),
        limits,
        env: env.collect(),
        without_env: Vec::new(),
    };
    child(options).map_err(|e| match std::error::Error::source(&e) {
        Some(source) => source.to_string(),
        None => e.to_string(),
    })
}

fn failure(broken: &ChainBroken) -> Failure {
    let exit = match &broken.why {
        BreakReason::NotStarted(_) => Exit::Unreachable,
        BreakReason::Silent(_) => Exit::Timeout,
        BreakReason::Ended(_) | BreakReason::Noise | BreakReason::Stuck => Exit::Broken,
    };
    let failure = Failure::new(exit, broken.error.message());
    match &broken.why {
        BreakReason::NotStarted(_) => failure.hint("install it, or give its full path"),
        BreakReason::Silent(_) => failure.hint("raise --start-timeout if it needs longer"),
        BreakReason::Ended(linkspan_session::Fault::Ended { last_words, .. })
            if !last_words.is_empty() =>
        {
            failure.hint(format!("last lines of its stderr:\n{last_words}"))
        }
        _ => failure,
    }
}

/// Tells a person at a terminal what is expected on stdin.
fn wait_for_editor(as_proxy: bool) {
    let who = match as_proxy {
        true => "another ACP conductor",
        false => "an editor that speaks ACP",
    };
    waiting::on_stdin(
        &format!("{who}, which usually starts this command itself; Ctrl-C ends it"),
        "put this command into the editor's list of agents; --dry-run prints the chain and ends",
    );
}

/// The chain, from the editor to the agent.
fn show(plan: &Plan, args: &ConductArgs) {
    say!("{}", plan.name(Node::Outside));
    for (part, component) in plan.parts.iter().enumerate() {
        let dialect = component.dialect.map_or_else(String::new, |dialect| {
            format!("  (dialect {})", dialect.word())
        });
        let name = plan.name(Node::Part(part));
        say!("  {name}: {}{dialect}", component.command);
    }
    if args.proxy {
        say!("  the conductor's next component");
    }
}
