//! A peer that never stops sending does not starve other peers, nor stopping and timeouts.

use super::*;
use crate::bridge::DeclarationId;
use crate::chain::BreakReason;

/// More messages than a task may handle before it has to yield.
const TALK: usize = 1024;
/// Messages that the editor reads at once.
const EDITOR: usize = 4;
/// Turns of the busy peer after which another peer counts as starved.
const ROUNDS: usize = 1000;

struct Peers {
    editor: PortEnd,
    agent: PortEnd,
    joins: ChainHandle,
    stop: oneshot::Sender<()>,
}

fn chain() -> (Peers, impl Future<Output = ChainEnded>) {
    let part = PartPlan {
        command: "agent".to_owned(),
        dialect: None,
    };
    let chain = Chain::new(Plan::new(vec![part], false), None, None);
    let (mut outside, mut editor) = Port::pair("the editor", TALK);
    // The busy peer may send as much as any other peer, but gets only so many messages at once.
    (outside.tx, editor.rx) = mpsc::channel(EDITOR);
    let (port, agent) = Port::pair("the agent", TALK);
    let mut port = Some(port);
    let start = move |_| port.take().ok_or_else(|| StartError::new(&fmt::Error));
    let (joins, joining) = ChainHandle::pair();
    let conductor = Conductor::new(chain, outside, 1, start, joining, Duration::from_secs(1));
    let (stop, stopped) = oneshot::channel();
    let peers = Peers {
        editor,
        agent,
        joins,
        stop,
    };
    (peers, conductor.run(async { drop(stopped.await) }))
}

/// A running chain whose agent has not answered `initialize`; it runs while it is polled.
async fn during(look: impl AsyncFnOnce(Peers)) {
    let (mut peers, running) = chain();
    let look = async {
        begin(&mut peers).await;
        look(peers).await;
    };
    tokio::select! {
        ended = running => panic!("it ended: {ended:?}"),
        () = look => {}
    }
}

/// Runs the chain to its end after closing the peers' ends.
async fn end_of(look: impl AsyncFnOnce(Peers)) -> ChainEnded {
    let (mut peers, running) = chain();
    let look = async {
        begin(&mut peers).await;
        look(peers).await;
    };
    tokio::join!(running, look).0
}

async fn begin(peers: &mut Peers) {
    let begin = r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#;
    say(&peers.editor, begin.to_owned()).await;
    hear(&mut peers.agent).await;
}

/// Fills a peer's queue with answers to unknown requests.
fn fill(end: &PortEnd) {
    let babble = r#"{"jsonrpc":"2.0","id":999999,"result":"unasked"}"#;
    let babble = Message::parse(babble.to_owned().into()).unwrap();
    let item = || Inbound::Message(Envelope::new(babble.clone()));
    while end.tx.try_send(item()).is_ok() {}
}

/// Sends without pause until the condition holds.
async fn talk_on(end: &PortEnd, is_so: impl Fn() -> bool) {
    for _ in 0..ROUNDS {
        fill(end);
        if is_so() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("no other peer had a turn");
}

#[tokio::test(start_paused = true)]
async fn stopping_ends_a_busy_chain() {
    let ended = end_of(async |peers| {
        fill(&peers.agent);
        peers.stop.send(()).unwrap();
        talk_on(&peers.agent, || peers.agent.tx.is_closed()).await;
    });
    assert!(matches!(ended.await, ChainEnded::Stopped));
}

#[tokio::test(start_paused = true)]
async fn a_silent_agent_of_a_busy_chain_reaches_its_timeout() {
    let ended = end_of(async |peers| {
        fill(&peers.agent);
        time::advance(Duration::from_secs(60)).await;
        talk_on(&peers.agent, || peers.agent.tx.is_closed()).await;
    });
    let ended = ended.await;
    let why = match &ended {
        ChainEnded::Broken(broken) => Some(&broken.why),
        _ => None,
    };
    assert!(matches!(why, Some(BreakReason::Silent(_))), "{ended:?}");
}

#[tokio::test(start_paused = true)]
async fn the_editor_can_close_a_busy_chain() {
    let ended = end_of(async |mut peers| {
        fill(&peers.agent);
        // Its queue is still open, as it is while earlier messages are not read.
        peers.editor.last_word = oneshot::channel().0;
        for _ in 0..2 {
            fill(&peers.agent);
            tokio::task::yield_now().await;
        }
        time::advance(Duration::from_secs(1)).await;
        talk_on(&peers.agent, || peers.agent.tx.is_closed()).await;
    });
    assert!(matches!(ended.await, ChainEnded::OutsideClosed));
}

#[tokio::test(start_paused = true)]
async fn a_client_joins_a_busy_chain_and_is_read() {
    during(async |peers| {
        fill(&peers.agent);
        let (port, shim) = Port::pair("a shim", EDITOR);
        peers.joins.join(DeclarationId(1), port).unwrap();
        let ask = r#"{"jsonrpc":"2.0","id":1,"method":"mcp/message"}"#;
        say(&shim, ask.to_owned()).await;
        let is_heard = || !peers.editor.rx.is_empty() || !shim.rx.is_empty();
        talk_on(&peers.agent, is_heard).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_peer_gets_all_its_messages() {
    during(async |mut peers| {
        for _ in 0..2 * EDITOR {
            let note = r#"{"jsonrpc":"2.0","method":"_n"}"#;
            say(&peers.agent, note.to_owned()).await;
        }
        talk_on(&peers.agent, || peers.editor.rx.len() == EDITOR).await;
        for _ in 0..2 * EDITOR {
            talk_on(&peers.agent, || !peers.editor.rx.is_empty()).await;
            peers.editor.rx.try_recv().unwrap();
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn every_peer_is_read() {
    during(async |peers| {
        fill(&peers.editor);
        let note = r#"{"jsonrpc":"2.0","method":"_n"}"#;
        say(&peers.agent, note.to_owned()).await;
        talk_on(&peers.editor, || !peers.editor.rx.is_empty()).await;
    })
    .await;
}
