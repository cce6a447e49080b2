//! The state that all runs of a folder share.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use linkspan_spawn::Spawner;
use parking_lot::Mutex;
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::env::Env;
use super::spill::Spills;
use super::temp_files::TempFiles;
use super::watchdog::Watchdog;
use crate::folder::{EnvSettings, RunSettings};
use crate::os::OwnedFd;
use crate::sandbox::{self, Profile};
use crate::serve::ServerFiles;
use crate::trust::{Start, Trust, WalkError};

/// The number under which a confined program's trampoline finds the server; 3 is the control channel.
const DECIDER: i32 = 4;

/// Limit of calls that wait for a permit.
const QUEUE: usize = 1024;

/// Options for running the programs of a folder.
#[derive(Debug, Clone)]
pub(crate) struct RunnerOptions {
    /// Our own program: the trampoline of the sandbox.
    pub(crate) exe: PathBuf,
    /// At once.
    pub(crate) concurrency: usize,
    /// Our environment.
    pub(crate) ours: Env,
    /// The served folder.
    pub(crate) root: PathBuf,
    /// Whether files that other users can write are run nevertheless.
    pub(crate) accept_writable: bool,
}

/// Runs the programs of one folder.
pub struct Runner {
    pub(crate) options: RunnerOptions,
    pub(crate) spawner: Spawner,
    pub(crate) spills: Arc<Spills>,
    pub(crate) files: ServerFiles,
    /// The prefix of all marks of this runner.
    name: String,
    watchdog: OnceCell<Option<Watchdog>>,
    places: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    /// Semaphores of programs with a concurrency limit of their own.
    own_places: Mutex<HashMap<String, Arc<Semaphore>>>,
    /// A sender that every run clones.
    alive: Mutex<Option<mpsc::Sender<()>>>,
    ended: tokio::sync::Mutex<mpsc::Receiver<()>>,
}

/// A permit to run a program, returned when it is dropped.
pub struct RunPermit {
    _common: OwnedSemaphorePermit,
    _own: Option<OwnedSemaphorePermit>,
}

/// The queue of waiting calls is full.
#[derive(Debug)]
pub struct Busy;

impl Runner {
    pub(crate) fn new(options: RunnerOptions, files: ServerFiles) -> Self {
        let (alive, ended) = mpsc::channel(1);
        if let Err(e) = linkspan_spawn::become_subreaper() {
            tracing::debug!("programs that leave their group will not be found: {e}");
        }
        Self {
            spawner: Spawner::new(),
            spills: Arc::new(Spills::new(files.run_folder().to_owned())),
            places: Arc::new(Semaphore::new(options.concurrency.max(1))),
            waiting: Arc::new(Semaphore::new(QUEUE)),
            own_places: Mutex::default(),
            alive: Mutex::new(Some(alive)),
            ended: tokio::sync::Mutex::new(ended),
            files,
            name: super::random_name(),
            watchdog: OnceCell::new(),
            options,
        }
    }

    /// The served folder.
    pub fn root(&self) -> &Path {
        &self.options.root
    }

    /// A private folder for the files of calls.
    pub fn folder(&self) -> &Path {
        self.files.run_folder()
    }

    /// A new mark for one call: `LINKSPAN_CALL` in the environment of its processes.
    pub fn marker(&self) -> String {
        format!("{}-{}", self.name, super::random_name())
    }

    /// Starts the watchdog, so that programs end even if this process is killed.
    pub(super) async fn watch_over(&self) {
        let start = || async {
            let (exe, folder) = (&self.options.exe, self.folder());
            let watchdog = Watchdog::start(&self.spawner, exe, &self.name, folder).await;
            watchdog
                .inspect_err(|e| {
                    tracing::debug!("if linkspan is killed, its scripts will keep running: {e}")
                })
                .ok()
        };
        self.watchdog.get_or_init(start).await;
    }

    /// A semaphore that limits the calls of one client, including results that it has not read.
    pub fn share(&self) -> Arc<Semaphore> {
        Arc::new(Semaphore::new(self.options.concurrency.max(1)))
    }

    /// Waits for a slot of the client's share and then for a permit. The caller keeps the slot until the answer
    /// is sent: a client that does not read its answers delays only itself.
    pub async fn permit_of(
        &self,
        share: &Arc<Semaphore>,
        name: &str,
        own: Option<usize>,
    ) -> Result<(OwnedSemaphorePermit, RunPermit), Busy> {
        let _waiting = self.waiting.clone().try_acquire_owned().map_err(|_| Busy)?;
        let ours = share.clone().acquire_owned().await.map_err(|_| Busy)?;
        Ok((ours, self.common_permit(name, own).await?))
    }

