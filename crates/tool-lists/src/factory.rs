//! A layer for each session, and what all sessions in front of one server share.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Weak};

use linkspan_bridge::{Bridge, LayerFactory, SessionInfo};
use linkspan_gateway::ServerList;
use linkspan_ports::Principal;
use linkspan_session::Layer;
use parking_lot::Mutex;

use crate::layer::ToolListLayer;
use crate::list::{Held, ToolList};
use crate::options::ToolListOptions;

/// Bytes of the lists that are kept, over all sessions. Calls of tools of a list that is not kept are not checked.
const MOST_BYTES: usize = 64 << 20;
/// Options whose lists are kept at the same time.
const MOST_OPTIONS: usize = 64;

/// Makes the layers of the sessions in front of one server; see
/// [`Bridge::client_layer`](linkspan_bridge::Bridge::client_layer).
pub struct ToolLists(Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) options: ToolListOptions,
    /// The newest list: most sessions get the same one.
    last: Mutex<Weak<ToolList>>,
    held: Arc<AtomicUsize>,
}

impl ToolLists {
    /// With these options.
    pub fn new(options: ToolListOptions) -> Self {
        Self(Arc::new(Shared::new(options)))
    }

    /// The bridge with this layer, unless the options change nothing.
    pub fn add_to(options: ToolListOptions, bridge: Bridge) -> Bridge {
        if options.is_idle() {
            bridge
        } else {
            bridge.client_layer(Self::new(options))
        }
    }
}

impl LayerFactory for ToolLists {
    fn layer(&self, _: SessionInfo<'_>) -> Box<dyn Layer> {
        Box::new(ToolListLayer::new(self.0.clone()))
    }
}

/// Makes layers whose options depend on the client of the session.
pub struct ToolListsByClient {
    choose: Box<dyn Fn(&Principal) -> ToolListOptions + Send + Sync>,
    made: Mutex<HashMap<ToolListOptions, Arc<Shared>>>,
}

impl ToolListsByClient {
    /// With the options that `choose` returns for a client when its session begins.
    pub fn new(choose: impl Fn(&Principal) -> ToolListOptions + Send + Sync + 'static) -> Self {
        Self {
            choose: Box::new(choose),
            made: Mutex::default(),
        }
    }
}

impl LayerFactory for ToolListsByClient {
    fn layer(&self, session: SessionInfo<'_>) -> Box<dyn Layer> {
        let options = (self.choose)(session.principal);
        let mut made = self.made.lock();
        if made.len() >= MOST_OPTIONS && !made.contains_key(&options) {
            made.clear();
        }
        let shared = made
            .entry(options)
            .or_insert_with(|| Arc::new(Shared::new(options)));
        Box::new(ToolListLayer::new(shared.clone()))
    }
}

impl Shared {
    pub(crate) fn new(options: ToolListOptions) -> Self {
        Self {
            options,
            last: Mutex::default(),
            held: Arc::default(),
        }
    }

    /// What becomes of a list, and whether it may be kept.
    pub(crate) fn list(&self, list: ServerList) -> (Arc<ToolList>, bool) {
        let last = self.last.lock().upgrade();
        if let Some(last) = last.filter(|last| last.is_of(&list)) {
            return (last, true);
        }
        let held = Held::new(&self.held, ToolList::bytes(&list), MOST_BYTES);
        let is_kept = held.is_some();
        let list = Arc::new(ToolList::new(list, self.options, held));
        if is_kept {
            *self.last.lock() = Arc::downgrade(&list);
        }
        (list, is_kept)
    }
}
