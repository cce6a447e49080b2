//! The path of an envelope through the layers, and the lanes that keep the order.

use std::time::Instant;

use super::{Core, Detour, Resume};
use crate::lane::LaneKey;
use crate::layer::{Verdict, Way};
use crate::port::Envelope;

impl Core {
    /// Starts an envelope on its way, behind what waits in its lane.
    pub(super) fn enter(&mut self, lane: LaneKey, envelope: Envelope, now: Instant) {
        let envelope = if self.lanes.is_free() {
            envelope
        } else {
            match self.lanes.queue(&lane, envelope) {
                Some(envelope) => envelope,
                None => return,
            }
        };
        let first = match lane.way {
            Way::ToBack => 0,
            Way::ToFront => self.layers.len(),
        };
        self.travel(lane.way, lane, first, envelope, now);
    }

    /// Takes an envelope through the layers from gap number `gap`: gap 0 is before the first layer,
    /// gap `n` behind the last.
    pub(super) fn travel(
        &mut self,
        way: Way,
        lane: LaneKey,
        gap: usize,
        envelope: Envelope,
        now: Instant,
    ) {
        let (mut way, mut gap, mut envelope) = (way, gap, envelope);
        loop {
            let layer = match way {
                Way::ToBack if gap == self.layers.len() => return self.leave_back(envelope, now),
                Way::ToFront if gap == 0 => return self.leave_front(envelope),
                Way::ToBack => gap,
                Way::ToFront => gap - 1,
            };
            let beyond = match way {
                Way::ToBack => gap + 1,
                Way::ToFront => gap - 1,
            };
            match self.layers[layer].on(way, envelope, now) {
                Verdict::Pass(passed) => {
                    envelope = passed;
                    gap = beyond;
                }
                Verdict::Back(reply) => {
                    envelope = reply;
                    way = way.reversed();
                }
                Verdict::BackLater(later) => {
                    // The lane of an answer contains nothing else; the lane of the question must not be blocked.
                    let lane = LaneKey {
                        way: way.reversed(),
                        ..lane
                    };
                    let at = Resume { lane, layer: gap };
                    return self.detours.push(Detour { later, at });
                }
                Verdict::Detour(later) => {
                    let lane = LaneKey { way, ..lane };
                    self.lanes.hold(lane.clone());
                    let at = Resume {
                        lane,
                        layer: beyond,
                    };
                    return self.detours.push(Detour { later, at });
                }
                Verdict::Many(several) => return self.scatter(layer, several, &lane, now),
                Verdict::Drop => return,
            }
        }
    }

    /// Sends the messages that `layer` has returned.
    pub(super) fn scatter(
        &mut self,
        layer: usize,
        several: Vec<(Way, Envelope)>,
        lane: &LaneKey,
        now: Instant,
    ) {
        for (way, envelope) in several {
            let gap = match way {
                Way::ToBack => layer + 1,
                Way::ToFront => layer,
            };
            let lane = LaneKey {
                way,
                ..lane.clone()
            };
            self.travel(way, lane, gap, envelope, now);
        }
    }
}
