//! A folder, served: what all of its connections share.

mod complete;
mod connection;
mod contents;
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
mod snapshot;
mod subscriptions;
mod tools;
mod uri_template;

#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

use linkspan_local::Workers;
use linkspan_mcp::Level;
use linkspan_session::Port;
use linkspan_wire::Limits;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Semaphore, broadcast};

pub(crate) use cursor::Cursor;
pub(crate) use diagnostics::Diagnostic;
pub use options::{Compat, Fetch, Fetched, Hosts, NotFetched, Options};

use crate::compat;
use crate::compat::env::Tooling;
use crate::compat::shelf::Shelf;
use crate::folder::{Catalogue, Dialect, FolderError, ReadOptions, changes};
use crate::run::call_observer::{ChangeEvents, News};
use crate::run::control::List;
use crate::run::{Runner, RunnerOptions};
use crate::watch::Watch;
use crate::worker::Pools;
use connection::Connection;
use news::Contents;
pub(crate) use snapshot::Snapshot;
pub(crate) use uri_template::UriTemplate;

/// News that a slow client may have missed before it is told that everything has changed.
const NEWS: usize = 64;
/// How long programs that still run may take to end.
const LEAVING: Duration = Duration::from_secs(4);

/// A folder that is served. Every connection sees the same.
pub struct Folder {
    stock: RwLock<Arc<Snapshot>>,
    pub(crate) runner: Arc<Runner>,
    pub(crate) pools: Pools,
    pub(crate) herald: ChangeEvents,
    /// Resources that have changed, as many at once as there were.
    contents: Contents,
    /// Whose turn it is to look after a resource: a quarter of what may run at once, so that clients
    /// who subscribe to much do not keep others from calling.
    looks: Arc<Semaphore>,
    pub(crate) options: Options,
    workers: Workers,
    watch: std::sync::Mutex<Option<Watch>>,
    leaving: leaving::Leaving,
}

/// Why a folder cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is something wrong with the folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// There is something wrong with this machine.
    #[error("cannot make a place for running scripts")]
    Io(#[from] io::Error),
}

impl Folder {
    /// Reads the folder. Nothing in it is executed.
    pub fn open(root: &Path, options: Options) -> Result<Arc<Self>, OpenError> {
        // Before it is read: what changes meanwhile is seen then.
        let lookout = Lookout::default();
        let watch = options.watch.then(|| lookout.watch(root)).transpose()?;
        let sdk = crate::sdk::install(&options.exe)?;
        let tooling = Tooling {
            home: sdk.home.clone(),
            sdk: sdk.sdk.clone(),
            jq: sdk.jq.clone(),
            state: std::env::temp_dir(),
            trust_everybody: options.trust_everybody,
        };
        let mut stock = read(root, &options, &tooling)?;
        let catalogue = &stock.catalogue;
        diagnostics::log(catalogue, options.problems_of.as_deref());
        let concurrency = options.concurrency.unwrap_or(catalogue.concurrency);
        let runner = Runner::new(RunnerOptions {
            exe: options.exe.clone(),
            sdk: sdk.sdk,
            jq: sdk.jq,
            concurrency,
            ours: options.env.clone(),
            root: catalogue.root.clone(),
            trust_everybody: options.trust_everybody,
        })?;
        if let Some(shelf) = &mut stock.shelf {
            shelf.tooling.state = runner.folder().to_owned();
        }
        let folder = Arc::new(Self {
            stock: RwLock::new(Arc::new(stock)),
            runner: Arc::new(runner),
            pools: Pools::default(),
            herald: broadcast::Sender::new(NEWS),
            contents: Contents::new(NEWS),
            looks: Arc::new(Semaphore::new((concurrency / 4).max(1))),
            options,
            workers: Workers::new(),
            watch: std::sync::Mutex::new(watch),
            leaving: leaving::Leaving::default(),
        });
        lookout.belongs_to(&folder);
        Ok(folder)
    }

    /// A connection of its own.
    pub fn port(self: &Arc<Self>) -> Port {
        let (name, workers) = ("the folder", &self.workers);
        match self.stock().catalogue.dialect {
            Dialect::Native => linkspan_local::port(name, workers, Connection::new(self.clone())),
            Dialect::McpBash => {
                let connection = compat::desk::Connection::new(self.clone());
                linkspan_local::port(name, workers, connection)
            }
        }
    }

