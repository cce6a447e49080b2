//! Era translation as a layer: moves messages between a session and a machine of `mcp::era`.

use std::time::Instant;

use linkspan_mcp::era::{Machine, Provenance, Step, Turn};

use crate::layer::{Layer, Verdict, Way};
use crate::port::Envelope;

/// A layer around a [`Machine`].
pub struct EraLayer(Box<dyn Machine>);

impl EraLayer {
    /// A layer that translates as `machine` does.
    pub fn new(machine: impl Machine + 'static) -> Self {
        Self(Box::new(machine))
    }
}

impl Layer for EraLayer {
    fn on(&mut self, way: Way, envelope: Envelope, now: Instant) -> Verdict {
        let Envelope {
            msg,
            relates_to,
            about,
            origin,
            credit,
        } = envelope;
        let turn = match way {
            Way::ToBack => self.0.front(msg, now),
            Way::ToFront => {
                let place = Provenance {
                    about: about.clone(),
                    late: relates_to.is_some() && about.is_none(),
                    origin: origin.clone(),
                };
                self.0.back(msg, place, now)
            }
        };
        match turn {
            Turn::Pass(msg) => Verdict::Pass(Envelope {
                msg,
                relates_to,
                about,
                origin,
                credit,
            }),
            Turn::Steps(steps) => {
                let mut several: Vec<_> = steps.into_iter().map(envelope_of).collect();
                // The credit of the original message goes to the first of its replacements.
                if let Some((_, first)) = several.first_mut() {
                    first.credit = credit;
                }
                Verdict::Many(several)
            }
        }
    }

    fn renumbers(&self) -> bool {
        self.0.renumbers()
    }

    fn next_wake(&self) -> Option<Instant> {
        self.0.next_wake()
    }

    fn on_time(&mut self, now: Instant) -> Vec<(Way, Envelope)> {
        self.0.on_time(now).into_iter().map(envelope_of).collect()
    }
}

fn envelope_of(step: Step) -> (Way, Envelope) {
    match step {
        Step::Back(msg) => (Way::ToBack, Envelope::new(msg)),
        Step::Front { msg, about } => {
            let envelope = Envelope {
                about,
                ..Envelope::new(msg)
            };
            (Way::ToFront, envelope)
        }
    }
}
