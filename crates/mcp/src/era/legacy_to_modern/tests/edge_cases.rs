//! Unusual orders of messages, and values at their limits.

use super::*;

mod first {
    use super::*;

    fn nest(n: usize) -> String {
        "[".repeat(n) + &"]".repeat(n)
    }

    fn ready_with(capabilities: &str) -> Stage<LegacyToModern> {
        let mut stage = Stage::new(LegacyToModern::new());
        let discover = stage
            .client(&legacy("0", "initialize", INITIALIZE))
            .told_one();
        stage
            .server(&result(
                &discover,
                &format!(r#"{{"supportedVersions":["2026-07-28"],"capabilities":{capabilities}}}"#),
            ))
            .heard();
        stage
    }

    #[test]
    fn unsubscribe_while_opening_answers_both() {
        let mut stage = ready_with(r#"{"resources":{"subscribe":true}}"#);
        stage.client(&legacy("1", "resources/subscribe", r#"{"uri":"a"}"#));
        stage.client(&legacy("2", "resources/unsubscribe", r#"{"uri":"a"}"#));
        let heard = stage.heard();
        assert_eq!(heard.len(), 2, "{heard:?}");
    }

    #[test]
    fn a_subscription_that_ends_is_opened_again() {
        let mut stage = ready();
        let listen = stage.client(INITIALIZED).told_one();
        let id = at(&listen, &["id"]);
        stage.server(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"notifications":{{"toolsListChanged":true}},"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}}}"#));
        stage.server(&error(&listen, -32000, r#"{"kind":"answer_lost"}"#));
        let mut told = stage.told();
        for _ in 0..10 {
            told.extend(stage.after(Duration::from_secs(60)).told());
        }
        assert!(!told.is_empty(), "list_changed is lost for ever");
    }

    #[test]
    fn an_unacknowledged_subscription() {
        let mut stage = ready();
        stage.client(&legacy("1", "resources/subscribe", r#"{"uri":"a"}"#));
        for _ in 0..100 {
            stage.after(Duration::from_secs(60));
        }
        let heard = stage.heard();
        assert_eq!(heard.len(), 1, "never answered");
    }

    #[test]
    fn late_news_of_a_dropped_subscription() {
        let mut stage = ready();
        // the core does not know hop 7 any more, so it cannot rename it
        let heard = stage.server(r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}"#).heard();
        assert!(heard.is_empty(), "{heard:?}");
    }

    #[test]
    fn deep_structured_content() {
        let mut stage = ready();
        let sent = call(&mut stage, "1");
        stage
            .server(&result(
                &sent,
                &format!(r#"{{"content":[],"structuredContent":{}}}"#, nest(126)),
            ))
            .heard_one();
    }

    #[test]
    fn deep_client_capabilities() {
        let mut stage = Stage::new(LegacyToModern::new());
        stage
            .client(&legacy(
                "0",
                "initialize",
                &format!(r#"{{"capabilities":{{"x":{}}}}}"#, nest(125)),
            ))
            .told_one();
    }

    #[test]
    fn deep_answer() {
        let mut stage = ready();
        let sent = call(&mut stage, "1");
        let q = stage.server(&result(&sent, r#"{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{}}}}"#)).heard_one();
        stage
            .client(&result(
                &q,
                &format!(r#"{{"action":"accept","content":{{"x":{}}}}}"#, nest(125)),
            ))
            .told_one();
    }

    #[test]
    fn bad_message_of_the_client_is_answered() {
        let mut stage = ready();
        let heard = stage
            .server(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}"#)
            .heard();
        assert_eq!(heard.len(), 1);
    }

    #[test]
    fn extensions_survive() {
        let mut stage = Stage::new(LegacyToModern::new());
        let discover = stage
            .client(&legacy("0", "initialize", INITIALIZE))
            .told_one();
        let heard = stage.server(&result(&discover, r#"{"supportedVersions":["2026-07-28"],"capabilities":{"extensions":{"io.modelcontextprotocol/ui":{},"io.modelcontextprotocol/tasks":{}}}}"#)).heard_one();
        assert!(
            heard.contains("/ui") && !heard.contains("/tasks"),
            "{heard}"
        );
    }

    #[test]
    fn an_unusable_task_result() {
        let mut stage = ready();
        let sent = call(&mut stage, "1");
        let heard = stage
            .server(&result(
                &sent,
                r#"{"resultType":"task","taskId":"t","status":"working"}"#,
            ))
            .heard_one();
        assert!(heard.contains("error"), "{heard}");
    }

    #[test]
    fn duplicate_keys_of_input_requests() {
        let mut stage = ready();
        let sent = call(&mut stage, "1");
        let qs = stage.server(&result(&sent, r#"{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{}},"k":{"method":"elicitation/create","params":{}}}}"#)).heard();
        for q in &qs {
            stage.client(&result(q, r#"{"action":"cancel"}"#));
        }
        assert_eq!(stage.told().len(), 1, "{qs:?}");
    }
}

mod second {
    use super::*;
    #[test]
    fn a_bad_resource_at_the_start_does_not_cost_the_lists() {
        let mut stage = ready();
        let first = stage.client(INITIALIZED).told_one();
        assert!(first.contains("subscriptions/listen"));
        let told = stage
            .client(&legacy("1", "resources/subscribe", r#"{"uri":"bad"}"#))
            .told();
        let second = told.last().unwrap().clone();
        assert!(second.contains("bad"));
        stage.server(&error(&second, -32602, "{}"));
        assert_eq!(stage.heard().len(), 1);
        for _ in 0..200 {
            stage.after(Duration::from_secs(1));
        }
        let told = stage.told();
        assert!(
            told.iter().any(|t| t.contains("subscriptions/listen")),
            "list_changed is lost for ever: {told:?}"
        );
    }
    #[test]
    fn a_shared_server_that_was_restarted_is_listened_to_again() {
        for kind in ["closing", "peer_closed"] {
            let mut stage = ready();
            let first = stage.client(INITIALIZED).told_one();
            let id = at(&first, &["id"]);
            stage.server(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"notifications":{{"toolsListChanged":true}},"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}}}"#));
            stage.server(&error(&first, -32000, &format!(r#"{{"kind":"{kind}"}}"#)));
            for _ in 0..200 {
                stage.after(Duration::from_secs(1));
            }
            let told = stage.told();
            assert!(
                told.iter().any(|t| t.contains("subscriptions/listen")),
                "{kind}: {told:?}"
            );
        }
    }
}

mod second_continued {
    use super::*;
    fn ack(listen: &str, uris: &str) -> String {
        let id = at(listen, &["id"]);
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"notifications":{{"toolsListChanged":true,"resourceSubscriptions":{uris}}},"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}}}"#
        )
    }
    #[test]
    fn a_second_subscribe_of_the_same_needs_no_second_subscription() {
        let mut stage = ready();
        let first = stage
            .client(&legacy("1", "resources/subscribe", r#"{"uri":"a"}"#))
            .told_one();
        stage.server(&ack(&first, r#"["a"]"#)).heard_one();
        let heard = stage
            .client(&legacy("2", "resources/subscribe", r#"{"uri":"a"}"#))
            .heard_one();
        assert_eq!(at(&heard, &["result"]), "{}");
        assert!(stage.told().is_empty());
    }
    #[test]
    fn a_gap_is_a_gap_though_another_one_was_being_opened() {
        let mut stage = ready();
        let first = stage
            .client(&legacy("1", "resources/subscribe", r#"{"uri":"a"}"#))
            .told_one();
        stage.server(&ack(&first, r#"["a"]"#)).heard_one();
        let second = stage
            .client(&legacy("2", "resources/subscribe", r#"{"uri":"b"}"#))
            .told_one();
        stage.server(&error(&first, -32000, "{}"));
        stage.after(Duration::from_secs(20));
        let heard = stage.server(&ack(&second, r#"["a","b"]"#)).heard();
        assert!(
            heard.iter().any(|h| h.contains("updated")),
            "20 s without any subscription: {heard:?}"
        );
    }
}
