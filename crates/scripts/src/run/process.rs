//! Runs one program and handles its messages and output.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use linkspan_spawn::Command;
use linkspan_wire::RpcError;
use tokio::time::{Instant, sleep_until, timeout};

use super::capture::{Capture, Printed};
use super::channel;
use super::clock::Clock;
use super::conversation::Conversation;
use super::env::{Env, put};
use super::guard::{Begin, DEAD, Guard, ended as has_ended};
use super::observer::CallObserver;
use super::runner::Runner;
use super::streams::{Chunk, LAST_READ, Streams};
use super::temp_files::TempFiles;
use crate::folder::RunSettings;
use crate::os::{OwnedFd, pipe};
use crate::trust::Start;

/// The description of a run.
pub struct Job<'a> {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// Further arguments that are executed files. Like the program and its interpreters they are checked right
    /// before the start.
    pub executed: Vec<PathBuf>,
    /// The complete environment.
    pub env: Env,
    /// Its working directory.
    pub cwd: PathBuf,
    /// Its standard input.
    pub stdin: Stdin,
    /// Whether to open a control channel. Without an observer there is none.
    pub control: bool,
    /// Limits and sandbox.
    pub run: &'a RunSettings,
    /// Overrides the time limit of the settings.
    pub timeout: Option<Duration>,
    /// The client's roots.
    pub roots: Vec<PathBuf>,
    /// The value of `LINKSPAN_CALL` in the environment.
    pub marker: String,
    /// The file that is created when the call is cancelled.
    pub cancel: PathBuf,
    /// Files that are removed after the end.
    pub files: Vec<PathBuf>,
    /// Dropped after the end.
    pub kept: Option<Box<dyn Send + Sync>>,
    /// Further pipes that carry messages of the control channel.
    pub streams: Vec<pipe::Receiver>,
    /// Write ends that keep those pipes open between two writers. Dropped when the program has ended.
    pub holds: Vec<OwnedFd>,
}

