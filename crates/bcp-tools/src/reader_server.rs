//! The BCP server as a whole: its connections, and the end of its calls.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_local::Workers;
use linkspan_session::Port;

use crate::engine::Codec;
use crate::files::{PartialFiles, Roots};
use crate::reader::{BcpServer, BcpServerOptions};
use crate::settings::Settings;

/// How long a running call may take to notice that it has to stop.
const LEAVING: Duration = Duration::from_secs(1);

/// The BCP server. Clones share the threads that run calls, and the files that these write.
#[derive(Clone)]
pub struct ReaderServer(Arc<BcpServerOptions<Codec>>);

impl ReaderServer {
    /// A server for the files below `roots`; `client_roots` lets clients offer further folders, `temp` is the folder
    /// for temporary files.
    pub fn new(roots: Roots, settings: Settings, client_roots: bool, temp: PathBuf) -> Self {
        Self(Arc::new(BcpServerOptions {
            engine: Codec,
            roots,
            settings,
            client_roots,
            workers: Workers::new(),
            partial: PartialFiles::new(temp),
        }))
    }

    /// Opens a connection.
    pub fn open(&self) -> Port {
        let reader = BcpServer::new(self.0.clone());
        linkspan_local::port("the reader", &self.0.workers, reader)
    }

    /// Stops running calls and removes what they have not finished.
    pub async fn finish(self) {
        self.0.workers.finish(LEAVING).await;
        drop(self.0.partial.clear());
    }
}
