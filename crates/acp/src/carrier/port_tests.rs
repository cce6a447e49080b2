use super::*;
use linkspan_session::{Ended, Session};
use linkspan_wire::Message;
use tokio::sync::mpsc::Receiver;

use crate::bridge::{Joining, Provider};
use crate::carrier::FormCache;

fn carrier() -> Carrier {
    let provider = Provider::Server("s-1".to_owned());
    Carrier::new(provider, None, FormCache::default())
}

struct Scene {
    life: watch::Sender<Life>,
    joining: Receiver<Joining>,
    back: Port,
}

fn scene() -> Scene {
    let (life, watching) = watch::channel(Life::default());
    let (chain, joining) = ChainHandle::pair();
    Scene {
        life,
        joining,
        back: port(carrier(), watching, &chain, DeclarationId(3)),
    }
}

async fn ask(port: &Port, text: &str) {
    let msg = Message::parse(text.to_owned().into()).unwrap();
    let sent = port.tx.send(Outbound::One(Envelope::new(msg))).await;
    sent.unwrap();
}

async fn heard(port: &mut Port) -> String {
    match port.rx.recv().await {
        Some(Inbound::Message(envelope)) => envelope.msg.text(),
        other => format!("{other:?}"),
    }
}

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#;

#[tokio::test(start_paused = true)]
async fn a_call_names_its_session_once_the_session_is_known() {
    let mut scene = scene();
    let Joining {
        declaration_id,
        mut port,
    } = scene.joining.recv().await.unwrap();
    assert_eq!(declaration_id, DeclarationId(3));
    ask(&scene.back, CALL).await;
    let first = heard(&mut port).await;
    assert!(!first.contains("sessionId"), "{first}");
    ask(
        &port,
        r#"{"jsonrpc":"2.0","id":1,"result":{"result":{"a":1.0}}}"#,
    )
    .await;
    assert_eq!(
        heard(&mut scene.back).await,
        r#"{"jsonrpc":"2.0","id":1,"result":{"a":1.0}}"#
    );
    scene
        .life
        .send_modify(|life| life.session = Some("sess".to_owned()));
    ask(&scene.back, CALL).await;
    assert!(
        heard(&mut port)
            .await
            .contains(r#""_meta":{"linkspan/sessionId":"sess"}"#)
    );
}

#[tokio::test(start_paused = true)]
async fn revoking_a_declaration_answers_pending_requests_and_closes() {
    let mut scene = scene();
    let mut port = scene.joining.recv().await.unwrap().port;
    ask(&scene.back, CALL).await;
    heard(&mut port).await;
    scene.life.send_modify(|life| life.revoked = true);
    let answer = heard(&mut scene.back).await;
    assert!(
        answer.contains(r#""id":1,"error":{"code":-32001"#),
        "{answer}"
    );
    ask(&scene.back, r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await;
    let answer = heard(&mut scene.back).await;
    assert!(
        answer.contains(r#""id":2,"error":{"code":-32001"#),
        "a late request is answered, too: {answer}"
    );
    assert!(
        heard(&mut scene.back)
            .await
            .starts_with("Some(Closed(SessionLost")
    );
    assert!(heard(&mut port).await.contains("$/cancel_request"));
    assert_eq!(heard(&mut port).await, "None", "the chain sees it leave");
}

#[tokio::test(start_paused = true)]
async fn a_chain_that_ends_or_refuses_the_join_answers_with_an_error() {
    let mut scene = scene();
    let port = scene.joining.recv().await.unwrap().port;
    ask(&scene.back, CALL).await;
    drop(port);
    let answer = heard(&mut scene.back).await;
    assert!(
        answer.contains(r#""id":1,"error":{"code":-33001"#),
        "{answer}"
    );

    let (_life, watching) = watch::channel(Life::default());
    let (chain, joining) = ChainHandle::pair();
    drop(joining);
    let mut back = super::port(carrier(), watching, &chain, DeclarationId(4));
    assert!(heard(&mut back).await.starts_with("Some(Closed("));
}

#[tokio::test(start_paused = true)]
async fn closing_the_client_cancels_its_calls() {
    let mut scene = scene();
    let mut port = scene.joining.recv().await.unwrap().port;
    ask(&scene.back, CALL).await;
    heard(&mut port).await;
    drop(scene.back);
    assert!(heard(&mut port).await.contains("$/cancel_request"));
    assert_eq!(heard(&mut port).await, "None");
}

#[tokio::test(start_paused = true)]
async fn a_connection_opened_after_its_client_has_closed_is_closed() {
    for answers in [true, false] {
        let mut scene = scene();
        let mut port = scene.joining.recv().await.unwrap().port;
        ask(&scene.back, CALL).await;
        heard(&mut port).await;
        let refusal = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}"#;
        ask(&port, refusal).await;
        assert!(
            heard(&mut port)
                .await
                .contains(r#""id":2,"method":"mcp/connect""#)
        );
        drop(scene.back);
        assert!(heard(&mut port).await.contains("$/cancel_request"));
        if answers {
            let late = r#"{"jsonrpc":"2.0","id":2,"result":{"connectionId":"c-1"}}"#;
            ask(&port, late).await;
            let disconnect = heard(&mut port).await;
            assert!(
                disconnect.contains(r#""method":"mcp/disconnect""#),
                "{disconnect}"
            );
            assert!(
                disconnect.contains(r#""connectionId":"c-1""#),
                "{disconnect}"
            );
        }
        assert_eq!(heard(&mut port).await, "None", "the wait ends");
    }
}

#[tokio::test(start_paused = true)]
async fn a_carrier_is_the_back_of_a_session() {
    let mut scene = scene();
    let mut chain = scene.joining.recv().await.unwrap().port;
    let (front, mut client) = Port::pair("the client", 8);
    let session = Session::new(Default::default(), front, scene.back, Vec::new());
    let running = tokio::spawn(session.run(std::future::pending()));
    let call = Message::parse(r#"{"jsonrpc":"2.0","id":"mine","method":"tools/call"}"#.into());
    let call = Inbound::Message(Envelope::new(call.unwrap()));
    client.tx.send(call).await.unwrap();
    let sent = heard(&mut chain).await;
    let sent = Message::parse(sent.into()).unwrap();
    let name = sent
        .params()
        .unwrap()
        .get("requestId")
        .unwrap()
        .text()
        .to_owned();
    ask(&chain, &format!(
        r#"{{"jsonrpc":"2.0","method":"mcp/message","params":{{"serverId":"s-1","requestId":{name},"method":"notifications/progress","params":{{"progress":1}}}}}}"#
    )).await;
    ask(&chain, r#"{"jsonrpc":"2.0","id":1,"result":{"result":{}}}"#).await;
    let Some(Outbound::One(note)) = client.rx.recv().await else {
        panic!()
    };
    assert_eq!(
        note.about.unwrap().text(),
        r#""mine""#,
        "it is known whose progress it is"
    );
    let Some(Outbound::One(answer)) = client.rx.recv().await else {
        panic!()
    };
    assert_eq!(
        answer.msg.text(),
        r#"{"jsonrpc":"2.0","id":"mine","result":{}}"#
    );
    drop(client);
    assert_eq!(running.await.unwrap(), Ended::FrontClosed);
}
