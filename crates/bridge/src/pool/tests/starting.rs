//! Servers that start slowly or badly, and how their era is detected.

use super::*;
use crate::testing::given;

const SLOW: Habit = Habit::SlowStart(Duration::from_secs(4));

#[tokio::test(start_paused = true)]
async fn a_slow_server_is_started_once() {
    for (era, habits) in [
        (Era::Legacy, &[SLOW][..]),
        (Era::Legacy, &[SLOW, Habit::IgnoresProbe]),
        (Era::Legacy, &[Habit::IgnoresProbe]),
        (Era::Modern, &[SLOW]),
    ] {
        let pooled = pooled_command(era, habits, |_| ());
        for _ in 0..2 {
            pooled.call("which", "{}", "a").await;
            assert_eq!(pooled.log.opened(), 1, "{era:?} {habits:?}");
        }
        assert_eq!(pooled.pool.0.server.era(), Some(era));
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_server_shakes_hands_once_in_the_name_of_its_client() {
    let pooled = pooled_command(Era::Legacy, &[SLOW], |_| ());
    let capabilities = r#"{"sampling":{}}"#;
    let answer = pooled.answer("which", capabilities, "a").await;
    assert_eq!(given(&answer, "client"), capabilities);
    assert_eq!(pooled.log.count("initialize"), 1);
    assert_eq!(pooled.log.count("notifications/initialized"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ignores_the_probe_serves_both_eras() {
    let pooled = pooled_command(Era::Legacy, &[Habit::IgnoresProbe], |_| ());
    pooled.call("which", "{}", "a").await;
    let answer = pooled.session("a").await.call(2, "which", "{}").await;
    assert_eq!(connection(&answer), 2);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_dies_of_the_probe_is_probed_once() {
    let pooled = pooled_command(Era::Legacy, &[Habit::DiesOfProbe], |_| ());
    for _ in 0..3 {
        pooled.call("which", "{}", "a").await;
    }
    for _ in 0..5 {
        let answer = pooled.session("a").await.call(2, "which", "{}").await;
        assert!(connection(&answer) > 1);
    }
    assert_eq!(pooled.log.count("server/discover"), 1);
    // The connection that died, one for the modern client, one for each session.
    assert_eq!(pooled.log.opened(), 7);
}

#[tokio::test(start_paused = true)]
async fn calls_that_come_together_detect_the_era_together() {
    for (era, habits) in [
        (Era::Legacy, &[][..]),
        (Era::Modern, &[]),
        (Era::Legacy, &[Habit::DiesOfProbe]),
    ] {
        let pooled = pooled_command(era, habits, |_| ());
        let calls = (0..20).map(|_| pooled.call("which", "{}", "a"));
        let connections = futures_util::future::join_all(calls).await;
        assert!(connections.iter().all(|number| *number == connections[0]));
        assert!(pooled.log.opened() <= 2, "{era:?} {habits:?}");
        assert!(pooled.log.count("server/discover") <= 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_that_died_once_at_its_start_is_not_taken_for_a_legacy_one() {
    let pooled = pooled_command(Era::Modern, &[Habit::DiesOnce], |_| ());
    pooled.call("which", "{}", "a").await;
    assert_eq!(pooled.pool.0.server.era(), Some(Era::Modern));
    pooled.call("which", "{}", "a").await;
    assert_eq!(pooled.log.opened(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_slow_start_survives_the_clients_that_give_up() {
    let pooled = pooled_command(Era::Legacy, &[SLOW], |_| ());
    for _ in 0..3 {
        let patience = Duration::from_millis(300);
        let given_up = timeout(patience, pooled.call("which", "{}", "a")).await;
        assert!(given_up.is_err(), "the server has not started yet");
    }
    pooled.call("which", "{}", "a").await;
    assert_eq!(pooled.log.opened(), 1, "all calls waited for the same");
}

#[tokio::test(start_paused = true)]
async fn a_legacy_server_gets_only_capabilities_that_its_client_declared() {
    let pooled = pooled(Era::Legacy, |_| ());
    for declared in [
        "{}",
        r#"{"elicitation":{}}"#,
        r#"{"sampling":{},"roots":{}}"#,
    ] {
        let answer = pooled.answer("which", declared, "a").await;
        assert_eq!(given(&answer, "client"), declared);
    }
}
