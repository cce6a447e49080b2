//! Pages for the browser of this machine: a listener that no other machine can reach.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, REFERRER_POLICY,
};
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Connections at once, the time for the head of a request, and for a whole connection.
const CONNECTIONS: usize = 16;
const HEAD: Duration = Duration::from_secs(10);
const CONNECTION: Duration = Duration::from_secs(60);

/// A page, or an error.
pub type PageResponse = Response<Full<Bytes>>;

/// A listener on this machine only.
pub struct Loopback {
    listeners: Vec<TcpListener>,
    port: u16,
}

impl Loopback {
    /// Listens on this port of both address families; 0 takes any.
    pub async fn at(port: u16) -> io::Result<Self> {
        let first = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let port = first.local_addr()?.port();
        let mut listeners = vec![first];
        // A browser may take `localhost` for the address of either family.
        match TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await {
            Ok(second) => listeners.push(second),
            Err(error) => tracing::debug!("no IPv6 listener: {error}"),
        }
        Ok(Self { listeners, port })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Answers requests until the future is dropped.
    pub async fn serve<R, F>(self, respond: R)
    where
        R: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = PageResponse> + Send + 'static,
    {
        let slots = Arc::new(Semaphore::new(CONNECTIONS));
        let mut accepting = tokio::task::JoinSet::new();
        for listener in self.listeners {
            accepting.spawn(accept(listener, respond.clone(), Arc::clone(&slots)));
        }
        while accepting.join_next().await.is_some() {}
    }
}

async fn accept<R, F>(listener: TcpListener, respond: R, slots: Arc<Semaphore>)
where
    R: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = PageResponse> + Send + 'static,
{
    loop {
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((stream, _)) => {
                let respond = respond.clone();
                tokio::spawn(async move {
                    let _ = tokio::time::timeout(CONNECTION, converse(stream, respond)).await;
                    drop(slot);
                });
            }
            // Out of descriptors, for the moment.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn converse<R, F>(stream: TcpStream, respond: R)
where
    R: Fn(Request<Incoming>) -> F + Send + Sync + 'static,
    F: Future<Output = PageResponse> + Send + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let response = respond(request);
        async { Ok::<_, Infallible>(response.await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(64 * 1024)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = served.await {
        tracing::debug!("a connection to a local page: {error}");
    }
}

/// A page that loads nothing, is stored nowhere, cannot be framed, and sends forms to its own origin only.
pub fn html_page(status: StatusCode, html: String) -> PageResponse {
    let mut response = Response::new(Full::new(Bytes::from(html)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

/// A text for the content or the quoted attribute of an HTML element.
pub fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
