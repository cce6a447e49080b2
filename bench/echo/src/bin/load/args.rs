//! The command line.

use crate::Outcome;
use std::path::PathBuf;

pub enum Target {
    /// HTTP straight to the echo server.
    Direct,
    /// A command that speaks MCP on stdin and stdout.
    Bridge(Vec<String>),
}

pub struct Args {
    pub quick: bool,
    pub sse: bool,
    pub echo: PathBuf,
    pub stderr: Option<PathBuf>,
    pub target: Target,
}

impl Args {
    pub fn parse() -> Outcome<Self> {
        let mut args = std::env::args().skip(1);
        let (mut quick, mut sse, mut echo, mut stderr) = (false, false, None, None);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--quick" => quick = true,
                "--sse" => sse = true,
                "--echo" => echo = args.next().map(PathBuf::from),
                "--stderr" => stderr = args.next().map(PathBuf::from),
                "direct" | "bridge" => {
                    let command: Vec<String> = args.collect();
                    let target = match (arg.as_str(), command.is_empty()) {
                        ("direct", true) => Target::Direct,
                        ("bridge", false) => Target::Bridge(command),
                        ("direct", false) => return Err("direct takes no command".into()),
                        _ => return Err("bridge needs a command".into()),
                    };
                    let echo = echo.ok_or("--echo PATH is missing")?;
                    return Ok(Self {
                        quick,
                        sse,
                        echo,
                        stderr,
                        target,
                    });
                }
                other => return Err(format!("unknown argument {other}")),
            }
        }
        Err("say direct, or bridge CMD ARG…".into())
    }
}
