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
}

pub struct Args {
    pub quick: bool,
    pub sse: bool,
    pub era: Era,
    pub echo: PathBuf,
    pub stderr: Option<PathBuf>,
    pub target: Target,
}

impl Args {
    pub fn parse() -> Outcome<Self> {
        let mut args = std::env::args().skip(1);
        let (mut quick, mut sse, mut era) = (false, false, Era::Legacy);
        let (mut echo, mut stderr) = (None, None);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--quick" => quick = true,
                "--sse" => sse = true,
                "--modern" => era = Era::Modern,
                "--echo" => echo = args.next().map(PathBuf::from),
                "--stderr" => stderr = args.next().map(PathBuf::from),
                "direct" | "bridge" | "exposed" => {
                    let command: Vec<String> = args.collect();
                    let target = match (arg.as_str(), command.is_empty()) {
                        ("direct", true) => Target::Direct,
                        ("bridge", false) => Target::Bridge(command),
                        ("exposed", false) => Target::Exposed(command),
                        ("direct", false) => return Err("direct takes no command".into()),
                        _ => return Err(format!("{arg} needs a command")),
                    };
                    let echo = echo.ok_or("--echo PATH is missing")?;
                    return Ok(Self {
                        quick,
                        sse,
                        era,
                        echo,
                        stderr,
                        target,
                    });
                }
                other => return Err(format!("unknown argument {other}")),
            }
        }
        Err("say direct, bridge CMD ARG… or exposed CMD ARG…".into())
    }
}
