//! The subscriptions of a client, and the polling of resources without change events.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use linkspan_local::{Call, Params};
use linkspan_wire::RpcError;
use parking_lot::{Mutex, MutexGuard};
use tokio::task::AbortHandle;

use super::connection::Connection;

/// Limit of subscriptions per client.
const MOST: usize = 1024;
/// The polling interval of resources whose file state is not enough.
pub(super) const LOOK: Duration = Duration::from_secs(2);

/// Subscriptions by URI. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Subscriptions(Arc<Mutex<HashMap<String, Option<Looking>>>>);

/// Polls a resource until it is dropped.
pub(super) struct Looking(pub(super) AbortHandle);

impl Drop for Looking {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Subscriptions {
    pub(super) fn has(&self, uri: &str) -> bool {
        self.lock().contains_key(uri)
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Option<Looking>>> {
        self.0.lock()
    }
}

impl Connection {
    pub(super) async fn subscribe(
        &self,
        params: Params<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        let uri = params.text("uri")?.into_owned();
        let looks = self.must_look(&uri)?;
        if !self.subscriptions.has(&uri) && self.subscriptions.lock().len() >= MOST {
            let why = format!("more than {MOST} subscriptions: cancel one first");
            return Err(RpcError::server(why));
        }
        let looking = looks.then(|| self.look_after(&uri, call));
        self.subscriptions.lock().insert(uri, looking);
        Ok("{}".to_owned())
    }

    pub(super) fn unsubscribe(&self, params: Params<'_>) -> Result<String, RpcError> {
        let uri = params.text("uri")?;
        self.subscriptions.lock().remove(&*uri);
        Ok("{}".to_owned())
    }
}

/// A hash of contents.
pub(super) fn print_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
