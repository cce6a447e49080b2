//! The HTTP client: pools, TLS, proxies.

use std::time::Duration;

use reqwest::{Certificate, Client, redirect};

use super::options::{HttpOptions, OptionsError, is_loopback};

/// Node closes idle connections after 5 s. A request that meets the closing of its connection may
/// or may not have run, so we would rather connect again than take that chance.
const IDLE_PLAIN: Duration = Duration::from_secs(4);
const IDLE_TLS: Duration = Duration::from_secs(50);

pub(super) fn client(options: &HttpOptions) -> Result<Client, OptionsError> {
    let tls = options.url.scheme() == "https";
    let mut builder = Client::builder()
        .connect_timeout(options.connect_timeout)
        .tcp_nodelay(true)
        .tcp_keepalive(Duration::from_secs(30))
        .http2_keep_alive_interval(Duration::from_secs(30))
        .http2_keep_alive_timeout(Duration::from_secs(20))
        .http2_adaptive_window(true)
        .pool_idle_timeout(if tls { IDLE_TLS } else { IDLE_PLAIN })
        // Same-origin redirects are followed by hand: the body must be sent again, and credentials
        // must never reach another origin.
        .redirect(redirect::Policy::none())
        .user_agent(concat!("linkspan/", env!("CARGO_PKG_VERSION")));
    if is_loopback(options.url.host_str().unwrap_or_default()) {
        // A proxy has another idea of what localhost is.
        builder = builder.no_proxy();
    }
    let extra = match &options.ca {
        Some(pem) => Certificate::from_pem_bundle(pem).map_err(tls_error)?,
        None => Vec::new(),
    };
    builder = if tls {
        builder.tls_certs_merge(extra)
    } else {
        // Reading the system's certificates takes longer than everything else at start-up.
        builder.tls_certs_only(extra)
    };
    builder.build().map_err(tls_error)
}

fn tls_error(error: reqwest::Error) -> OptionsError {
    OptionsError::Tls(super::sending::chain(&error))
}
