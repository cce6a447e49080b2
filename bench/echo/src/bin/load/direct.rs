//! A client over HTTP: directly to the server, which is the baseline, or to a bridge. One connection per call in
//! flight, each with its own thread, as HTTP/1.1 demands.

use crate::Outcome;
use crate::ask::{Ask, Era};
use crate::connection::{Badge, Connection};
use crate::measure::{Flooded, Link};
use crate::plan::Bound;
use crate::proc::Who;
use std::net::SocketAddr;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub struct Direct {
    address: SocketAddr,
    badge: Badge,
    first: Connection,
    next_id: u64,
}

impl Direct {
    pub fn open(address: SocketAddr, era: Era) -> Outcome<Self> {
        Ok(Self {
            address,
            badge: Badge::new(era),
            first: Connection::open(address)?,
            next_id: 1,
        })
    }

    pub fn has_session(&self) -> bool {
        self.badge.session.is_some()
    }
}

impl Link for Direct {
    fn initialize(&mut self) -> Outcome<Instant> {
        if self.badge.era == Era::Modern {
            self.call(Ask::Discover)?;
            return Ok(Instant::now());
        }
        let id = self.next_id;
        self.next_id += 1;
        let (_, head) = self.first.call(Ask::Initialize, id, &self.badge)?;
        let answered = Instant::now();
        self.badge.greeted(head.session);
        self.first.initialized(&self.badge)?;
        Ok(answered)
    }

    fn call(&mut self, ask: Ask) -> Outcome<Duration> {
        let id = self.next_id;
        self.next_id += 1;
        self.first.call(ask, id, &self.badge).map(|(took, _)| took)
    }

    fn flood(&mut self, in_flight: usize, bound: Bound) -> Outcome<Flooded> {
        let next = AtomicU64::new(0);
        let first = self.next_id;
        let count = bound.count as u64;
        self.next_id += count;
        let badge = &self.badge;
        let mut connections = (0..in_flight)
            .map(|_| Connection::open(self.address))
            .collect::<Outcome<Vec<_>>>()?;
        let ready = Barrier::new(in_flight + 1);
        let work = |connection: &mut Connection| -> Outcome<Vec<f64>> {
            let mut times = Vec::with_capacity(bound.count / in_flight * 2);
            ready.wait();
            let start = Instant::now();
            while start.elapsed() < bound.time {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= count {
                    break;
                }
                let (took, _) = connection.call(Ask::Echo, first + n, badge)?;
                times.push(took.as_secs_f64() * 1000.0);
            }
            Ok(times)
        };
        let work = &work;
        std::thread::scope(|scope| {
            let threads: Vec<_> = connections
                .iter_mut()
                .map(|c| scope.spawn(move || work(c)))
                .collect();
            ready.wait();
            let start = Instant::now();
            let mut times = Vec::with_capacity(bound.count);
            for thread in threads {
                times.extend(thread.join().map_err(|_| "a thread panicked")??);
            }
            Ok(Flooded {
                took: start.elapsed(),
                times,
            })
        })
    }

    fn bridge(&self) -> Option<Who> {
        None
    }
}
