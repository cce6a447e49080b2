//! What a refusal of the authorization server means for the credential, and that of a person for those who wait.

use serde_json::{Value, json};

use super::server::Person;
use super::*;

#[tokio::test]
async fn a_refusal_that_is_not_about_the_refresh_token_leaves_the_credential_active() {
    for (status, body) in [
        (429, json!({"error": "too_many_requests"})),
        (403, json!("<html>blocked</html>")),
        (404, Value::Null),
        (200, json!("<html>hotel</html>")),
        (400, json!({"error": "invalid_request"})),
    ] {
        let world = World::new(0);
        let account = world.account();
        sign_in(&account).await.unwrap();
        world.server.fail(Some((status, body.clone())));
        let old = token(&account).await.0;
        assert_eq!(old.as_deref(), Some("Bearer access-1"), "{status} {body}");
        assert_eq!(world.status(), Status::Active, "{status} {body}");
        world.server.fail(None);
        world.server.set_lifetime(3600);
        // Another process is not bound by the pause of the first one.
        let next = token(&world.account()).await.0;
        assert_eq!(next.as_deref(), Some("Bearer access-2"), "{status} {body}");
    }
}

#[tokio::test]
async fn errors_with_status_200_are_understood() {
    let world = World::new(3600);
    world.server.be_github();
    let account = world.account();
    assert_eq!(sign_in(&account).await, Ok(Again::Retry), "it polled twice");
    world.server.revoke();
    let (_, generation) = token(&account).await;
    let again = account.refused(refusal(401, "Bearer", generation, 0)).await;
    assert_eq!(again, Ok(Again::Retry));
    assert_eq!(world.server.logins(), 2);
}

#[tokio::test]
async fn a_refresh_that_is_refused_in_any_way_leads_to_a_sign_in() {
    for (status, body) in [
        (400, json!({"error": "bad_refresh_token"})),
        (400, json!({"error": "invalid_request"})),
        (401, json!({"error": "token_revoked"})),
        (403, json!("<html>blocked</html>")),
        (404, Value::Null),
        (200, json!("<html>moved</html>")),
        (200, json!({"ok": false})),
    ] {
        let world = World::new(3600);
        let account = world.account();
        sign_in(&account).await.unwrap();
        world.server.fail_refreshes((status, body.clone()));
        let (_, generation) = token(&account).await;
        let again = account.refused(refusal(401, "Bearer", generation, 0)).await;
        assert_eq!(again, Ok(Again::Retry), "{status} {body}");
        assert_eq!(world.server.logins(), 2, "{status} {body}");
    }
    for (status, body) in [(503, Value::Null), (429, json!({"error": "rate_limited"}))] {
        let world = World::new(3600);
        let account = world.account();
        sign_in(&account).await.unwrap();
        world.server.fail_refreshes((status, body));
        let (_, generation) = token(&account).await;
        let fault = account.refused(refusal(401, "Bearer", generation, 0)).await;
        assert!(matches!(fault, Err(Fault::NotSignedIn { .. })), "{fault:?}");
        assert_eq!(world.server.logins(), 1);
    }
}

#[tokio::test]
async fn a_client_that_the_server_has_forgotten_registers_again() {
    let world = World::new(3600);
    let account = world.account();
    sign_in(&account).await.unwrap();
    let (_, generation) = token(&account).await;
    world.server.forget_clients();
    let again = account.refused(refusal(401, "Bearer", generation, 0)).await;
    assert_eq!(again, Ok(Again::Retry));
    assert_eq!(token(&account).await.0.as_deref(), Some("Bearer access-2"));
    assert_eq!((world.server.logins(), world.server.refreshes()), (2, 0));
}

#[tokio::test]
async fn a_registration_that_was_forgotten_before_the_first_sign_in_is_made_again() {
    let world = World::new(3600);
    world.server.set_person(Person::Refuses);
    sign_in(&world.account()).await.unwrap_err();
    world.server.fail(None);
    world.server.set_person(Person::SignsIn);
    world.server.forget_clients();
    // The order of the second process is given later than the failure of the first one.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let account = world.account();
    account.ask_again();
    assert_eq!(sign_in(&account).await, Ok(Again::Retry));
    assert_eq!(world.server.logins(), 1);
}

#[tokio::test]
async fn a_person_who_refuses_is_not_asked_by_every_process_that_waits() {
    let world = World::new(3600);
    world.server.set_person(Person::Refuses);
    let mut waiting = tokio::task::JoinSet::new();
    for account in (0..4).map(|_| world.account()) {
        waiting.spawn(async move { sign_in(&account).await });
    }
    while let Some(done) = waiting.join_next().await {
        assert!(matches!(done.unwrap(), Err(Fault::NotSignedIn { .. })));
    }
    assert_eq!(world.server.asked(), 1);
}

#[tokio::test]
async fn after_a_person_has_refused_no_call_asks_again_until_it_is_wanted() {
    let world = World::new(3600);
    world.server.set_person(Person::Refuses);
    let account = world.account();
    let Err(Fault::NotSignedIn { why, .. }) = sign_in(&account).await else {
        panic!("the person has refused");
    };
    assert!(why.contains("access_denied"), "{why}");
    world.server.fail(None);
    for process in [&account, &account, &world.account()] {
        let Err(Fault::NotSignedIn { hint, .. }) = sign_in(process).await else {
            panic!("the person is asked again");
        };
        assert!(hint.contains("linkspan login"), "{hint}");
    }
    assert_eq!(world.server.asked(), 1);
    world.server.set_person(Person::SignsIn);
    account.ask_again();
    assert_eq!(sign_in(&account).await, Ok(Again::Retry));
    assert_eq!(world.server.asked(), 2);
}

#[tokio::test]
async fn a_call_works_during_the_pause_if_another_process_has_signed_in() {
    let world = World::new(3600);
    world.server.set_person(Person::Refuses);
    let account = world.account();
    sign_in(&account).await.unwrap_err();
    world.server.fail(None);
    world.server.set_person(Person::SignsIn);
    let login = world.account();
    login.ask_again();
    sign_in(&login).await.unwrap();
    let again = account.refused(refusal(401, "Bearer", None, 0)).await;
    assert_eq!(again, Ok(Again::Retry));
    assert_eq!(world.server.asked(), 2);
}
