//! Asking a server which era it speaks.
//!
//! `server/discover` first. Over stdio, silence is no answer: the server may still be starting, or
//! ignore what it does not know. So it is then asked to shake hands as well, and whichever answer
//! comes first decides. A process that may have taken that handshake is not used for anything else.

use std::time::Duration;

use linkspan_mcp::era::{Evidence, probe, weigh};
use linkspan_mcp::{Era, OUR_INFO, Revision, names};
use linkspan_session::{Envelope, Fault, Inbound, Outbound, Port};
use linkspan_wire::{Id, Kind, Message, RpcError};
use tokio::time::timeout;

/// How long a process may be silent before it is asked in the other era, too.
const SILENCE: Duration = Duration::from_secs(3);
/// How long it may take in all; `npx` may have to fetch it first.
const PATIENCE: Duration = Duration::from_secs(60);
/// The limit for a server at a URL.
const REMOTE: Duration = Duration::from_secs(30);

/// Hop numbers are small, so these ids are nobody else's.
const DISCOVER: u64 = 0;
const INITIALIZE: u64 = u64::MAX >> 12;

/// What a probe has shown.
pub(super) enum Probed {
    /// A modern server, and its answer to `server/discover` if that is what told.
    Modern(Option<Message>),
    /// The same, but this process may be about to shake hands with us.
    ModernSpent(Message),
    /// A legacy server that nobody has initialised.
    Legacy,
    /// A legacy server, but this process cannot be used.
    Spent,
    /// It ended without a word about it.
    Died,
    /// It will not shake hands, but does not say what it is instead.
    Refused,
}

impl Probed {
    pub(super) fn era(&self) -> Era {
        match self {
            Self::Modern(_) | Self::ModernSpent(_) => Era::Modern,
            Self::Legacy | Self::Spent | Self::Died | Self::Refused => Era::Legacy,
        }
    }
}

/// Finds out which era the server behind `port` speaks; `own` is the client's own `server/discover`.
pub(super) async fn ask(
    port: &mut Port,
    own: Option<&Message>,
    is_command: bool,
) -> Result<Probed, Fault> {
    let id = Id::number(DISCOVER);
    let question = match own {
        Some(own) => own.clone().with_id(id),
        None => probe(&id, "{}", OUR_INFO),
    };
    if !tell(port, question).await {
        return Ok(Probed::Died);
    }
    if !is_command {
        return match timeout(REMOTE, answer(port, false, false)).await {
            Ok(probed) => probed,
            Err(_) => Err(Fault::Timeout { after: REMOTE }),
        };
    }
    if let Ok(probed) = timeout(SILENCE, answer(port, true, false)).await {
        return probed;
    }
    match shaken(port, true).await {
        // It has been asked both, and died of either.
        Err(Fault::PeerClosed { .. } | Fault::Ended { .. }) => Ok(Probed::Died),
        probed => probed,
    }
}

/// Asks a process to shake hands, only to see whether it does.
pub(super) async fn shake(port: &mut Port) -> Result<Probed, Fault> {
    shaken(port, false).await
}

/// `asked` if it owes an answer to `server/discover` as well.
async fn shaken(port: &mut Port, asked: bool) -> Result<Probed, Fault> {
    let params = format!(
        r#"{{"protocolVersion":"{}","capabilities":{{}},"clientInfo":{OUR_INFO}}}"#,
        Revision::LAST_LEGACY
    );
    let id = Id::number(INITIALIZE);
    let initialize = Message::request(&id, names::INITIALIZE, Some(&params));
    // If it does not listen any more, why it ended is what we hear next.
    tell(port, initialize).await;
    let answer = async {
        loop {
            match answer(port, false, true).await {
                // The other answer may tell more.
                Ok(Probed::Refused) if asked => {}
                told => return told,
            }
        }
    };
    match timeout(PATIENCE, answer).await {
        Ok(probed) => probed,
        Err(_) => Err(Fault::Timeout { after: PATIENCE }),
    }
}

