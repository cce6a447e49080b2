//! The server of a document, whatever client asks it.

use std::sync::Arc;

use linkspan_bridge::Backend;
use linkspan_local::Workers;
use linkspan_mcp::Era;
use linkspan_openapi::Api;
use tokio::sync::Semaphore;

use crate::exchange::Exchange;
use crate::handler::Connection;

/// Requests at once, for all clients together.
const REQUESTS: usize = 32;

/// A document with the connection to its server. Clones share both.
#[derive(Clone)]
pub struct OpenApiServer(pub(crate) Arc<Shared>);

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) api: Api,
    /// The result of `tools/list`.
    pub(crate) tools: String,
    pub(crate) exchange: Exchange,
    pub(crate) places: Semaphore,
    workers: Workers,
}

impl OpenApiServer {
    pub(crate) fn new(api: Api, exchange: Exchange) -> Self {
        let tools = format!(r#"{{"tools":{}}}"#, api.tools());
        Self(Arc::new(Shared {
            api,
            tools,
            exchange,
            places: Semaphore::new(REQUESTS),
            workers: Workers::new(),
        }))
    }

    /// The document.
    pub fn api(&self) -> &Api {
        &self.0.api
    }

    /// The server as what is behind a bridge.
    pub fn backend(&self) -> Backend {
        let server = self.clone();
        let open = move || {
            let connection = Connection(server.0.clone());
            linkspan_local::port("the API", &server.0.workers, connection)
        };
        Backend::local(open, Some(Era::Legacy))
    }
}
