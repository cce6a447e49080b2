//! A port to a child process: an MCP server that is connected by its stdin and stdout.

mod group;
mod last_words;
mod orphans;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use linkspan_session::{Fault, Inbound, Port, PortEnd};
use linkspan_spawn::Descendants;
use linkspan_wire::{Limits, Line, Lines, escape_block};
use parking_lot::Mutex;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use self::group::{Group, reap};
use self::last_words::LastWords;
use crate::framing::Framing;
use crate::owed::Shared;
use crate::{QUEUE, lines};

/// How long a child may take to exit after its stdin was closed, and again after SIGTERM.
const GRACE: Duration = Duration::from_millis(1000);
/// How long the output of an exited child is still read.
const LAST_READ: Duration = Duration::from_millis(300);
/// How long a child that has closed its stdin may take to answer the requests that it has read.
const LAST_ANSWER: Duration = Duration::from_secs(10);
/// The longest line of its stderr that we repeat.
const STDERR_LINE: usize = 8 * 1024;

/// How many stdout lines that are not MCP are logged; further ones are skipped.
const MOST_STRAY: u32 = 3;

/// What to run.
#[derive(Debug, Clone)]
pub struct ChildOptions {
    /// The prefix of its stderr lines in our log; the program's name if there is no label.
    pub label: Option<String>,
    /// The program; never a shell line.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Limits of its stdout lines.
    pub limits: Limits,
    /// Variables in addition to ours.
    pub env: Vec<(OsString, OsString)>,
    /// Variables of our environment that it must not see.
    pub without_env: Vec<OsString>,
    /// Its working directory, if it is not ours.
    pub cwd: Option<PathBuf>,
}

/// The error of a command that did not start.
#[derive(Debug, thiserror::Error)]
#[error("cannot start `{program}`")]
pub struct SpawnError {
    program: String,
    #[source]
    source: io::Error,
}

impl SpawnError {
    /// The name of the program.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Whether the program was not found.
    pub fn is_not_found(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }

    /// A hint for the user.
    pub fn hint(&self) -> String {
        if self.is_not_found() {
            format!("install `{}`, or give its full path", self.program)
        } else {
            "is it an executable file?".to_owned()
        }
    }
}

/// Enough for us; children inherit the limit, and some of them close every possible descriptor.
#[cfg(unix)]
const MOST_FILES: u64 = 16_384;

/// Lets this process have many files open, as far as the system allows it to.
pub fn raise_file_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        let most = limit.maximum.unwrap_or(MOST_FILES).min(MOST_FILES);
        if limit.current.is_none_or(|current| current >= most) {
            return;
        }
        limit.current = Some(most);
        if let Err(e) = setrlimit(Resource::Nofile, limit) {
            tracing::debug!("the limit of open files stays as it is: {e}");
        }
    }
}

