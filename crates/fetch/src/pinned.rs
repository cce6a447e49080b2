//! A connection to a checked address.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::crypto::aws_lc_rs;
use rustls_platform_verifier::Verifier;
use tokio::net::TcpStream;
use tower_service::Service;

use super::FetchError;

pub(super) type Stream = MaybeHttpsStream<TokioIo<TcpStream>>;

/// The TLS configuration with the system's certificates.
pub(super) fn tls() -> Result<ClientConfig, FetchError> {
    let broken = |e: rustls::Error| FetchError::Tls(e.to_string());
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = Verifier::new(provider.clone()).map_err(broken)?;
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder
        .with_safe_default_protocol_versions()
        .map_err(broken)?;
    Ok(builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

/// Connects to one of the addresses and verifies the certificate for the host of the URI.
pub(super) async fn connect(
    tls: ClientConfig,
    addresses: Vec<SocketAddr>,
    uri: Uri,
) -> Result<Stream, ConnectError> {
    let mut connector: HttpsConnector<Pinned> = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_only()
        .enable_http1()
        .wrap_connector(Pinned(addresses));
    connector.call(uri).await.map_err(ConnectError)
}

/// TCP or TLS failed. The text names all causes.
#[derive(Debug)]
pub(super) struct ConnectError(Box<dyn Error + Send + Sync>);

impl Error for ConnectError {}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut why = self.0.to_string();
        let mut cause = self.0.source();
        while let Some(inner) = cause {
            let inner_text = inner.to_string();
            if !why.contains(&inner_text) {
                why = format!("{why}: {inner_text}");
            }
            cause = inner.source();
        }
        f.write_str(&why)
    }
}

/// A connector that ignores the name and connects to these addresses.
#[derive(Clone)]
struct Pinned(Vec<SocketAddr>);

impl Service<Uri> for Pinned {
    type Response = TokioIo<TcpStream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let addresses = self.0.clone();
        Box::pin(async move {
            // No lookup: these are addresses.
            let stream = TcpStream::connect(&addresses[..]).await?;
            stream.set_nodelay(true)?;
            Ok(TokioIo::new(stream))
        })
    }
}
