mod busy;

use std::time::Duration;

use linkspan_session::{Envelope, Inbound, Outbound, Port, PortEnd};
use linkspan_wire::Message;

use super::*;
use crate::bridge::Handle;
use crate::plan::{PartPlan, Plan};

/// Items that a port of these tests holds.
const QUEUE: usize = 64;

/// An editor and an agent whose ports nobody empties but the test.
fn chain() -> (PortEnd, PortEnd, impl Future<Output = Ended>) {
    let part = PartPlan {
        command: "agent".to_owned(),
        dialect: None,
    };
    let chain = Chain::new(Plan::new(vec![part], false), None, None);
    let (outside, editor) = Port::pair("the editor", QUEUE);
    let (port, agent) = Port::pair("the agent", QUEUE);
    let mut port = Some(port);
    let start = move |_| port.take().ok_or_else(|| "once".to_owned());
    let joins = Handle::pair().1;
    let conductor = Conductor::new(chain, outside, 1, start, joins, Duration::from_secs(1));
    (editor, agent, conductor.run(std::future::pending()))
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
    // What was heard is dropped here, as a port does that has written it.
    heard
        .expect("it comes")
        .map_or(0, |item: Outbound| item.len())
}

#[tokio::test]
async fn a_large_message_behind_a_full_queue_of_small_ones_does_not_wait_for_itself() {
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
        // So that all of it has been tried before anybody takes something.
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
async fn an_editor_that_takes_nothing_more_has_gone_though_it_could_still_speak() {
    // Whether it goes before it is told something, or while that waits for room.
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
        assert!(matches!(ended, Ended::OutsideClosed), "{unread}: {ended:?}");
    }
}
