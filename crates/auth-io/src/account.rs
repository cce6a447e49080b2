//! The credential of one server, as its port asks for it.

mod live;
mod patience;
mod pause;
mod refused;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use linkspan_auth::Timestamp;
use linkspan_auth::store::{Store, StoreError, Version};
use linkspan_ports::{Again, AuthRefusal, Authorizer, Authorizing, Credentials, Outgoing};
use linkspan_session::Fault;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

use self::live::Live;
use crate::perform::{Person, blocking, perform};
use crate::prompt::Prompt;
use crate::settings::{Order, Settings, Task};
use crate::transport::Transport;
use crate::work::Assignment;
use crate::worker::{Failure, Worker};

/// How long a refresh that failed is not tried again.
const BACK_OFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));
/// How long a refresh waits for that of another process.
const REFRESH: Duration = Duration::from_secs(30);
/// How often a process looks whether another one has changed the store, such as `linkspan logout`.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
/// How often a process that waits for another one looks.
const LOOK: Duration = Duration::from_millis(50);

/// What carries out the orders of an account.
pub enum Performer {
    /// A process that outlives this one.
    Worker(Worker),
    /// This process, over a transport.
    Here(Arc<dyn Transport>),
}

/// Signs in to one server, and stays signed in. Clones are the same account.
#[derive(Clone)]
pub struct Account {
    inner: Arc<Inner>,
}

struct Inner {
    settings: Settings,
    performer: Performer,
    state: Mutex<State>,
    /// One refresh or sign-in at a time in this process.
    turn: tokio::sync::Mutex<()>,
    prompts: watch::Sender<Option<Prompt>>,
    /// The store, once it was opened. It remembers its key, which a keyring may take long to give.
    store: Mutex<Option<Arc<Store>>>,
    /// How long a request waits for a person.
    patience: watch::Sender<Option<Duration>>,
    /// The newest version of the credential that the server has accepted.
    accepted: AtomicU64,
}

#[derive(Default)]
struct State {
    /// When the store was last looked at, and the version that was read.
    looked: Option<(Instant, Version)>,
    live: Option<Arc<Live>>,
    /// The first version of the credential that came from its last sign-in, if that was made while this process ran.
    signed_in: Option<u64>,
    /// The newest nonce of the server, for proofs.
    nonce: Option<String>,
    /// When a failed refresh may be tried again, and how long the next wait is.
    back_off: Option<(Instant, Duration)>,
    /// Whether the client can show a page to its user.
    client_shows_pages: bool,
    /// Credentials without a user that were refused, and when. They are not shown again at once.
    refused: Option<(Failure, Instant)>,
    /// Why no person is asked, and until when.
    pause: Option<(Failure, Instant)>,
    /// Whether the user wants to be asked all the same.
    asks_again: bool,
    /// When the server turned out to want something other than OAuth.
    not_offered: Option<Instant>,
    /// Scopes that were refused after a step-up, and when.
    hopeless: Option<(Vec<String>, Instant)>,
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Account({})", self.inner.settings.shown_server())
    }
}

impl Account {
    /// An account whose refreshes and sign-ins `performer` makes.
    pub fn new(settings: Settings, performer: Performer) -> Self {
        Self {
            inner: Arc::new(Inner {
                settings,
                performer,
                state: Mutex::default(),
                turn: tokio::sync::Mutex::default(),
                prompts: watch::Sender::new(None),
                store: Mutex::default(),
                patience: watch::Sender::new(None),
                accepted: AtomicU64::new(0),
            }),
        }
    }

    /// What the user is asked to do, as it changes; `None` while nothing is asked.
    pub fn prompts(&self) -> watch::Receiver<Option<Prompt>> {
        self.inner.prompts.subscribe()
    }

    /// Tells whether the client can show a page to its user.
    pub fn set_client_shows_pages(&self, can: bool) {
        self.inner.state.lock().client_shows_pages = can;
    }
}

