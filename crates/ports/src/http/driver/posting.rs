//! Starting the job that POSTs a message.

use linkspan_mcp::{Era, METHOD, PROTOCOL_VERSION, Revision, mirror, names};
use tokio::time::{Duration, timeout};
use url::Url;

use super::{Barrier, Call, Driver, Mode};
use crate::http::body::Sent;
use crate::http::call::Post;
use crate::http::job::{Report, Role, Ticket};
use crate::http::request::Place;
use crate::http::sse_session;

/// How long a cancellation waits for its request to be on its way.
const OVERTAKING: Duration = Duration::from_secs(1);

impl Driver {
    pub(super) fn post(&mut self, ticket: Ticket, after: Option<Sent>) {
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
            may_fall_back: unknown,
            accepted: (unknown && ticket.role == Role::Call).then(|| self.accepted.0.clone()),
        };
        self.spawn(ticket, after, sent, |ticket| post.run(ticket));
    }

    pub(super) fn post_sse(&mut self, ticket: Ticket, after: Option<Sent>, post_to: Url) {
        if ticket.role == Role::Initialized {
            self.barrier = Barrier::Message(ticket.serial);
        }
        if let Some(hop) = ticket.hop {
            self.last_sse_hop = self.last_sse_hop.max(hop);
        }
        let sent = Sent::default();
        let ring = ticket.hop.map(|_| sent.clone());
        let (endpoint, tx) = (self.endpoint.clone(), self.tx.clone());
        self.spawn(ticket, after, sent, |ticket| {
            sse_session::post(endpoint, post_to, ticket, ring, tx)
        });
    }

    fn spawn<F>(
        &mut self,
        ticket: Ticket,
        after: Option<Sent>,
        sent: Sent,
        job: impl FnOnce(Ticket) -> F,
    ) where
        F: Future<Output = Report> + Send + 'static,
    {
        let (hop, era, serial) = (ticket.hop, ticket.era, ticket.serial);
        let job = job(ticket);
        let abort = match after {
            None => self.jobs.spawn(job),
            Some(after) => self.jobs.spawn(async move {
                // A cancellation must not overtake the request that it cancels.
                let _ = timeout(OVERTAKING, after.notified()).await;
                job.await
            }),
        };
        if let Some(hop) = hop {
            self.hops.insert(abort.id(), hop);
            let call = Call {
                abort,
                serial,
                era,
                sent,
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
