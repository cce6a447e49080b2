//! Unusual orders of messages, and values at their limits.

use super::*;

mod first {
    use super::*;

    fn nest(n: usize) -> String {
        "[".repeat(n) + &"]".repeat(n)
    }

    fn logging(id: &str) -> String {
        modern(id, "tools/call", r#""name":"t""#, ALL).replace(
            r#""progressToken""#,
            r#""io.modelcontextprotocol/logLevel":"debug","progressToken""#,
        )
    }

    #[test]
    fn cancel_while_waiting_for_set_level() {
        let (mut stage, _) = ready(&call("1", ""));
        let set = stage.client(&logging("2")).told_one();
        assert_eq!(at(&set, &["method"]), r#""logging/setLevel""#);
        stage.client(
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#,
        );
        let told = stage.server(&result(&set, "{}")).told();
        assert!(
            told.is_empty(),
            "a cancelled tool runs all the same: {told:?}"
        );
    }

    #[test]
    fn a_deep_question_does_not_panic() {
        let (mut stage, _) = ready(&call("1", ""));
        // depth: message 1, params 2, x 3..
        let ask = format!(
            r#"{{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{{"x":{}}}}}"#,
            nest(126)
        );
        stage.server(&ask);
        stage.after(Duration::from_millis(30)).heard_one();
    }

    #[test]
    fn a_deep_server_info_does_not_panic() {
        let mut stage = fresh();
        let initialize = stage.client(&call("1", "")).told_one();
        let info = format!(
            r#"{{"capabilities":{{}},"serverInfo":{{"x":{}}}}}"#,
            nest(125)
        );
        let told = shake(&mut stage, &initialize, &info);
        stage
            .server(&result(&told[1], r#"{"content":[]}"#))
            .heard_one();
    }

    #[test]
    fn listen_cancel_listen_with_one_id() {
        let (mut stage, _) = ready(&call("1", ""));
        let listen = |wants: &str| {
            modern(
                "9",
                "subscriptions/listen",
                &format!(r#""notifications":{wants}"#),
                ALL,
            )
        };
        let sub = stage
            .client(&listen(r#"{"resourceSubscriptions":["a"]}"#))
            .told_one();
        stage.client(
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#,
        );
        stage.told();
        stage.client(&listen(r#"{"toolsListChanged":true}"#));
        stage.heard_one();
        stage.server(&result(&sub, "{}"));
    }

    #[test]
    fn second_listener_is_acknowledged_only_when_the_server_agreed() {
        let (mut stage, _) = ready(&call("1", ""));
        let listen = |id: &str| {
            modern(
                id,
                "subscriptions/listen",
                r#""notifications":{"resourceSubscriptions":["a"]}"#,
                ALL,
            )
        };
        let sub = stage.client(&listen("8")).told_one();
        let early = stage.client(&listen("9")).heard();
        assert!(early.is_empty(), "{early:?}");
        stage.server(&error(&sub, -32602, "{}"));
        for ack in stage.heard() {
            assert!(!ack.contains("resourceSubscriptions"), "{ack}");
        }
    }

    #[test]
    fn updates_of_a_neighbour() {
        let (mut stage, _) = ready(&call("1", ""));
        let listen = |id: &str, uri: &str| {
            modern(
                id,
                "subscriptions/listen",
                &format!(r#""notifications":{{"resourceSubscriptions":["{uri}"]}}"#),
                ALL,
            )
        };
        for (id, uri) in [("8", "file:///a"), ("9", "file:///abc")] {
            let sub = stage.client(&listen(id, uri)).told_one();
            stage.server(&result(&sub, "{}"));
        }
        stage.heard();
        stage.server(r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///abc"}}"#);
        assert_eq!(stage.abouts(), [Some("9".to_owned())]);
    }

    #[test]
    fn equal_keys_of_a_number_and_a_string() {
        let (mut stage, _) = ready(&call("1", ""));
        let ask = |id: &str, m: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{{"message":"{m}"}}}}"#
            )
        };
        stage.server(&ask("1", "one"));
        stage.server(&ask(r#""1""#, "two"));
        let heard = stage.after(Duration::from_millis(30)).heard_one();
        assert!(heard.contains("one") && heard.contains("two"), "{heard}");
    }

    #[test]
    fn a_token_spelled_otherwise() {
        let first = call("1", "").replace(r#""progressToken":1"#, r#""progressToken":"a/b""#);
        let (mut stage, _) = ready(&first);
        let heard = stage.server(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"a\/b","progress":1}}"#).heard();
        assert_eq!(heard.len(), 1);
    }

    #[test]
    fn bad_message_of_the_client_is_answered() {
        // The session answers in place of the server, with an error under the client's id.
        let (mut stage, _) = ready(&call("1", ""));
        let heard = stage.server(r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"`params` must be an object or an array"}}"#).heard();
        assert_eq!(heard.len(), 1);
    }

    #[test]
    fn cancel_with_another_spelling_while_opening() {
        let mut stage = fresh();
        let initialize = stage.client(&call(r#""a""#, "")).told_one();
        stage.client(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0061"}}"#);
        let told = shake(&mut stage, &initialize, SERVER);
        assert_eq!(told.len(), 1, "{told:?}");
    }

    #[test]
    fn capabilities_beyond_all_reason_are_refused() {
        let many: Vec<String> = (0..10_000).map(|i| format!(r#""{i:06}":1"#)).collect();
        let caps = format!("{{{}}}", many.join(","));
        let msg = Message::parse(modern("1", "tools/list", "", &caps).into()).unwrap();
        assert_eq!(Claims::read(&msg).unwrap_err().code(), -32602);
    }
}

mod first_continued {
    use super::*;
    #[test]
    fn a_state_that_is_no_string() {
        let (mut stage, _request, _state) = parked();
        let told = stage.client(&call("2", r#","requestState":5"#)).told();
        assert!(told.is_empty(), "run a second time: {told:?}");
    }
    #[test]
    fn old_tasks_are_not_reachable() {
        let (mut stage, _) = ready(&call("1", ""));
        let told = stage
            .client(&modern("2", "tasks/get", r#""taskId":"t""#, ALL))
            .told();
        assert!(told.is_empty(), "{told:?}");
    }
    #[test]
    fn a_handshake_that_was_late() {
        let mut stage = fresh();
        let initialize = stage.client(&call("1", "")).told_one();
        stage.after(Duration::from_secs(61)).heard_one();
        stage.server(&result(&initialize, SERVER));
        let told = stage.client(&call("2", "")).told();
        assert!(
            !told.iter().any(|t| t.contains(r#""initialize""#)),
            "initialised twice: {told:?}"
        );
    }
}

mod second {
    use super::*;
    fn named(id: &str, name: &str) -> String {
        modern(id, "tools/call", &format!(r#""name":"{name}""#), ALL)
    }
    #[test]
    fn a_quiet_tool_that_speaks_up_does_not_ask_another_client() {
        // `deploy` fails once (bad arguments), and so counts as quiet.
        let (mut stage, first) = ready(&named("1", "deploy"));
        stage.server(&error(&first, -32602, "{}")).heard();
        // First another client's call of a tool that was not called before, then the call that asks.
        stage.client(&named("2", "slow")).told();
        stage.client(&named("3", "deploy")).told();
        stage.server(ASK);
        let heard = stage.after(Duration::from_millis(30)).heard();
        assert!(
            heard.is_empty(),
            "it could be either's, and was given to: {heard:?}"
        );
    }
    #[test]
    fn names_that_a_client_makes_up_are_not_kept() {
        let (mut stage, first) = ready(&named("1", &"x".repeat(1 << 20)));
        stage.server(&error(&first, -32602, "{}")).heard();
        let dbg = format!("{:?}", stage.machine.options.history);
        assert!(
            dbg.len() < 10_000,
            "{} bytes kept for ever, 10 000 times",
            dbg.len()
        );
    }
    #[test]
    fn a_late_refusal_of_a_dropped_subscribe_does_not_hit_the_next_listener() {
        let (mut stage, first) = ready(&call("1", ""));
        stage.server(&result(&first, "{}")).heard();
        let l = |id: &str| {
            modern(
                id,
                "subscriptions/listen",
                r#""notifications":{"resourceSubscriptions":["a"]}"#,
                ALL,
            )
        };
        let sub1 = stage.client(&l("8")).told_one();
        stage
            .client(
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}"#,
            )
            .told();
        let sub2 = stage.client(&l("9")).told_one();
        stage.server(&error(&sub1, -32000, "{}"));
        stage.server(&result(&sub2, "{}"));
        let heard = stage.heard();
        assert!(
            heard.iter().any(|h| h.contains("resourceSubscriptions")),
            "{heard:?}"
        );
    }
}