impl Authorizer for Account {
    fn ready(&self, request: &Outgoing<'_>) -> Option<Credentials> {
        let state = self.inner.state.lock();
        let is_recent = |(at, _): (Instant, _)| at.elapsed() < LOOK_AGAIN;
        if !state.looked.is_some_and(is_recent) {
            return None;
        }
        let Some(live) = &state.live else {
            return Some(Credentials::default());
        };
        let is_waiting = || {
            state
                .back_off
                .is_some_and(|(until, _)| Instant::now() < until)
        };
        if live.is_due() && !is_waiting() {
            return None;
        }
        Some(live.credentials(request.method, request.url, state.nonce.as_deref()))
    }

    fn obtain<'a>(&'a self, request: &'a Outgoing<'a>) -> Authorizing<'a, Credentials> {
        Box::pin(async move {
            self.inner.look().await;
            let due = self.inner.live().filter(|live| live.is_due());
            if let Some(due) = due {
                self.renew(due.generation).await;
            }
            let state = self.inner.state.lock();
            let live = state.live.as_ref();
            Ok(live.map_or_else(Credentials::default, |live| {
                live.credentials(request.method, request.url, state.nonce.as_deref())
            }))
        })
    }

    fn refused(&self, refusal: AuthRefusal) -> Authorizing<'_, Again> {
        Box::pin(self.on_refused(refusal))
    }

    fn accepted(&self, generation: Option<u64>) {
        let generation = generation.unwrap_or(0);
        self.inner.accepted.fetch_max(generation, Ordering::Relaxed);
    }

    fn nonce(&self, nonce: &str) {
        self.inner.state.lock().nonce = Some(nonce.to_owned());
    }

    fn secrets(&self) -> Vec<String> {
        let live = self.inner.live();
        live.map(|live| live.secrets()).unwrap_or_default()
    }

    fn is_asking(&self) -> bool {
        self.inner.prompts.borrow().is_some()
    }
}

impl Account {
    /// Renews the tokens ahead of their end. A failure is not the caller's: the old token may still be accepted.
    async fn renew(&self, generation: u64) {
        let order = self.inner.order(Some(generation), Task::Refresh);
        match self.carry_out(order).await {
            Ok(()) => self.inner.state.lock().back_off = None,
            Err(failure) => {
                tracing::warn!("the tokens were not renewed: {}", failure.why);
                let mut state = self.inner.state.lock();
                let (first, longest) = BACK_OFF;
                let wait = state
                    .back_off
                    .map_or(first, |(_, wait)| (wait * 2).min(longest));
                state.back_off = Some((Instant::now() + wait, wait));
            }
        }
    }

    /// Carries out an order in a task of its own: a caller that is cancelled must not cut an exchange in two.
    async fn carry_out(&self, order: Order) -> Result<(), Failure> {
        let inner = Arc::clone(&self.inner);
        let task = tokio::spawn(async move { inner.carry_out(order).await });
        let done = async {
            match task.await {
                Ok(done) => done,
                Err(broken) => std::panic::resume_unwind(broken.into_panic()),
            }
        };
        self.patiently(done).await
    }
}

impl Inner {
    fn order(&self, generation: Option<u64>, task: Task) -> Order {
        Order {
            server: self.settings.server().to_string(),
            generation,
            since: Timestamp::now(),
            is_wanted: false,
            task,
        }
    }

    fn live(&self) -> Option<Arc<Live>> {
        self.state.lock().live.clone()
    }