/// The stdin of a program.
pub enum Stdin {
    /// Nothing.
    Null,
    /// This text, then end of file.
    Text(Bytes),
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Outcome {
    /// How the program ended.
    pub ended: Ended,
    /// The captured stdout.
    pub stdout: Printed,
    /// The end of stderr.
    pub stderr: String,
    /// The number of bytes written to stderr.
    pub stderr_size: u64,
    /// The error to answer the request with, whatever the output is.
    pub error: Option<RpcError>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With this exit code; for a signal, 128 plus its number.
    Code(i32),
    /// It exceeded this time limit.
    TimedOut(Duration),
    /// It exceeded the output limit.
    Flooded,
}

/// Runs the job. Dropping the future ends the program and all its descendants.
pub async fn run(
    runner: &Arc<Runner>,
    job: Job<'_>,
    mut observer: Option<&mut CallObserver>,
) -> io::Result<Outcome> {
    let Started {
        mut guard,
        mut conversation,
        mut clock,
        holds,
    } = start(runner, job, observer.is_some()).await?;
    let (mut ended, mut status) = (None, None);
    while ended.is_none() && status.is_none() {
        let deadline = clock.deadline();
        tokio::select! {
            biased;
            waited = has_ended(&mut guard.child) => status = Some(waited?),
            // Before the branches that may always be ready.
            () = sleep_until(deadline) => ended = Some(Ended::TimedOut(clock.allowed())),
            () = conversation.next(observer.as_deref_mut(), &mut clock) => {}
            chunk = read(&mut guard.streams) => if !take(&mut guard.streams, chunk).await {
                ended = Some(Ended::Flooded);
            },
        }
    }
    if status.is_none() {
        stop(&mut guard, clock.grace).await?;
    }
    // Kills the rest of its process group.
    guard.kill();
    drop(holds);
    let rest = drain(
        &mut guard.streams,
        &mut conversation,
        observer.as_deref_mut(),
        &mut clock,
    );
    if timeout(LAST_READ, rest).await.is_err() {
        // A descendant that left the group keeps the pipes open.
        guard.sweep().await;
        let rest = drain(
            &mut guard.streams,
            &mut conversation,
            observer.as_deref_mut(),
            &mut clock,
        );
        let _ = timeout(LAST_READ, rest).await;
    }
    let error = conversation.end();
    let streams = guard.streams.take();
    guard.clear().await;
    if let Some(observer) = observer {
        observer.last_words().await;
    }
    let flooded = ended == Some(Ended::Flooded);
    let code = status.map_or(0, |status| status.shell_code());
    let (stdout, stderr, stderr_size) = match streams {
        Some(streams) => {
            let size = streams.stderr_size();
            let (stdout, stderr) = streams.finish(flooded).await;
            (stdout, stderr, size)
        }
        None => (Printed::Whole(Vec::new()), String::new(), 0),
    };
    Ok(Outcome {
        ended: ended.unwrap_or(Ended::Code(code)),
        stdout,
        stderr,
        stderr_size,
        error,
    })
}

async fn read(streams: &mut Option<Streams>) -> Chunk {
    match streams {
        Some(streams) => streams.read().await,
        None => std::future::pending().await,
    }
}

async fn take(streams: &mut Option<Streams>, chunk: Chunk) -> bool {
    match streams {
        Some(streams) => streams.take(chunk).await,
        None => true,
    }
}

/// Sends TERM, and KILL after the grace period. Meanwhile the output is still read.
async fn stop(guard: &mut Guard, grace: Duration) -> io::Result<()> {
    guard.mark_cancelled();
    guard.terminate();
    let last = Instant::now() + grace;
    loop {
        tokio::select! {
            waited = has_ended(&mut guard.child) => return waited.map(drop),
            chunk = read(&mut guard.streams) => if !take(&mut guard.streams, chunk).await {
                close_stdout(&mut guard.streams);
            },
            () = sleep_until(last) => {
                guard.kill();
                // A process that hangs in the kernel is reaped when it ends.
                let dead = timeout(DEAD, guard.wait()).await;
                return dead.map_or(Ok(()), |waited| waited.map(drop));
            }
        }
    }
}

/// Stops reading stdout.
fn close_stdout(streams: &mut Option<Streams>) {
    if let Some(streams) = streams {
        streams.close_stdout();
    }
}

/// Reads the rest of the output.
async fn drain(
    streams: &mut Option<Streams>,
    conversation: &mut Conversation,
    mut observer: Option<&mut CallObserver>,
    clock: &mut Clock,
) {
    while streams.as_ref().is_some_and(Streams::are_open) || conversation.is_open() {
        tokio::select! {
            () = conversation.next(observer.as_deref_mut(), clock) => {}
            chunk = read(streams) => if !take(streams, chunk).await {
                close_stdout(streams);
            },
        }
    }
}

struct Started {
    guard: Guard,
    conversation: Conversation,
    clock: Clock,
    holds: Vec<OwnedFd>,
}

async fn start(runner: &Arc<Runner>, job: Job<'_>, talks: bool) -> io::Result<Started> {
    let run = job.run;
    let mut temp_files = TempFiles {
        files: job.files,
        folder: None,
    };
    let mut conversation = Conversation::new();
    let stdin = match job.stdin {
        Stdin::Null => channel::null()?,
        Stdin::Text(bytes) => {
            let (theirs, rest) = channel::filled(&bytes)?;
            if let Some((ours, done)) = rest {
                conversation.write(ours, bytes.slice(done..));
            }
            theirs
        }
    };
    let (stdout, their_stdout) = channel::reading()?;
    let (stderr, their_stderr) = channel::reading()?;
    let mut fds: Vec<(OwnedFd, i32)> = vec![(stdin, 0), (their_stdout, 1), (their_stderr, 2)];
    let mut env = job.env;
    let mut control = None;
    if talks && job.control {
        let (ours, theirs) = channel::socket()?;
        let ours = Arc::new(ours);
        fds.push((theirs, 3));
        put(&mut env, "MCP_CTRL_FD", "3");
        conversation.control(ours.clone());
        control = Some(ours);
    }
    for stream in job.streams {
        conversation.stream(stream);
    }
    conversation.complete();
    let start = Start {
        words: &job.words,
        env: &env,
        cwd: &job.cwd,
    };
    let program = runner.checked(start, &job.executed)?;
    let (program, words) = runner.confined(
        run,
        &job.roots,
        (program, job.words),
        &job.marker,
        &mut temp_files,
        &mut fds,
    )?;
    let command = Command {
        program,
        args: words,
        env,
        cwd: job.cwd,
        fds,
    };
    let no_new_privs = run.sandbox.level > 0;
    let capture = Capture::new(runner.spills.clone(), run.max_output);
    let begin = Begin {
        runner: runner.clone(),
        marker: job.marker,
        grace: run.grace,
        cancel: job.cancel,
    };
    let guard = begin
        .start(command, no_new_privs, |guard| {
            guard.streams = Some(Streams::new(stdout, stderr, capture));
            guard.temp_files = temp_files;
            guard.kept = job.kept;
            // Before the program starts: the call may be cancelled at once, and the tool must be notified.
            guard.control = control;
        })
        .await?;
    Ok(Started {
        guard,
        conversation,
        clock: Clock::new(run, job.timeout),
        holds: job.holds,
    })
}
