mod busy;

use std::fmt;
use std::time::Duration;
use tokio::time;

use linkspan_session::{Envelope, Inbound, Outbound, Port, PortEnd};
use linkspan_wire::Message;

use super::closing::QUIET;
use super::*;
use crate::bridge::ChainHandle;
use crate::plan::{PartPlan, Plan};

/// The capacity of a port's queue in these tests.
const QUEUE: usize = 64;

/// An editor and an agent; only the test reads their ports.
fn chain() -> (PortEnd, PortEnd, impl Future<Output = ChainEnded>) {
    let (editor, mut parts, running) = chain_of(1, std::future::pending());
    (editor, parts.remove(0), running)
}

/// The same with that many components; runs until `stop` resolves.
fn chain_of(
    parts: usize,
    stop: impl Future<Output = ()>,
) -> (PortEnd, Vec<PortEnd>, impl Future<Output = ChainEnded>) {
    let plan = (0..parts).map(|part| PartPlan {
        command: format!("part{part}"),
        dialect: None,
    });
    let chain = Chain::new(Plan::new(plan.collect(), false), None, None);
    let (outside, editor) = Port::pair("the editor", QUEUE);
    let pairs = (0..parts).map(|_| Port::pair("a component", QUEUE));
    let (ports, ends): (Vec<Port>, Vec<PortEnd>) = pairs.unzip();
    let mut ports = ports.into_iter();
    let start = move |_| ports.next().ok_or_else(|| StartError::new(&fmt::Error));
    let joins = ChainHandle::pair().1;
    let conductor = Conductor::new(chain, outside, parts, start, joins, Duration::from_secs(1));
    (editor, ends, conductor.run(stop))
}

async fn hear_text(end: &mut PortEnd) -> String {
    let heard = tokio::time::timeout(Duration::from_secs(30), end.rx.recv()).await;
    match heard.expect("it comes") {
        Some(Outbound::One(envelope)) => envelope.msg.text(),
        other => panic!("{other:?}"),
    }
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#;

fn request(id: u64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"session/prompt"}}"#)
}

