//! `linkspan auth`: what is stored of sign-ins.

mod list;
mod secret;

use std::io::{Read, read_to_string, stdin};

use clap::{Args, Subcommand};
use linkspan_auth::client::{ClientOptions, client_metadata};
use linkspan_auth_io::{HttpTransport, import_mcp_remote, mcp_remote_lookup, open_page, work};
use url::Url;

use self::secret::SecretCommand;
use crate::args::RemoteArgs;
use crate::environment::{mcp_remote_folder, variable};
use crate::exit::{Exit, Failure};
use crate::remote::remote;
use crate::show::{clean, say};
use crate::sign_in::{no_state, settings, store_options};

/// The longest page that is opened.
const LONGEST_URL: u64 = 64 * 1024;

// `linkspan auth`
#[derive(Debug, Args)]
pub(crate) struct AuthArgs {
    #[command(subcommand)]
    command: AuthCommand,
}

#[derive(Debug, Subcommand)]
enum AuthCommand {
    /// List the servers that you are signed in to
    #[command(after_help = "Examples:\n  linkspan auth list\n  linkspan auth list --json")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take over the sign-in of another program
    #[command(
        after_help = "Example:\n  linkspan auth import mcp-remote https://mcp.example.com/mcp"
    )]
    Import(Box<ImportArgs>),
    /// Print a client metadata document to publish at URL
    #[command(
        after_help = "Example:\n  linkspan auth client-metadata --port 8976 https://me.example/linkspan.json"
    )]
    ClientMetadata {
        /// Where you will publish it; this is the client id
        #[arg(value_name = "URL")]
        url: Url,
        /// The port that the browser is sent back to: give it as --callback-port as well
        #[arg(long, value_name = "N")]
        port: u16,
    },
    /// Keep secrets that a configuration of `gateway` names as ${keyring:NAME}
    #[command(
        after_help = "Examples:\n  linkspan auth secret set search < key.txt\n  linkspan auth secret list\n  linkspan auth secret remove search"
    )]
    Secret {
        #[command(subcommand)]
        command: SecretCommand,
    },
    /// Renew or obtain tokens (linkspan runs this itself)
    #[command(hide = true)]
    Worker,
    /// Open the page on stdin in a browser (linkspan runs this itself)
    #[command(hide = true)]
    Browser,
}

#[derive(Debug, Args)]
struct ImportArgs {
    /// The program
    #[arg(value_name = "PROGRAM", value_parser = ["mcp-remote"])]
    program: String,
    /// The server, as it was given to that program
    #[arg(value_name = "URL")]
    url: String,
    /// Its --resource, if it was given one
    #[arg(long, value_name = "URI")]
    resource: Option<String>,
    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(args: AuthArgs) -> Result<Exit, Failure> {
    match args.command {
        AuthCommand::List { json } => list::run(json),
        AuthCommand::Import(args) => import(*args).await,
        AuthCommand::ClientMetadata { url, port } => {
            let document = client_metadata(&url, "linkspan", port);
            say!(
                "{}",
                serde_json::to_string_pretty(&document).unwrap_or_default()
            );
            Ok(Exit::Ok)
        }
        AuthCommand::Secret { command } => secret::run(&command),
        AuthCommand::Worker => {
            let done = work(std::io::stdin(), std::io::stdout(), &variable).await;
            done.map_err(|error| Failure::usage(format!("there is no order on stdin: {error}")))?;
            Ok(Exit::Ok)
        }
        AuthCommand::Browser => {
            let page = read_to_string(stdin().take(LONGEST_URL)).unwrap_or_default();
            match Url::parse(page.trim()) {
                Ok(page) if open_page(&page).await => Ok(Exit::Ok),
                _ => Err(Failure::new(Exit::Unreachable, "no browser was started")),
            }
        }
    }
}

async fn import(args: ImportArgs) -> Result<Exit, Failure> {
    let options = remote(&args.url, &args.remote)?;
    let transport = HttpTransport::new(options.clone());
    let settings = settings(options, &args.remote, store_options().ok_or_else(no_state)?)?;
    let folder = mcp_remote_folder().ok_or_else(no_state)?;
    // It says which files to read. The sign-in is found again without it.
    let named = ClientOptions {
        resource: args.resource,
        ..(*settings.client).clone()
    };
    let lookup = mcp_remote_lookup(&named, &args.url, &args.remote.headers);
    let record = import_mcp_remote(&settings, &transport, &folder, &lookup).await?;
    say!(
        "took over the sign-in to {} at {}",
        clean(&record.shown_server()),
        clean(&record.issuer)
    );
    Ok(Exit::Ok)
}
