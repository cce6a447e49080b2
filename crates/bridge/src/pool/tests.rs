//! Which calls share a connection, and when connections end.

mod owners;
mod roots;
mod sharing;
mod starting;

use std::sync::Arc;

use linkspan_auth::resource::Identity;

use super::*;
use crate::Backend;
use crate::testing::{
    Client, Habit, Log, backend, backend_with, connection, modern_call, modern_request,
};

struct Pooled {
    pool: UpstreamPool,
    closing: Closing,
    log: Log,
}

fn pooled(era: Era, change: impl FnOnce(&mut PoolOptions)) -> Pooled {
    let (backend, log) = backend(era);
    pool_of(backend, log, change)
}

/// A pool for a child process with these habits.
fn pooled_command(era: Era, habits: &[Habit], change: impl FnOnce(&mut PoolOptions)) -> Pooled {
    let (backend, log) = backend_with(era, habits);
    pool_of(backend.like_a_command(), log, change)
}

fn pool_of(backend: Backend, log: Log, change: impl FnOnce(&mut PoolOptions)) -> Pooled {
    let mut options = PoolOptions {
        share: false,
        park: Duration::from_secs(60),
        idle: None,
        max_servers: 16,
        session: Config::default(),
    };
    change(&mut options);
    let (pool, closing) = UpstreamPool::new(Server::new(backend), options);
    Pooled { pool, closing, log }
}

fn share(options: &mut PoolOptions) {
    options.share = true;
}

fn client(credentials: &str) -> Principal {
    match credentials {
        "" => Principal::anonymous(),
        some => Principal::of_credentials(some.as_bytes()),
    }
}

impl Pooled {
    /// Calls a tool; returns the number of the connection.
    async fn call(&self, tool: &str, capabilities: &str, credentials: &str) -> usize {
        connection(&self.answer(tool, capabilities, credentials).await)
    }

    async fn answer(&self, tool: &str, capabilities: &str, credentials: &str) -> Message {
        self.ask(modern_call(tool, capabilities), credentials).await
    }

    /// Sends a request of a modern client; returns the answer.
    async fn ask(&self, request: Message, credentials: &str) -> Message {
        answer_of(self.begin(request, credentials).await).await
    }

    /// Sends a request of a modern client.
    async fn begin(&self, request: Message, credentials: &str) -> Answering {
        let principal = client(credentials);
        let asked = self.pool.ask(Envelope::new(request), &principal);
        asked.await.unwrap()
    }

    /// A legacy client that has shaken hands.
    async fn session(&self, credentials: &str) -> Client {
        let (mut one, front) = Client::new();
        self.pool.admit(front, &client(credentials));
        one.shake().await;
        one
    }
}

