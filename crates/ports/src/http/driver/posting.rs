//! Starting the job that POSTs a message.

use linkspan_mcp::{Era, METHOD, PROTOCOL_VERSION, Revision, mirror, names};
use url::Url;

use super::{Barrier, Call, Driver, Mode};
use crate::http::body::Sent;
use crate::http::call::Post;
use crate::http::job::{Report, Role, Ticket};
use crate::http::request::Place;
use crate::http::sse_session;

impl Driver {
    pub(super) fn post(&mut self, ticket: Ticket) {
        let unknown = matches!(self.mode, Mode::Unknown);
        if matches!(ticket.role, Role::Initialize | Role::Initialized) {
            self.barrier = Barrier::Message(ticket.serial);
        }
        let modern = ticket.era == Era::Modern;
        let sent = Sent::default();
        let post = Post {
            endpoint: self.endpoint.clone(),
            url: self.url.clone(),
            place: if modern {
                Place::default()
            } else {
                self.place.clone()
            },
            extra: if modern {
                self.mirrored(&ticket)
            } else {
                Vec::new()
            },
            tx: self.tx.clone(),
            sent: ticket.hop.map(|_| sent.clone()),
            lists_tools: modern && ticket.msg.method() == names::TOOLS_LIST,
            may_fall_back: unknown,
            accepted: self.accepted.0.clone(),
            begins: unknown || ticket.role == Role::Initialize,
        };
        self.spawn(ticket, sent, |ticket| post.run(ticket));
    }

    pub(super) fn post_sse(&mut self, ticket: Ticket, post_to: Url) {
        if matches!(ticket.role, Role::Initialize | Role::Initialized) {
            self.barrier = Barrier::Message(ticket.serial);
        }
        if let Some(hop) = ticket.hop {
            self.last_sse_hop = self.last_sse_hop.max(hop);
        }
        let sent = Sent::default();
        let ring = ticket.hop.map(|_| sent.clone());
        self.sse_owed.lock().sent(&ticket.msg);
        let (endpoint, tx) = (self.endpoint.clone(), self.tx.clone());
        let kept = ticket.clone();
        self.spawn(ticket, sent, |ticket| {
            sse_session::post(endpoint, post_to, ticket, ring, tx)
        });
        if let Some(call) = kept.hop.and_then(|hop| self.calls.get_mut(&hop)) {
            call.ticket = Some(kept);
        }
    }

    pub(super) fn spawn<F>(&mut self, ticket: Ticket, sent: Sent, job: impl FnOnce(Ticket) -> F)
    where
        F: Future<Output = Report> + Send + 'static,
    {
        let (hop, era, serial) = (ticket.hop, ticket.era, ticket.serial);
        let abort = self.jobs.spawn(job(ticket));
        if let Some(hop) = hop {
            self.hops.insert(abort.id(), hop);
            let call = Call {
                abort,
                serial,
                era,
                sent,
                ticket: None,
            };
            self.calls.insert(hop, call);
        }
    }

    /// The headers in which a modern request repeats its body.
    fn mirrored(&self, ticket: &Ticket) -> Vec<(String, String)> {
        let mut headers: Vec<(String, String)> = mirror(&ticket.msg)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        if !headers.iter().any(|(name, _)| name == PROTOCOL_VERSION) {
            let latest = Revision::LATEST.to_string();
            headers.push((PROTOCOL_VERSION.to_owned(), latest));
        }
        if ticket.msg.is_answer() {
            headers.retain(|(name, _)| name != METHOD);
        }
        if ticket.msg.method() == names::TOOLS_CALL {
            headers.extend(self.params.headers(&ticket.msg));
        }
        headers
    }
}