/// Starts the command.
pub fn child(options: ChildOptions) -> Result<Port, SpawnError> {
    let name = options.program.to_string_lossy().into_owned();
    let mut command = Command::new(&options.program);
    command
        .args(&options.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    for name in &options.without_env {
        command.env_remove(name);
    }
    options.cwd.iter().for_each(|cwd| {
        command.current_dir(cwd);
    });
    command.envs(options.env.iter().map(|(name, value)| (name, value)));
    let mut descendants = Descendants::new();
    let (name_of_mark, mark) = descendants.variable();
    command.env(name_of_mark, mark);
    #[cfg(unix)]
    // The child gets its own process group: `npx` leaves the real server as a grandchild, and Ctrl-C is ours to handle.
    command.process_group(0);
    let running = command.spawn().map_err(|source| SpawnError {
        program: name.clone(),
        source,
    })?;
    running
        .id()
        .into_iter()
        .for_each(|id| descendants.started(id));
    let group = Group::new(running.id(), descendants);
    let (port, end) = Port::pair(name.clone(), QUEUE);
    let label = options.label.unwrap_or_else(|| name.clone());
    tokio::spawn(run(name, label, running, group, end, options.limits));
    Ok(port)
}

async fn run(
    name: String,
    label: String,
    mut child: Child,
    group: Group,
    mut end: PortEnd,
    limits: Limits,
) {
    let (Some(stdin), Some(mut stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return;
    };
    let last_words = Arc::new(Mutex::new(LastWords::default()));
    let mut listening = tokio::spawn(listen(label, stderr, Arc::clone(&last_words)));
    let budget = lines::budget(limits);
    let owed = Shared::default();
    let framing = Framing::server(limits, owed.clone(), noise(&name, &last_words));
    let reading = lines::read(
        &mut stdout,
        &end.tx,
        end.last_word,
        framing,
        &budget,
        || false,
    );
    let hung_up = hang_up(&stdin);
    let writing = lines::write(stdin, &mut end.rx, Some(&owed));
    let conversation = converse(
        &name,
        &mut child,
        reading,
        writing,
        hung_up,
        end.tx.closed(),
    );
    let closed_by_us = tokio::select! {
        closed_by_us = conversation => closed_by_us,
        never = orphans::reap() => match never {},
    };
    // The child may still be writing, and must not get SIGPIPE.
    let status = tokio::select! {
        status = reap(&mut child) => status,
        never = drain(&mut stdout) => match never {},
    };
    group.end().await;
    if !closed_by_us {
        // The last stderr lines explain more than the exit status.
        let _ = timeout(LAST_READ, &mut listening).await;
        let why = Fault::Ended {
            peer: format!("`{name}`"),
            status: describe(status),
            last_words: last_words.lock().text(),
        };
        let _ = end.tx.send(Inbound::Closed(why)).await;
    }
    drop(end.done);
}

/// Returns the callback for stdout lines that are not messages. They are logged, because an author who prints to stdout
/// by mistake has to see it, and they may explain the exit of the server.
fn noise(name: &str, last_words: &Arc<Mutex<LastWords>>) -> impl FnMut(&str) + Send + 'static {
    let (name, last_words) = (name.to_owned(), Arc::clone(last_words));
    let mut shown = 0;
    move |line| {
        if shown < MOST_STRAY {
            shown += 1;
            tracing::warn!("[{name}] its stdout has a line that is not MCP: {line:?}");
        }
        last_words.lock().push(line.trim_end());
    }
}

/// Reads and writes until one side ends the connection. Returns `true` if this side did.
async fn converse(
    name: &str,
    child: &mut Child,
    reading: impl Future<Output = io::Result<()>>,
    writing: impl Future<Output = io::Result<()>>,
    hung_up: impl Future<Output = ()>,
    left: impl Future<Output = ()>,
) -> bool {
    tokio::pin!(reading, writing, left);
    tokio::select! {
        read = &mut reading => {
            if let Err(e) = read {
                tracing::debug!("{name}: stdout: {e}");
            }
            false
        }
        written = &mut writing => match written {
            Ok(()) => true,
            Err(e) => {
                // The child gets no more requests, but may still be writing an answer.
                tracing::debug!("{name}: stdin: {e}");
                let _ = timeout(GRACE, &mut reading).await;
                false
            }
        },
        () = hung_up => {
            tracing::debug!("{name} has closed its stdin");
            let has_ended = tokio::select! {
                _ = timeout(LAST_ANSWER, &mut reading) => false,
                _ = child.wait() => true,
            };
            if has_ended {
                let _ = timeout(LAST_READ, &mut reading).await;
            }
            false
        }
        () = &mut left => {
            // A child that reads nothing would block the queue for ever.
            let _ = timeout(GRACE, &mut writing).await;
            true
        }
        _ = child.wait() => {
            // A grandchild may hold stdout open for ever, so only what is already in the pipe is read.
            let _ = timeout(LAST_READ, &mut reading).await;
            false
        }
    }
}

/// Resolves when the child has closed its stdin. Requests in the pipe are lost then, and without another write there
/// would be no error to notice it by.
#[cfg(target_os = "linux")]
fn hang_up(stdin: &ChildStdin) -> impl Future<Output = ()> + use<> {
    use std::os::fd::AsFd;
    let pipe = stdin.as_fd().try_clone_to_owned();
    let pipe = pipe.and_then(tokio::net::unix::pipe::Sender::from_owned_fd);
    async move {
        if let Ok(pipe) = pipe
            && pipe.ready(tokio::io::Interest::ERROR).await.is_ok()
        {
            return;
        }
        std::future::pending().await
    }
}

#[cfg(not(target_os = "linux"))]
fn hang_up(_: &ChildStdin) -> impl Future<Output = ()> + use<> {
    std::future::pending()
}

/// Reads and forgets.
async fn drain(stdout: &mut ChildStdout) -> std::convert::Infallible {
    let mut sink = [0; 4096];
    while stdout.read(&mut sink).await.is_ok_and(|read| read > 0) {}
    std::future::pending().await
}

/// Passes the child's stderr on to our log.
async fn listen(label: String, mut stderr: ChildStderr, last_words: Arc<Mutex<LastWords>>) {
    let mut lines = Lines::new(Limits::new(STDERR_LINE));
    loop {
        lines.buffer().reserve(STDERR_LINE);
        let read = stderr.read_buf(lines.buffer()).await.unwrap_or(0);
        while let Some(line) = lines.next() {
            note(&label, &line, &last_words);
        }
        if read == 0 {
            if let Some(line) = lines.finish() {
                note(&label, &line, &last_words);
            }
            return;
        }
    }
}

fn note(label: &str, line: &Line, last_words: &Mutex<LastWords>) {
    let line = match line {
        Line::Text(text) => String::from_utf8_lossy(text),
        Line::TooLarge(_) => "(a line that is too long to be repeated)".into(),
    };
    // The child controls this text, which ends up in our logs and error messages.
    let line = escape_block(line.trim_end(), "");
    tracing::info!("[{label}] {line}");
    last_words.lock().push(&line);
}

fn describe(status: Option<ExitStatus>) -> String {
    match status {
        Some(status) => status.to_string(),
        None => "it did not exit".to_owned(),
    }
}
