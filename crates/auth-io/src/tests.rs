//! Accounts of several processes at one authorization server with rotating refresh tokens.

mod fresh;
mod imported;
mod refusals;
mod server;
mod sharing;

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, Method};
use linkspan_auth::Timestamp;
use linkspan_auth::client::ClientOptions;
use linkspan_auth::store::{KeySource, Status, Store, StoreOptions};
use linkspan_ports::{Again, AuthRefusal, Authorizer, HttpOptions, Outgoing};
use linkspan_session::Fault;
use tempfile::TempDir;

use self::server::Server;
use crate::{Account, Performer, Settings};

struct World {
    server: Arc<Server>,
    folder: TempDir,
}

impl World {
    fn new(lifetime: u64) -> Self {
        Self {
            server: Server::new(lifetime),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn store(&self) -> StoreOptions {
        StoreOptions {
            folder: self.folder.path().join("auth"),
            key: KeySource::File,
        }
    }

    /// The account of another process.
    fn account(&self) -> Account {
        self.account_at(server::SERVER)
    }

    fn account_at(&self, url: &str) -> Account {
        Account::new(self.settings(url), Performer::Here(self.server.clone()))
    }

    fn settings(&self, url: &str) -> Settings {
        Settings {
            http: HttpOptions::new(url, false).unwrap(),
            client: Arc::new(ClientOptions::default()),
            assertion_file: None,
            store: self.store(),
            has_browser: false,
            callback_port: None,
            timeout: Duration::from_secs(20),
        }
    }

    /// As if the last sign-in had been made a day ago.
    fn signed_in_a_while_ago(&self) {
        let store = Store::open(self.store()).unwrap();
        for (key, mut record) in store.list().unwrap() {
            record.signed_in = record.signed_in.map(|at| Timestamp(at.0 - 86_400));
            store.write(&key, record.generation, record).unwrap();
        }
    }

    fn status(&self) -> Status {
        let records = Store::open(self.store()).unwrap().list().unwrap();
        records[0].1.status
    }
}

/// The token of the next request, and its generation.
async fn token(account: &Account) -> (Option<String>, Option<u64>) {
    let url = server::SERVER.parse().unwrap();
    let (headers, body) = (HeaderMap::new(), bytes::Bytes::new);
    let request = Outgoing::new(&Method::POST, &url, &headers, &body);
    let credentials = match account.ready(&request) {
        Some(ready) => ready,
        None => account.obtain(&request).await.unwrap(),
    };
    let header = credentials.headers.first();
    let header = header.map(|(_, value)| value.to_str().unwrap().to_owned());
    (header, credentials.generation)
}

fn refusal(status: u16, challenge: &str, generation: Option<u64>, attempt: u32) -> AuthRefusal {
    AuthRefusal {
        status,
        challenges: vec![challenge.to_owned()],
        date: None,
        generation,
        attempt,
        may_ask: true,
    }
}

/// Signs in, as the first request of a process does.
async fn sign_in(account: &Account) -> Result<Again, Fault> {
    let (_, generation) = token(account).await;
    let again = account.refused(refusal(401, "Bearer", generation, 0)).await;
    if again.is_ok() {
        account.accepted(account.generation());
    }
    again
}

#[tokio::test]
async fn a_refusal_leads_to_a_sign_in_and_the_next_process_needs_none() {
    let world = World::new(3600);
    let first = world.account();
    assert_eq!(token(&first).await, (None, None));
    assert_eq!(sign_in(&first).await, Ok(Again::Retry));
    assert_eq!(token(&first).await.0.as_deref(), Some("Bearer access-1"));
    let second = world.account();
    assert_eq!(token(&second).await.0.as_deref(), Some("Bearer access-1"));
    assert_eq!(world.server.logins(), 1);
}

#[tokio::test]
async fn processes_that_are_refused_at_the_same_time_sign_in_once() {
    let world = World::new(3600);
    let accounts: Vec<Account> = (0..8).map(|_| world.account()).collect();
    let mut waiting = tokio::task::JoinSet::new();
    for account in accounts {
        waiting.spawn(async move { sign_in(&account).await });
    }
    while let Some(done) = waiting.join_next().await {
        assert_eq!(done.unwrap(), Ok(Again::Retry));
    }
    assert_eq!(world.server.logins(), 1);
}

#[tokio::test]
async fn an_expiring_token_is_renewed_once_for_all_processes() {
    let world = World::new(0);
    sign_in(&world.account()).await.unwrap();
    world.server.set_lifetime(3600);
    let mut waiting = tokio::task::JoinSet::new();
    for account in (0..8).map(|_| world.account()) {
        waiting.spawn(async move { token(&account).await.0 });
    }
    while let Some(done) = waiting.join_next().await {
        assert_eq!(done.unwrap().as_deref(), Some("Bearer access-2"));
    }
    assert_eq!(world.server.refreshes(), 1);
    assert_eq!(world.server.reuses(), 0);
}

#[tokio::test]
async fn a_refused_token_is_renewed_once_and_then_needs_a_person() {
    let world = World::new(3600);
    let account = world.account();
    sign_in(&account).await.unwrap();
    let (_, generation) = token(&account).await;
    let again = account.refused(refusal(401, "Bearer", generation, 0)).await;
    assert_eq!(again, Ok(Again::Retry));
    assert_eq!((world.server.refreshes(), world.server.logins()), (1, 1));
    world.signed_in_a_while_ago();
    let account = world.account();
    let (_, generation) = token(&account).await;
    let again = account.refused(refusal(401, "Bearer", generation, 1)).await;
    assert_eq!(again, Ok(Again::Retry));
    assert_eq!((world.server.refreshes(), world.server.logins()), (1, 2));
}

#[tokio::test]
async fn a_token_that_another_process_has_renewed_is_used() {
    let world = World::new(3600);
    let (first, second) = (world.account(), world.account());
    sign_in(&first).await.unwrap();
    let (_, old) = token(&second).await;
    first.refused(refusal(401, "Bearer", old, 0)).await.unwrap();
    let again = second.refused(refusal(401, "Bearer", old, 0)).await;
    assert_eq!(again, Ok(Again::Retry));
    assert_eq!(token(&second).await.0.as_deref(), Some("Bearer access-2"));
    assert_eq!(world.server.refreshes(), 1);
}

#[tokio::test]
async fn a_revoked_sign_in_is_marked_and_not_deleted() {
    let world = World::new(0);
    let account = world.account();
    sign_in(&account).await.unwrap();
    world.server.revoke();
    // The old token is still sent: only the server knows what it is worth.
    assert_eq!(token(&account).await.0.as_deref(), Some("Bearer access-1"));
    assert_eq!(world.status(), Status::NeedsLogin);
    let (_, generation) = token(&account).await;
    account
        .refused(refusal(401, "Bearer", generation, 0))
        .await
        .unwrap();
    assert_eq!(world.status(), Status::Active);
    assert_eq!(world.server.logins(), 2);
}

#[tokio::test]
async fn a_token_endpoint_that_fails_costs_no_sign_in() {
    let world = World::new(0);
    let account = world.account();
    sign_in(&account).await.unwrap();
    world.server.fail(Some((503, serde_json::Value::Null)));
    assert_eq!(token(&account).await.0.as_deref(), Some("Bearer access-1"));
    assert_eq!(world.status(), Status::Active);
    let (_, generation) = token(&account).await;
    let fault = account.refused(refusal(401, "Bearer", generation, 0)).await;
    assert!(matches!(fault, Err(Fault::NotSignedIn { .. })), "{fault:?}");
    world.server.fail(None);
    account
        .refused(refusal(401, "Bearer", generation, 0))
        .await
        .unwrap();
    assert_eq!(world.server.logins(), 1);
}

#[tokio::test]
async fn missing_scopes_are_asked_for_twice_and_then_the_refusal_stands() {
    let world = World::new(3600);
    let account = world.account();
    sign_in(&account).await.unwrap();
    let more = r#"Bearer error="insufficient_scope", scope="more""#;
    for attempt in 0..2 {
        let (_, generation) = token(&account).await;
        let again = account
            .refused(refusal(403, more, generation, attempt))
            .await;
        assert_eq!(again, Ok(Again::Retry), "{attempt}");
    }
    let (_, generation) = token(&account).await;
    let stop = account.refused(refusal(403, more, generation, 2)).await;
    assert_eq!(stop, Ok(Again::Stop));
    let logins = world.server.logins();
    // The next call does not begin it all again.
    let stop = account.refused(refusal(403, more, generation, 0)).await;
    assert_eq!(stop, Ok(Again::Stop));
    assert_eq!(world.server.logins(), logins);
    assert_eq!(logins, 3);
}

#[tokio::test]
async fn other_refusals_are_not_about_signing_in() {
    let world = World::new(3600);
    let account = world.account();
    for (status, challenge) in [(403, "Bearer"), (401, "Basic realm=\"x\""), (403, "")] {
        let stop = account.refused(refusal(status, challenge, None, 0)).await;
        assert_eq!(stop, Ok(Again::Stop), "{status} {challenge}");
    }
    assert_eq!(world.server.logins(), 0);
}

#[tokio::test]
async fn the_query_of_the_url_is_neither_shown_nor_sent() {
    let world = World::new(3600);
    world.server.set_person(server::Person::DoesNothing);
    let account = world.account_at("https://server.example/mcp?api_key=hidden");
    assert!(!format!("{account:?}").contains("hidden"));
    let mut prompts = account.prompts();
    account.set_patience(Some(Duration::ZERO));
    let fault = account.refused(refusal(401, "Bearer", None, 0)).await;
    let fault = fault.unwrap_err();
    assert!(
        fault
            .to_string()
            .starts_with("https://server.example/mcp wants"),
        "{fault}"
    );
    assert!(!format!("{fault:?}").contains("hidden"), "{fault:?}");
    let prompt = prompts.borrow_and_update().clone().unwrap();
    assert!(!prompt.to_string().contains("hidden"), "{prompt}");
    assert!(!world.server.heard().contains("hidden"));
}

#[tokio::test]
async fn tokens_are_among_the_secrets_and_not_in_the_debug_output() {
    let world = World::new(3600);
    let account = world.account();
    sign_in(&account).await.unwrap();
    token(&account).await;
    assert!(account.secrets().iter().any(|it| it == "access-1"));
    assert!(!format!("{account:?}").contains("access-1"));
}
