//! A layer for each session, and one answer shortened without a session.

use std::sync::Arc;

use linkspan_bridge::{LayerFactory, SessionInfo};
use linkspan_session::Layer;
use linkspan_shrink::{Policy, Stop, rewrite};
use linkspan_wire::Message;

use crate::error::ShrinkError;
use crate::layer::ShrinkLayer;
use crate::options::Options;
use crate::shared::Shared;

/// Makes the layers of the sessions in front of one server. Clones share their state.
#[derive(Clone)]
pub struct Shrink(Arc<Shared>);

impl Shrink {
    /// Opens the folder for originals, if there is one.
    ///
    /// # Errors
    /// If a folder cannot be used.
    pub fn new(options: Options) -> Result<Self, ShrinkError> {
        Shared::new(options).map(Self)
    }

    /// Writes the statistics that are not written yet.
    pub fn finish(&self) {
        self.0.finish();
    }
}

impl LayerFactory for Shrink {
    fn layer(&self, session: SessionInfo<'_>) -> Box<dyn Layer> {
        let SessionInfo {
            one_client,
            principal,
            ..
        } = session;
        Box::new(ShrinkLayer::new(self.0.clone(), one_client, principal))
    }

    /// Stores the server's name.
    fn discovered(&self, answer: &Message) {
        self.0.learn_server(answer);
    }
}

/// The answer to a call with its texts shortened as far as `policy` allows.
pub fn shorten(answer: Message, tool: &str, policy: &Policy) -> Message {
    let result = answer.body();
    let rewritten = result.map(|result| rewrite(result, tool, policy, &(), &Stop::default()));
    match (result, rewritten.and_then(|rewritten| rewritten.result)) {
        (Some(result), Some(new)) => answer.with_value(result, &new),
        _ => answer,
    }
}
