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

#[tokio::test(start_paused = true)]
async fn a_request_that_was_given_up_before_it_was_sent_leaves_nothing() {
    let (hub, mut front) = Hub::new("x", 1);
    let ask = |id: u32| {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
        hub.ask(Envelope::new(Message::parse(text.into()).unwrap()))
    };
    let _first = ask(1).await.unwrap();
    for id in 2..10 {
        let waiting = tokio::time::timeout(Duration::from_secs(1), ask(id)).await;
        assert!(waiting.is_err(), "the session takes nothing");
    }
    assert_eq!(hub.in_flight(), 1);
    assert!(matches!(front.rx.recv().await, Some(Inbound::Message(_))));
    let more = tokio::time::timeout(Duration::from_secs(1), front.rx.recv()).await;
    assert!(more.is_err(), "{more:?}");
}
