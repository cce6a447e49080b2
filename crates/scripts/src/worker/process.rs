//! One long-running process, and the task that owns it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use linkspan_spawn::Command;
use linkspan_wire::{Json, Limits, Line, Lines, RpcError};
use tokio::io::AsyncReadExt;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use super::calls::{Action, Answer, Calls, Told, Waiting};
use crate::folder::{Tool, WorkerSettings};
use crate::os::{OwnedFd, pipe};
use crate::run::capture::Tail;
use crate::run::control::{LineError, Odd, Said};
use crate::run::env::{Common, put};
use crate::run::guard::{Begin, Guard};
use crate::run::observer::{ask, refusal};
use crate::run::outbox::Outbox;
use crate::run::temp_files::TempFiles;
use crate::run::throttle::Throttle;
use crate::run::{Runner, argv, channel};
use crate::trust::Start;

/// Limit of invalid lines per minute; above it the process counts as broken.
const NOISE: usize = 3;
/// How long output is still read after the end of a process.
const LAST_READ: Duration = Duration::from_millis(200);

/// A command for the process task.
pub(super) enum Order {
    Call {
        call: u64,
        line: String,
        waiting: Box<Waiting>,
    },
    Cancel(u64),
}

/// A handle of a process.
pub(super) struct Handle {
    /// Has room for every call of the process, and for the cancellation of each.
    pub(super) orders: mpsc::Sender<Order>,
    pub(super) load: Arc<AtomicUsize>,
    pub(super) calls: u64,
}

/// Counts a call while it exists.
pub(super) struct Load(Arc<AtomicUsize>);

