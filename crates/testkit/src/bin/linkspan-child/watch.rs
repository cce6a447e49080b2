//! The line to the test: it hears what we hear, and opens gates.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::options::Options;

/// The connection to the test, and what it has allowed so far.
pub struct Watch {
    test: Mutex<Option<TcpStream>>,
    state: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Default)]
struct State {
    open: HashSet<String>,
    cancelled: HashSet<String>,
}

impl Watch {
    /// Says hello to the test, if there is one.
    pub fn connect(options: &Options, kind: &str) -> Self {
        let state = Arc::new((Mutex::new(State::default()), Condvar::new()));
        let test = options
            .watch
            .as_ref()
            .map(|address| TcpStream::connect(address).expect("the test listens to its children"));
        if let Some(test) = &test {
            let lines = BufReader::new(test.try_clone().expect("a socket can be shared")).lines();
            let state = Arc::clone(&state);
            thread::spawn(move || {
                for gate in lines.map_while(Result::ok) {
                    lock(&state.0).open.insert(gate);
                    state.1.notify_all();
                }
            });
        }
        let watch = Self {
            test: Mutex::new(test),
            state,
        };
        watch.tell("hello", &format!("{} {kind}", std::process::id()));
        watch
    }

    /// Tells the test something.
    pub fn tell(&self, kind: &str, text: &str) {
        if let Some(test) = lock(&self.test).as_mut() {
            // A test that has ended does not need to know.
            let _ = test.write_all(format!("{kind} {text}\n").as_bytes());
        }
    }

    /// Notes that the client no longer wants the answer to that id.
    pub fn cancel(&self, id: &str) {
        lock(&self.state.0).cancelled.insert(id.to_owned());
        self.state.1.notify_all();
    }

    /// Waits until the gate is open (`true`) or that request is cancelled.
    pub fn gate(&self, gate: &str, id: &str) -> bool {
        let mut state = lock(&self.state.0);
        loop {
            if state.cancelled.contains(id) {
                return false;
            }
            if state.open.contains(gate) {
                return true;
            }
            state = self
                .state
                .1
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// How many cancellations have come.
    pub fn cancellations(&self) -> usize {
        lock(&self.state.0).cancelled.len()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
