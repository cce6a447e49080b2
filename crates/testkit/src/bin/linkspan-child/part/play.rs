//! A component that is controlled by the test: it reports what it receives, and runs the test's commands.
//!
//! From the test, one command per line: `say LINE`, `half TEXT` (no line end), `stderr LINE`, `flood COUNT SIZE METHOD`
//! (that many notifications), `flood-down COUNT SIZE` (the same, in a proxy's envelope for its successor), `noise
//! COUNT` (lines that are not messages), `deaf` and `hear` (stops and resumes reading stdin), `stubborn` (does not exit
//! when stdin ends), `child` (starts a process that keeps running), `env NAME` (reports its value), `shut` (closes
//! stdout), `exit CODE`, `signal NUMBER`. To the test: `in LINE`, `eof` when stdin ends, `did COMMAND` after each
//! command, and `wrote NUMBER` in a flood of large ones.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Command, exit};
use std::sync::Arc;
use std::thread;

use parking_lot::{Condvar, Mutex};

type Manners = Arc<(Mutex<Bad>, Condvar)>;

/// Misbehaviour that the test asks for.
#[derive(Default)]
struct Bad {
    deaf: bool,
    stubborn: bool,
}

/// Plays until the test lets it exit, or until the test ends.
pub fn run(address: &str, name: &str) {
    let test = connect(address, name);
    let tell = Arc::new(Mutex::new(
        test.try_clone().expect("a socket can be shared"),
    ));
    let manners = Manners::default();
    let (theirs, mine) = (Arc::clone(&tell), Arc::clone(&manners));
    thread::spawn(move || listen(&theirs, &mine));
    let stage = (address, name);
    for command in BufReader::new(test).lines().map_while(Result::ok) {
        let (verb, rest) = command.split_once(' ').unwrap_or((&command, ""));
        match verb {
            "env" => {
                let value = std::env::var(rest).unwrap_or_default();
                say(&tell, &format!("env {value}"));
            }
            "flood" | "flood-down" => flood(rest, |count| say(&tell, &format!("wrote {count}"))),
            _ => obey(verb, rest, stage, &manners),
        }
        say(&tell, &format!("did {verb}"));
    }
}

/// A process that runs until it is killed, or until the test ends.
pub fn stay(address: &str, name: &str) {
    let test = connect(address, name);
    for _ in BufReader::new(test).lines().map_while(Result::ok) {}
}

fn connect(address: &str, name: &str) -> TcpStream {
    let mut test = TcpStream::connect(address).expect("the test listens to its components");
    // Tests wait for each line.
    let _ = test.set_nodelay(true);
    let pid = std::process::id();
    let hello = format!("{name} {pid}\n");
    test.write_all(hello.as_bytes()).expect("the test listens");
    test
}

/// Reports the lines of stdin to the test.
fn listen(tell: &Mutex<TcpStream>, manners: &Manners) {
    let mut stdin = BufReader::new(std::io::stdin().lock());
    loop {
        let mut held = manners.0.lock();
        manners.1.wait_while(&mut held, |bad| bad.deaf);
        drop(held);
        let mut line = Vec::new();
        if matches!(stdin.read_until(b'\n', &mut line), Ok(0) | Err(_)) {
            say(tell, "eof");
            let mut held = manners.0.lock();
            manners.1.wait_while(&mut held, |bad| bad.stubborn);
            drop(held);
            exit(0);
        }
        let line = String::from_utf8_lossy(&line);
        say(
            tell,
            &format!("in {}", line.strip_suffix('\n').unwrap_or(&line)),
        );
    }
}

fn obey(verb: &str, rest: &str, (address, name): (&str, &str), manners: &Manners) {
    let change = |how: fn(&mut Bad)| {
        how(&mut manners.0.lock());
        manners.1.notify_all();
    };
    match verb {
        "say" => out(format!("{rest}\n").as_bytes()),
        "half" => out(rest.as_bytes()),
        "stderr" => eprintln!("{rest}"),
        "noise" => (0..parse(rest)).for_each(|_| out(b"npm warn: this is no message\n")),
        "deaf" => change(|bad| bad.deaf = true),
        "hear" => change(|bad| bad.deaf = false),
        "stubborn" => change(|bad| bad.stubborn = true),
        "child" => start_child(address, name),
        "shut" => shut(),
        "exit" => exit(rest.parse().expect("a number")),
        "signal" => signal(rest.parse().expect("a number")),
        other => panic!("no such command: {other}"),
    }
}

/// Writes numbered notifications of about that many bytes each; for the successor if there is no method.
fn flood(what: &str, wrote: impl Fn(u64)) {
    let mut words = what.split(' ');
    let mut next = || words.next().unwrap_or_default();
    let (count, size) = (parse(next()), parse(next()));
    let method = next();
    let fill = "x".repeat(usize::try_from(size).expect("that fits"));
    for number in 1..=count {
        let params = format!(r#"{{"n":{number},"fill":"{fill}"}}"#);
        let line = match method {
            "" => super::spelling::message(
                None,
                "\"proxy/successor\"",
                Some(&format!(r#"{{"method":"_down","params":{params}}}"#)),
            ),
            method => super::spelling::message(None, &format!("\"{method}\""), Some(&params)),
        };
        out(format!("{line}\n").as_bytes());
        if size >= 10_000 {
            wrote(number);
        }
    }
}

fn parse(number: &str) -> u64 {
    number.parse().expect("a number")
}

fn start_child(address: &str, name: &str) {
    let me = std::env::current_exe().expect("a process knows its own program");
    // It has our stdout and stderr, as the real server behind `npx` has.
    let child = Command::new(me)
        .args(["part", "stay", address, &format!("{name}.child")])
        .spawn();
    let mut child = child.expect("a child can be started");
    thread::spawn(move || child.wait());
}

#[cfg(unix)]
fn shut() {
    let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null");
    let nowhere = nowhere.expect("there is /dev/null");
    rustix::stdio::dup2_stdout(nowhere).expect("stdout can be replaced");
}

#[cfg(not(unix))]
fn shut() {
    panic!("stdout cannot be closed here");
}

#[cfg(unix)]
fn signal(number: i32) {
    use rustix::process::{Signal, getpid, kill_process};
    let signal = Signal::from_named_raw(number).expect("a known signal");
    let _ = kill_process(getpid(), signal);
    // The signal may take a moment to arrive.
    thread::park();
}

#[cfg(not(unix))]
fn signal(_: i32) {
    panic!("there are no signals here");
}

fn out(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    // The end of stdin shows that the conductor has exited.
    let _ = stdout.write_all(bytes);
    let _ = stdout.flush();
}

fn say(tell: &Mutex<TcpStream>, line: &str) {
    // An error means that the test has ended.
    let _ = tell.lock().write_all(format!("{line}\n").as_bytes());
}
