//! The whole front over a real socket, with a service that plays the servers.

mod bounds;
mod client;
mod crowded;
mod guarded;
mod legacy;
mod modern;
mod old_sse;
mod service;

use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

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
