//! The command line of the child.

/// The options of this child.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `--modern`: serves 2026-07-28 only.
    pub modern: bool,
    /// `--mute`: never answers `initialize`.
    pub mute: bool,
    /// `--die-on-probe`: exits on any request before `initialize`, as older SDKs do.
    pub die_on_probe: bool,
    /// `--roots-at-start`: asks for roots as soon as it is initialized, outside any call.
    pub roots_at_start: bool,
    /// `--noisy`: first prints lines that are not JSON-RPC.
    pub noisy: bool,
    /// `--deaf`: does not exit when stdin ends.
    pub deaf: bool,
    /// `--bad-start`: exits at once.
    pub bad_start: bool,
    /// `--grandchild`: is not a server, only a process that keeps running.
    pub grandchild: bool,
    /// `--agent`: is an ACP agent, and no MCP server.
    pub agent: bool,
    /// `--hello JSON`: the agent's answer to `initialize`.
    pub hello: Option<String>,
    /// `--auth`: the agent needs a login first.
    pub auth: bool,
    /// `--modes`: the agent's sessions have modes.
    pub modes: bool,
    /// `--tools FILE`: the members of its `tools/list`, instead of the usual ones.
    pub tools: Option<String>,
    /// `--watch ADDRESS`: the test to report to.
    pub watch: Option<String>,
}

impl Options {
    /// Reads the command line; a child that was started wrongly must not look like one that works.
    pub fn read() -> Self {
        let mut options = Self::default();
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--modern" => options.modern = true,
                "--mute" => options.mute = true,
                "--die-on-probe" => options.die_on_probe = true,
                "--roots-at-start" => options.roots_at_start = true,
                "--noisy" => options.noisy = true,
                "--deaf" => options.deaf = true,
                "--bad-start" => options.bad_start = true,
                "--grandchild" => options.grandchild = true,
                "--agent" => options.agent = true,
                "--hello" => options.hello = args.next(),
                "--auth" => options.auth = true,
                "--modes" => options.modes = true,
                "--tools" => options.tools = args.next(),
                "--watch" => options.watch = args.next(),
                other => panic!("linkspan-child does not know {other}"),
            }
        }
        options
    }
}
