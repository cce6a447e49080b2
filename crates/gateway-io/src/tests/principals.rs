//! Clients with the same ids, tokens, cursors and tasks: nothing of one reaches the other.

use linkspan_wire::Message;

use crate::testing::{Client, Peer, Stage, answer_of, at, call, config_of, server};

fn connection(answer: &Message) -> String {
    let at = at(answer, &["structuredContent", "connection"]);
    assert_ne!(at, "", "{}", answer.text());
    at
}

#[tokio::test(start_paused = true)]
async fn clients_with_different_credentials_have_connections_of_their_own_unless_the_server_is_shared()
 {
    for peer in [Peer::modern("s", &["t"]), Peer::legacy("s", &["t"])] {
        let stage = Stage::of("", &[&peer]);
        let of = async |who: &str| connection(&stage.client(who).call("s__t", "{}").await);
        let ada = of("ada").await;
        assert_ne!(of("bob").await, ada);
        assert_ne!(of("").await, ada);
        assert_eq!(of("ada").await, ada);
    }
    for peer in [Peer::modern("s", &["t"]), Peer::legacy("s", &["t"])] {
        let entry = server("s", r#""share":true"#);
        let stage = Stage::new(&config_of("", &[entry]), &[&peer]);
        let of = async |who: &str| connection(&stage.client(who).call("s__t", "{}").await);
        let ada = of("ada").await;
        assert_eq!(of("bob").await, ada);
    }
}

/// Both clients call with the same id and progress token; the answers are told apart by what they asked.
async fn answers_stay_apart(stage: &Stage, peer: &Peer, one: &Client, other: &Client) {
    let gates = ["one", "other"];
    gates.iter().for_each(|gate| peer.hold(gate));
    let calls = gates.map(|gate| {
        let client = if gate == "one" { one } else { other };
        let params = call("s__gate", &format!(r#"{{"name":"{gate}"}}"#));
        let request = client.request("tools/call", &params).text();
        let request = request.replace(r#""_meta":{"#, r#""_meta":{"progressToken":"p","#);
        (client.clone(), Message::parse(request.into()).unwrap())
    });
    let mut begun = Vec::new();
    for (client, request) in calls {
        begun.push(client.send(request).await.unwrap());
    }
    peer.hears("tools/call", 2).await;
    // The second one is answered first.
    peer.open("other");
    let answers = begun.into_iter().zip(gates).collect::<Vec<_>>();
    for (begun, gate) in answers.into_iter().rev() {
        peer.open(gate);
        let answer = answer_of(begun).await;
        assert_eq!(
            at(&answer, &["structuredContent", "arguments", "name"]),
            format!("{gate:?}")
        );
    }
    drop(stage.client(""));
}

#[tokio::test(start_paused = true)]
async fn equal_ids_and_tokens_of_two_clients_are_different_calls() {
    for share in ["true", "false"] {
        for peer in [Peer::modern("s", &["gate"]), Peer::legacy("s", &["gate"])] {
            let entry = server("s", &format!(r#""share":{share}"#));
            let stage = Stage::new(&config_of("", &[entry]), &[&peer]);
            let clients = [stage.client("ada"), stage.client("bob")];
            answers_stay_apart(&stage, &peer, &clients[0], &clients[1]).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn equal_task_ids_of_two_clients_lead_to_the_servers_that_started_them() {
    let (a, b) = (Peer::modern("a", &["task"]), Peer::modern("b", &["task"]));
    let stage = Stage::of("", &[&a, &b]);
    let (ada, bob) = (stage.client("ada"), stage.client("bob"));
    ada.call("a__task", r#"{"id":"t"}"#).await;
    bob.call("b__task", r#"{"id":"t"}"#).await;
    for (client, name) in [(&ada, r#""a""#), (&bob, r#""b""#), (&ada, r#""a""#)] {
        let got = client.ask("tasks/get", r#""taskId":"t""#).await;
        assert_eq!(at(&got, &["server"]), name, "{}", got.text());
    }
    let refused = stage
        .client("eve")
        .ask("tasks/get", r#""taskId":"t""#)
        .await;
    assert_eq!(at(&refused, &["code"]), "-32602", "{}", refused.text());
}

#[tokio::test(start_paused = true)]
async fn equal_task_ids_of_two_servers_are_different_tasks_of_one_client() {
    let (a, b) = (Peer::modern("a", &["task"]), Peer::modern("b", &["task"]));
    let client = Stage::of("", &[&a, &b]).client("");
    let start = async |tool: &str| {
        let started = client.call(tool, r#"{"id":"t"}"#).await;
        at(&started, &["taskId"])
    };
    let (of_a, of_b) = (start("a__task").await, start("b__task").await);
    assert_eq!(of_a, r#""t""#);
    assert_ne!(of_a, of_b);
    for (task, name) in [(&of_a, r#""a""#), (&of_b, r#""b""#)] {
        let got = client
            .ask("tasks/get", &format!(r#""taskId":{task}"#))
            .await;
        assert_eq!(at(&got, &["server"]), name, "{}", got.text());
        assert_eq!(at(&got, &["params", "taskId"]), r#""t""#);
    }
}

#[tokio::test(start_paused = true)]
async fn a_link_that_one_client_has_seen_is_no_link_for_another() {
    let (a, b) = (Peer::modern("a", &["link"]), Peer::modern("b", &["link"]));
    let stage = Stage::of("", &[&a, &b]);
    let (ada, bob) = (stage.client("ada"), stage.client("bob"));
    ada.call("b__link", r#"{"uri":"x://1"}"#).await;
    let read = ada.ask("resources/read", r#""uri":"x://1""#).await;
    assert!(read.text().contains(r#""text":"b""#), "{}", read.text());
    let refused = bob.ask("resources/read", r#""uri":"x://1""#).await;
    assert_eq!(at(&refused, &["data", "kind"]), r#""no_owner""#);
    assert_eq!(
        at(&refused, &["data", "candidates"]),
        r#"["a+x://1","b+x://1"]"#
    );
    let named = bob.ask("resources/read", r#""uri":"a+x://1""#).await;
    assert!(named.text().contains(r#""text":"a""#), "{}", named.text());
    assert_eq!(at(&a.heard("resources/read")[0].1, &["uri"]), r#""x://1""#);
}

#[tokio::test(start_paused = true)]
async fn questions_of_a_shared_server_reach_the_client_of_their_call_only() {
    for peer in [Peer::modern("s", &["ask"]), Peer::legacy("s", &["ask"])] {
        let entry = server("s", r#""share":true"#);
        let stage = Stage::new(&config_of("", &[entry]), &[&peer]);
        let (ada, bob) = (stage.client("ada").asking(), stage.client("bob").asking());
        let asked = ada.call("s__ask", "{}").await;
        let state = at(&asked, &["requestState"]);
        assert_eq!(at(&asked, &["resultType"]), r#""input_required""#);
        let key = asked.body().unwrap().get("inputRequests").unwrap();
        let (key, _) = key.members().next().unwrap();
        let answer = |who: &str| {
            let answer = format!(r#""inputResponses":{{"{key}":{{"action":"{who}"}}}}"#);
            format!(
                r#"{},{answer},"requestState":{state}"#,
                call("s__ask", "{}")
            )
        };
        if peer.name() == "s" && peer.heard("initialize").len() == 1 {
            // A parked call is known to its own client only.
            let forged = bob.ask("tools/call", &answer("bob")).await;
            assert_eq!(at(&forged, &["structuredContent", "answer"]), "");
        }
        let done = ada.ask("tools/call", &answer("ada")).await;
        assert_eq!(
            at(&done, &["structuredContent", "answer", "action"]),
            r#""ada""#,
            "{}",
            done.text()
        );
    }
}
