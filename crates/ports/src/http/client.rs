//! The HTTP client: connection pool and TLS.

use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use super::body::Telling;
use super::dial::{Dial, Timed};
use super::given::OrGiven;
use super::options::HttpOptions;
use super::options_error::OptionsError;

/// What sends requests.
pub(super) type Client = Pool<Timed<HttpsConnector<Dial>>, Telling>;

/// Node closes idle connections after 5 s. It is unknown whether a request that was sent on a closing connection has
/// run, so the connection is closed earlier.
const IDLE_PLAIN: Duration = Duration::from_secs(4);
const IDLE_TLS: Duration = Duration::from_secs(50);

pub(super) fn client(options: &HttpOptions, uri: &Uri) -> Result<Client, OptionsError> {
    let tls = uri.scheme_str() == Some("https");
    let secured = HttpsConnectorBuilder::new()
        .with_tls_config(config(options, tls)?)
        .https_or_http()
        .enable_all_versions()
        .wrap_connector(Dial::new(options, uri)?);
    let connector = Timed {
        inner: secured,
        limit: options.connect_timeout,
    };
    Ok(Pool::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .timer(TokioTimer::new())
        .pool_idle_timeout(if tls { IDLE_TLS } else { IDLE_PLAIN })
        .http2_adaptive_window(true)
        .http2_keep_alive_interval(Duration::from_secs(30))
        .http2_keep_alive_timeout(Duration::from_secs(20))
        .build(connector))
}

fn config(options: &HttpOptions, tls: bool) -> Result<ClientConfig, OptionsError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder
        .with_safe_default_protocol_versions()
        .map_err(unusable)?;
    if !tls {
        // Reading the system's certificates takes longer than everything else at start-up.
        let none = RootCertStore::empty();
        return Ok(builder.with_root_certificates(none).with_no_client_auth());
    }
    let given = match &options.ca {
        Some(pem) => CertificateDer::pem_slice_iter(pem)
            .collect::<Result<Vec<_>, _>>()
            .map_err(unusable)?,
        None => Vec::new(),
    };
    if options.ca.is_some() && given.is_empty() {
        return Err(OptionsError::Tls(
            "there is no certificate in that file".to_owned(),
        ));
    }
    let inner = Verifier::new_with_extra_roots(given.clone(), provider).map_err(unusable)?;
    let verifier = OrGiven { inner, given };
    Ok(builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

fn unusable(error: impl std::fmt::Display) -> OptionsError {
    OptionsError::Tls(error.to_string())
}
