//! A served folder: the state that its connections share.

mod complete;
mod connection;
mod contents;
mod conventions;
mod cursor;
mod defaults;
mod diagnostics;
mod files;
mod found;
pub(crate) mod git;
pub(crate) mod jobs;
mod leaving;
mod news;
mod options;
mod prompts;
mod read;
mod server_files;
mod snapshot;
mod subscriptions;
mod tools;
mod uri_template;

#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use linkspan_local::{Caller, Handler, Workers};
use linkspan_mcp::Level;
use linkspan_session::Port;
use parking_lot::{Mutex, RwLock};
use tokio::sync::{Semaphore, broadcast};

pub use conventions::{CallerVariables, Conventions};
pub(crate) use cursor::Cursor;
pub use diagnostics::Diagnostic;
pub use news::{FolderChange, FolderChanges};
pub use options::{Fetch, Fetched, Hosts, NotFetched, Options};
pub use server_files::ServerFiles;

use crate::folder::{Catalogue, FolderError, ReadOptions, changes};
use crate::os::UNSUPPORTED;
use crate::run::control::List;
use crate::run::observer::{CallObserver, ChangeEvents, MessageLimits, News, Threshold};
use crate::run::{Runner, RunnerOptions};
use crate::watch::Watch;
use crate::worker::Pools;
use conventions::Native;
use news::Contents;
pub(crate) use snapshot::Snapshot;
pub(crate) use uri_template::UriTemplate;

/// Capacity of the queue of news per client. On overflow the client is told that everything has changed.
const NEWS: usize = 64;
/// How long running programs may take to end.
const LEAVING: Duration = Duration::from_secs(4);

/// A served folder, shared by all connections.
pub struct Folder {
    conventions: Box<dyn Conventions>,
    snapshot: RwLock<Arc<Snapshot>>,
    pub(crate) runner: Arc<Runner>,
    pub(crate) pools: Pools,
    pub(crate) events: ChangeEvents,
    /// Changed resources, in batches.
    contents: Contents,
    /// Permits for polling resources: a quarter of the concurrency limit, so that clients with many
    /// subscriptions do not block the calls of other clients.
    looks: Arc<Semaphore>,
    pub(crate) options: Options,
    workers: Workers,
    watch: Mutex<Option<Watch>>,
    leaving: leaving::Leaving,
}

/// Why a folder cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A problem of the folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A problem of the machine.
    #[error("cannot create the folder for running scripts")]
    Io(#[from] io::Error),
    /// Scripts cannot be run on this system.
    #[error("{UNSUPPORTED}")]
    Unsupported,
}

impl OpenError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Folder(error) => error.hint(),
            Self::Io(_) => {
                Some("is there room in the folder for temporary files (TMPDIR)?".to_owned())
            }
            Self::Unsupported => Some(
                "on Windows run linkspan in WSL, or give a server program instead: -- COMMAND"
                    .to_owned(),
            ),
        }
    }
}

impl Folder {
    /// Reads a folder by linkspan's conventions. Executes nothing in it.
    pub fn open(root: &Path, options: Options) -> Result<Arc<Self>, OpenError> {
        let files = ServerFiles::prepare(&options.exe, &options.temp)?;
        let native = Native(ReadOptions {
            sandbox: options.sandbox,
            accept_writable: options.accept_writable,
            env: options.env.clone(),
            ..ReadOptions::default()
        });
        Self::open_with(root, options, files, Box::new(native))
    }

    /// Reads a folder by the given conventions.
    pub fn open_with(
        root: &Path,
        options: Options,
        files: ServerFiles,
        conventions: Box<dyn Conventions>,
    ) -> Result<Arc<Self>, OpenError> {
        // The watch starts first, so that a change during the read is noticed.
        let lookout = Lookout::default();
        let watch = options.watch.then(|| lookout.watch(root)).transpose()?;
        let snapshot = Snapshot::new(conventions.read(root, None)?);
        let catalogue = &snapshot.catalogue;
        diagnostics::log(catalogue, options.problems_of.as_deref());
        let concurrency = options.concurrency.unwrap_or(catalogue.concurrency);
        let runner_options = RunnerOptions {
            exe: options.exe.clone(),
            concurrency,
            ours: options.env.clone(),
            root: catalogue.root.clone(),
            accept_writable: options.accept_writable,
        };
        let folder = Arc::new(Self {
            conventions,
            snapshot: RwLock::new(Arc::new(snapshot)),
            runner: Arc::new(Runner::new(runner_options, files)),
            pools: Pools::default(),
            events: broadcast::Sender::new(NEWS),
            contents: Contents::new(NEWS),
            looks: Arc::new(Semaphore::new((concurrency / 4).max(1))),
            options,
            workers: Workers::new(),
            watch: Mutex::new(watch),
            leaving: leaving::Leaving::default(),
        });
        lookout.belongs_to(&folder);
        Ok(folder)
    }

