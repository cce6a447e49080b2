//! Why a file cannot be fetched.

use crate::{REDIRECTS, WHOLE};

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// Not an https URL, or one with credentials.
    #[error("this is not an https:// URL without credentials")]
    Url,
    /// The host is not on the list.
    #[error("`{0}` is not an allowed host: allow it with --https-host")]
    NotNamed(String),
    /// The port is not on the list.
    #[error(
        "port {port} of `{host}` is not allowed: if it is intended, allow it with --https-host {host}:{port}"
    )]
    Port {
        /// Of the URL.
        host: String,
        /// Of the URL.
        port: u16,
    },
    /// The address is in a network that only we can reach.
    #[error(
        "`{host}` is {what}, which is not allowed: if it is intended, allow it with --https-host {host}:{port}"
    )]
    Special {
        /// Of the URL.
        host: String,
        /// What it turned out to be.
        what: &'static str,
        /// Of the URL.
        port: u16,
    },
    /// The name cannot be resolved.
    #[error("the host `{host}` cannot be resolved: {why}; check its spelling and the network")]
    Unknown {
        /// Of the URL.
        host: String,
        /// What the resolver said.
        why: String,
    },
    /// TLS cannot be used here.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
    /// TCP or TLS failed.
    #[error("`{host}` cannot be reached: {why}{}", aside(*.proxy))]
    Connect {
        /// Of the URL.
        host: String,
        /// In a few words.
        why: String,
        /// Whether a proxy is configured, which is not used.
        proxy: bool,
    },
    /// The response ended early or is not HTTP.
    #[error("`{host}` did not answer properly: {why}; try again later")]
    Broken {
        /// Of the URL.
        host: String,
        /// In a few words.
        why: String,
    },
    /// Status 404 or 410.
    #[error("not found on `{0}`")]
    NotFound(String),
    /// Another status that is no success.
    #[error("`{host}` answers with status {status}: does the URL need credentials?")]
    Status {
        /// Of the URL.
        host: String,
        /// Of the answer.
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
        " (proxies of the environment are not used: they look names up by themselves)"
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
