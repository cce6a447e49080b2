//! The editor: starts a chain, sends it one request after the other, and measures the times.

use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::figures::{Figures, quantile};
use crate::lines::{deep, number, read, text};
use crate::plan::Plan;
use crate::{Outcome, proc};

/// The limit of everything together. A blocking read cannot be stopped, so the process exits.
const LIMIT: Duration = Duration::from_secs(90);
/// What a request of the measurement is long, its line end included.
const REQUEST: usize = 260;
const TOO_LATE: i32 = 3;

pub fn measure(plan: &Plan) -> Outcome<()> {
    std::thread::spawn(|| {
        std::thread::sleep(LIMIT);
        eprintln!("bench-acp: not done after {} s", LIMIT.as_secs());
        std::process::exit(TOO_LATE);
    });
    let start = Instant::now();
    let mut chain = Chain::start(&plan.command)?;
    chain.open()?;
    let mut figures = Figures {
        start_ms: start.elapsed().as_secs_f64() * 1000.0,
        ..Figures::default()
    };
    std::thread::sleep(plan.settle);
    figures.idle_kb = chain.memory_kb("VmRSS");
    figures.own_idle_kb = chain.memory_kb("RssAnon");
    for _ in 0..plan.warm {
        chain.echo()?;
    }
    let cpu = proc::cpu_ns(chain.child.id());
    let mut times = Vec::with_capacity(plan.calls as usize);
    for _ in 0..plan.calls {
        times.push(chain.echo()?.as_secs_f64() * 1e6);
    }
    figures.cpu_us = cpu
        .zip(proc::cpu_ns(chain.child.id()))
        .map(|(before, after)| after.saturating_sub(before) as f64 / 1e3 / plan.calls as f64);
    figures.calls = times.len();
    figures.p50_us = quantile(&mut times, 0.5);
    figures.p99_us = quantile(&mut times, 0.99);
    figures.updates = plan.updates;
    let took = chain.flood(plan.updates)?;
    figures.updates_per_s = Some(plan.updates as f64 / took.as_secs_f64());
    figures.after_kb = chain.memory_kb("VmRSS");
    figures.own_after_kb = chain.memory_kb("RssAnon");
    figures.peak_kb = chain.memory_kb("VmHWM");
    println!("{}", figures.to_json());
    Ok(())
}

struct Chain {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    line: Vec<u8>,
    last: u64,
}

impl Chain {
    fn start(command: &[String]) -> Outcome<Self> {
        let (program, args) = command.split_first().ok_or("no command")?;
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start {program}: {error}"))?;
        let (to, from) = child
            .stdin
            .take()
            .zip(child.stdout.take())
            .ok_or("no pipes")?;
        Ok(Self {
            child,
            to,
            from: BufReader::with_capacity(64 * 1024, from),
            line: Vec::new(),
            last: 0,
        })
    }

    /// Opens a session as an editor does: the handshake, and `session/new`.
    fn open(&mut self) -> Outcome<()> {
        let hello = r#"{"protocolVersion":1,"clientCapabilities":{}}"#;
        self.ask("initialize", hello)?;
        self.answer()?;
        self.ask("session/new", r#"{"cwd":"/","mcpServers":[]}"#)?;
        self.answer()
    }

    /// One round trip; the answer has to carry what was sent.
    fn echo(&mut self) -> Outcome<Duration> {
        let id = self.last + 1;
        let head = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"_bench/echo","params":{{"n":"{id}","text":""#
        );
        let text = "x".repeat(REQUEST.saturating_sub(head.len() + 4));
        let line = format!("{head}{text}\"}}}}\n");
        self.last = id;
        let start = Instant::now();
        self.send(line.as_bytes())?;
        self.answer()?;
        let took = start.elapsed();
        let told = deep(&self.line, &["result", "n"]).and_then(number);
        if told != Some(id) {
            return Err(format!(
                "another answer than the one to {id}: {}",
                self.said()
            ));
        }
        Ok(took)
    }

    /// Many updates and an answer, which must arrive in this order.
    fn flood(&mut self, count: u64) -> Outcome<Duration> {
        let start = Instant::now();
        self.ask("_bench/flood", &format!(r#"{{"count":{count}}}"#))?;
        for at in 0..count {
            self.read()?;
            let path = ["params", "update", "content", "text"];
            if text(&self.line, &path).and_then(number) != Some(at) {
                return Err(format!("out of order, not update {at}: {}", self.said()));
            }
        }
        self.answer()?;
        Ok(start.elapsed())
    }

    fn ask(&mut self, method: &str, params: &str) -> Outcome<()> {
        self.last += 1;
        let id = self.last;
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n"
        );
        self.send(line.as_bytes())
    }

    fn send(&mut self, line: &[u8]) -> Outcome<()> {
        self.to
            .write_all(line)
            .map_err(|error| format!("it does not read: {error}"))
    }

    /// The next line is the answer to the last request, and no error.
    fn answer(&mut self) -> Outcome<()> {
        self.read()?;
        let ours = deep(&self.line, &["id"]).and_then(number) == Some(self.last);
        if ours && deep(&self.line, &["result"]).is_some() {
            return Ok(());
        }
        Err(format!("unexpected answer: {}", self.said()))
    }

    fn read(&mut self) -> Outcome<()> {
        match read(&mut self.from, &mut self.line) {
            Ok(true) => Ok(()),
            Ok(false) => Err("it ended".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn said(&self) -> String {
        String::from_utf8_lossy(&self.line)
            .chars()
            .take(160)
            .collect()
    }

    fn memory_kb(&self, field: &str) -> Option<u64> {
        proc::memory_kb(self.child.id(), field)
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        // Its children see the end of their input.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