/// Says goodbye to a process that is of no further use.
pub(super) fn end(mut port: Port) {
    drop(port.tx);
    port.rx.close();
}

async fn tell(port: &Port, msg: Message) -> bool {
    let sent = port.tx.send(Outbound::One(Envelope::new(msg))).await;
    sent.is_ok()
}

/// Waits for something that tells.
async fn answer(port: &mut Port, is_command: bool, shook: bool) -> Result<Probed, Fault> {
    while let Some(inbound) = port.rx.recv().await {
        let answer = match inbound {
            Inbound::Message(envelope) => envelope.msg,
            Inbound::Failed { hop: DISCOVER, why } => {
                let answer = RpcError::from(&why).answer(&Id::number(DISCOVER));
                if weigh(&answer) == Evidence::None {
                    return Err(why);
                }
                answer
            }
            // Whatever it was, it was not the answer of a modern server.
            Inbound::Bad(why) if why.answered_hop() == Some(DISCOVER) => {
                RpcError::parse_error(why.to_string()).answer(&Id::number(DISCOVER))
            }
            Inbound::Bad(why) if why.answered_hop() == Some(INITIALIZE) => {
                return Err(Fault::BadAnswer {
                    peer: port.name.clone(),
                    why: why.to_string(),
                });
            }
            Inbound::Batch(entries) => {
                let mut answers = entries.into_iter().flatten();
                match answers.find(Message::is_answer) {
                    Some(answer) => answer,
                    None => continue,
                }
            }
            Inbound::Closed(_) if is_command => return Ok(Probed::Died),
            Inbound::Closed(why) => return Err(why),
            _ => continue,
        };
        if !answer.is_answer() {
            continue;
        }
        let evidence = weigh(&answer);
        let is_spent = if shook { Probed::Spent } else { Probed::Legacy };
        match answer.id().and_then(|id| id.as_hop()) {
            Some(DISCOVER) if evidence == Evidence::Modern && shook => {
                // A server of both eras stays with the one of its first real request.
                return Ok(Probed::ModernSpent(answer));
            }
            Some(DISCOVER) if evidence == Evidence::Modern => {
                return Ok(Probed::Modern(Some(answer)));
            }
            Some(DISCOVER) if evidence == Evidence::None => return Err(unreached(&answer)),
            Some(DISCOVER) => return Ok(is_spent),
            // A modern server says so when it refuses; its process is as good as before.
            Some(INITIALIZE) if answer.kind() == Kind::Error && evidence == Evidence::Modern => {
                return Ok(Probed::Modern(None));
            }
            Some(INITIALIZE) if answer.kind() == Kind::Result => return Ok(Probed::Spent),
            Some(INITIALIZE) => return Ok(Probed::Refused),
            _ => {}
        }
    }
    Ok(Probed::Died)
}

