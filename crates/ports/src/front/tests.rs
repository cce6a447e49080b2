//! The whole front over a real socket, with a service that plays the servers.

mod bounds;
mod client;
mod crowded;
mod guarded;
mod legacy;
mod modern;
mod old_sse;
mod service;
mod stateless;
mod websocket;

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use self::client::Client;
use self::service::Play;
use super::{Front, FrontFigures, FrontOptions};

/// A front that runs until it is dropped.
struct Running {
    client: Client,
    service: Arc<Play>,
    figures: FrontFigures,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<()>,
}

impl Running {
    /// Waits until this number of requests is in flight.
    async fn wait_for_in_flight(&self, count: usize) {
        let reached = async {
            while self.figures.in_flight() != count {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(5), reached).await.unwrap();
    }
}

async fn front(change: impl FnOnce(&mut FrontOptions)) -> Running {
    let mut options = FrontOptions::default();
    change(&mut options);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client(listener.local_addr().unwrap());
    let service = Arc::new(Play::default());
    let front = Front::new(listener, options, Arc::clone(&service)).unwrap();
    let figures = front.figures();
    let (stop, stopped) = oneshot::channel();
    let told = async {
        let _ = stopped.await;
    };
    let served = tokio::spawn(front.serve(told, || {}));
    Running {
        client,
        service,
        figures,
        stop: Some(stop),
        served,
    }
}