impl Load {
    pub(super) fn new(load: &Arc<AtomicUsize>) -> Self {
        load.fetch_add(1, Ordering::Relaxed);
        Self(load.clone())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Our ends.
pub(crate) struct Pipes {
    pub(crate) stdin: pipe::Sender,
    pub(crate) stdout: pipe::Receiver,
    pub(crate) stderr: pipe::Receiver,
}

/// Starts a process of the tool.
pub(super) async fn start(
    runner: &Arc<Runner>,
    tool: &Arc<Tool>,
    settings: &WorkerSettings,
) -> io::Result<Handle> {
    let (guard, pipes) = spawn(runner, tool).await?;
    let (orders, wanted) = mpsc::channel(settings.concurrency.max(1) * 2);
    let load = Arc::new(AtomicUsize::new(0));
    let worker = Worker {
        name: tool.name.clone(),
        idle: settings.idle,
        orders: wanted,
        calls: Calls::default(),
        out: Outbox::default(),
        lines: Lines::new(Limits::new(tool.run.max_output.saturating_mul(2))),
        noise: Throttle::new(NOISE),
        tail: Tail::default(),
    };
    tokio::spawn(worker.run(guard, pipes));
    Ok(Handle {
        orders,
        load,
        calls: 0,
    })
}

/// A process with three pipes.
pub(crate) async fn spawn(runner: &Arc<Runner>, tool: &Tool) -> io::Result<(Guard, Pipes)> {
    let run = &tool.run;
    let marker = runner.marker();
    let cancel = runner.folder().join(format!("{marker}.cancelled"));
    let mut env = runner.base_env(&run.env);
    Common {
        root: runner.root(),
        sdk: &runner.files.installed.sdk,
        jq: &runner.files.installed.jq,
        marker: &marker,
        cancel: &cancel,
        log_level: linkspan_mcp::Level::DEFAULT.name(),
    }
    .put(&mut env);
    put(&mut env, "MCP_TOOL_NAME", &tool.name);
    put(&mut env, "MCP_WORKER", "1");
    let none = Json::parse("{}").map_err(|_| io::Error::other("{} is no JSON"))?;
    let words = argv::words(&tool.program, none).map_err(io::Error::other)?;
    let cwd = run.cwd.clone().unwrap_or_else(|| runner.root().to_owned());
    let start = Start {
        words: &words,
        env: &env,
        cwd: &cwd,
    };
    let program = runner.checked(start, &tool.program.files(&cwd, runner.root()))?;
    let mut temp_files = TempFiles::default();
    let mut fds: Vec<(OwnedFd, i32)> = Vec::new();
    let words = (program, words);
    let (program, words) = runner.confined(run, &[], words, &marker, &mut temp_files, &mut fds)?;
    let (stdin, their_stdin) = channel::writing()?;
    let (stdout, their_stdout) = channel::reading()?;
    let (stderr, their_stderr) = channel::reading()?;
    fds.extend([(their_stdin, 0), (their_stdout, 1), (their_stderr, 2)]);
    let command = Command {
        program,
        args: words,
        env,
        cwd,
        fds,
    };
    let begin = Begin {
        runner: runner.clone(),
        marker,
        grace: run.grace,
        cancel,
    };
    let guard = begin
        .start(command, run.sandbox.level > 0, |guard| {
            guard.temp_files = temp_files
        })
        .await?;
    Ok((
        guard,
        Pipes {
            stdin,
            stdout,
            stderr,
        },
    ))
}

struct Worker {
    name: String,
    idle: Duration,
    orders: mpsc::Receiver<Order>,
    calls: Calls,
    out: Outbox,
    lines: Lines,
    noise: Throttle,
    tail: Tail,
}

/// Why the task ends.
enum End {
    /// No caller needs the process.
    Unneeded,
    Broken(String),
}

impl Worker {
    async fn run(mut self, mut guard: Guard, pipes: Pipes) {
        let Pipes {
            stdin,
            mut stdout,
            mut stderr,
        } = pipes;
        let end = self
            .serve(&mut guard, &stdin, &mut stdout, &mut stderr)
            .await;
        self.orders.close();
        // Not `try_recv`: a sender may hold a permit.
        while let Some(order) = self.orders.recv().await {
            if let Order::Call { waiting, .. } = order {
                let Waiting {
                    observer, reply, ..
                } = *waiting;
                let _ = reply.send(Told {
                    answer: Answer::NotBegun,
                    observer,
                });
            }
        }
        if let End::Broken(why) = end {
            tracing::warn!("`{}`: {why}", self.name);
            self.calls.died(&why);
        }
        drop(stdin);
        // The end of its input; most processes end then.
        if timeout(guard.grace(), guard.wait()).await.is_ok() {
            guard.clear().await;
        }
    }

    async fn serve(
        &mut self,
        guard: &mut Guard,
        stdin: &pipe::Sender,
        stdout: &mut pipe::Receiver,
        stderr: &mut pipe::Receiver,
    ) -> End {
        let mut questions: JoinSet<(u64, String)> = JoinSet::new();
        let mut err = vec![0; 4 << 10];
        let mut err_open = true;
        let mut wanted = true;
        let mut idle_since = Instant::now();
        // When reading from an ended process stops.
        let mut last = None;
        loop {
            if !self.calls.is_empty() {
                idle_since = Instant::now();
            } else if !wanted {
                return End::Unneeded;
            }
            let idle_end = idle_since + self.idle;
            let deadline = self.calls.deadline();
            tokio::select! {
                order = self.orders.recv(), if wanted => match order {
                    None => wanted = false,
                    Some(order) => {
                        self.take(order);
                        // Usually the pipe has room and the write needs no wait.
                        if let Err(e) = self.out.flush(stdin) {
                            return deaf(&e);
                        }
                    }
                },
                read = stdout.read_buf(self.lines.buffer()) => match read {
                    Ok(0) | Err(_) => {
                        let _ = timeout(LAST_READ, drain(stderr, &mut self.tail)).await;
                        return self.gone(guard).await;
                    }
                    Ok(_) => {
                        if let Some(end) = self.listen(&mut questions) {
                            return end;
                        }
                        if let Err(e) = self.out.flush(stdin) {
                            return deaf(&e);
                        }
                    }
                },
                _ = guard.wait(), if last.is_none() => {
                    // A descendant that keeps the pipes open would hide the end of output.
                    guard.kill();
                    guard.sweep().await;
                    last = Some(Instant::now() + LAST_READ);
                },
                read = stderr.read(&mut err), if err_open => match read {
                    Ok(0) | Err(_) => err_open = false,
                    Ok(n) => self.tail.take(&err[..n]),
                },
                Some(answered) = questions.join_next() => if let Ok((call, line)) = answered {
                    self.calls.asked(call);
                    self.out.answer(line.as_bytes());
                },
                ready = stdin.writable(), if !self.out.is_empty() => {
                    if ready.is_err() {
                        return self.gone(guard).await;
                    }
                    if let Err(e) = self.out.flush(stdin) {
                        return deaf(&e);
                    }
                },
                () = sleep_until(last.unwrap_or(idle_end)), if last.is_some() => {
                    return self.gone(guard).await;
                }
                () = sleep_until(deadline.unwrap_or(idle_end)), if deadline.is_some() => match self.calls.late() {
                    Some(lines) => lines.iter().for_each(|line| self.out.tell(line.as_bytes())),
                    None => return End::Broken("it did not stop a cancelled call".to_owned()),
                },
                () = sleep_until(idle_end), if self.calls.is_empty() => return End::Unneeded,
            }
        }
    }

    fn take(&mut self, order: Order) {
        match order {
            Order::Call {
                call,
                line,
                waiting,
            } => {
                self.out.tell(line.as_bytes());
                self.calls.begin(call, *waiting);
            }
            Order::Cancel(call) => {
                if let Some(line) = self.calls.cancel(call) {
                    self.out.tell(line.as_bytes());
                }
            }
        }
    }

    fn listen(&mut self, questions: &mut JoinSet<(u64, String)>) -> Option<End> {
        while let Some(line) = self.lines.next() {
            let said = match line {
                Line::TooLarge(e) => return Some(End::Broken(e.to_string())),
                Line::Text(text) => match std::str::from_utf8(&text) {
                    Err(_) => Err(LineError::NoUtf8.into()),
                    Ok(text) if text.trim().is_empty() => continue,
                    Ok(text) => Said::parse(text),
                },
            };
            match said {
                Ok(said) => match self.calls.hear(said) {
                    Action::Nothing => {}
                    Action::Write(line) => self.out.answer(line.as_bytes()),
                    Action::Ask(caller, call, id, question) => {
                        let asking = async move { (call, ask(caller, id, question).await) };
                        self.calls.asks(call, questions.spawn(asking));
                    }
                },
                Err(Odd { why, id: Some(id) }) => {
                    let why = RpcError::invalid_params(why.to_string());
                    self.out.answer(refusal(&id, &why).as_bytes());
                }
                Err(Odd { why, id: None }) => {
                    tracing::warn!("`{}` said something odd: {why}", self.name);
                    if !self.noise.take(Instant::now()) {
                        let why = "its stdout is not a JSON-RPC message; logs belong on stderr";
                        return Some(End::Broken(why.to_owned()));
                    }
                }
            }
        }
        None
    }

    async fn gone(&mut self, guard: &mut Guard) -> End {
        let status = timeout(Duration::from_millis(500), guard.wait()).await;
        let how = match status {
            Ok(Ok(status)) => crate::run::result::ended_with(status.shell_code()),
            _ => "it closed its output".to_owned(),
        };
        let said = self.tail.text();
        let last = said
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty());
        End::Broken(match last {
            Some(last) => format!("the process has ended ({how}): {last}"),
            None => format!("the process has ended ({how})"),
        })
    }
}

fn deaf(why: &io::Error) -> End {
    End::Broken(format!("it does not read its input: {why}"))
}

/// Reads the rest of stderr.
async fn drain(stderr: &mut pipe::Receiver, tail: &mut Tail) {
    let mut err = vec![0; 4 << 10];
    while let Ok(n) = stderr.read(&mut err).await {
        if n == 0 {
            return;
        }
        tail.take(&err[..n]);
    }
}
