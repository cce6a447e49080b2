//! Errors of a fetch.

use crate::{REDIRECTS, WHOLE};

/// Why a file was not fetched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The URL is not https, or has credentials.
    #[error("this is not an https:// URL without credentials")]
    Url,
    /// The host is not in `--https-host`.
    #[error("`{0}` is not an allowed host: allow it with --https-host")]
    NotNamed(String),
    /// The port is not in `--https-host`.
    #[error(
        "port {port} of `{host}` is not allowed: if it is intended, allow it with --https-host {host}:{port}"
    )]
    Port {
        /// The host of the URL.
        host: String,
        /// The port of the URL.
        port: u16,
    },
    /// The host resolves to a private or special address.
    #[error(
        "`{host}` is {what}, which is not allowed: if it is intended, allow it with --https-host {host}:{port}"
    )]
    Special {
        /// The host of the URL.
        host: String,
        /// The kind of address that it resolves to.
        what: &'static str,
        /// The port of the URL.
        port: u16,
    },
    /// The name cannot be resolved.
    #[error("the host `{host}` cannot be resolved: {why}; check its spelling and the network")]
    Unknown {
        /// The host of the URL.
        host: String,
        /// The error of the resolver.
        why: String,
    },
    /// TLS cannot be used here.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
    /// TCP or TLS failed.
    #[error("`{host}` cannot be reached: {why}{}", aside(*.proxy))]
    Connect {
        /// The host of the URL.
        host: String,
        /// The error of the connection.
        why: String,
        /// Whether a proxy is configured; this crate uses none.
        proxy: bool,
    },
    /// The response ended early or is not HTTP.
    #[error("`{host}` did not answer properly: {why}; try again later")]
    Broken {
        /// The host of the URL.
        host: String,
        /// The error of the connection.
        why: String,
    },
    /// Status 404 or 410.
    #[error("not found on `{0}`")]
    NotFound(String),
    /// The status is no success and no redirect.
    #[error("`{host}` answers with status {status}: does the URL need credentials?")]
    Status {
        /// The host of the URL.
        host: String,
        /// The status of the response.
        status: u16,
    },
    /// Too many redirects.
    #[error("more than {REDIRECTS} redirects: use the final URL")]
    Redirects,
    /// The file is larger than the limit.
    #[error("it has more than {0} bytes, the limit")]
    TooLarge(usize),
    /// The fetch took longer than the limit.
    #[error("it takes longer than {} seconds: try again later", WHOLE.as_secs())]
    TooSlow,
}

fn aside(proxy: bool) -> &'static str {
    if proxy {
        " (proxies of the environment are not used: they would resolve names themselves)"
    } else {
        ""
    }
}

impl FetchError {
    /// Whether our own rules refused the request.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::NotNamed(_) | Self::Port { .. } | Self::Special { .. }
        )
    }
}
