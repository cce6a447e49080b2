//! Starting the job that POSTs a message.

use linkspan_mcp::{Era, METHOD, PROTOCOL_VERSION, Revision, mirror, names};
use url::Url;

use super::{Barrier, Call, Driver, Mode};
use crate::http::body::Sent;
use crate::http::call::Post;
use crate::http::job::{Delivery, Report, Role};
use crate::http::request::SessionContext;
use crate::http::sse_session;

impl Driver {
    pub(super) fn post(&mut self, delivery: Delivery) {
        let unknown = matches!(self.mode, Mode::Unknown);
        if matches!(delivery.role, Role::Initialize | Role::Initialized) {
            self.barrier = Barrier::Message(delivery.serial);
        }
        let modern = delivery.era == Era::Modern;
        let sent = Sent::default();
        let post = Post {
            endpoint: self.endpoint.clone(),
            url: self.url.clone(),
            context: if modern {
                SessionContext::default()
            } else {
                self.context.clone()
            },
            extra: if modern {
                self.mirrored(&delivery)
            } else {
                Vec::new()
            },
            tx: self.tx.clone(),
            sent: delivery.hop.map(|_| sent.clone()),
            lists_tools: modern && delivery.msg.method() == names::TOOLS_LIST,
            may_fall_back: unknown,
            accepted: self.accepted.0.clone(),
            begins: unknown || delivery.role == Role::Initialize,
        };
        self.spawn(delivery, sent, |delivery| post.run(delivery));
    }

    pub(super) fn post_sse(&mut self, delivery: Delivery, post_to: Url) {
        if matches!(delivery.role, Role::Initialize | Role::Initialized) {
            self.barrier = Barrier::Message(delivery.serial);
        }
        if let Some(hop) = delivery.hop {
            self.last_sse_hop = self.last_sse_hop.max(hop);
        }
        let sent = Sent::default();
        let ring = delivery.hop.map(|_| sent.clone());
        self.sse_owed.lock().sent(&delivery.msg);
        let (endpoint, tx) = (self.endpoint.clone(), self.tx.clone());
        let kept = delivery.clone();
        self.spawn(delivery, sent, |delivery| {
            sse_session::post(endpoint, post_to, delivery, ring, tx)
        });
        if let Some(call) = kept.hop.and_then(|hop| self.calls.get_mut(&hop)) {
            call.delivery = Some(kept);
        }
    }

    pub(super) fn spawn<F>(
        &mut self,
        delivery: Delivery,
        sent: Sent,
        job: impl FnOnce(Delivery) -> F,
    ) where
        F: Future<Output = Report> + Send + 'static,
    {
        let (hop, era, serial) = (delivery.hop, delivery.era, delivery.serial);
        // Spawning moves a future about ten times, and this one has kilobytes.
        let abort = self.jobs.spawn(Box::pin(job(delivery)));
        if let Some(hop) = hop {
            self.hops.insert(abort.id(), hop);
            let call = Call {
                abort,
                serial,
                era,
                sent,
                delivery: None,
            };
            self.calls.insert(hop, call);
        }
    }

    /// The headers in which a modern request repeats its body.
    fn mirrored(&self, delivery: &Delivery) -> Vec<(String, String)> {
        let mut headers: Vec<(String, String)> = mirror(&delivery.msg)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        if !headers.iter().any(|(name, _)| name == PROTOCOL_VERSION) {
            let latest = Revision::LATEST.to_string();
            headers.push((PROTOCOL_VERSION.to_owned(), latest));
        }
        if delivery.msg.is_answer() {
            headers.retain(|(name, _)| name != METHOD);
        }
        if delivery.msg.method() == names::TOOLS_CALL {
            headers.extend(self.params.headers(&delivery.msg));
        }
        headers
    }
}