    /// The client on these two at the door of a project of mcp-bash; other folders have none, and open
    /// nothing.
    pub fn door<R, W>(
        &self,
        open: impl FnOnce() -> (R, W),
        limits: Limits,
    ) -> Option<Result<Port, compat::door::TokenError>>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let stock = self.stock();
        let shelf = stock.shelf.as_ref()?;
        let (reader, writer) = open();
        Some(shelf.door(reader, writer, limits))
    }

    /// What there is just now.
    pub fn catalogue(&self) -> Arc<impl std::ops::Deref<Target = Catalogue> + use<>> {
        Arc::new(Held(self.stock()))
    }

    pub(crate) fn stock(&self) -> Arc<Snapshot> {
        self.stock
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Resolves when the client has ended the server with `shutdown`; see [`Options::shutdown`].
    pub async fn left(&self) {
        self.leaving.left().await;
    }

    /// Waits until nothing runs any more.
    pub async fn close(&self) {
        let watch = self
            .watch
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drop(watch);
        self.pools.clear();
        self.runner.finish(LEAVING).await;
    }

    /// Reads the folder anew and tells everybody what has changed.
    pub fn refresh(&self) {
        let old = self.stock();
        let root = &old.catalogue.root;
        let read = match &old.shelf {
            None => old
                .catalogue
                .read_again(&read_options(&self.options))
                .map(Snapshot::new),
            Some(shelf) => {
                Shelf::read(root, &self.options.env, &shelf.tooling).map(Snapshot::of_project)
            }
        };
        let new = match read {
            Ok(new) => new,
            // Others decide what runs now, and not its author alone.
            Err(FolderError::Untrusted { .. } | FolderError::AboveUntrusted { .. })
                if old.shelf.is_none() =>
            {
                let why = "other users can write to the folder now: it offers nothing until that is fixed";
                self.diagnose(Level::ERROR, why);
                Snapshot::new(old.catalogue.emptied())
            }
            Err(e) => {
                let why = format!("the folder cannot be read now; what it was stays: {e}");
                self.diagnose(Level::WARNING, &why);
                return;
            }
        };
        self.diagnose_new(&old.catalogue, &new.catalogue);
        let changed = changes(&old.catalogue, &new.catalogue);
        *self.stock.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
        for (list, has) in [
            (List::Tools, changed.tools),
            (List::Prompts, changed.prompts),
            (List::Resources, changed.resources),
        ] {
            if has {
                let _ = self.herald.send(News::Changed(list));
            }
        }
        match old.catalogue.dialect {
            Dialect::Native => {
                let _ = self.contents.send(changed.resource_uris.into());
            }
            Dialect::McpBash => {
                for uri in changed.resource_uris {
                    let _ = self.herald.send(News::Updated(uri));
                }
            }
        }
    }
}

/// Tells a folder that something has changed; also one that is still being opened.
#[derive(Clone, Default)]
struct Lookout(Arc<std::sync::Mutex<(Weak<Folder>, bool)>>);

impl Lookout {
    fn watch(&self, root: &Path) -> io::Result<Watch> {
        let lookout = self.clone();
        Watch::start(root, move || {
            let mut known = lookout.0.lock().unwrap_or_else(PoisonError::into_inner);
            let folder = known.0.upgrade();
            known.1 = folder.is_none();
            drop(known);
            if let Some(folder) = folder {
                folder.refresh();
            }
        })
    }

    fn belongs_to(&self, folder: &Arc<Folder>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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

fn read_options(options: &Options) -> ReadOptions {
    ReadOptions {
        sandbox: options.sandbox,
        trust_everybody: options.trust_everybody,
        ..ReadOptions::default()
    }
}

fn read(root: &Path, options: &Options, tooling: &Tooling) -> Result<Snapshot, FolderError> {
    let theirs = match options.compat {
        Compat::Native => false,
        Compat::McpBash => true,
        Compat::Auto => compat::detect(root).is_some(),
    };
    match theirs {
        true => Shelf::read(root, &options.env, tooling).map(Snapshot::of_project),
        false => Catalogue::read(root, &read_options(options)).map(Snapshot::new),
    }
}
