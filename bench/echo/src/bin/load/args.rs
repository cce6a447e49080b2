//! The command line.

use crate::Outcome;
use crate::ask::Era;
use std::path::PathBuf;

pub enum Target {
    /// HTTP straight to the echo server.
    Direct,
    /// A command that speaks MCP on stdin and stdout.
    Bridge(Vec<String>),
    /// A command that listens on a port and runs the echo server itself.
    Exposed(Vec<String>),
    /// A command with tools of its own that serves MCP on stdin and stdout.
    Served(Vec<String>),
    /// The command of such a tool.
    Spawning(Vec<String>),
    /// A command with a tool that returns one text, served over MCP on stdin and stdout.
    Told(Vec<String>),
}

pub struct Args {
    pub quick: bool,
    pub sse: bool,
    pub era: Era,
    pub echo: Option<PathBuf>,
    pub in_flight: Option<usize>,
    pub stderr: Option<PathBuf>,
    pub target: Target,
}

impl Args {
    pub fn parse() -> Outcome<Self> {
        let mut args = std::env::args().skip(1);
        let (mut quick, mut sse, mut era) = (false, false, Era::Legacy);
        let (mut echo, mut stderr, mut in_flight) = (None, None, None);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--quick" => quick = true,
                "--sse" => sse = true,
                "--modern" => era = Era::Modern,
                "--echo" => echo = args.next().map(PathBuf::from),
                "--stderr" => stderr = args.next().map(PathBuf::from),
                "--in-flight" => in_flight = args.next().and_then(|n| n.parse().ok()),
                "direct" | "bridge" | "exposed" | "served" | "told" | "spawning" => {
                    let command: Vec<String> = args.collect();
                    let target = match (arg.as_str(), command.is_empty()) {
                        ("direct", true) => Target::Direct,
                        ("bridge", false) => Target::Bridge(command),
                        ("exposed", false) => Target::Exposed(command),
                        ("served", false) => Target::Served(command),
                        ("told", false) => Target::Told(command),
                        ("spawning", false) => Target::Spawning(command),
                        ("direct", false) => return Err("direct takes no command".into()),
                        _ => return Err(format!("{arg} needs a command")),
                    };
                    return Ok(Self {
                        quick,
                        sse,
                        era,
                        echo,
                        in_flight,
                        stderr,
                        target,
                    });
                }
                other => return Err(format!("unknown argument {other}")),
            }
        }
        Err("say direct, or bridge, exposed, served, told or spawning and CMD ARG…".into())
    }
}
