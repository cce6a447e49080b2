//! `linkspan login`: signs in to a server, so that every other command finds the tokens.

use std::io::{BufReader, IsTerminal};

use clap::Args;
use linkspan_auth::without_secrets;
use linkspan_auth_io::{
    HttpTransport, Order, Person, Prompt, attend, challenge, pasted_lines, perform,
};

use crate::args::RemoteArgs;
use crate::exit::{Exit, Failure, print_hint};
use crate::remote::remote;
use crate::show::{clean, say};
use crate::sign_in::{no_state, open_browser, settings, store_options};

const HELP: &str = "\
Opens the sign-in page of the server in a browser and stores the tokens. `linkspan connect` and all other
commands with that URL then use and renew them. Without a browser on this machine the page is printed: open it
anywhere, sign in, and paste the URL of the page that cannot be reached afterwards.

Examples:
  linkspan login https://mcp.example.com/mcp
  linkspan login --no-browser https://mcp.example.com/mcp
  linkspan login --grant device https://mcp.example.com/mcp
  linkspan login --client-id ID --client-secret-env VAR https://mcp.example.com";

// `linkspan login`
#[derive(Debug, Args)]
#[command(after_long_help = crate::help_text::reflow(HELP))]
pub(crate) struct LoginArgs {
    /// The server
    #[arg(value_name = "URL")]
    url: String,
    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: LoginArgs) -> Result<Exit, Failure> {
    let options = remote(&args.url, &args.remote)?;
    let store = store_options().ok_or_else(no_state)?;
    let settings = settings(options.clone(), &args.remote, store)?;
    let transport = HttpTransport::new(options.clone()).naming(settings.client.named_endpoint());
    let Some(demand) = challenge(&options, &transport).await? else {
        anstream::eprintln!(
            "{} does not ask for a sign-in",
            without_secrets(options.url())
        );
        return Ok(Exit::Ok);
    };
    let can_paste = std::io::stdin().is_terminal();
    let mut person = Person {
        show: &|prompt| show(prompt, can_paste),
        opens: Some(&open_browser),
        pasted: can_paste.then(|| pasted_lines(BufReader::new(std::io::stdin()))),
    };
    let record = match attend(&settings, &mut person).await? {
        Some(record) => record,
        None => {
            let order = Order::sign_in(&settings, demand);
            perform(&settings, &order, &transport, person).await?
        }
    };
    say!(
        "signed in to {} at {}",
        clean(&record.shown_server()),
        clean(&record.issuer)
    );
    Ok(Exit::Ok)
}

fn show(prompt: &Prompt, can_paste: bool) {
    anstream::eprintln!("{}", clean(&prompt.to_string()));
    if let Some(hint) = prompt.hint(can_paste) {
        print_hint(hint);
    }
}
