//! How a folder of scripts is read and its scripts run, for every command that does that.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use linkspan_mcp_bash::FolderLayout;

use super::listen::at_least_one;
use super::named::explained;

/// The heading of these flags.
pub(super) const HEADING: &str = "Folder";

// How a folder is read and its scripts run, whichever command does that.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = HEADING)]
pub(crate) struct FolderArgs {
    /// Folder layout: linkspan's own or mcp-bash's
    #[arg(long, value_name = "LAYOUT", default_value = "auto", value_parser = explained(&FolderLayout::NAMED))]
    pub(crate) compat: FolderLayout,
    /// File or folder that clients may read by file: URIs; may be repeated
    #[arg(long, value_name = "PATH")]
    pub(crate) root: Vec<PathBuf>,
    /// Let clients read URIs of this scheme, which reach other machines; may be repeated
    #[arg(long, value_enum, value_name = "SCHEME")]
    pub(crate) allow_provider: Vec<Reach>,
    /// Allow only this host in https: and git+https: URIs; *.HOST means its subdomains; with a
    /// port it may be on this machine or in a private network; may be repeated
    #[arg(
        long,
        value_name = "HOST[:PORT]",
        requires = "allow_provider",
        hide_short_help = true
    )]
    pub(crate) https_host: Vec<String>,
    /// Minimum sandbox level: 0 none, 1 no privilege gain (setuid), 2 only declared files and ports
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=2))]
    pub(crate) sandbox: Option<u8>,
    /// Most calls at once; further ones wait
    #[arg(long, value_name = "N", value_parser = at_least_one, hide_short_help = true)]
    pub(crate) concurrency: Option<usize>,
    /// Accept a folder that other users can write to, and so decide what runs
    #[arg(long)]
    pub(crate) insecure_writable: bool,
}

impl Default for FolderArgs {
    /// The defaults of the flags.
    fn default() -> Self {
        Self {
            compat: FolderLayout::Auto,
            root: Vec::new(),
            allow_provider: Vec::new(),
            https_host: Vec::new(),
            sandbox: None,
            concurrency: None,
            insecure_writable: false,
        }
    }
}

/// Our providers that access other machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reach {
    /// git:///… (a repository of this machine) and git+https://…
    Git,
    /// https://…
    Https,
}
