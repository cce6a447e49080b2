//! The whole front over a real socket, with a house that plays the servers.

mod bounds;
mod client;
mod crowded;
mod house;
mod legacy;
mod modern;
mod old_sse;

use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use self::client::Client;
use self::house::Play;
use super::{Figures, Front, FrontOptions};

/// A front that runs until it is dropped.
struct Running {
    client: Client,
    house: Arc<Play>,
    figures: Figures,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<()>,
}

async fn front(change: impl FnOnce(&mut FrontOptions)) -> Running {
    let mut options = FrontOptions::default();
    change(&mut options);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client(listener.local_addr().unwrap());
    let house = Arc::new(Play::default());
    let front = Front::new(listener, options, Arc::clone(&house)).unwrap();
    let figures = front.figures();
    let (stop, stopped) = oneshot::channel();
    let told = async {
        let _ = stopped.await;
    };
    let served = tokio::spawn(front.serve(told, || {}));
    Running {
        client,
        house,
        figures,
        stop: Some(stop),
        served,
    }
}