    /// Waits for a permit in first-in, first-out order.
    pub async fn permit(&self, name: &str, own: Option<usize>) -> Result<RunPermit, Busy> {
        let _waiting = self.waiting.clone().try_acquire_owned().map_err(|_| Busy)?;
        self.common_permit(name, own).await
    }

    async fn common_permit(&self, name: &str, own: Option<usize>) -> Result<RunPermit, Busy> {
        let own = match own {
            None => None,
            Some(most) => {
                let places = self.own_places(name, most);
                Some(places.acquire_owned().await.map_err(|_| Busy)?)
            }
        };
        let common = self.places.clone().acquire_owned().await;
        Ok(RunPermit {
            _common: common.map_err(|_| Busy)?,
            _own: own,
        })
    }

    fn own_places(&self, name: &str, most: usize) -> Arc<Semaphore> {
        let key = format!("{name} {most}");
        let mut all = self.own_places.lock();
        let places = || Arc::new(Semaphore::new(most.max(1)));
        all.entry(key).or_insert_with(places).clone()
    }

    /// Held by every run, so that `finish` can wait for its end.
    pub(crate) fn alive(&self) -> Option<mpsc::Sender<()>> {
        let alive = self.alive.lock();
        alive.clone()
    }

    /// Waits until no program runs, at most for `limit`, then ends the remaining ones. Callers that could start
    /// programs must be gone before.
    pub(crate) async fn finish(&self, limit: Duration) {
        self.alive.lock().take();
        let mut ended = self.ended.lock().await;
        if timeout(limit, ended.recv()).await.is_err() {
            tracing::warn!("a program did not end in time and is killed");
        }
        let name = self.name.clone();
        let _ = spawn_blocking(move || linkspan_spawn::end_marked(&name)).await;
    }

    /// Checks right before use whether files are trusted. A missing file passes: the start reports a better
    /// error.
    pub fn trusts(&self, files: &[PathBuf]) -> io::Result<()> {
        let trust = Trust::new(self.options.accept_writable);
        for file in files {
            match trust.walk(file, self.root()) {
                Err(WalkError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
                walked => walked.map_err(|error| untrusted(&error))?,
            }
        }
        Ok(())
    }

    /// The program of a start, if the program, its interpreters and the further files are trusted right now.
    /// The name is looked up once, so the checked file is the one that runs.
    pub(crate) fn checked(&self, start: Start<'_>, files: &[PathBuf]) -> io::Result<PathBuf> {
        let program = start.program()?;
        self.trusts(files)?;
        let trust = Trust::new(self.options.accept_writable);
        let checked = trust.program(&program, start, self.root());
        checked.map_err(|error| untrusted(&error))?;
        Ok(program)
    }

    /// The program and words that run `words` within their limits; `program` is the resolved first word.
    /// Records files to remove afterwards, and adds descriptors that the program needs.
    pub(crate) fn confined(
        &self,
        run: &RunSettings,
        roots: &[PathBuf],
        (program, words): (PathBuf, Vec<OsString>),
        marker: &str,
        temp_files: &mut TempFiles,
        fds: &mut Vec<(OwnedFd, i32)>,
    ) -> io::Result<(PathBuf, Vec<OsString>)> {
        let Some(mut profile) = Profile::for_run(run, roots, self.root()) else {
            return Ok((program, words));
        };
        if profile.needs_tmp() {
            let path = self.folder().join(format!("{marker}.tmp"));
            fs::create_dir(&path)?;
            profile.set_tmp(&path);
            temp_files.folder = Some(path);
        }
        if let Some(written) = profile.written()
            && let Some(theirs) = sandbox::decide(written, self.root())?
        {
            profile.set_decider(DECIDER);
            fds.push((theirs, DECIDER));
        }
        if words.first().is_some_and(|first| *first != program) {
            profile.set_program(program);
        }
        let exe = &self.options.exe;
        Ok((exe.clone(), profile.wrap(exe, words)?))
    }

    /// The inherited part of a program's environment.
    pub(crate) fn base_env(&self, settings: &EnvSettings) -> Env {
        super::env::base(settings, self.options.ours.iter().cloned())
    }
}

fn untrusted(error: &WalkError) -> io::Error {
    let text = format!("not run, because others could have changed it: {error}");
    io::Error::new(io::ErrorKind::PermissionDenied, text)
}
