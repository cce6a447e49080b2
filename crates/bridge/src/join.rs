//! The start of a session with one client: its first message, and the layers that it needs.

use std::sync::Arc;
use std::time::Duration;

use linkspan_auth_io::Account;
use linkspan_mcp::Era;
use linkspan_mcp::era::ModernToLegacyOptions;
use linkspan_ports::Principal;
use linkspan_session::{Envelope, Fault, Inbound, Layer, Outbound, Port};
use tokio::sync::mpsc;

use crate::client_era;
use crate::error::BridgeError;
use crate::layers::{Holds, SessionInfo, legacy_layers, modern_layers, sign_in_layers};
use crate::probe::Questions;
use crate::secret::secret;
use crate::server::Server;
use crate::setbacks::Cause;
use crate::sign_in::answers::modern_shows_pages;
use crate::sign_in::{PATIENCE, SignInLayer};

/// How often a client is looked after while the server starts.
const LOOK: Duration = Duration::from_millis(250);

/// What a session begins with.
pub(crate) struct Joined {
    pub(crate) back: Port,
    pub(crate) layers: Vec<Box<dyn Layer>>,
    /// The client's first message, unless it has been answered.
    pub(crate) first: Option<Inbound>,
    /// Whether the server has answered anything.
    pub(crate) works: bool,
}

/// Waits for the client's first message and finds out which layers lie between it and the server. `None`
/// if the client has gone.
pub(crate) async fn join(
    front: &mut Port,
    back: &mut Option<Port>,
    server: &Arc<Server>,
    client_era: Option<Era>,
    drain: Duration,
) -> Result<Option<Joined>, BridgeError> {
    loop {
        let first = client_era::first_message(front).await;
        let port = match back.take() {
            Some(port) => port,
            None if first.message.is_none() => return Ok(None),
            None => server.start()?,
        };
        if client_era.unwrap_or(first.era) == Era::Legacy {
            let account = server.account().cloned();
            let mut layers: Vec<Box<dyn Layer>> = Vec::new();
            layers.extend(account.map(|it| -> Box<dyn Layer> { Box::new(SignInLayer::new(it)) }));
            layers.extend(legacy_layers(server, &Principal::anonymous()));
            return Ok(Some(Joined {
                back: port,
                layers,
                first: first.message,
                works: false,
            }));
        }
        let seen = first.request().map(|request| server.seen(request));
        let questions = Questions::of(seen.as_ref(), None).with_discover(first.discover());
        let cause = Cause::only();
        let options = ModernToLegacyOptions::new("connect".to_owned(), secret);
        let probed = tokio::select! {
            probed = server.probe(port, &questions, &cause) => probed,
            // The sign-in goes on without the probe, and the session asks again.
            account = signs_in(server.account(), first.request().is_some_and(modern_shows_pages)) => {
                return Ok(Some(Joined {
                    back: server.start()?,
                    layers: sign_in_layers(server, account.clone(), options, &Principal::anonymous()),
                    first: first.message,
                    works: false,
                }));
            }
            () = gone(&front.rx, drain) => {
                client_era::refuse(front, first.message, &Fault::Closing).await;
                while let Ok(message) = front.rx.try_recv() {
                    client_era::refuse(front, Some(message), &Fault::Closing).await;
                }
                return Ok(None);
            }
        };
        let probed = match probed {
            Ok(probed) => probed,
            Err(why) => {
                // The server may be there at the client's next request.
                client_era::refuse(front, first.message, &why).await;
                continue;
            }
        };
        let mut message = first.message;
        if let Some(answer) = probed.answer {
            // The probe was the client's own request, and this is its answer.
            message = None;
            let _ = front.tx.send(Outbound::One(Envelope::new(answer))).await;
        }
        let (principal, holds) = (Principal::anonymous(), Holds::default());
        let session = SessionInfo::of_one(&principal, &holds);
        return Ok(Some(Joined {
            back: probed.port,
            layers: modern_layers(
                server,
                probed.era,
                options,
                session,
                server.account().cloned(),
            ),
            first: message,
            works: true,
        }));
    }
}

/// Resolves when a person has been asked to sign in and takes longer than a client waits, or when only the client
/// can show the page.
async fn signs_in(account: Option<&Account>, client_shows_pages: bool) -> &Account {
    let Some(account) = account else {
        return std::future::pending().await;
    };
    // Only in the course of a call, and none has reached the server.
    account.set_client_shows_pages(false);
    let mut prompts = account.prompts();
    loop {
        let asked = prompts.borrow_and_update().clone();
        match asked {
            Some(prompt) if client_shows_pages && !prompt.opened => return account,
            Some(_) => {
                let over = tokio::time::timeout(PATIENCE, prompts.wait_for(Option::is_none));
                if over.await.is_err() {
                    return account;
                }
            }
            None => {
                if prompts.changed().await.is_err() {
                    return std::future::pending().await;
                }
            }
        }
    }
}

/// Resolves when the client has gone and its last requests had time to be answered.
async fn gone(front: &mpsc::Receiver<Inbound>, drain: Duration) {
    while !front.is_closed() {
        tokio::time::sleep(LOOK).await;
    }
    tokio::time::sleep(drain).await;
}
