//! How to reach a remote server.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args};
use linkspan_ports::Transport;
use linkspan_wire::parse_size;

use super::named::explained;
use super::values::{millis, seconds};
use crate::args::acp::AcpArgs;
use crate::args::aws::AwsArgs;
use crate::args::sign_in::SignInArgs;

/// The default of `--timeout`.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(3600);

// How to reach a remote server.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Remote server")]
pub(crate) struct RemoteArgs {
    /// Send this header with every request; ${VAR} is replaced from the environment; never logged
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", action = ArgAction::Append)]
    pub(crate) headers: Vec<String>,
    /// Send variable VAR (VAR?: if set) as bearer token; never logged
    #[arg(long, value_name = "VAR")]
    pub(crate) bearer_env: Option<String>,
    /// Transport: Streamable HTTP or the older HTTP+SSE
    #[arg(long, default_value = "auto", value_parser = explained(&Transport::NAMED))]
    pub(crate) transport: Transport,
    /// Give up after this long without an answer or progress, and after 30 s without a first answer if this is
    /// not given; 0 never gives up
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Give up one connection attempt after this long
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, hide_short_help = true)]
    pub(crate) connect_timeout: Duration,
    /// Retry a failed connection this many times
    #[arg(long, value_name = "N", default_value = "3", hide_short_help = true)]
    pub(crate) retries: u32,
    /// Milliseconds before the first retry; doubles each time
    #[arg(long, value_name = "MS", default_value = "100", value_parser = millis, hide_short_help = true)]
    pub(crate) retry_delay: Duration,
    /// Also trust the certificates in FILE (PEM)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) ca: Option<PathBuf>,
    /// Allow plain http:// to other machines, which is not encrypted
    #[arg(long, hide_short_help = true)]
    pub(crate) insecure_http: bool,
    /// Largest message, for example 64MiB
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = parse_size, hide_short_help = true)]
    pub(crate) max_message: usize,
    #[command(flatten)]
    pub(crate) aws: AwsArgs,
    #[command(flatten)]
    pub(crate) sign_in: SignInArgs,
    #[command(flatten)]
    pub(crate) acp: AcpArgs,
}

impl RemoteArgs {
    /// The flags with credentials, as words of a command line.
    pub(crate) fn credentials(&self) -> Vec<String> {
        let bearer = self.bearer_env.iter().map(|name| ("--bearer-env", name));
        let headers = self.headers.iter().map(|header| ("-H", header));
        bearer
            .chain(headers)
            .flat_map(|(flag, value)| [flag.to_owned(), value.clone()])
            .chain(self.aws.words())
            .collect()
    }
}
