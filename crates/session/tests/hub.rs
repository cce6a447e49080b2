//! Many askers on one session.

use std::time::Duration;

use linkspan_session::{Config, Envelope, Hub, Inbound, Outbound, Port, Session};
use linkspan_wire::Message;

#[tokio::test]
async fn a_subscription_ended_by_cancelled_ends_for_its_asker() {
    let (hub, front) = Hub::new("x", 8);
    let (back, mut end) = Port::pair("server", 8);
    let s = Session::new(Config::default(), front, back, vec![]);
    tokio::spawn(async move { s.run(std::future::pending()).await });
    let m = |t: &str| Message::parse(t.to_owned().into()).unwrap();
    let mut a = hub.ask(Envelope::new(m(r#"{"jsonrpc":"2.0","id":"mine","method":"subscriptions/listen","params":{"notifications":{}}}"#))).await.unwrap();
    let Some(Outbound::One(sent)) = end.rx.recv().await else {
        panic!()
    };
    let hop = sent.msg.id().unwrap();
    end.tx.send(Inbound::Message(Envelope::new(m(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{hop}}}}}"#))))).await.unwrap();
    let mut got = Vec::new();
    while let Ok(Some(e)) = tokio::time::timeout(Duration::from_millis(300), a.rx.recv()).await {
        got.push(e.msg.text());
    }
    assert_eq!(hub.in_flight(), 0, "never over; got {got:?}");
    assert!(got.iter().all(|t| t.contains("mine")), "{got:?}");
}