    /// Works on the store.
    async fn stored<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store, &Settings) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let known = self.store.lock().clone();
        let settings = self.settings.clone();
        let worked = blocking(move || {
            let store = match known {
                Some(store) => store,
                None => Arc::new(Store::open(settings.store.clone())?),
            };
            let worked = work(&store, &settings)?;
            Ok((store, worked))
        });
        let (store, worked) = worked.await?;
        *self.store.lock() = Some(store);
        Ok(worked)
    }

    /// Reads the credential from the store if that was changed since.
    async fn look(&self) {
        let looked = self.state.lock().looked;
        if let Some((_, known)) = looked {
            let version = self.stored(|store, _| Ok(store.version())).await;
            if version.is_ok_and(|version| version == known) {
                self.state.lock().looked = Some((Instant::now(), known));
                return;
            }
        }
        self.load().await;
    }

    /// Reads the credential from the store.
    async fn load(&self) {
        let found = self.stored(|store, settings| {
            // Before the content: a change in between is noticed at the next look.
            let version = store.version();
            Ok((store.find(settings.server(), &settings.profile()), version))
        });
        let (found, version) = match found.await {
            Ok((found, version)) => (found, version),
            Err(error) => (Err(error), Version::default()),
        };
        let needs_user = self.settings.client.needs_user();
        let mut state = self.state.lock();
        // A store that cannot be read is not read again before it changes.
        let looked = state.looked.replace((Instant::now(), version));
        match found {
            Ok(found) => {
                let live = found.and_then(|(_, record)| Live::new(&record, needs_user));
                let signed_in = |live: &Option<Arc<Live>>| live.as_ref()?.signed_in;
                if signed_in(&state.live) != signed_in(&live) {
                    let while_we_run = live.as_ref().filter(|_| looked.is_some());
                    state.signed_in = while_we_run.map(|live| live.generation);
                }
                // A record that was marked has another generation and the same token.
                if let (Some(old), Some(new)) = (&state.live, &live)
                    && old.has_token_of(new)
                    && self.accepted.load(Ordering::Relaxed) >= old.generation
                {
                    self.accepted.fetch_max(new.generation, Ordering::Relaxed);
                }
                state.live = live;
            }
            Err(error) => tracing::warn!("{error}"),
        }
    }

    /// Waits until the store has a credential that is newer than the order's, by doing what is ordered if no other
    /// process does it.
    async fn carry_out(&self, order: Order) -> Result<(), Failure> {
        let _turn = self.turn.lock().await;
        let is_refresh = order.task == Task::Refresh;
        let patience = if is_refresh { REFRESH } else { Duration::MAX };
        let deadline = Instant::now() + self.settings.timeout.min(patience);
        let mut is_told = false;
        while !self.is_free().await && Instant::now() < deadline {
            if self.is_satisfied(&order).await {
                return Ok(());
            }
            let prompt = self.settings.prompt_file().read();
            if is_refresh && prompt.is_some() {
                // A person may take minutes, and the token is still good.
                return Err(Failure::busy());
            }
            if prompt.is_some() && !is_told {
                is_told = true;
                tracing::info!("another linkspan is signing in; waiting");
            }
            self.prompts.send_if_modified(|shown| {
                let is_new = *shown != prompt;
                *shown = prompt;
                is_new
            });
            tokio::time::sleep(LOOK).await;
        }
        if self.is_satisfied(&order).await {
            self.prompts.send_replace(None);
            return Ok(());
        }
        let done = self.perform(&order).await;
        // First: when the prompt is gone, it shows whether there is a new credential.
        self.load().await;
        self.prompts.send_replace(None);
        done
    }

    /// Whether no process signs in right now.
    async fn is_free(&self) -> bool {
        let taken = self.stored(|store, settings| Ok(store.try_lock(settings.lock())?.is_none()));
        !taken.await.unwrap_or(false)
    }

    async fn is_satisfied(&self, order: &Order) -> bool {
        self.load().await;
        self.live().is_some_and(|live| live.satisfies(order))
    }

    async fn perform(&self, order: &Order) -> Result<(), Failure> {
        let show = |prompt: Prompt| {
            tracing::warn!("{prompt}");
            self.prompts.send_replace(Some(prompt));
        };
        let transport = match &self.performer {
            Performer::Worker(worker) => {
                let assignment = Assignment::new(order, &self.settings);
                return worker.run(&assignment, &show).await;
            }
            Performer::Here(transport) => transport,
        };
        let person = Person {
            show: &|prompt| show(prompt.clone()),
            opens: None,
            pasted: None,
        };
        let performed = perform(&self.settings, order, &**transport, person).await;
        performed.map(drop).map_err(|error| Failure::from(&error))
    }

    /// What a request that cannot be made is answered with.
    fn fault(&self, failure: Failure) -> Fault {
        Fault::NotSignedIn {
            peer: self.settings.shown_server().into(),
            why: failure.why,
            hint: failure.hint,
            url: self
                .prompts
                .borrow()
                .as_ref()
                .map(|prompt| prompt.url.clone()),
        }
    }
}
