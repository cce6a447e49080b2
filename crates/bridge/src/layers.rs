//! The layers between a client of one era and a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use linkspan_auth_io::Account;
use linkspan_mcp::Era;
use linkspan_mcp::era::{Handshake, LegacyToModern, ModernToLegacy, ModernToLegacyOptions};
use linkspan_ports::Principal;
use linkspan_session::{Envelope, EraLayer, Layer, Verdict, Way};
use linkspan_wire::{Kind, Message};

use crate::server::Server;
use crate::sign_in::{ModernSignInLayer, SignInLayer, SignInState};

/// Makes a layer for each session of a bridge.
///
/// The layers of [`Bridge::layer`](crate::Bridge::layer) lie next to the server, behind the translation between eras:
/// they see what the server sees. Those of [`Bridge::client_layer`](crate::Bridge::client_layer) see what the client
/// sees.
pub trait LayerFactory: Send + Sync {
    /// The layer of one session.
    fn layer(&self, session: SessionInfo<'_>) -> Box<dyn Layer>;

    /// A client's request as the server sees it, if a layer in front of the translation changes what it declares. The
    /// connection is opened for that.
    fn amended(&self, _request: &Message) -> Option<Message> {
        None
    }

    /// The server's answer to a `server/discover` of the bridge itself, which no layer sees.
    fn discovered(&self, _answer: &Message) {}
}

/// The session that a layer is made for.
#[derive(Debug, Clone, Copy)]
pub struct SessionInfo<'a> {
    /// One client has the session, and that client sees every answer that passes.
    pub one_client: bool,
    /// The client's credentials.
    pub principal: &'a Principal,
    /// What keeps the connection open.
    pub holds: &'a Holds,
}

impl<'a> SessionInfo<'a> {
    /// A session of one client, which ends with that client.
    pub(crate) fn of_one(principal: &'a Principal, holds: &'a Holds) -> Self {
        Self {
            one_client: true,
            principal,
            holds,
        }
    }
}

/// Keeps a connection that no client waits for: a layer holds it while it works for a client. Clones belong to the same
/// connection.
#[derive(Debug, Clone, Default)]
pub struct Holds(Arc<AtomicUsize>);

impl Holds {
    /// Holds the connection until the value is dropped.
    pub fn hold(&self) -> Hold {
        self.0.fetch_add(1, Ordering::Relaxed);
        Hold(self.0.clone())
    }

    /// Whether the connection is held.
    pub(crate) fn any(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

/// See [`Holds`].
#[derive(Debug)]
pub struct Hold(Arc<AtomicUsize>);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The layers that a legacy client needs in front of a server.
pub(crate) fn legacy_layers(server: &Arc<Server>, principal: &Principal) -> Vec<Box<dyn Layer>> {
    let holds = Holds::default();
    let session = SessionInfo::of_one(principal, &holds);
    let mut layers = server.client_layers(session);
    layers.extend(legacy_server_layers(server, session));
    layers
}

/// The same behind the layers for the client.
fn legacy_server_layers(server: &Arc<Server>, session: SessionInfo<'_>) -> Vec<Box<dyn Layer>> {
    let mut layers: Vec<Box<dyn Layer>> = match server.shakes_hands() {
        Some(true) => Vec::new(),
        Some(false) if server.takes_requests() => {
            vec![Box::new(EraLayer::new(LegacyToModern::signed()))]
        }
        Some(false) => vec![Box::new(EraLayer::new(LegacyToModern::new()))],
        None => {
            let server = server.clone();
            let refused = Box::new(move || server.learn_modern_only());
            vec![Box::new(EraLayer::new(Handshake::new(refused)))]
        }
    };
    layers.extend(server.layers(session));
    layers
}

/// The layers that a modern client needs in front of a server of this era; with `account`, it may have to sign in
/// during the session.
pub(crate) fn modern_layers(
    server: &Server,
    era: Era,
    options: ModernToLegacyOptions,
    session: SessionInfo<'_>,
    account: Option<Account>,
) -> Vec<Box<dyn Layer>> {
    let mut layers = server.client_layers(session);
    match era {
        Era::Modern => {
            layers
                .extend(account.map(|account| -> Box<dyn Layer> {
                    Box::new(ModernSignInLayer::new(account))
                }));
        }
        Era::Legacy => {
            layers.push(Box::new(EraLayer::new(ModernToLegacy::new(options))));
            layers.extend(
                account.map(|account| -> Box<dyn Layer> {
                    Box::new(SignInLayer::translated(account))
                }),
            );
        }
    }
    layers.extend(server.layers(session));
    layers
}

/// The layers for a modern client that waits for a sign-in. The era of the server is unknown until then, so the
/// client's requests become those of a legacy client, and the handshake finds out the era later.
pub(crate) fn sign_in_layers(
    server: &Arc<Server>,
    state: impl SignInState + 'static,
    options: ModernToLegacyOptions,
    principal: &Principal,
) -> Vec<Box<dyn Layer>> {
    let holds = Holds::default();
    let session = SessionInfo::of_one(principal, &holds);
    let mut layers = server.client_layers(session);
    layers.push(Box::new(EraLayer::new(ModernToLegacy::new(options))));
    layers.push(Box::new(SignInLayer::answering_at_once(state)));
    layers.extend(legacy_server_layers(server, session));
    layers
}

/// Notes whether the server has answered anything. It is the layer next to the server.
#[derive(Clone, Default)]
pub(crate) struct Answered(Arc<AtomicBool>);

impl Answered {
    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Layer for Answered {
    fn on(&mut self, way: Way, envelope: Envelope, _: Instant) -> Verdict {
        if way == Way::ToFront && !self.get() && !is_fault(&envelope.msg) {
            self.0.store(true, Ordering::Relaxed);
        }
        Verdict::Pass(envelope)
    }
}

/// Whether this is a fault that the session answers with in the server's place.
fn is_fault(msg: &Message) -> bool {
    let kind = msg.body().and_then(|error| error.path(&["data", "kind"]));
    msg.kind() == Kind::Error && kind.is_some()
}
