//! What the server says in the course of a request.

use std::time::Instant;

use linkspan_mcp::names;
use linkspan_session::{Envelope, Verdict};
use linkspan_wire::Kind;

use super::layer::LongCallLayer;
use super::open::Open;

impl LongCallLayer {
    /// A request or a notification of the server.
    pub(super) fn in_course(&mut self, mut envelope: Envelope, now: Instant) -> Verdict {
        if envelope.msg.kind() == Kind::Notification && envelope.msg.method() == names::PROGRESS {
            return self.progress(envelope, now);
        }
        let open = envelope.about.as_ref();
        let open = open.and_then(|id| self.open.get_mut(id));
        if let Some(handle) = open.and_then(|open| open.kept_as()) {
            // Its client waits in another request, if at all.
            let wait = self.waits.iter().find(|wait| wait.handle == *handle);
            envelope.about = wait.map(|wait| wait.id.clone());
        }
        Verdict::Pass(envelope)
    }

    fn progress(&mut self, envelope: Envelope, now: Instant) -> Verdict {
        let of = |open: &&mut Open| {
            let progress = open.progress.as_ref();
            progress.is_some_and(|progress| progress.is_of(&envelope.msg))
        };
        let Some(open) = self.open.iter_mut().find(of) else {
            return Verdict::Pass(envelope);
        };
        let Some(handle) = open.kept_as() else {
            let raised = open.progress.as_mut();
            let raised = raised.and_then(|progress| progress.passes(&envelope.msg, now));
            return Verdict::Pass(Envelope {
                msg: raised.unwrap_or(envelope.msg),
                ..envelope
            });
        };
        // The token was that of a request that has been answered.
        let waits = self.waits.iter_mut();
        let mut waits = waits.filter(|wait| !wait.is_over() && wait.handle == *handle);
        let renamed = waits.find_map(|wait| {
            let progress = wait.progress.as_mut()?;
            Some((progress.renamed(&envelope.msg, now)?, wait.id.clone()))
        });
        match renamed {
            Some((msg, id)) => Verdict::Pass(Envelope {
                msg,
                about: Some(id),
                ..envelope
            }),
            None => Verdict::Drop,
        }
    }
}