/// The answer to a request, after its notifications.
async fn answer_of(mut answering: Answering) -> Message {
    loop {
        let said = answering.recv().await.expect("an answer");
        if said.msg.is_answer() {
            return said.msg;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn requests_of_one_principal_share_a_connection_and_other_principals_do_not() {
    for era in [Era::Legacy, Era::Modern] {
        let pooled = pooled(era, |_| ());
        let mine = pooled.call("which", "{}", "mine").await;
        assert_eq!(pooled.call("which", "{}", "mine").await, mine);
        let other = pooled.call("which", "{}", "other").await;
        assert_ne!(other, mine);
        assert_ne!(pooled.call("which", "{}", "").await, other);
    }
}

#[tokio::test(start_paused = true)]
async fn a_legacy_server_is_shared_only_among_equal_capabilities() {
    let legacy = pooled(Era::Legacy, |_| ());
    let plain = legacy.call("which", "{}", "a").await;
    let sampling = legacy.call("which", r#"{"sampling":{}}"#, "a").await;
    assert_ne!(plain, sampling);
    assert_eq!(
        legacy.call("which", r#"{"sampling":{}}"#, "a").await,
        sampling
    );
    let modern = pooled(Era::Modern, |_| ());
    let plain = modern.call("which", "{}", "a").await;
    let sampling = modern.call("which", r#"{"sampling":{}}"#, "a").await;
    assert_eq!(
        plain, sampling,
        "a modern server is told with every request"
    );
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_server_that_asks_have_a_connection_each() {
    let pooled = pooled(Era::Legacy, |_| ());
    let asking = r#"{"elicitation":{"form":{}}}"#;
    let parked = pooled.answer("ask", asking, "a").await;
    assert!(
        parked.text().contains("input_required"),
        "{}",
        parked.text()
    );
    let calls = async {
        let both = tokio::join!(
            pooled.call("gate", asking, "a"),
            pooled.call("gate", asking, "a")
        );
        assert_ne!(both.0, both.1);
        assert!(both.0 > 1 && both.1 > 1, "the first one has a parked call");
    };
    let open = async {
        while pooled.log.opened() < 3 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        pooled.log.open("gate");
    };
    tokio::join!(calls, open);
}

#[tokio::test(start_paused = true)]
async fn a_legacy_server_shakes_hands_once_for_all_calls() {
    let pooled = pooled(Era::Legacy, |_| ());
    for _ in 0..3 {
        pooled.call("which", "{}", "a").await;
    }
    let heard = pooled.log.heard(1);
    let handshakes = heard.iter().filter(|method| *method == "initialize");
    assert_eq!(handshakes.count(), 1, "{heard:?}");
}

#[tokio::test(start_paused = true)]
async fn with_share_all_principals_have_one_connection() {
    let pooled = pooled(Era::Legacy, |options| options.share = true);
    let mine = pooled.call("which", "{}", "mine").await;
    assert_eq!(pooled.call("which", "{}", "other").await, mine);
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_closed_and_the_next_call_opens_another() {
    let idle = Duration::from_secs(60);
    let pooled = pooled(Era::Modern, |options| options.idle = Some(idle));
    let first = pooled.call("which", "{}", "a").await;
    pooled.log.closed(1).await;
    assert!(pooled.call("which", "{}", "a").await > first);
}

#[tokio::test(start_paused = true)]
async fn the_longest_idle_connection_makes_room_for_a_new_one() {
    let pooled = pooled(Era::Modern, |options| options.max_servers = 2);
    pooled.call("which", "{}", "a").await;
    pooled.call("which", "{}", "b").await;
    pooled.call("which", "{}", "c").await;
    pooled.log.closed(1).await;
    assert_eq!(pooled.pool.0.warm.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_ends_fails_its_call_and_is_replaced() {
    let pooled = pooled(Era::Modern, |_| ());
    let first = pooled.call("which", "{}", "a").await;
    let failed = pooled.answer("die", "{}", "a").await;
    assert!(failed.text().contains(r#""error""#), "{}", failed.text());
    assert!(pooled.call("which", "{}", "a").await > first);
}

#[tokio::test(start_paused = true)]
async fn closing_ends_every_connection() {
    let pooled = pooled(Era::Legacy, |_| ());
    pooled.call("which", "{}", "a").await;
    pooled.call("which", "{}", "b").await;
    let Pooled { pool, closing, log } = pooled;
    closing.wait(pool).await;
    log.closed(log.opened()).await;
}

#[tokio::test(start_paused = true)]
async fn a_clone_of_the_pool_does_not_delay_its_end() {
    let pooled = pooled(Era::Modern, |_| ());
    pooled.call("which", "{}", "a").await;
    let Pooled { pool, closing, log } = pooled;
    let began = tokio::time::Instant::now();
    closing.wait(pool.clone()).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    log.closed(1).await;
    let call = Envelope::new(modern_call("which", "{}"));
    let refused = pool.ask(call, &client("a")).await;
    assert!(refused.is_err(), "nothing is opened any more");
}

/// A verified client with these scopes.
fn verified(subject: &str, scopes: &[&str]) -> Principal {
    Principal::identified(Arc::new(Identity {
        issuer: "https://as".to_owned(),
        subject: subject.to_owned(),
        client_id: None,
        scopes: scopes.iter().map(ToString::to_string).collect(),
        name: None,
        views: Vec::new(),
    }))
}

#[tokio::test(start_paused = true)]
async fn a_token_with_fewer_scopes_does_not_reach_a_server_that_got_more() {
    for era in [Era::Legacy, Era::Modern] {
        let pooled = pooled(era, |_| ());
        let call = async |who: Principal| {
            let call = Envelope::new(modern_call("which", "{}"));
            let mut answering = pooled.pool.ask(call, &who).await.unwrap();
            connection(&answering.recv().await.expect("an answer").msg)
        };
        let admin = call(verified("ada", &["read", "admin"])).await;
        assert_ne!(call(verified("ada", &["read"])).await, admin);
        assert_eq!(call(verified("ada", &["read", "admin"])).await, admin);
        assert_ne!(call(verified("bob", &["read", "admin"])).await, admin);
    }
}
