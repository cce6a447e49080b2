//! A server that refuses what a sign-in has just led to, and requests for which no person is asked.

use super::*;

/// Whether a call fails because the server refuses the new token.
fn is_refused_at_once(again: &Result<Again, Fault>) -> bool {
    matches!(again, Err(Fault::NotSignedIn { why, .. }) if why.contains("just led to"))
}

/// A call to a server that refuses every token: until it fails.
async fn call(account: &Account) -> Result<Again, Fault> {
    for attempt in 0.. {
        let (_, generation) = token(account).await;
        let again = account
            .refused(refusal(401, "Bearer", generation, attempt))
            .await;
        if again != Ok(Again::Retry) {
            return again;
        }
    }
    unreachable!("a call ends")
}

#[tokio::test]
async fn a_server_that_refuses_every_token_leads_to_one_page() {
    for has_refresh in [false, true] {
        let world = World::new(3600);
        if !has_refresh {
            world.server.give_no_refresh_tokens();
        }
        let (account, other) = (world.account(), world.account());
        for _ in 0..3 {
            let again = call(&account).await;
            assert!(is_refused_at_once(&again), "{again:?}");
        }
        let again = call(&other).await;
        assert!(matches!(again, Err(Fault::NotSignedIn { .. })), "{again:?}");
        assert_eq!(world.server.asked(), 1);
        assert!(world.server.refreshes() <= 2, "one for each process");
    }
}

#[tokio::test]
async fn a_person_may_want_to_be_asked_again_at_once() {
    for has_refresh in [false, true] {
        let world = World::new(3600);
        if !has_refresh {
            world.server.give_no_refresh_tokens();
        }
        let account = world.account();
        call(&account).await.unwrap_err();
        account.ask_again();
        let again = call(&account).await;
        assert!(is_refused_at_once(&again), "{again:?}");
        assert_eq!(world.server.asked(), 2);
    }
}

#[tokio::test]
async fn a_pause_does_not_keep_tokens_from_being_renewed() {
    let world = World::new(3600);
    let account = world.account();
    sign_in(&account).await.unwrap();
    world.server.set_person(server::Person::Refuses);
    let more = r#"Bearer error="insufficient_scope", scope="more""#;
    let step_up = refusal(403, more, account.generation(), 0);
    account.refused(step_up).await.unwrap_err();
    world.server.fail(None);
    let expired = refusal(401, "Bearer", account.generation(), 0);
    assert_eq!(account.refused(expired).await, Ok(Again::Retry));
    assert_eq!((world.server.asked(), world.server.refreshes()), (2, 1));
}

#[tokio::test]
async fn the_second_page_comes_after_a_pause_although_the_token_is_old_by_then() {
    let world = World::new(3600);
    world.server.give_no_refresh_tokens();
    call(&world.account()).await.unwrap_err();
    world.signed_in_a_while_ago();
    let again = call(&world.account()).await;
    assert!(matches!(again, Err(Fault::NotSignedIn { .. })), "{again:?}");
    assert_eq!(world.server.asked(), 1);
}

#[tokio::test]
async fn a_token_that_was_accepted_may_be_revoked_at_once() {
    let world = World::new(3600);
    world.server.give_no_refresh_tokens();
    let account = world.account();
    sign_in(&account).await.unwrap();
    let (_, generation) = token(&account).await;
    let again = account.refused(refusal(401, "Bearer", generation, 0)).await;
    assert_eq!(again, Ok(Again::Retry));
    assert_eq!(world.server.asked(), 2);
}

#[tokio::test]
async fn a_server_may_move_to_other_tokens_right_after_the_sign_in_of_another_process() {
    for has_refresh in [false, true] {
        let world = World::new(3600);
        if !has_refresh {
            world.server.give_no_refresh_tokens();
        }
        sign_in(&world.account()).await.unwrap();
        let account = world.account();
        for attempt in 0..=u32::from(has_refresh) {
            let (_, generation) = token(&account).await;
            let again = account.refused(refusal(401, "Bearer", generation, attempt));
            assert_eq!(again.await, Ok(Again::Retry));
        }
        assert_eq!(world.server.asked(), 2);
    }
}

/// What the standing stream meets.
async fn stream(account: &Account) -> Result<Again, Fault> {
    let (_, generation) = token(account).await;
    let refusal = refusal(401, "Bearer", generation, 0);
    let again = account.refused(AuthRefusal {
        may_ask: false,
        ..refusal
    });
    again.await
}

#[tokio::test]
async fn the_standing_stream_opens_no_page() {
    let world = World::new(3600);
    let account = world.account();
    let again = stream(&account).await;
    assert!(matches!(again, Err(Fault::NotSignedIn { .. })), "{again:?}");
    assert_eq!(world.server.asked(), 0);
    sign_in(&account).await.unwrap();
    world.signed_in_a_while_ago();
    let account = world.account();
    assert_eq!(stream(&account).await, Ok(Again::Retry));
    assert_eq!((world.server.asked(), world.server.refreshes()), (1, 1));
    world.server.revoke();
    assert!(stream(&account).await.is_err());
    assert_eq!(world.server.asked(), 1);
    let more = r#"Bearer error="insufficient_scope", scope="more""#;
    let step_up = AuthRefusal {
        may_ask: false,
        ..refusal(403, more, account.generation(), 0)
    };
    assert_eq!(account.refused(step_up).await, Ok(Again::Stop));
    assert_eq!(world.server.asked(), 1);
}

#[tokio::test]
async fn the_standing_stream_uses_the_sign_in_of_another_process() {
    let world = World::new(3600);
    let account = world.account();
    token(&account).await;
    sign_in(&world.account()).await.unwrap();
    let refusal = AuthRefusal {
        may_ask: false,
        ..refusal(401, "Bearer", None, 0)
    };
    assert_eq!(account.refused(refusal).await, Ok(Again::Retry));
}
