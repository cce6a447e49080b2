//! How a gateway reaches its servers, and how long it keeps them.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser};
use linkspan_gateway_io::{AuditFile, GatewayFiles, PinStore, PinsFile};
use linkspan_wire::parse_size;

use super::listen::at_least_one;
use super::remote::RemoteArgs;
use super::values::seconds;
use crate::environment::pins_file;
use crate::exit::Failure;
use crate::show::path as shown;

// How long servers are kept.
#[derive(Debug, Args)]
#[command(next_help_heading = "Servers")]
pub(crate) struct UpstreamArgs {
    /// End servers and sessions after this long without use; 0 keeps them
    #[arg(long, value_name = "SECONDS", default_value = "1800", value_parser = seconds)]
    pub(crate) idle_timeout: Duration,
    /// Most sessions at once, and most connections to one server
    #[arg(long, value_name = "N", default_value = "256", value_parser = at_least_one, hide_short_help = true)]
    pub(crate) max_sessions: usize,
    /// Fail a call if the client does not answer its question (elicitation) in time
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds, hide_short_help = true)]
    pub(crate) park_timeout: Duration,
    /// Give up a call after this long without an answer or progress; 0 never gives up
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Also trust the certificates in FILE (PEM)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) ca: Option<PathBuf>,
    /// Allow plain http:// to other machines, which is not encrypted
    #[arg(long, hide_short_help = true)]
    pub(crate) insecure_http: bool,
    /// Largest message, for example 64MiB
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = parse_size, hide_short_help = true)]
    pub(crate) max_message: usize,
    /// Print the page of a sign-in instead of opening a browser
    #[arg(long, hide_short_help = true)]
    pub(crate) no_browser: bool,
    /// Do not sign in to servers
    #[arg(long, hide_short_help = true)]
    pub(crate) no_sign_in: bool,
}

// The files of a gateway.
#[derive(Debug, Args)]
pub(crate) struct GatewayFileArgs {
    /// Append a line for each call to FILE (JSON); `linkspan audit verify` checks it
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Write the arguments of calls to the audit log, and not their shape and digest only
    #[arg(long, requires = "audit", hide_short_help = true)]
    pub(crate) audit_arguments: bool,
    /// The file of pins, in place of the usual one
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) pins: Option<PathBuf>,
}

impl GatewayFileArgs {
    /// Opens the files. Without a place for pins there are none.
    pub(crate) fn open(&self) -> Result<GatewayFiles, Failure> {
        let audit = |path: &PathBuf| {
            AuditFile::open(path).map_err(|error| {
                let what = format!("--audit {}: {error}", shown(path));
                Failure::usage(what).hint(error.hint())
            })
        };
        let pins = self.pins.clone().or_else(pins_file).map(PinsFile::new);
        Ok(GatewayFiles {
            pins: pins.map(PinStore::open).transpose()?,
            audit: self.audit.as_ref().map(audit).transpose()?,
            audit_arguments: self.audit_arguments,
        })
    }
}

impl UpstreamArgs {
    /// The flags of one remote server, with the defaults where the gateway has none.
    pub(crate) fn remote(&self) -> RemoteArgs {
        #[derive(Parser)]
        struct Defaults {
            #[command(flatten)]
            remote: RemoteArgs,
        }
        let mut remote = Defaults::parse_from(["linkspan"]).remote;
        remote.timeout = self.timeout;
        remote.ca = self.ca.clone();
        remote.insecure_http = self.insecure_http;
        remote.max_message = self.max_message;
        remote.sign_in.no_browser = self.no_browser;
        remote.sign_in.no_sign_in = self.no_sign_in;
        remote
    }
}
