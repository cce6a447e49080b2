//! How a connection is made: directly, or through a proxy.

#[cfg(unix)]
use std::path::Path;
use std::pin::Pin;
#[cfg(unix)]
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy::connect::dns::GaiResolver;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::time::timeout;
use tower_service::Service;

use super::options::HttpOptions;
use super::options_error::OptionsError;
use super::resolve::Resolver;
use crate::byte_stream::ByteStream;

type HttpConnector = hyper_util::client::legacy::connect::HttpConnector<Resolver>;
type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;

/// Opens a connection, without TLS.
#[derive(Clone)]
pub(super) enum Dial {
    Direct(HttpConnector),
    /// Through an HTTP proxy, by CONNECT.
    Tunnel(Tunnel<HttpConnector>),
    Socks(SocksV5<HttpConnector>),
    #[cfg(unix)]
    Unix(Arc<Path>),
}

impl Dial {
    /// Decides once: a port speaks to one origin only.
    pub(super) fn new(options: &HttpOptions, uri: &Uri) -> Result<Self, OptionsError> {
        #[cfg(unix)]
        if let Some(socket) = &options.socket {
            return Ok(Self::Unix(Arc::clone(socket)));
        }
        let proxy = options.route(uri)?;
        let mut tcp = HttpConnector::new_with_resolver(Resolver {
            inner: GaiResolver::new(),
            // The user names the proxy, and the proxy finds the server.
            rule: options.address_rule.filter(|_| proxy.is_none()),
            ipv4_only: options.ipv4_only,
        });
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(Duration::from_secs(30)));
        tcp.set_connect_timeout(Some(options.connect_timeout));
        let Some(proxy) = proxy else {
            return Ok(Self::Direct(tcp));
        };
        let at = proxy.uri().clone();
        tracing::debug!("through the proxy {}", at.host().unwrap_or_default());
        match at.scheme_str() {
            Some(scheme @ ("socks5" | "socks5h")) => {
                let mut socks = SocksV5::new(at.clone(), tcp).local_dns(scheme == "socks5");
                if let Some((user, password)) = proxy.raw_auth() {
                    socks = socks.with_auth(user.to_owned(), password.to_owned());
                }
                Ok(Self::Socks(socks))
            }
            _ => {
                let mut tunnel = Tunnel::new(at, tcp);
                if let Some(credentials) = proxy.basic_auth() {
                    tunnel = tunnel.with_auth(credentials.clone());
                }
                Ok(Self::Tunnel(tunnel))
            }
        }
    }
}

impl Service<Uri> for Dial {
    type Response = TokioIo<ByteStream>;
    type Error = BoxError;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        // None of the three is waited for here.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        match self {
            Self::Direct(dial) => tcp(dial.call(uri)),
            Self::Tunnel(dial) => tcp(dial.call(with_port(uri))),
            Self::Socks(dial) => tcp(dial.call(with_port(uri))),
            #[cfg(unix)]
            Self::Unix(socket) => {
                let socket = Arc::clone(socket);
                Box::pin(async move {
                    let stream = UnixStream::connect(&socket).await?;
                    Ok(TokioIo::new(ByteStream::Unix(stream)))
                })
            }
        }
    }
}

/// A URL with its port, which the connectors to proxies take for 443 otherwise.
fn with_port(uri: Uri) -> Uri {
    if uri.port().is_some() || uri.scheme_str() != Some("http") {
        return uri;
    }
    let mut parts = uri.clone().into_parts();
    let authority = parts.authority.map(|it| format!("{it}:80").parse());
    parts.authority = authority.and_then(Result::ok);
    Uri::from_parts(parts).unwrap_or(uri)
}

/// A connector that gives up: TLS and proxies have no limit of their own.
#[derive(Clone)]
pub(super) struct Timed<C> {
    pub(super) inner: C,
    pub(super) limit: Duration,
}

impl<C> Service<Uri> for Timed<C>
where
    C: Service<Uri>,
    C::Future: Send + 'static,
    C::Response: 'static,
    C::Error: Into<BoxError>,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = Connecting<C::Response>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = self.inner.call(uri);
        let limit = self.limit;
        Box::pin(async move {
            match timeout(limit, connecting).await {
                Ok(connected) => connected.map_err(Into::into),
                Err(_) => Err(format!("no connection within {} s", limit.as_secs_f64()).into()),
            }
        })
    }
}

fn tcp<E>(
    connecting: impl Future<Output = Result<TokioIo<TcpStream>, E>> + Send + 'static,
) -> Connecting<TokioIo<ByteStream>>
where
    E: Into<BoxError>,
{
    Box::pin(async {
        let stream = connecting.await.map_err(Into::into)?.into_inner();
        Ok(TokioIo::new(ByteStream::Tcp(stream)))
    })
}
