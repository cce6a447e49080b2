//! Credentials that several servers, clients or processes share.

use super::server::{Person, SIBLING};
use super::*;

#[tokio::test]
async fn servers_with_one_resource_refresh_their_credential_once() {
    let world = World::new(0);
    let accounts = [world.account(), world.account_at(SIBLING)];
    for account in &accounts {
        sign_in(account).await.unwrap();
    }
    world.server.set_lifetime(3600);
    let [one, other] = &accounts;
    let tokens = tokio::join!(token(one), token(other));
    let expected = Some("Bearer access-3".to_owned());
    assert_eq!((tokens.0.0, tokens.1.0), (expected.clone(), expected));
    assert_eq!((world.server.refreshes(), world.server.reuses()), (1, 0));
}

#[tokio::test]
async fn logging_out_of_one_server_ends_the_credential_that_another_one_wrote_last() {
    let world = World::new(3600);
    sign_in(&world.account()).await.unwrap();
    sign_in(&world.account_at(SIBLING)).await.unwrap();
    let which = crate::Which::Server(server::SERVER.parse().unwrap());
    let ended = crate::sign_out(world.store(), &which, &|_| None).await;
    assert_eq!(ended.unwrap(), [SIBLING]);
    assert_eq!(world.status(), Status::SignedOut);
}

#[tokio::test]
async fn a_step_up_that_registers_another_client_is_made_once_for_all_processes() {
    let world = World::new(3600);
    let (one, other) = (world.account(), world.account());
    sign_in(&one).await.unwrap();
    for _ in 0..4 {
        let (_, generation) = token(&one).await;
        one.refused(refusal(401, "Bearer", generation, 0))
            .await
            .unwrap();
    }
    let (_, generation) = token(&other).await;
    assert_eq!(generation, Some(5));
    let more = r#"Bearer error="insufficient_scope", scope="more""#;
    for account in [&one, &other] {
        let again = account.refused(refusal(403, more, generation, 0)).await;
        assert_eq!(again, Ok(Again::Retry));
    }
    assert_eq!(world.server.logins(), 2);
    assert_eq!(token(&one).await, token(&other).await);
}

#[tokio::test]
async fn a_refresh_ahead_does_not_wait_for_a_person() {
    let world = World::new(0);
    let (asks, calls) = (world.account(), world.account());
    sign_in(&asks).await.unwrap();
    world.server.set_person(Person::DoesNothing);
    let more = r#"Bearer error="insufficient_scope", scope="more""#;
    let asked = tokio::spawn(async move { asks.refused(refusal(403, more, Some(1), 0)).await });
    while world.server.asked() < 2 {
        tokio::task::yield_now().await;
    }
    let called = tokio::time::timeout(Duration::from_secs(10), token(&calls)).await;
    assert_eq!(called.unwrap().0.as_deref(), Some("Bearer access-1"));
    asked.abort();
}

#[tokio::test]
async fn the_prompt_of_a_process_that_was_killed_is_not_shown_again() {
    let world = World::new(3600);
    let settings = world.settings(server::SERVER);
    sign_in(&world.account()).await.unwrap();
    let prompt = crate::Prompt {
        server: server::SERVER.to_owned(),
        url: "https://as.example/old".to_owned(),
        user_code: None,
        opened: false,
    };
    std::mem::forget(settings.prompt_file().show(&prompt));
    let account = world.account();
    let (_, generation) = token(&account).await;
    account
        .refused(refusal(401, "Bearer", generation, 0))
        .await
        .unwrap();
    assert_eq!(settings.prompt_file().read(), None);
}

#[tokio::test]
async fn processes_share_a_sign_in_whose_token_expires_at_once() {
    let world = World::new(0);
    world.server.give_no_refresh_tokens();
    let accounts: Vec<Account> = (0..4).map(|_| world.account()).collect();
    let mut waiting = tokio::task::JoinSet::new();
    for account in accounts {
        waiting.spawn(async move {
            let again = sign_in(&account).await;
            // Only the server knows what an expired token is worth.
            (again, token(&account).await.0)
        });
    }
    while let Some(done) = waiting.join_next().await {
        let (again, token) = done.unwrap();
        assert_eq!(again, Ok(Again::Retry));
        assert_eq!(token.as_deref(), Some("Bearer access-1"));
    }
    assert_eq!(world.server.asked(), 1);
}

#[tokio::test]
async fn a_logout_by_another_process_is_noticed_within_seconds() {
    let world = World::new(3600);
    let account = world.account();
    sign_in(&account).await.unwrap();
    assert!(token(&account).await.0.is_some());
    let which = crate::Which::Server(server::SERVER.parse().unwrap());
    crate::sign_out(world.store(), &which, &|_| None)
        .await
        .unwrap();
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(5)).await;
    tokio::time::resume();
    assert_eq!(token(&account).await, (None, None));
}
