//! The connection to the test, which gets all received messages and opens gates.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::options::Options;

/// What the test sends when it has registered this process, and how long that may take.
const KNOWN: &str = "you are known";
const LIMIT: Duration = Duration::from_secs(10);

/// The connection to the test, and the gates that it has opened.
pub struct Watch {
    test: Arc<Mutex<Option<TcpStream>>>,
    state: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Default)]
struct State {
    open: HashSet<String>,
    cancelled: HashSet<String>,
}

impl Watch {
    /// Registers with the test, if there is one.
    pub fn connect(options: &Options, kind: &str) -> Self {
        let state = Arc::new((Mutex::new(State::default()), Condvar::new()));
        let test = options
            .watch
            .as_ref()
            .map(|address| TcpStream::connect(address).expect("the test listens to its children"));
        let answers = Arc::new(Mutex::new(None));
        if let Some(test) = &test {
            *answers.lock() = Some(test.try_clone().expect("a socket can be shared"));
            let lines = BufReader::new(test.try_clone().expect("a socket can be shared")).lines();
            let state = Arc::clone(&state);
            let answers = Arc::clone(&answers);
            thread::spawn(move || {
                for gate in lines.map_while(Result::ok) {
                    if let Some(number) = gate.strip_prefix("sync ") {
                        // All earlier reports were sent before this one.
                        write(&answers, "synced", number);
                        continue;
                    }
                    state.0.lock().open.insert(gate);
                    state.1.notify_all();
                }
            });
        }
        let watch = Self {
            test: answers,
            state,
        };
        watch.tell("hello", &format!("{} {kind}", std::process::id()));
        if options.watch.is_some() {
            // The test must know this process before a peer mentions it.
            let mut state = watch.state.0.lock();
            let unknown = |state: &mut State| !state.open.contains(KNOWN);
            watch.state.1.wait_while_for(&mut state, unknown, LIMIT);
        }
        watch
    }

    /// Reports an event to the test.
    pub fn tell(&self, kind: &str, text: &str) {
        write(&self.test, kind, text);
    }

    /// Records that the client has cancelled the request of that id.
    pub fn cancel(&self, id: &str) {
        self.state.0.lock().cancelled.insert(id.to_owned());
        self.state.1.notify_all();
    }

    /// Waits until the gate is open (`true`) or that request is cancelled.
    pub fn gate(&self, gate: &str, id: &str) -> bool {
        let mut state = self.state.0.lock();
        loop {
            if state.cancelled.contains(id) {
                return false;
            }
            if state.open.contains(gate) {
                return true;
            }
            self.state.1.wait(&mut state);
        }
    }

    /// The number of cancellations so far.
    pub fn cancellations(&self) -> usize {
        self.state.0.lock().cancelled.len()
    }
}

/// Writes one line to the test.
fn write(test: &Mutex<Option<TcpStream>>, kind: &str, text: &str) {
    if let Some(test) = test.lock().as_mut() {
        // An error means that the test has ended.
        let _ = test.write_all(format!("{kind} {text}\n").as_bytes());
    }
}
