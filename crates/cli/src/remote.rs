//! The options of a remote server, from flags; secrets are read from the environment.

use std::path::PathBuf;

use linkspan_auth_io::aws::sign_for_aws;
use linkspan_ports::{HttpOptions, token_in};
use linkspan_wire::Limits;

use crate::args::RemoteArgs;
use crate::environment::secret_variables;
use crate::exit::Failure;

pub(crate) fn remote(url: &str, args: &RemoteArgs) -> Result<HttpOptions, Failure> {
    let lookup = |name: &str| std::env::var(name).ok();
    let mut options = HttpOptions::new(url, args.insecure_http)?;
    options.proxy_from(&lookup);
    options.credentials(&args.headers, args.bearer_env.as_deref(), &lookup)?;
    options.ca = certificates(args)?;
    if let Some(flags) = args.aws.flags() {
        sign_for_aws(&mut options, flags, &lookup, secret_variables())?;
    }
    options.transport = args.transport;
    options.retries = args.retries;
    options.retry_delay = args.retry_delay;
    options.connect_timeout = args.connect_timeout;
    options.limits = Limits::new(args.max_message);
    Ok(options)
}

/// The certificates of `--ca`.
pub(crate) fn certificates(args: &RemoteArgs) -> Result<Option<Vec<u8>>, Failure> {
    let read = |file: &PathBuf| {
        let pem = std::fs::read(file);
        pem.map_err(|e| Failure::usage(format!("cannot read {}: {e}", file.display())))
    };
    args.ca.as_ref().map(read).transpose()
}

/// The token in the environment variable that a flag names.
pub(crate) fn token_of(flag: &str, variable: &str) -> Result<String, Failure> {
    let value = std::env::var(variable).ok();
    Ok(token_in(flag, variable, value.as_deref())?)
}
