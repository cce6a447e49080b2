//! `linkspan logout`: revokes and forgets tokens.

use clap::Args;
use linkspan_auth_io::{Which, sign_out};
use url::Url;

use crate::args::RemoteArgs;
use crate::exit::{Exit, Failure};
use crate::show::{clean, say};
use crate::sign_in::{no_state, store_options};

const HELP: &str = "\
Asks the authorization server to revoke the tokens, if it can, and removes them from this machine.

Examples:
  linkspan logout https://mcp.example.com/mcp
  linkspan logout --all";

// `linkspan logout`
#[derive(Debug, Args)]
#[command(after_long_help = crate::help_text::reflow(HELP))]
pub(crate) struct LogoutArgs {
    /// The server
    #[arg(value_name = "URL", required_unless_present = "all")]
    url: Option<Url>,
    /// Sign out of all servers
    #[arg(long, conflicts_with = "url")]
    all: bool,
    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: LogoutArgs) -> Result<Exit, Failure> {
    let store = store_options().ok_or_else(no_state)?;
    let which = match args.url {
        Some(url) => Which::Server(url),
        None => Which::All,
    };
    let options = |url: &str| crate::remote::remote(url, &args.remote).ok();
    let ended = sign_out(store, &which, &options).await?;
    for server in &ended {
        say!("signed out of {}", clean(server));
    }
    if ended.is_empty() {
        anstream::eprintln!("there was no sign-in");
    }
    Ok(Exit::Ok)
}
