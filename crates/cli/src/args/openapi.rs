//! `--openapi`: which document is served, and how its server is reached.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, Args};
use linkspan_openapi_io::OpenOptions;
use linkspan_wire::parse_size;

use super::folder;
use super::listen::only_with_http;
use super::values::seconds;

const HEADING: &str = "OpenAPI";

/// For `serve`: the flags of a folder and those of a document exclude each other.
pub(crate) fn by_source(arg: Arg) -> Arg {
    match arg.get_help_heading() {
        Some(HEADING) if arg.get_id() != "openapi" => arg.requires("openapi"),
        Some(folder::HEADING) => arg.conflicts_with("openapi"),
        _ => only_with_http(arg),
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = HEADING)]
pub(crate) struct OpenapiArgs {
    /// Serve the HTTP API of this OpenAPI document (JSON or YAML) in place of a folder
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) openapi: Option<String>,
    /// URL of the API, in place of the server that the document names
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Serve only operations whose name, tag, path or `METHOD /path` matches; may be repeated
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Leave out operations that match; may be repeated
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Send this header with every request; ${VAR} is replaced from the environment; never logged
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    /// Send variable VAR (VAR?: if set) as bearer token; never logged
    #[arg(long, value_name = "VAR")]
    bearer_env: Option<String>,
    /// Send variable VAR as credentials of a security scheme of the document; may be repeated
    #[arg(long, value_name = "SCHEME=VAR")]
    credential_env: Vec<String>,
    /// Give tools an output schema and results structured content, as the document declares
    #[arg(long, hide_short_help = true)]
    output_schemas: bool,
    /// Give up a call after this long; 0 never gives up
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds, hide_short_help = true)]
    timeout: Duration,
    /// Largest response, for example 1MiB
    #[arg(long, value_name = "SIZE", default_value = "8MiB", value_parser = parse_size, hide_short_help = true)]
    max_response: usize,
    /// Also trust the certificates in FILE (PEM)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    ca: Option<PathBuf>,
    /// Allow plain http:// to other machines, which is not encrypted
    #[arg(long, hide_short_help = true)]
    insecure_http: bool,
}

impl OpenapiArgs {
    pub(crate) fn options(&self, document: &str) -> OpenOptions {
        let mut options = OpenOptions::new(document, |name| std::env::var(name).ok());
        options.read.include.clone_from(&self.include);
        options.read.exclude.clone_from(&self.exclude);
        options.read.output_schemas = self.output_schemas;
        options.base_url.clone_from(&self.base_url);
        options.headers.clone_from(&self.headers);
        options.bearer_env.clone_from(&self.bearer_env);
        options.credential_env.clone_from(&self.credential_env);
        options.ca.clone_from(&self.ca);
        options.insecure_http = self.insecure_http;
        options.timeout = self.timeout;
        options.max_response = self.max_response;
        options
    }
}
