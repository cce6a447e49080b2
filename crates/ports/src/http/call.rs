//! A POST over Streamable HTTP, from the request to the last byte of its answer.

mod response;

use std::pin::pin;
use std::time::Duration;

use http::Method;
use linkspan_mcp::{Era, SESSION_ID, names};
use linkspan_session::{Fault, Inbound};
use linkspan_wire::Kind;
use tokio::sync::mpsc;
use tokio::time::timeout;
use url::Url;

use super::answer::{self, Media, media};
use super::body::{Sent, Telling};
use super::endpoint::Endpoint;
use super::job::{self, Begun, Delivery, Outcome, Refusal, Report, Role};
use super::refused::{error_code, forgets_session, is_modern_error};
use super::request::{self, SessionContext};
use super::rest::leftover;
use super::sending::{Response, send};

/// How long the server may take to accept a message that has no answer.
pub(super) const ACCEPT: Duration = Duration::from_secs(30);

/// A POST and its context.
pub(super) struct Post {
    pub(super) endpoint: Endpoint,
    pub(super) url: Url,
    pub(super) context: SessionContext,
    /// Headers that mirror the body.
    pub(super) extra: Vec<(String, String)>,
    pub(super) tx: mpsc::Sender<Inbound>,
    pub(super) sent: Option<Sent>,
    /// Whether the answer is a list of tools, which may contain invalid ones.
    pub(super) lists_tools: bool,
    /// Whether a refusal may mean that the server speaks HTTP+SSE.
    pub(super) may_fall_back: bool,
    /// Notified when the server has accepted the request, long before a slow answer.
    pub(super) accepted: mpsc::Sender<Begun>,
    /// Whether to notify in any case, and not only if the server names another session.
    pub(super) begins: bool,
}

impl Post {
    pub(super) async fn run(self, delivery: Delivery) -> Report {
        let _waits = delivery.hop.map(|hop| self.endpoint.waiting.enter(hop));
        let (outcome, moved) = self.exchange_in_time(&delivery).await;
        Report::Posted {
            delivery,
            outcome,
            moved,
        }
    }

    /// A notification has a time limit. The exchange is pinned once: branches that each took it would make the future
    /// of every call several times as large.
    async fn exchange_in_time(&self, delivery: &Delivery) -> (Outcome, Option<Url>) {
        let mut exchange = pin!(self.exchange(delivery));
        if delivery.hop.is_some() {
            return exchange.await;
        }
        loop {
            match timeout(ACCEPT, &mut exchange).await {
                Ok(ended) => return ended,
                // It waits for a person, and not for the server.
                Err(_) if self.endpoint.is_asking() => {}
                Err(_) => {
                    let why = Fault::Timeout { after: ACCEPT };
                    return (self.fail(delivery, why).await, None);
                }
            }
        }
    }

    async fn exchange(&self, delivery: &Delivery) -> (Outcome, Option<Url>) {
        let body = delivery.msg.to_bytes();
        let headers = request::post(&self.endpoint, &self.context, &self.extra);
        let make = || Telling::new(body.clone(), self.sent.clone());
        let sending = send(&self.endpoint, Method::POST, &self.url, &headers, make);
        let sent = match self.endpoint.options.headers_timeout {
            Some(limit) => Box::pin(self.within(limit, sending)).await,
            None => sending.await,
        };
        let (response, url) = match sent {
            Ok(sent) => sent,
            Err(why @ Fault::NotSignedIn { .. }) if delivery.role == Role::Initialized => {
                return (Outcome::NotSignedIn(why), None);
            }
            Err(why) => return (self.fail(delivery, why).await, None),
        };
        let status = response.status();
        tracing::debug!("POST {} -> {}", job::label(&delivery.msg), status.as_u16());
        let outcome = if status.is_success() {
            self.note_place(delivery, &response);
            self.accepted(delivery, response).await
        } else {
            Box::pin(self.refused(delivery, response)).await
        };
        (outcome, (url != self.url).then_some(url))
    }

    /// Waits for the head of a response. The time in which a person is asked to sign in does not count.
    async fn within<T>(
        &self,
        limit: Duration,
        sending: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, Fault> {
        let mut sending = pin!(sending);
        loop {
            match timeout(limit, &mut sending).await {
                Ok(sent) => return sent,
                Err(_) if self.endpoint.is_asking() => {}
                Err(_) => return Err(Fault::Timeout { after: limit }),
            }
        }
    }

    /// Reports the session and URL of a response to the driver. Some servers assign the session after the answer to
    /// `initialize`, or change it.
    fn note_place(&self, delivery: &Delivery, response: &Response) {
        let names = delivery.era == Era::Legacy && response.headers().contains_key(SESSION_ID);
        if !self.begins && !names {
            return;
        }
        let context = SessionContext::opened(response.headers());
        if self.begins || (context.session.is_some() && context.session != self.context.session) {
            // A full queue loses nothing: the next response reports the same.
            let _ = self.accepted.try_send(Begun {
                serial: delivery.serial,
                generation: delivery.generation,
                begins: self.begins,
                context,
            });
        }
    }

    async fn accepted(&self, delivery: &Delivery, response: Response) -> Outcome {
        let Some(hop) = delivery.hop else {
            tokio::spawn(leftover(self.endpoint.clone(), response, self.tx.clone()));
            return Outcome::Done;
        };
        let begun =
            (delivery.role == Role::Initialize).then(|| SessionContext::opened(response.headers()));
        let answer = match media(&response) {
            // Boxed, like other rare and large paths: a job is moved when it is spawned.
            Media::Events => Box::pin(self.stream(hop, response)).await,
            Media::Json | Media::Other => self.body(hop, response).await,
        };
        match (answer, begun) {
            (Err(why), _) => self.fail(delivery, why).await,
            (Ok(answer), Some(context)) => match job::negotiated(&answer) {
                Some(version) => Outcome::Opened(SessionContext {
                    version: Some(version),
                    ..context
                }),
                None => Outcome::Done,
            },
            (Ok(answer), None) => {
                let is_list = delivery.msg.method() == names::TOOLS_LIST;
                if delivery.era == Era::Modern && is_list && answer.kind() == Kind::Result {
                    Outcome::Tools(answer)
                } else {
                    Outcome::Done
                }
            }
        }
    }

    async fn refused(&self, delivery: &Delivery, response: Response) -> Outcome {
        let status = response.status();
        let body = answer::refusal(response).await;
        let forgotten = self.context.session.is_some() && forgets_session(status, &body);
        let status = status.as_u16();
        let refusal = Refusal { status, body };
        if forgotten {
            return Outcome::SessionGone(refusal);
        }
        let is_call = delivery.era == Era::Modern && delivery.msg.method() == names::TOOLS_CALL;
        let mismatch = error_code(&refusal.body) == Some(linkspan_mcp::HEADER_MISMATCH);
        if is_call && mismatch && !delivery.again {
            return Outcome::HeadersRefused(refusal);
        }
        let other_transport = matches!(refusal.status, 400 | 404 | 405 | 406 | 415 | 501);
        if self.may_fall_back && other_transport && !is_modern_error(&refusal.body) {
            return Outcome::Refused(refusal);
        }
        job::refuse(&self.endpoint, &self.tx, delivery, refusal).await;
        Outcome::Done
    }

    async fn fail(&self, delivery: &Delivery, why: Fault) -> Outcome {
        job::fail(&self.tx, delivery, why).await;
        Outcome::Done
    }
}
