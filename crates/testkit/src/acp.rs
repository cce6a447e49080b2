//! Components of an ACP chain that the test controls.
//!
//! A component is a process of its own (`linkspan-child part …`); a controlled one reports every line that it receives
//! to the test, and runs the test's commands. Its connection to the test ends when it exits in any way, so tests need
//! no process lists.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::lines::{Lines, Nothing};
use crate::message::Message;
use crate::{LIMIT, child_program};

/// Where played components report.
#[derive(Clone)]
pub struct Stage {
    address: SocketAddr,
    inner: Arc<(Mutex<HashMap<String, Player>>, Condvar)>,
}

/// A component that the test plays.
#[derive(Clone)]
pub struct Player {
    name: String,
    /// Its process number.
    pub pid: u32,
    heard: Lines,
    test: Arc<Mutex<TcpStream>>,
}

impl Default for Stage {
    fn default() -> Self {
        Self::new()
    }
}

impl Stage {
    /// Waits for components to report.
    ///
    /// # Panics
    /// When there is no free port.
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port exists");
        let stage = Self {
            address: listener.local_addr().expect("a listener has an address"),
            inner: Arc::default(),
        };
        let mine = stage.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                mine.enter(stream);
            }
        });
        stage
    }

    /// The command line of a component that the test plays under that name.
    pub fn played(&self, name: &str) -> String {
        part(&["play", &self.address.to_string(), name])
    }

    /// The player of that name; waits until it has started.
    #[track_caller]
    pub fn player(&self, name: &str) -> Player {
        let end = Instant::now() + LIMIT;
        let mut players = self.lock();
        loop {
            if let Some(player) = players.get(name) {
                return player.clone();
            }
            let left = end.checked_duration_since(Instant::now());
            let left = left.unwrap_or_else(|| panic!("`{name}` was never started"));
            self.inner.1.wait_for(&mut players, left);
        }
    }

    /// Waits until every process that ever connected has ended, grandchildren too.
    #[track_caller]
    pub fn wait_until_empty(&self) {
        let all: Vec<Player> = self.lock().values().cloned().collect();
        for player in all {
            player.wait_until_gone();
        }
    }

    /// The names of the players that have connected.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.lock().keys().cloned().collect();
        names.sort();
        names
    }

    fn enter(&self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let mut lines = BufReader::new(stream.try_clone().expect("a socket can be shared"));
        let mut hello = String::new();
        if lines.read_line(&mut hello).is_err() {
            return;
        }
        let Some((name, pid)) = hello.trim_end().rsplit_once(' ') else {
            return;
        };
        let player = Player {
            name: name.to_owned(),
            pid: pid.parse().unwrap_or_default(),
            heard: Lines::read(lines),
            test: Arc::new(Mutex::new(stream)),
        };
        self.lock().insert(name.to_owned(), player);
        self.inner.1.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Player>> {
        self.inner.0.lock()
    }
}

/// The command line of a component that is not a player: `linkspan-child part …`.
pub fn part(args: &[&str]) -> String {
    let program = child_program();
    let program = program.to_str().expect("the path of a build is text");
    let args = args.iter().map(|arg| format!(" '{arg}'"));
    format!("'{program}' part{}", args.collect::<String>())
}

impl Player {
    /// Writes a line to its stdout.
    pub fn say(&self, line: &str) {
        self.command(&format!("say {line}"));
    }

    /// Writes text to its stdout, without an end of line.
    pub fn half(&self, text: &str) {
        self.command(&format!("half {text}"));
    }

    /// Writes a line to its stderr.
    pub fn complain(&self, line: &str) {
        self.command(&format!("stderr {line}"));
    }

    /// Sends it a command: see `linkspan-child`'s `part play`.
    pub fn command(&self, command: &str) {
        let mut test = self.test.lock();
        // If the component has exited, the wait for its reply gives the better message.
        let _ = test.write_all(format!("{command}\n").as_bytes());
    }

    /// The value of a variable of its environment; empty if it has none.
    #[track_caller]
    pub fn env(&self, name: &str) -> String {
        self.command(&format!("env {name}"));
        let line = self.take("its environment", |line| line.starts_with("env "));
        line["env ".len()..].to_owned()
    }

    /// Waits until it has finished a command; each is waited for once.
    #[track_caller]
    pub fn wait_until_done(&self, verb: &str) {
        let did = format!("did {verb}");
        self.take(&did, |line| line == did);
    }

    /// How many notifications of its last flood it has written.
    pub fn flooded(&self) -> u64 {
        let lines = self.heard.all().into_iter().rev();
        let mut counts = lines.filter_map(|line| line.strip_prefix("wrote ")?.parse().ok());
        counts.next().unwrap_or_default()
    }

    /// Whether it has finished a command that no wait has taken yet.
    pub fn has_done(&self, verb: &str) -> bool {
        self.heard.all().contains(&format!("did {verb}"))
    }

    /// The next line on its stdin.
    #[track_caller]
    pub fn line(&self) -> String {
        let line = self.take("a line", |line| line.starts_with("in "));
        line["in ".len()..].to_owned()
    }

    /// The next message on its stdin.
    #[track_caller]
    pub fn next(&self) -> Message {
        let line = self.line();
        let parsed = Message::parse(&line);
        parsed.unwrap_or_else(|| panic!("{} heard no message: {line}", self.name))
    }

    /// The next message of that method; earlier messages stay queued.
    #[track_caller]
    pub fn heard(&self, method: &str) -> Message {
        self.find(method, |message| message.method.as_deref() == Some(method))
    }

    /// The answer to that id, given as JSON text.
    #[track_caller]
    pub fn answer(&self, id: &str) -> Message {
        self.find(&format!("an answer to {id}"), |message| {
            message.is_response() && message.id.as_deref() == Some(id)
        })
    }

    /// The first message that `is` accepts; others stay.
    #[track_caller]
    pub fn find(&self, what: &str, is: impl Fn(&Message) -> bool) -> Message {
        let parsed = |line: &str| Message::parse(line.strip_prefix("in ")?);
        let line = self.take(what, |line| {
            parsed(line).is_some_and(|message| is(&message))
        });
        parsed(&line).expect("it was a message a moment ago")
    }

    /// Waits until its stdin has ended.
    #[track_caller]
    pub fn wait_for_eof(&self) {
        self.take("the end of its stdin", |line| line == "eof");
    }

    /// Waits until the process has ended.
    #[track_caller]
    pub fn wait_until_gone(&self) {
        if self.heard.take(LIMIT, |_| false) != Err(Nothing::Ended) {
            panic!("{} has not ended", self.name);
        }
    }

    /// Whether the process ends within that time.
    pub fn is_gone_within(&self, limit: Duration) -> bool {
        self.heard.take(limit, |_| false) == Err(Nothing::Ended)
    }

    /// The messages that it has received and that no wait has taken.
    pub fn unheard(&self) -> Vec<String> {
        let lines = self.heard.all().into_iter();
        lines
            .filter_map(|line| Some(line.strip_prefix("in ")?.to_owned()))
            .collect()
    }

    #[track_caller]
    fn take(&self, what: &str, is: impl Fn(&str) -> bool) -> String {
        self.heard.take(LIMIT, is).unwrap_or_else(|nothing| {
            let short = |line: String| line.chars().take(400).collect::<String>();
            let left: Vec<_> = self.heard.all().into_iter().map(short).collect();
            let why = match nothing {
                Nothing::Ended => "it has ended",
                Nothing::Timeout => "time is up",
            };
            panic!(
                "{} never heard {what}: {why}; it has heard {left:#?}",
                self.name
            )
        })
    }
}
