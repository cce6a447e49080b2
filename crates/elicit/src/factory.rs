//! A layer for each session.

use std::sync::Arc;

use linkspan_bridge::{LayerFactory, SessionInfo};
use linkspan_session::Layer;
use linkspan_wire::Message;

use crate::asker::{Asker, Questions};
use crate::capability::amended;
use crate::layer::ElicitLayer;

/// Makes the layers of the sessions in front of one server; see
/// [`Bridge::client_layer`](linkspan_bridge::Bridge::client_layer).
pub struct Elicit(Arc<Questions>);

impl Elicit {
    /// Users are asked by `asker`.
    pub fn new(asker: Asker) -> Self {
        Self(Arc::new(Questions::new(asker)))
    }
}

impl LayerFactory for Elicit {
    fn layer(&self, _: SessionInfo<'_>) -> Box<dyn Layer> {
        Box::new(ElicitLayer::new(self.0.clone()))
    }

    fn amended(&self, request: &Message) -> Option<Message> {
        amended(request).map(|(seen, _)| seen)
    }
}
