//! Starts the components of a chain and runs it between the editor and the agent.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use linkspan_acp::{
    Chain, ChainEnded, ChainHandle, Conductor, McpBridge, Node, PartPlan, Plan, StartError, Tracer,
};
use linkspan_ports::{ChildOptions, child, stdio};
use linkspan_session::Port;
use linkspan_wire::Limits;

use crate::component::Component;
use crate::error::ConductError;
use crate::mcp_bridge::{BridgeOptions, DeclarationBridge};
use crate::trace::Traces;

/// Bytes that a port reads ahead of the chain, which has queues of its own.
const READ_AHEAD: usize = 256 << 10;

/// The components and settings of a chain.
pub struct ConductOptions {
    /// The proxies in order, then the agent.
    pub components: Vec<Component>,
    /// Whether all components are proxies and another conductor is in front and behind.
    pub proxy: bool,
    /// How long a component may take to start.
    pub start_timeout: Duration,
    /// How long pending answers may take after stdin has closed.
    pub drain: Duration,
    /// The largest message, in bytes.
    pub max_message: usize,
    /// How the agent reaches MCP servers of the chain; `None` passes declarations on unchanged.
    pub bridge: Option<BridgeOptions>,
    /// Variables of our environment that components must not see.
    pub without_env: Vec<OsString>,
}

/// A chain that has not been started.
pub struct Conduct {
    options: ConductOptions,
    plan: Plan,
    traces: Option<Traces>,
}

impl Conduct {
    /// A chain with these components. Starts no process.
    pub fn new(options: ConductOptions) -> Self {
        let parts = options.components.iter().map(|component| PartPlan {
            command: component.command_line(),
            dialect: component.dialect,
        });
        let mut plan = Plan::new(parts.collect(), options.proxy);
        plan.start_timeout = options.start_timeout;
        Self {
            options,
            plan,
            traces: None,
        }
    }

    /// The chain, from the editor to the agent.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Writes every message to the file `trace`, and every line to a new file in `debug_dir`.
    pub fn with_traces(
        mut self,
        trace: Option<&Path>,
        debug_dir: Option<&Path>,
    ) -> Result<Self, ConductError> {
        self.traces = Traces::start(&self.plan, trace, debug_dir)?;
        Ok(self)
    }

    /// Starts the components and runs the chain on stdin and stdout until the editor closes its side, a
    /// component fails, or `stop` resolves.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<(), ConductError> {
        let Self {
            options,
            plan,
            traces,
        } = self;
        let limits = Limits::new(options.max_message).with_ahead(READ_AHEAD);
        let (handle, joins) = ChainHandle::pair();
        let bridge = options.bridge;
        let bridge = bridge.map(|bridge| {
            Box::new(DeclarationBridge::new(bridge, limits, handle)) as Box<dyn McpBridge>
        });
        let traces = traces.map(|traces| Box::new(traces) as Box<dyn Tracer>);
        let (components, without_env) = (options.components, options.without_env);
        let parts = components.len();
        let labels: Vec<String> = (0..parts).map(|part| plan.name(Node::Part(part))).collect();
        let chain = Chain::new(plan, bridge, traces);
        let acp = limits.with_null_ids();
        let start = move |part: usize| {
            start(
                &components[part],
                &labels[part],
                acp.with_envelopes(),
                &without_env,
            )
        };
        let outside = stdio(if options.proxy {
            acp.with_envelopes()
        } else {
            acp
        });
        let conductor = Conductor::new(chain, outside, parts, start, joins, options.drain);
        match conductor.run(stop).await {
            ChainEnded::Broken(broken) => Err(ConductError::Broken(Box::new(broken))),
            ChainEnded::OutsideClosed | ChainEnded::Stopped => Ok(()),
        }
    }
}

fn start(
    component: &Component,
    label: &str,
    limits: Limits,
    without_env: &[OsString],
) -> Result<Port, StartError> {
    let env = component.env.iter();
    let env = env.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let options = ChildOptions {
        label: Some(label.to_owned()),
        program: OsString::from(&component.program),
        args: component.args.iter().map(OsString::from).collect(),
        limits,
        env: env.collect(),
        without_env: without_env.to_vec(),
        cwd: None,
    };
    child(options).map_err(|error| StartError::new(&error))
}
