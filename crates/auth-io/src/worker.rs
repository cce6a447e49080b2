//! A process of its own for each refresh and sign-in.
//!
//! Clients end their servers whenever they like, often with SIGKILL. A refresh token is used up when the authorization
//! server has seen it, and the new one exists only in its response: a process that dies in between loses the sign-in
//! of all the others. So the exchange is made by a short-lived process in a process group of its own, which outlives
//! its parent. It gets its order on stdin and says on stdout what it shows and how it ended.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;

use linkspan_auth::client::SignInError;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

use crate::perform::PerformError;
use crate::prompt::Prompt;
use crate::work::Assignment;

/// The longest order and event. An order has the certificates of `--ca`.
pub(crate) const LONGEST: u64 = 4 << 20;

#[cfg(windows)]
const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;

/// How often a worker that was ended is started again.
const RESTARTS: u32 = 1;

/// The program that performs orders.
#[derive(Debug, Clone)]
pub struct Worker {
    /// Its path.
    pub program: PathBuf,
    /// Its arguments. They hold no secrets: every user of the machine can read them.
    pub args: Vec<OsString>,
    /// Variables that it does not inherit: secrets of ours, and the mark by which the processes of a call are ended.
    pub without_env: Vec<OsString>,
}

/// What a worker says, one JSON text per line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// A person has to do something.
    Prompt(Prompt),
    /// The credential is in the store.
    Done,
    /// It did not work.
    Failed(Failure),
}

/// Why a worker has no credential.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// In words.
    pub why: String,
    /// What the user can do.
    pub hint: String,
    /// Whether another try may work.
    pub transient: bool,
    /// Whether the server wants something other than OAuth.
    pub not_offered: bool,
}

impl From<&PerformError> for Failure {
    fn from(error: &PerformError) -> Self {
        Self {
            why: error.to_string(),
            hint: error.hint().to_owned(),
            transient: error.is_transient(),
            not_offered: matches!(error, PerformError::SignIn(SignInError::NotOffered(_))),
        }
    }
}

impl Failure {
    /// A person is asked by another process, and the old token is still good.
    pub(crate) fn busy() -> Self {
        Self {
            why: "another linkspan is signing in".to_owned(),
            hint: "finish the sign-in that is under way".to_owned(),
            transient: true,
            not_offered: false,
        }
    }
}

impl Worker {
    /// Starts a worker and waits until it has ended; `prompt` hears what it shows.
    pub(crate) async fn run(
        &self,
        assignment: &Assignment,
        prompt: &(dyn Fn(Prompt) + Send + Sync),
    ) -> Result<(), Failure> {
        // A worker that was ended has not said how it went; the next one finds out.
        for _ in 0..RESTARTS {
            if let Ok(Some(said)) = self.start(assignment, prompt).await {
                return said;
            }
        }
        match self.start(assignment, prompt).await {
            Ok(Some(said)) => said,
            Ok(None) => Err(Failure {
                why: "the process that signs in was ended".to_owned(),
                hint: "the next request tries again".to_owned(),
                transient: true,
                not_offered: false,
            }),
            Err(error) => Err(Failure {
                why: format!("cannot start {}: {error}", self.program.display()),
                hint: "the program may have been moved or updated: restart the client".to_owned(),
                transient: true,
                not_offered: false,
            }),
        }
    }

    /// Starts a worker once; `None` if it was ended before it said how it went.
    async fn start(
        &self,
        assignment: &Assignment,
        prompt: &(dyn Fn(Prompt) + Send + Sync),
    ) -> std::io::Result<Option<Result<(), Failure>>> {
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        for name in &self.without_env {
            command.env_remove(name);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // Signals for our group, such as Ctrl-C, are not for the worker.
        #[cfg(unix)]
        command.process_group(0);
        #[cfg(windows)]
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
        let mut child = command.spawn()?;
        let assignment = serde_json::to_vec(assignment)?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(&assignment).await?;
        }
        let stdout = child
            .stdout
            .take()
            .map(|it| BufReader::new(it.take(LONGEST)));
        let mut ended = None;
        if let Some(stdout) = stdout {
            let mut lines = stdout.lines();
            while let Some(line) = lines.next_line().await? {
                match serde_json::from_str(&line) {
                    Ok(Event::Prompt(shown)) => prompt(shown),
                    Ok(Event::Done) => ended = Some(Ok(())),
                    Ok(Event::Failed(why)) => ended = Some(Err(why)),
                    Err(error) => tracing::debug!("the worker said what it cannot mean: {error}"),
                }
            }
        }
        let _ = child.wait().await;
        Ok(ended)
    }
}
