use super::*;
use linkspan_session::{Fault, PortEnd};
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Default)]
struct Listener(AtomicUsize);

impl Editor for Listener {
    fn heard(&self, _: &Message) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    async fn asked(self: Arc<Self>, question: Message) -> Result<String, RpcError> {
        match &*question.method() {
            "think" => std::future::pending().await,
            "yes" => Ok("true".to_owned()),
            other => Err(RpcError::method_not_found(other)),
        }
    }
}

fn pair() -> (AgentConnection, PortEnd, Arc<Listener>) {
    let (port, end) = Port::pair("the agent", 8);
    let listener = Arc::new(Listener::default());
    (
        AgentConnection::begin(port, listener.clone()),
        end,
        listener,
    )
}

async fn said(end: &mut PortEnd) -> Message {
    match end.rx.recv().await.unwrap() {
        Outbound::One(envelope) => envelope.msg,
        other => panic!("{other:?}"),
    }
}

async fn say(end: &PortEnd, msg: Message) {
    let inbound = Inbound::Message(Envelope::new(msg));
    end.tx.send(inbound).await.unwrap();
}

#[tokio::test]
async fn answers_reach_their_request() {
    let (connection, mut end, _) = pair();
    let asking = async { tokio::join!(connection.ask("a", "{}"), connection.ask("b", "{}")) };
    let answering = async {
        let (a, b) = (said(&mut end).await, said(&mut end).await);
        say(&end, Message::result(&b.id().unwrap(), "2")).await;
        say(&end, Message::result(&Id::number(99), "0")).await;
        say(&end, Message::result(&a.id().unwrap(), "1")).await;
    };
    let ((a, b), ()) = tokio::join!(asking, answering);
    assert_eq!(a.unwrap().body().unwrap().text(), "1");
    assert_eq!(b.unwrap().body().unwrap().text(), "2");
}

#[tokio::test]
async fn an_answer_in_a_batch_reaches_its_request() {
    let (connection, mut end, listener) = pair();
    let answering = async {
        let id = said(&mut end).await.id().unwrap();
        let note = Message::notification("note", None);
        let batch = vec![Ok(note), Ok(Message::result(&id, "1"))];
        end.tx.send(Inbound::Batch(batch)).await.unwrap();
    };
    let (answer, ()) = tokio::join!(connection.ask("a", "{}"), answering);
    assert_eq!(answer.unwrap().body().unwrap().text(), "1");
    assert_eq!(listener.0.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_pending_request_fails_with_the_reason_of_the_agents_end() {
    let (connection, mut end, _) = pair();
    let dying = async {
        said(&mut end).await;
        let why = Fault::PeerClosed {
            peer: "`x`".to_owned(),
            why: "exit status: 7".to_owned(),
        };
        end.tx.send(Inbound::Closed(why)).await.unwrap();
    };
    let (answer, ()) = tokio::join!(connection.ask("a", "{}"), dying);
    assert!(answer.unwrap_err().0.contains("exit status: 7"));
    assert!(!connection.is_alive());
    assert!(
        connection.ask("b", "{}").await.is_err(),
        "and so is who comes later"
    );
}

#[tokio::test]
async fn an_invalid_request_is_answered_with_an_error() {
    let (_connection, mut end, _) = pair();
    let deep = WireError::TooDeep {
        limit: 128,
        id: Some("\"q\"".into()),
        is_answer: false,
    };
    end.tx.send(Inbound::Bad(deep)).await.unwrap();
    let answer = said(&mut end).await;
    assert_eq!(answer.kind(), Kind::Error);
    assert_eq!(answer.id().unwrap().text(), "\"q\"");
}

#[tokio::test]
async fn a_burst_of_requests_of_the_agent_is_answered() {
    let (_connection, mut end, _) = pair();
    let more = 16;
    for number in 0..MOST_QUESTIONS as u64 + more {
        say(&end, Message::request(&Id::number(number), "think", None)).await;
    }
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    for _ in 0..more {
        let answer = timeout(PATIENCE, said(&mut end)).await.unwrap();
        assert!(answer.text().contains("too much in flight"));
    }
}

#[tokio::test]
async fn requests_of_the_agent_are_answered_and_can_be_cancelled() {
    let (_connection, mut end, listener) = pair();
    let id = Id::string("q");
    say(&end, Message::request(&id, "think", None)).await;
    say(&end, Message::request(&Id::number(1), "yes", None)).await;
    assert_eq!(said(&mut end).await.body().unwrap().text(), "true");
    say(&end, Message::request(&Id::number(2), "fs/read", None)).await;
    assert!(said(&mut end).await.text().contains("-32601"));
    let back = Message::notification(names::CANCEL_REQUEST, Some(r#"{"requestId":"q"}"#));
    say(&end, back).await;
    let answer = said(&mut end).await;
    assert_eq!(answer.id(), Some(id));
    assert!(answer.text().contains("-32800"));
    say(&end, Message::notification("note", None)).await;
    say(&end, Message::request(&Id::number(3), "yes", None)).await;
    said(&mut end).await;
    assert_eq!(listener.0.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn pending_requests_of_the_agent_are_bounded() {
    let (_connection, mut end, _) = pair();
    for number in 0..=MOST_QUESTIONS as u64 {
        say(&end, Message::request(&Id::number(number), "think", None)).await;
    }
    let refusal = said(&mut end).await.text();
    assert!(refusal.contains(r#""code":-32603"#), "{refusal}");
    assert!(refusal.contains(r#""kind":"overloaded""#), "{refusal}");
}

#[tokio::test]
async fn closing_waits_until_the_port_has_ended() {
    let (connection, mut end, _) = pair();
    let port = async {
        assert!(end.rx.recv().await.is_none());
        drop(end);
    };
    tokio::join!(connection.close(), port);
    assert!(!connection.is_alive());
}
