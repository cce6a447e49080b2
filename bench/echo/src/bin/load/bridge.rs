//! A client on the stdin and stdout of a bridge.

use crate::Outcome;
use crate::ask::{Ask, Era, INITIALIZED};
use crate::group::Group;
use crate::line::{Line, classify, excerpt, reply_to};
use crate::measure::{Flooded, Link, PATIENCE};
use crate::plan::Bound;
use crate::proc::Who;
use crate::watchdog::Watchdog;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

pub struct Bridge {
    /// Dropped first, so that it cannot kill a group whose id was reused.
    watchdog: Watchdog,
    child: Group,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    line: Vec<u8>,
    out: Vec<u8>,
    next_id: u64,
}

impl Bridge {
    pub fn start(command: &[String], stderr: Option<&Path>) -> Outcome<Self> {
        let mut child = Group::start(command, Stdio::piped(), Stdio::piped(), stderr)?;
        let pipes = (child.0.stdin.take(), child.0.stdout.take());
        let (Some(to), Some(from)) = pipes else {
            return Err("no pipes".into());
        };
        Ok(Self {
            watchdog: Watchdog::watch(child.0.id()),
            child,
            to,
            from: BufReader::with_capacity(64 * 1024, from),
            line: Vec::new(),
            out: Vec::new(),
            next_id: 1,
        })
    }

    pub fn pid(&self) -> u32 {
        self.child.0.id()
    }

    fn send(&mut self) -> Outcome<()> {
        let sent = self.to.write_all(&self.out);
        self.out.clear();
        sent.map_err(|e| self.lost(&e.to_string()))
    }

    /// The id of the next answer; `self.line` is then its line.
    fn next_answer(&mut self) -> Outcome<u64> {
        loop {
            self.line.clear();
            match self.from.read_until(b'\n', &mut self.line) {
                Ok(0) => return Err(self.lost("it closed its output")),
                Ok(_) => {}
                Err(e) => return Err(self.lost(&e.to_string())),
            }
            match classify(&self.line) {
                Line::Answer(id) => return Ok(id),
                Line::Question { id, is_ping } => {
                    let mut reply = reply_to(&id, is_ping);
                    reply.push(b'\n');
                    self.to
                        .write_all(&reply)
                        .map_err(|e| self.lost(&e.to_string()))?;
                }
                Line::Other => {}
            }
        }
    }

    fn lost(&self, how: &str) -> String {
        if self.watchdog.fired() {
            format!("no answer within {} s", PATIENCE.as_secs())
        } else {
            format!("bridge lost: {how}")
        }
    }

    fn fresh_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id - 1
    }
}

impl Link for Bridge {
    fn initialize(&mut self) -> Outcome<Instant> {
        self.call(Ask::Initialize)?;
        let answered = Instant::now();
        self.out.extend_from_slice(INITIALIZED.as_bytes());
        self.out.push(b'\n');
        self.send()?;
        Ok(answered)
    }

    fn call(&mut self, ask: Ask) -> Outcome<Duration> {
        let id = self.fresh_id();
        ask.write(id, Era::Legacy, &mut self.out);
        self.out.push(b'\n');
        if let Ask::Blob(size) = ask {
            self.line.reserve(size + size / 32);
        }
        let start = Instant::now();
        self.watchdog.arm(start, PATIENCE);
        self.send()?;
        let answered = self.next_answer()?;
        let took = start.elapsed();
        self.watchdog.rest();
        if answered != id {
            return Err(format!("answer to {answered} instead of {id}"));
        }
        ask.check(id, Era::Legacy, &self.line)?;
        Ok(took)
    }

    fn flood(&mut self, in_flight: usize, bound: Bound) -> Outcome<Flooded> {
        let first = self.next_id;
        let mut sent: Vec<Option<Instant>> = Vec::with_capacity(bound.count);
        let mut times = Vec::with_capacity(bound.count);
        let start = Instant::now();
        let mut now = start;
        for _ in 0..in_flight.min(bound.count) {
            let id = self.fresh_id();
            sent.push(Some(now));
            Ask::Echo.write(id, Era::Legacy, &mut self.out);
            self.out.push(b'\n');
        }
        self.watchdog.arm(now, PATIENCE);
        self.send()?;
        while times.len() < sent.len() {
            let id = self.next_answer()?;
            now = Instant::now();
            let slot = usize::try_from(id.wrapping_sub(first)).ok();
            let asked = slot.and_then(|s| sent.get_mut(s)).and_then(Option::take);
            let asked = asked
                .ok_or_else(|| format!("an answer to no request: {}", excerpt(&self.line)))?;
            Ask::Echo.check(id, Era::Legacy, &self.line)?;
            times.push((now - asked).as_secs_f64() * 1000.0);
            if sent.len() < bound.count && now - start < bound.time {
                let id = self.fresh_id();
                sent.push(Some(now));
                Ask::Echo.write(id, Era::Legacy, &mut self.out);
                self.out.push(b'\n');
            }
            // Answers that arrived together are followed by calls that are sent together, as in a client with an event
            // loop. Nothing is held back while idle.
            if !self.out.is_empty() && !self.from.buffer().contains(&b'\n') {
                self.watchdog.arm(now, PATIENCE);
                self.send()?;
            }
        }
        self.watchdog.rest();
        Ok(Flooded {
            took: now - start,
            times,
        })
    }

    fn bridge(&self) -> Option<Who> {
        Some(Who::Tree(self.child.0.id()))
    }
}
