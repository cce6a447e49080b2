//! Starts processes off the runtime's threads.
//!
//! A spawn blocks its thread until the program runs, which is most of the cost of a short program. And a thread
//! can drop privileges for everything that it starts, which a runtime thread must not do.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::thread;

use parking_lot::{Condvar, Mutex, MutexGuard};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::child::Child;
use crate::command::{Command, spawn};
use crate::orphans::{self, Swept};

/// Commands that wait for a thread; later ones wait for room in the queue.
const QUEUE: usize = 256;

/// Starts processes on threads of its own. Cheap to clone; threads start on demand.
///
/// The threads run until the last clone is dropped. Keep a clone as long as there are children: a child with a
/// parent death signal (the sandbox trampoline sets one) receives it when the *thread* that started it ends.
#[derive(Debug, Clone)]
pub struct Spawner(Arc<Pools>);

#[derive(Debug)]
struct Pools {
    plain: Arc<Pool>,
    /// Children of these threads cannot gain privileges, for example by a set-user-id program. The system keeps
    /// this flag per thread and children inherit it, so it costs nothing per child.
    unprivileged: Arc<Pool>,
}

impl Spawner {
    /// One thread per core, from 2 to 8.
    pub fn new() -> Self {
        let cores = thread::available_parallelism().map_or(2, usize::from);
        Self::with_threads(cores.clamp(2, 8))
    }

    /// At most this many threads of each kind.
    pub fn with_threads(most: usize) -> Self {
        Self(Arc::new(Pools {
            plain: Pool::new(most, false),
            unprivileged: Pool::new(most, true),
        }))
    }

    /// [`spawn`](crate::spawn). With `no_new_privs` neither the child nor its descendants can gain privileges
    /// (Linux; no effect elsewhere).
    ///
    /// If the future is dropped early, the child is killed or never started.
    pub async fn spawn(&self, command: Command, no_new_privs: bool) -> io::Result<Child> {
        let pool = if no_new_privs {
            &self.0.unprivileged
        } else {
            &self.0.plain
        };
        let (reply, answer) = oneshot::channel();
        pool.put(Work::Spawn(Box::new(command), reply)).await?;
        answer.await.map_err(|_| ended())?
    }

    /// [`sweep`](crate::sweep), on a thread if there is anything to do.
    pub async fn sweep(&self, marker: &str) -> Swept {
        if orphans::none(marker, false) {
            return Swept::default();
        }
        let (reply, answer) = oneshot::channel();
        let work = Work::Sweep(marker.into(), reply);
        match self.0.plain.put(work).await {
            Ok(()) => answer.await.unwrap_or_default(),
            Err(_) => Swept::default(),
        }
    }
}

impl Default for Spawner {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Pools {
    fn drop(&mut self) {
        for pool in [&self.plain, &self.unprivileged] {
            pool.state().closed = true;
            pool.more.notify_all();
        }
    }
}

#[derive(Debug)]
struct Pool {
    most: usize,
    no_new_privs: bool,
    state: Mutex<State>,
    more: Condvar,
    places: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<(Work, OwnedSemaphorePermit)>,
    threads: usize,
    idle: usize,
    closed: bool,
}

#[derive(Debug)]
enum Work {
    Spawn(Box<Command>, oneshot::Sender<io::Result<Child>>),
    Sweep(Box<str>, oneshot::Sender<Swept>),
}

impl Pool {
    fn new(most: usize, no_new_privs: bool) -> Arc<Self> {
        Arc::new(Self {
            most: most.max(1),
            no_new_privs,
            state: Mutex::default(),
            more: Condvar::new(),
            places: Arc::new(Semaphore::new(QUEUE)),
        })
    }

    async fn put(self: &Arc<Self>, work: Work) -> io::Result<()> {
        let places = Arc::clone(&self.places);
        let place = places.acquire_owned().await.map_err(|_| ended())?;
        let mut state = self.state();
        if state.idle <= state.queue.len() && state.threads < self.most {
            match self.start() {
                Ok(()) => state.threads += 1,
                // The running threads take the job.
                Err(_) if state.threads > 0 => {}
                Err(error) => return Err(error),
            }
        }
        state.queue.push_back((work, place));
        drop(state);
        self.more.notify_one();
        Ok(())
    }

    fn start(self: &Arc<Self>) -> io::Result<()> {
        let pool = Arc::clone(self);
        thread::Builder::new()
            .name("linkspan-spawn".into())
            .stack_size(256 << 10)
            .spawn(move || pool.work())?;
        Ok(())
    }

    fn work(&self) {
        let refused = self.give_up_privileges().err();
        let mut state = self.state();
        loop {
            if let Some((work, place)) = state.queue.pop_front() {
                drop(state);
                work.run(refused);
                drop(place);
                state = self.state();
            } else if state.closed {
                return;
            } else {
                state.idle += 1;
                self.more.wait(&mut state);
                state.idle -= 1;
            }
        }
    }

    fn give_up_privileges(&self) -> Result<(), rustix::io::Errno> {
        #[cfg(target_os = "linux")]
        if self.no_new_privs {
            rustix::thread::set_no_new_privs(true)?;
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl Work {
    /// Refuses to start if the thread could not drop its privileges (`refused`).
    fn run(self, refused: Option<rustix::io::Errno>) {
        match self {
            Self::Spawn(command, reply) => {
                if reply.is_closed() {
                    return;
                }
                let child = match refused {
                    None => spawn(&command),
                    Some(error) => Err(error.into()),
                };
                // The child has copies of the files; ours would delay an end of file.
                drop(command);
                // If the receiver is gone, `send` returns the child, and dropping it here kills it.
                let _ = reply.send(child);
            }
            Self::Sweep(marker, reply) => {
                let _ = reply.send(orphans::sweep(&marker));
            }
        }
    }
}

fn ended() -> io::Error {
    io::Error::other("the threads that start processes have ended")
}
