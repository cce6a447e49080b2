//! Accepts connections, and lets them finish at shutdown.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioTimer;
use tokio::time::{sleep, timeout};

use super::connections::{CLOSING, Connection, Connections, affordable};
use super::figures::FrontFigures;
use super::front_listener::FrontListener;
use super::options::FrontOptions;
use super::phase::Phase;
use super::router::Router;
use super::service::FrontService;
use super::socket::Socket;
use crate::byte_stream::ByteStream;

/// Connections per request slot: most connections are idle.
const CONNECTIONS: usize = 4;
/// The minimum, whatever the number of request slots is.
const LEAST_CONNECTIONS: usize = 64;
/// The size limit of a request's head.
const HEAD: usize = 64 * 1024;
/// The pause after an accept that failed for want of a socket.
const BREATHER: Duration = Duration::from_millis(100);

/// An HTTP server in front of a [`FrontService`].
pub struct Front<H> {
    listener: FrontListener,
    router: Arc<Router<H>>,
}

impl<H: FrontService> Front<H> {
    /// Serves the clients of `service` on a bound socket. Fails if the path is taken.
    pub fn new(
        listener: impl Into<FrontListener>,
        options: FrontOptions,
        service: Arc<H>,
    ) -> io::Result<Self> {
        if let Some(path) = options.clash() {
            let why = format!("something else is served at {path}; choose another path");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let listener = listener.into();
        let bound = listener.address()?;
        let router = Arc::new(Router::new(options, service, bound));
        Ok(Self { listener, router })
    }

    /// Returns the load figures, which stay up to date.
    pub fn figures(&self) -> FrontFigures {
        self.router.figures()
    }

    /// Serves until `stop` resolves. Then no connection is accepted; requests in flight may finish, are then answered
    /// with an error, and at last cut off, each after a limited time.
    ///
    /// `give_up` is called when the wait for requests is over: the service should end its calls then.
    pub async fn serve(self, stop: impl Future<Output = ()>, give_up: impl FnOnce()) {
        let options = &self.router.options;
        let most = (options.max_in_flight * CONNECTIONS).max(LEAST_CONNECTIONS);
        let connections = Connections::new(affordable(most));
        let http = http(options);
        tokio::pin!(stop);
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut stop => break,
                accepted = accept(&self.listener, &connections) => accepted,
            };
            match accepted {
                Ok((stream, connection)) => {
                    let router = Arc::clone(&self.router);
                    tokio::spawn(converse(http.clone(), router, stream, connection));
                }
                Err(e) => {
                    tracing::warn!("cannot accept a connection: {e}");
                    // The system may have no socket left; closing an idle connection frees one.
                    connections.shrink().await;
                }
            }
        }
        drop(self.listener);
        close(&self.router, give_up).await;
    }
}

/// Closes every connection.
async fn close<H>(router: &Router<H>, give_up: impl FnOnce()) {
    router.sessions.close_all();
    router.phase.send_replace(Phase::Finish);
    let done = async {
        // Connections end when nothing is left to send; then the phase has no receiver.
        router.phase.closed().await;
        let session_slots = u32::try_from(router.options.max_sessions).unwrap_or(u32::MAX);
        let _ = router.session_slots.acquire_many(session_slots).await;
    };
    tokio::pin!(done);
    let drain = router.options.drain;
    if timeout(drain / 5, done.as_mut()).await.is_ok() {
        return;
    }
    give_up();
    router.phase.send_replace(Phase::GiveUp);
    if timeout(drain, done.as_mut()).await.is_ok() {
        return;
    }
    router.phase.send_replace(Phase::Leave);
    let _ = timeout(BREATHER, done).await;
}

async fn accept(
    listener: &FrontListener,
    connections: &Arc<Connections>,
) -> io::Result<(ByteStream, Arc<Connection>)> {
    let stream = listener.accept().await?;
    // Room is made only now, so that no connection is closed before its place is needed.
    connections.room().await;
    Ok((stream, connections.add()))
}

fn http(options: &FrontOptions) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(options.header_timeout)
        .max_header_size(HEAD);
    builder
}

/// Serves one connection to its end.
async fn converse<H: FrontService>(
    http: http1::Builder,
    router: Arc<Router<H>>,
    stream: ByteStream,
    connection: Arc<Connection>,
) {
    let socket = Socket::new(stream, router.options.write_timeout).of(&connection);
    let mut phase = router.phase.subscribe();
    let here = Arc::clone(&connection);
    let serve = service_fn(move |request| Arc::clone(&router).serve(request, here.serve()));
    let conversation = http.serve_connection(socket, serve).with_upgrades();
    tokio::pin!(conversation);
    let mut leaving = false;
    loop {
        tokio::select! {
            biased;
            ended = conversation.as_mut() => {
                if let Err(e) = ended {
                    tracing::debug!("a connection broke: {e}");
                }
                return;
            }
            _ = phase.changed() => match *phase.borrow_and_update() {
                Phase::Open | Phase::GiveUp => {}
                Phase::Finish => conversation.as_mut().graceful_shutdown(),
                Phase::Leave => return,
            },
            // A response that was begun is still written.
            () = connection.told_to_close() => {
                if !connection.has_served() {
                    return;
                }
                conversation.as_mut().graceful_shutdown();
                leaving = true;
            }
            // The client may still be sending a refused body.
            () = sleep(CLOSING), if leaving => {
                if !connection.is_serving() {
                    return;
                }
            }
        }
    }
}