    /// A connection for one client.
    pub fn port(self: &Arc<Self>) -> Port {
        self.port_for(CallerVariables::new())
    }

    /// A connection for one client, with variables about the client for its programs. Workers serve several
    /// clients, so they do not get these variables.
    pub fn port_for(self: &Arc<Self>, caller: CallerVariables) -> Port {
        self.conventions.port(self, caller)
    }

    /// Opens a connection to a handler.
    pub fn connect(&self, handler: impl Handler) -> Port {
        linkspan_local::port("the folder", &self.workers, handler)
    }

    /// Runs the folder's programs.
    pub fn runner(&self) -> &Arc<Runner> {
        &self.runner
    }

    /// The options of the folder.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes from now on.
    pub fn changes(&self) -> FolderChanges {
        FolderChanges {
            news: self.events.subscribe(),
            contents: self.contents.subscribe(),
        }
    }

    /// An observer that forwards the messages of a program during a call of `name` to the client.
    pub fn observer(
        &self,
        caller: Caller,
        token: Option<String>,
        threshold: Threshold,
        name: &str,
        message_limits: MessageLimits,
    ) -> CallObserver {
        CallObserver::new(
            caller,
            token,
            threshold,
            self.events.clone(),
            name,
            message_limits,
        )
    }

    /// The current catalogue.
    pub fn catalogue(&self) -> Arc<impl std::ops::Deref<Target = Catalogue> + use<>> {
        Arc::new(Held(self.snapshot()))
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.read().clone()
    }

    /// Resolves when the client has ended the server with `shutdown`; see [`Options::shutdown`].
    pub async fn left(&self) {
        self.leaving.left().await;
    }

    /// Waits until no program runs.
    pub async fn close(&self) {
        let watch = self.watch.lock().take();
        drop(watch);
        self.pools.clear();
        self.runner.finish(LEAVING).await;
    }

    /// Rereads the folder and notifies every client of changes.
    pub fn refresh(&self) {
        let old = self.snapshot();
        let before = &old.catalogue;
        let new = match self.conventions.read(&before.root, Some(before)) {
            Ok(new) => new,
            Err(e) => match self.instead(before, &e) {
                Some(new) => new,
                None => return,
            },
        };
        self.diagnose_new(before, &new);
        let changed = changes(before, &new);
        *self.snapshot.write() = Arc::new(Snapshot::new(new));
        for (list, has) in [
            (List::Tools, changed.tools),
            (List::Prompts, changed.prompts),
            (List::Resources, changed.resources),
        ] {
            if has {
                let _ = self.events.send(News::Changed(list));
            }
        }
        let _ = self.contents.send(changed.resource_uris.into());
    }

    /// The catalogue to offer when the folder can no longer be read; `None` keeps the previous one.
    fn instead(&self, before: &Catalogue, error: &FolderError) -> Option<Catalogue> {
        if let FolderError::Untrusted { .. } | FolderError::AboveUntrusted { .. } = error
            && let Some(new) = self.conventions.untrusted(before)
        {
            let why =
                "other users can write to the folder now: it offers nothing until that is fixed";
            self.diagnose(Level::ERROR, why);
            return Some(new);
        }
        let why = format!("the folder cannot be read now; what it was stays: {error}");
        self.diagnose(Level::WARNING, &why);
        None
    }
}

/// Signals changes to a folder, also to one that is still being opened.
#[derive(Clone, Default)]
struct Lookout(Arc<Mutex<(Weak<Folder>, bool)>>);

impl Lookout {
    fn watch(&self, root: &Path) -> io::Result<Watch> {
        let lookout = self.clone();
        Watch::start(root, move || {
            let mut known = lookout.0.lock();
            let folder = known.0.upgrade();
            known.1 = folder.is_none();
            drop(known);
            if let Some(folder) = folder {
                folder.refresh();
            }
        })
    }

    fn belongs_to(&self, folder: &Arc<Folder>) {
        let mut known = self.0.lock();
        known.0 = Arc::downgrade(folder);
        let missed = std::mem::take(&mut known.1);
        drop(known);
        if missed {
            folder.refresh();
        }
    }
}

struct Held(Arc<Snapshot>);

impl std::ops::Deref for Held {
    type Target = Catalogue;

    fn deref(&self) -> &Catalogue {
        &self.0.catalogue
    }
}
