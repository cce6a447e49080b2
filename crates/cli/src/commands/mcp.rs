//! `linkspan mcp`: the stdio server that an agent starts to reach an MCP server in a chain.

use clap::Args;
use linkspan_conduct::handshake::SECRET_VARIABLE;
use linkspan_conduct::shim::{self, End};

use crate::exit::{Exit, Failure, warn};

const HELP: &str = "\
Not meant to be typed: `linkspan conduct` puts this command into the list of MCP servers that it gives
to an agent. It copies stdin to the conductor, and the conductor's answers to stdout. The environment
variable LINKSPAN_MCP_TOKEN holds the secret for the connection.

Exit codes: 0 the conductor closed the connection or the agent stopped reading, 2 the secret is
missing, 3 nothing listens at ENDPOINT, 4 the program that listens there is not the conductor, or the
connection broke. It does not reconnect: an MCP session cannot be resumed on a new connection, so the
agent has to start the server again. The secret stays valid as long as the ACP session.

Example of what an agent is given:
  {\"name\":\"sparkle\",\"command\":\"/usr/bin/linkspan\",
    \"args\":[\"mcp\",\"/run/user/1000/linkspan-x/mcp\"],
    \"env\":[{\"name\":\"LINKSPAN_MCP_TOKEN\",\"value\":\"…\"}]}
It runs: linkspan mcp /run/user/1000/linkspan-x/mcp";

#[derive(Debug, Args)]
#[command(after_long_help = crate::help_text::reflow(HELP))]
pub(crate) struct McpArgs {
    /// Where the conductor listens: the path of a socket, or a port of this machine
    #[arg(value_name = "ENDPOINT")]
    pub(crate) endpoint: String,
}

pub(crate) fn run(args: &McpArgs) -> Result<Exit, Failure> {
    let secret = std::env::var(SECRET_VARIABLE)
        .ok()
        .filter(|secret| !secret.is_empty());
    let Some(secret) = secret else {
        return Err(Failure::usage(format!("{SECRET_VARIABLE} is not set"))
            .hint("the conductor gives it to the agent in `env`, which the agent must pass on"));
    };
    let end = shim::run(&args.endpoint, &secret, shim::stdin(), shim::stdout())?;
    if end == End::Silent {
        warn("the conductor closed the connection without sending data; the session may be over");
    }
    Ok(Exit::Ok)
}
