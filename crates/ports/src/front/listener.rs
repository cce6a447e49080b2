//! Accepts connections, and lets them finish when it is told to stop.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioTimer;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use super::connections::{CLOSING, Connection, Connections, affordable};
use super::figures::Figures;
use super::hall::Hall;
use super::house::House;
use super::options::FrontOptions;
use super::phase::Phase;
use super::socket::Socket;

/// Connections for each request that may be in flight: most are waiting for the next one.
const CONNECTIONS: usize = 4;
/// Not fewer than this, however few requests there may be.
const LEAST_CONNECTIONS: usize = 64;
/// What the head of a request may weigh.
const HEAD: usize = 64 * 1024;
/// How long to wait when the system has no socket left for us.
const BREATHER: Duration = Duration::from_millis(100);

/// An HTTP server in front of a [`House`].
pub struct Front<H> {
    listener: TcpListener,
    hall: Arc<Hall<H>>,
}

impl<H: House> Front<H> {
    /// Serves the house's guests on a socket that is bound already, at a path that is free.
    pub fn new(listener: TcpListener, options: FrontOptions, house: Arc<H>) -> io::Result<Self> {
        if let Some(path) = options.clash() {
            let why = format!("something else is served at {path}; choose another path");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let bound = listener.local_addr()?;
        let hall = Arc::new(Hall::new(options, house, bound));
        Ok(Self { listener, hall })
    }

    /// Tells at any time how much there is to do.
    pub fn figures(&self) -> Figures {
        self.hall.figures()
    }

    /// Serves until `stop` resolves; then nobody is let in any more, and what is under way may
    /// finish, is then answered with an error, and at last cut off, each after a limited time.
    ///
    /// `give_up` is called when nothing is waited for any more: the house should end its calls then.
    pub async fn serve(self, stop: impl Future<Output = ()>, give_up: impl FnOnce()) {
        let options = &self.hall.options;
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
                    let hall = Arc::clone(&self.hall);
                    tokio::spawn(converse(http.clone(), hall, stream, connection));
                }
                Err(e) => {
                    tracing::warn!("cannot accept a connection: {e}");
                    // The system may have no socket left for us; one that is idle can be spared.
                    connections.shrink().await;
                }
            }
        }
        drop(self.listener);
        close(&self.hall, give_up).await;
    }
}

/// Lets everybody out.
async fn close<H>(hall: &Hall<H>, give_up: impl FnOnce()) {
    hall.sessions.close_all();
    hall.phase.send_replace(Phase::Finish);
    let done = async {
        // Connections go when they have nothing more to say; then nobody watches the phase.
        hall.phase.closed().await;
        let rooms = u32::try_from(hall.options.max_sessions).unwrap_or(u32::MAX);
        let _ = hall.rooms.acquire_many(rooms).await;
    };
    tokio::pin!(done);
    let drain = hall.options.drain;
    if timeout(drain / 5, done.as_mut()).await.is_ok() {
        return;
    }
    give_up();
    hall.phase.send_replace(Phase::GiveUp);
    if timeout(drain, done.as_mut()).await.is_ok() {
        return;
    }
    hall.phase.send_replace(Phase::Leave);
    let _ = timeout(BREATHER, done).await;
}

async fn accept(
    listener: &TcpListener,
    connections: &Arc<Connections>,
) -> io::Result<(TcpStream, Arc<Connection>)> {
    let (stream, _) = listener.accept().await?;
    // Only now: nothing is closed before it is needed.
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

/// One connection, to its end.
async fn converse<H: House>(
    http: http1::Builder,
    hall: Arc<Hall<H>>,
    stream: TcpStream,
    connection: Arc<Connection>,
) {
    let socket = Socket::new(stream, hall.options.write_timeout).of(&connection);
    let mut phase = hall.phase.subscribe();
    let here = Arc::clone(&connection);
    let service = service_fn(move |request| Arc::clone(&hall).serve(request, here.serve()));
    let conversation = http.serve_connection(socket, service);
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
            // A response that is on its way is still written.
            () = connection.told_to_close() => {
                if !connection.has_served() {
                    return;
                }
                conversation.as_mut().graceful_shutdown();
                leaving = true;
            }
            // The client may still be sending what was refused.
            () = sleep(CLOSING), if leaving => {
                if !connection.is_serving() {
                    return;
                }
            }
        }
    }
}
