//! Accepts connections, and lets them finish when it is told to stop.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioTimer;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use super::figures::Figures;
use super::hall::Hall;
use super::house::House;
use super::options::FrontOptions;
use super::socket::Socket;

/// Connections for each request that may be in flight: most are waiting for the next one.
const CONNECTIONS: usize = 4;
/// What the head of a request may weigh.
const HEAD: usize = 64 * 1024;
/// How long to wait when the system has no socket left for us.
const BREATHER: Duration = Duration::from_millis(100);

/// An HTTP server in front of a [`House`].
pub struct Front<H> {
    listener: TcpListener,
    hall: Arc<Hall<H>>,
}

/// What connections are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    /// Finish what is under way.
    Finish,
    /// That has taken too long.
    Leave,
}

impl<H: House> Front<H> {
    /// Serves the house's guests on a socket that is bound already.
    pub fn new(listener: TcpListener, options: FrontOptions, house: Arc<H>) -> io::Result<Self> {
        let bound = listener.local_addr()?;
        let hall = Arc::new(Hall::new(options, house, bound));
        Ok(Self { listener, hall })
    }

    /// Tells at any time how much there is to do.
    pub fn figures(&self) -> Figures {
        self.hall.figures()
    }

    /// Serves until `stop` resolves; then nobody is let in any more, sessions are closed, and what is
    /// under way may finish, for a limited time.
    ///
    /// The house should end its calls on the same signal: the answers are its own.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let options = &self.hall.options;
        let most = options.max_in_flight.saturating_mul(CONNECTIONS);
        let most = most.min(Semaphore::MAX_PERMITS / 2);
        let places = Arc::new(Semaphore::new(most));
        let (tell, told) = watch::channel(Phase::Open);
        let serve = http();
        tokio::pin!(stop);
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut stop => break,
                accepted = accept(&self.listener, &places) => accepted,
            };
            match accepted {
                Ok((stream, place)) => {
                    let hall = Arc::clone(&self.hall);
                    let mut builder = serve.clone();
                    builder.header_read_timeout(options.header_timeout);
                    tokio::spawn(converse(builder, hall, stream, told.clone(), place));
                }
                Err(e) => {
                    tracing::warn!("cannot accept a connection: {e}");
                    sleep(BREATHER).await;
                }
            }
        }
        drop(self.listener);
        drop(told);
        self.hall.sessions.close_all();
        let _ = tell.send(Phase::Finish);
        let drained = async {
            // Connections go when they have nothing more to say; then nobody watches.
            tell.closed().await;
            let rooms = self.hall.options.max_sessions;
            let rooms = u32::try_from(rooms).unwrap_or(u32::MAX);
            let _ = self.hall.rooms.acquire_many(rooms).await;
        };
        let drain = self.hall.options.drain;
        if timeout(drain, drained).await.is_err() {
            let _ = tell.send(Phase::Leave);
            let _ = timeout(BREATHER, tell.closed()).await;
        }
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    // Whoever finds no place waits in the system's queue.
    let place = Arc::clone(places).acquire_owned().await;
    let place = place.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, place))
}

fn http() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).max_header_size(HEAD);
    builder
}

/// One connection, to its end.
async fn converse<H: House>(
    builder: http1::Builder,
    hall: Arc<Hall<H>>,
    stream: TcpStream,
    mut told: watch::Receiver<Phase>,
    _place: OwnedSemaphorePermit,
) {
    let socket = Socket::new(stream, hall.options.write_timeout);
    let service = service_fn(move |request| Arc::clone(&hall).serve(request));
    let connection = builder.serve_connection(socket, service);
    tokio::pin!(connection);
    loop {
        tokio::select! {
            biased;
            ended = connection.as_mut() => {
                if let Err(e) = ended {
                    tracing::debug!("a connection broke: {e}");
                }
                return;
            }
            _ = told.changed() => match *told.borrow_and_update() {
                Phase::Open => {}
                Phase::Finish => connection.as_mut().graceful_shutdown(),
                Phase::Leave => return,
            },
        }
    }
}