#[tokio::test]
async fn a_request_that_is_pending_when_we_stop_does_not_ask_the_editor_to_log_in() {
    let (stop, stopped) = oneshot::channel::<()>();
    let stop_when_told = async {
        let _ = stopped.await;
    };
    let (mut editor, mut parts, running) = chain_of(1, stop_when_told);
    let talk = async {
        say(&editor, INITIALIZE.to_owned()).await;
        hear(&mut parts[0]).await;
        stop.send(()).unwrap();
        let answer = hear_text(&mut editor).await;
        assert!(
            answer.starts_with(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"#),
            "{answer}"
        );
        assert!(answer.contains(r#""kind":"closing""#), "{answer}");
        // The agent ends slowly; a request that arrives meanwhile is answered too.
        parts[0].tx.closed().await;
        say(&editor, request(2)).await;
        let answer = hear_text(&mut editor).await;
        assert!(
            answer.contains(r#""id":2,"error":{"code":-32603"#),
            "{answer}"
        );
        drop(parts);
        assert!(editor.rx.recv().await.is_none(), "then it is over");
        drop(editor);
    };
    let (ended, ()) = tokio::join!(running, talk);
    assert!(matches!(ended, ChainEnded::Stopped), "{ended:?}");
}

#[tokio::test]
async fn requests_during_the_end_are_answered_with_the_ended_component() {
    let (mut editor, mut parts, running) = chain_of(2, std::future::pending());
    let talk = async {
        say(&editor, INITIALIZE.to_owned()).await;
        hear(&mut parts[0]).await;
        let agent = parts.remove(1);
        let why = Fault::PeerClosed {
            peer: "part1".to_owned(),
            why: "it fell".to_owned(),
        };
        agent.tx.send(Inbound::Closed(why)).await.unwrap();
        drop(agent);
        hear(&mut editor).await;
        // The proxy ends slowly. The editor sends more requests than the queues hold, one by one.
        parts[0].tx.closed().await;
        for id in 2..=3 * QUEUE as u64 {
            say(&editor, request(id)).await;
            let answer = hear_text(&mut editor).await;
            assert!(
                answer.contains(&format!(r#""id":{id},"error""#)),
                "{answer}"
            );
            assert!(answer.contains("the agent (`part1`) ended"), "{answer}");
        }
        drop(parts);
        // A request after all other peers have ended is answered too.
        say(&editor, request(1000)).await;
        let answer = hear_text(&mut editor).await;
        assert!(answer.contains(r#""id":1000,"error""#), "{answer}");
        assert!(editor.rx.recv().await.is_none(), "then it is over");
        drop(editor);
    };
    let (ended, ()) = tokio::join!(running, talk);
    assert!(matches!(ended, ChainEnded::Broken(_)), "{ended:?}");
}

#[tokio::test(start_paused = true)]
async fn requests_during_the_last_answers_are_answered() {
    let (mut editor, mut parts, running) = chain_of(1, std::future::pending());
    let last = QUEUE as u64 + 8;
    let talk = async {
        say(&editor, INITIALIZE.to_owned()).await;
        hear(&mut parts[0]).await;
        drop(parts);
        // More answers than the editor's queue holds; the editor reads none of them.
        for id in 2..last {
            say(&editor, request(id)).await;
        }
        // The paused clock only advances when all tasks are idle: the conductor waits for the editor only.
        time::sleep(QUIET * 2).await;
        say(&editor, request(last)).await;
        for id in 1..=last {
            let answer = hear_text(&mut editor).await;
            let expected = format!(r#""id":{id},"error""#);
            assert!(answer.contains(&expected), "{answer}");
        }
        assert!(editor.rx.recv().await.is_none(), "then it is over");
        drop(editor);
    };
    let (ended, ()) = tokio::join!(running, talk);
    assert!(matches!(ended, ChainEnded::Broken(_)), "{ended:?}");
}

#[tokio::test]
async fn a_failed_chain_ends_though_the_editor_keeps_sending_requests() {
    tokio::time::pause();
    let (editor, mut parts, running) = chain_of(1, std::future::pending());
    let talk = async {
        say(&editor, INITIALIZE.to_owned()).await;
        hear(&mut parts[0]).await;
        drop(parts);
        let PortEnd { tx, mut rx, .. } = editor;
        let reading = async { while rx.recv().await.is_some() {} };
        let asking = async {
            for id in 2.. {
                let msg = Message::parse(request(id).into()).unwrap();
                let inbound = Inbound::Message(Envelope::new(msg));
                if tx.send(inbound).await.is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::join!(reading, asking);
    };
    let (ended, ()) = tokio::join!(running, talk);
    assert!(matches!(ended, ChainEnded::Broken(_)), "{ended:?}");
}

async fn say(end: &PortEnd, text: String) {
    let msg = Message::parse(text.into()).unwrap();
    end.tx
        .send(Inbound::Message(Envelope::new(msg)))
        .await
        .unwrap();
}

async fn hear(end: &mut PortEnd) -> usize {
    let heard = tokio::time::timeout(Duration::from_secs(30), end.rx.recv()).await;
    // Dropping the message releases its credit, as a port does after writing it.
    heard
        .expect("it comes")
        .map_or(0, |item: Outbound| item.len())
}

#[tokio::test]
async fn a_large_message_behind_a_full_queue_does_not_deadlock_on_its_own_credit() {
    let (mut editor, mut agent, running) = chain();
    let talk = async {
        say(
            &editor,
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#.to_owned(),
        )
        .await;
        hear(&mut agent).await;
        for _ in 0..QUEUE {
            say(&agent, r#"{"jsonrpc":"2.0","method":"_n"}"#.to_owned()).await;
        }
        let fill = "x".repeat(AHEAD * 2 / 3);
        say(
            &agent,
            format!(r#"{{"jsonrpc":"2.0","method":"_n","params":["{fill}"]}}"#),
        )
        .await;
        // Gives the conductor time to try every message before one is read.
        while editor.rx.len() < QUEUE || agent.tx.capacity() < QUEUE {
            tokio::task::yield_now().await;
        }
        for _ in 0..QUEUE {
            hear(&mut editor).await;
        }
        assert!(hear(&mut editor).await > fill.len());
    };
    tokio::select! {
        ended = running => panic!("it ended: {ended:?}"),
        () = talk => {}
    }
}

#[tokio::test(start_paused = true)]
async fn an_editor_with_a_closed_stdout_has_gone_even_if_its_stdin_is_open() {
    // The editor closes either before or while the conductor waits for room.
    for unread in [0, QUEUE + 1] {
        let (mut editor, mut agent, running) = chain();
        let talk = async {
            say(
                &editor,
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#.to_owned(),
            )
            .await;
            hear(&mut agent).await;
            let note = r#"{"jsonrpc":"2.0","method":"_n"}"#;
            for _ in 0..unread {
                say(&agent, note.to_owned()).await;
            }
            while agent.tx.capacity() < QUEUE {
                tokio::task::yield_now().await;
            }
            editor.rx = mpsc::channel(1).1;
            say(&agent, note.to_owned()).await;
            agent.tx.closed().await;
            drop((editor, agent));
        };
        let (ended, ()) = tokio::join!(running, talk);
        assert!(
            matches!(ended, ChainEnded::OutsideClosed),
            "{unread}: {ended:?}"
        );
    }
}