/// Somebody on the way has answered for the server.
fn unreached(answer: &Message) -> Fault {
    let said = answer
        .body()
        .and_then(|error| error.get("message")?.as_str());
    Fault::ConnectFailed {
        peer: "the server".to_owned(),
        why: said.map_or_else(String::new, Into::into),
        tries: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_session::PortEnd;
    use linkspan_wire::WireError;

    /// A server that the test plays: it gets each method and says what it answers.
    async fn play(script: impl Fn(&str) -> Option<&'static str>) -> Probed {
        played(script).await.unwrap()
    }

    async fn played(script: impl Fn(&str) -> Option<&'static str>) -> Result<Probed, Fault> {
        let (mut port, end) = Port::pair("the server", 8);
        let PortEnd {
            tx,
            mut rx,
            last_word: _last_word,
            done: _done,
        } = end;
        let server = async {
            while let Some(Outbound::One(envelope)) = rx.recv().await {
                if let (Some(body), Some(id)) = (script(&envelope.msg.method()), envelope.msg.id())
                {
                    let text = format!(r#"{{"jsonrpc":"2.0","id":{id},{body}}}"#);
                    let msg = Message::parse(text.into()).unwrap();
                    tx.send(Inbound::Message(Envelope::new(msg))).await.unwrap();
                }
            }
        };
        tokio::select! {
            probed = ask(&mut port, None, true) => probed,
            () = server => unreachable!("the probe is over first"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_decides_at_once() {
        let modern = play(|_| Some(r#""result":{"supportedVersions":["2026-07-28"]}"#)).await;
        assert!(matches!(modern, Probed::Modern(Some(_))));
        let legacy = play(|_| Some(r#""error":{"code":-32601,"message":"no"}"#)).await;
        assert!(matches!(legacy, Probed::Legacy));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_not_the_servers_decides_nothing() {
        let gone = r#""error":{"code":-33001,"message":"gone","data":{"kind":"connect_failed"}}"#;
        let probed = played(|_| Some(gone)).await;
        assert!(matches!(probed, Err(Fault::ConnectFailed { why, .. }) if why == "gone"));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_cannot_be_read_decides_at_once() {
        let (mut port, end) = Port::pair("the server", 8);
        let PortEnd {
            tx,
            mut rx,
            last_word: _l,
            done: _d,
        } = end;
        let server = async {
            while let Some(Outbound::One(envelope)) = rx.recv().await {
                let bad = WireError::Shape {
                    why: "two ids",
                    id: None,
                    is_answer: true,
                };
                let id = envelope.msg.id().unwrap();
                tx.send(Inbound::Bad(bad.answering(&id))).await.unwrap();
            }
        };
        let begun = tokio::time::Instant::now();
        let probes = async {
            let probed = ask(&mut port, None, true).await;
            assert!(matches!(probed, Ok(Probed::Legacy)));
            let shaken = shake(&mut port).await;
            assert!(matches!(shaken, Err(Fault::BadAnswer { .. })));
        };
        tokio::select! {
            () = probes => {}
            () = server => unreachable!("the probes are over first"),
        }
        assert_eq!(begun.elapsed(), Duration::ZERO, "nothing was waited for");
    }

    #[tokio::test(start_paused = true)]
    async fn who_ignores_the_question_but_shakes_hands_is_a_legacy_server() {
        let probed = play(|method| (method == "initialize").then_some(r#""result":{}"#)).await;
        assert!(
            matches!(probed, Probed::Spent),
            "and that process is used up"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_modern_server_that_was_slow_to_start_is_not_taken_for_a_legacy_one() {
        let probed = play(|method| {
            (method == "initialize").then_some(
                r#""error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}"#,
            )
        })
        .await;
        assert!(matches!(probed, Probed::Modern(None)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_dual_server_is_not_used_after_our_initialize() {
        // It starts after more than 3 s and then reads both lines: discover is answered first, then
        // initialize, which makes this process a legacy one.
        let (mut port, end) = Port::pair("the server", 8);
        let PortEnd {
            tx,
            mut rx,
            last_word: _l,
            done: _d,
        } = end;
        let server = async {
            let mut seen = Vec::new();
            while let Some(Outbound::One(envelope)) = rx.recv().await {
                seen.push(envelope.msg.id().unwrap());
                if seen.len() == 2 {
                    let msg = Message::result(&seen[0], r#"{"supportedVersions":["2026-07-28"]}"#);
                    tx.send(Inbound::Message(Envelope::new(msg))).await.unwrap();
                    let msg = Message::result(&seen[1], r#"{"protocolVersion":"2025-11-25"}"#);
                    tx.send(Inbound::Message(Envelope::new(msg))).await.unwrap();
                }
            }
        };
        let probed = tokio::select! {
            probed = ask(&mut port, None, true) => probed.unwrap(),
            () = server => unreachable!(),
        };
        assert!(
            !matches!(probed, Probed::Modern(_)),
            "this process has taken our initialize, and is kept"
        );
    }
}
