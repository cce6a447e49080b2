//! Which calls share a connection, and when connections end.

use std::sync::Arc;

use super::*;
use crate::testing::{Log, backend, connection, modern_call};

struct Pooled {
    pool: UpstreamPool,
    closing: Closing,
    log: Log,
}

fn pooled(era: Era, change: impl FnOnce(&mut PoolOptions)) -> Pooled {
    let (backend, log) = backend(era);
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

fn client(credentials: &str) -> Principal {
    match credentials {
        "" => Principal(None),
        some => Principal(Some(Arc::from(some.as_bytes()))),
    }
}

impl Pooled {
    /// Calls a tool; gives the number of the connection.
    async fn call(&self, tool: &str, capabilities: &str, credentials: &str) -> usize {
        connection(&self.answer(tool, capabilities, credentials).await)
    }

    async fn answer(&self, tool: &str, capabilities: &str, credentials: &str) -> Message {
        let call = Envelope::new(modern_call(tool, capabilities));
        let mut answering = self.pool.ask(call, &client(credentials)).await.unwrap();
        let answer = answering.rx.recv().await.expect("an answer");
        answer.msg
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
        pooled.log.open_gate();
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
