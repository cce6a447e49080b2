//! Detects the era of a server.
//!
//! `server/discover` is sent first. Over stdio, silence proves nothing: the server may still be starting, or ignore
//! unknown methods. The same process then gets an `initialize` on behalf of the client as well, and the session uses
//! that handshake if it succeeds.

use std::time::Duration;

use linkspan_mcp::era::{Claims, Evidence, probe, weigh};
use linkspan_mcp::{Era, OUR_INFO, Revision, names};
use linkspan_session::{Envelope, Fault, Inbound, Outbound, Port};
use linkspan_wire::{Hop, Kind, Message, RpcError};
use tokio::time::{Instant, timeout, timeout_at};

/// How long a process may be silent before it is probed for the other era, too.
const SILENCE: Duration = Duration::from_secs(3);
/// The limit of the whole probe; `npx` may have to download the server first.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a modern server may take to refuse a handshake.
const REFUSAL: Duration = Duration::from_secs(5);
/// The limit for a server at a URL.
const REMOTE: Duration = Duration::from_secs(30);

/// Hop numbers are small, so these ids are free.
const DISCOVER: Hop = Hop(0);
const INITIALIZE: Hop = Hop(u64::MAX >> 12);

/// The requests of a probe.
#[derive(Debug, Clone)]
pub(crate) struct Questions<'a> {
    /// The client's own `server/discover`.
    pub(crate) discover: Option<&'a Message>,
    /// The parameters of an `initialize` that the session can use.
    pub(crate) initialize: String,
}

impl<'a> Questions<'a> {
    /// The requests for the client of this request; `capabilities` replaces its own if it shares the server with
    /// others.
    pub(crate) fn of(request: Option<&Message>, capabilities: Option<&str>) -> Self {
        let claims = request.and_then(|request| Claims::read(request).ok());
        let initialize = claims.map(|claims| claims.initialize(capabilities));
        let plain = || {
            let capabilities = capabilities.unwrap_or("{}");
            let version = Revision::LAST_LEGACY;
            format!(
                r#"{{"protocolVersion":"{version}","capabilities":{capabilities},"clientInfo":{OUR_INFO}}}"#
            )
        };
        Self {
            discover: None,
            initialize: initialize.unwrap_or_else(plain),
        }
    }

    pub(crate) fn with_discover(self, discover: Option<&'a Message>) -> Self {
        Self { discover, ..self }
    }
}

/// The result of a probe.
pub(crate) enum Probed {
    /// A modern server, and its answer to `server/discover` if it gave one.
    Modern(Option<Message>),
    /// A modern server whose process may still answer the `initialize`.
    ModernSpent(Message),
    /// A legacy server that is not initialized.
    Legacy,
    /// A legacy server, or one of both eras, that has shaken hands, and its answer to `initialize`.
    Greeted(Message),
    /// It exited without an answer.
    Died,
    /// It refuses the handshake with an error that names no era.
    Refused,
}

impl Probed {
    pub(crate) fn era(&self) -> Era {
        match self {
            Self::Modern(_) | Self::ModernSpent(_) => Era::Modern,
            Self::Legacy | Self::Greeted(_) | Self::Died | Self::Refused => Era::Legacy,
        }
    }
}

/// Detects the era of the server behind `port`.
pub(crate) async fn ask(
    port: &mut Port,
    questions: &Questions<'_>,
    is_command: bool,
) -> Result<Probed, Fault> {
    let id = DISCOVER.id();
    let discover = match questions.discover {
        Some(own) => own.clone().with_id(id),
        None => probe(&id, "{}", OUR_INFO),
    };
    if !tell(port, discover).await {
        return Ok(Probed::Died);
    }
    let limit = if is_command { SILENCE } else { REMOTE };
    match timeout(limit, listen(port)).await {
        Ok(Heard::Discovered(Evidence::Modern, answer)) => Ok(Probed::Modern(Some(answer))),
        Ok(Heard::Discovered(Evidence::None, answer)) => Err(unreached(&answer)),
        Ok(Heard::Failed(why)) => Err(why),
        Ok(Heard::Closed(why)) if !is_command => Err(why.unwrap_or(Fault::Closing)),
        Ok(Heard::Closed(_)) => Ok(Probed::Died),
        Ok(_) => Ok(Probed::Legacy),
        Err(_) if is_command => shaken(port, questions, true).await,
        Err(_) => Err(Fault::Timeout { after: REMOTE }),
    }
}

/// Sends `initialize` first.
pub(crate) async fn shake(port: &mut Port, questions: &Questions<'_>) -> Result<Probed, Fault> {
    shaken(port, questions, false).await
}

/// `asked` if it owes an answer to `server/discover` as well.
async fn shaken(
    port: &mut Port,
    questions: &Questions<'_>,
    mut asked: bool,
) -> Result<Probed, Fault> {
    let id = INITIALIZE.id();
    let initialize = Message::request(&id, names::INITIALIZE, Some(&questions.initialize));
    // If the process has exited, the next event has the reason.
    tell(port, initialize).await;
    let was_asked = asked;
    let mut until = Instant::now() + PATIENCE;
    let mut modern = None;
    let mut refused = false;
    loop {
        match (timeout_at(until, listen(port)).await, modern.take()) {
            // A server of both eras stays with the one of its first real request.
            (Ok(Heard::Shaken(answer)), _) => return Ok(Probed::Greeted(answer)),
            // It refused the handshake, so its state has not changed.
            (Ok(Heard::NotShaken(_)), Some(answer)) => return Ok(Probed::Modern(Some(answer))),
            (Ok(Heard::NotShaken(Evidence::Modern)), None) => return Ok(Probed::Modern(None)),
            // The other answer may be more specific.
            (Ok(Heard::NotShaken(_)), None) if asked => refused = true,
            (Ok(Heard::NotShaken(_)), None) => return Ok(Probed::Refused),
            (Ok(Heard::Discovered(Evidence::None, answer)), _) => return Err(unreached(&answer)),
            (Ok(Heard::Discovered(Evidence::Modern, answer)), _) if refused => {
                return Ok(Probed::Modern(Some(answer)));
            }
            (Ok(Heard::Discovered(Evidence::Modern, answer)), _) => {
                modern = Some(answer);
                until = until.min(Instant::now() + REFUSAL);
            }
            (Ok(Heard::Discovered(..)), _) if refused => return Ok(Probed::Legacy),
            (Ok(Heard::Discovered(..)), _) => asked = false,
            (Ok(Heard::Failed(why)), _) => return Err(why),
            (Ok(Heard::Closed(_)) | Err(_), Some(answer)) => {
                return Ok(Probed::ModernSpent(answer));
            }
            // It got both requests, and exited because of one of them.
            (Ok(Heard::Closed(_)), None) if was_asked => return Ok(Probed::Died),
            (Ok(Heard::Closed(why)), None) => return Err(why.unwrap_or(Fault::Closing)),
            (Err(_), None) => return Err(Fault::Timeout { after: PATIENCE }),
        }
    }
}

/// Closes the connection to a process that is not needed.
pub(crate) fn end(mut port: Port) {
    drop(port.tx);
    port.rx.close();
}

async fn tell(port: &Port, msg: Message) -> bool {
    let sent = port.tx.send(Outbound::One(Envelope::new(msg))).await;
    sent.is_ok()
}

/// An event from the server.
enum Heard {
    /// The answer to `server/discover`.
    Discovered(Evidence, Message),
    /// There will be no answer: the request did not reach the server, or the answer is unreadable.
    Failed(Fault),
    /// The result of `initialize`.
    Shaken(Message),
    /// The error for `initialize`.
    NotShaken(Evidence),
    /// The connection was closed.
    Closed(Option<Fault>),
}

async fn listen(port: &mut Port) -> Heard {
    loop {
        let answer = match port.rx.recv().await {
            Some(Inbound::Message(envelope)) => envelope.msg,
            Some(Inbound::Failed { hop: DISCOVER, why }) => {
                let answer = RpcError::from(&why).answer(&DISCOVER.id());
                match weigh(&answer) {
                    Evidence::None => return Heard::Failed(why),
                    evidence => return Heard::Discovered(evidence, answer),
                }
            }
            // A modern server would have sent a valid answer.
            Some(Inbound::Bad(why)) if why.answered_hop() == Some(DISCOVER) => {
                RpcError::parse_error(why.to_string()).answer(&DISCOVER.id())
            }
            Some(Inbound::Bad(why)) if why.answered_hop() == Some(INITIALIZE) => {
                return Heard::Failed(Fault::BadAnswer {
                    peer: port.name.clone(),
                    why: why.to_string(),
                });
            }
            Some(Inbound::Batch(entries)) => {
                let mut answers = entries.into_iter().flatten();
                match answers.find(Message::is_answer) {
                    Some(answer) => answer,
                    None => continue,
                }
            }
            Some(Inbound::Closed(why)) => return Heard::Closed(Some(why)),
            None => return Heard::Closed(None),
            Some(_) => continue,
        };
        if !answer.is_answer() {
            continue;
        }
        match answer.hop() {
            Some(DISCOVER) => return Heard::Discovered(weigh(&answer), answer),
            Some(INITIALIZE) if answer.kind() == Kind::Result => return Heard::Shaken(answer),
            Some(INITIALIZE) => return Heard::NotShaken(weigh(&answer)),
            _ => {}
        }
    }
}

/// An error from a proxy in front of the server.
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

    /// A server that is scripted by the test: `script` gets each method and returns the answer.
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
        let questions = Questions::of(None, None);
        tokio::select! {
            probed = ask(&mut port, &questions, true) => probed,
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
    async fn an_answer_of_a_proxy_does_not_decide_the_era() {
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
            let questions = Questions::of(None, None);
            let probed = ask(&mut port, &questions, true).await;
            assert!(matches!(probed, Ok(Probed::Legacy)));
            let shaken = shake(&mut port, &questions).await;
            assert!(matches!(shaken, Err(Fault::BadAnswer { .. })));
        };
        tokio::select! {
            () = probes => {}
            () = server => unreachable!("the probes are over first"),
        }
        assert_eq!(begun.elapsed(), Duration::ZERO, "nothing was waited for");
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_ignores_the_probe_but_shakes_hands_is_a_legacy_server() {
        let probed = play(|method| (method == "initialize").then_some(r#""result":{}"#)).await;
        assert!(matches!(probed, Probed::Greeted(_)), "and is kept");
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

    /// A server that is slow to start, and then answers both requests.
    async fn slow(discover: &'static str, initialize: &'static str) -> Probed {
        let (mut port, end) = Port::pair("the server", 8);
        let PortEnd {
            tx,
            mut rx,
            last_word: _last_word,
            done: _done,
        } = end;
        let server = async {
            let mut seen = Vec::new();
            while let Some(Outbound::One(envelope)) = rx.recv().await {
                seen.push(envelope.msg.id().unwrap());
                if let [first, second] = &seen[..] {
                    for (id, body) in [(first, discover), (second, initialize)] {
                        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},{body}}}"#);
                        let msg = Message::parse(text.into()).unwrap();
                        tx.send(Inbound::Message(Envelope::new(msg))).await.unwrap();
                    }
                }
            }
        };
        let questions = Questions::of(None, None);
        tokio::select! {
            probed = ask(&mut port, &questions, true) => probed.unwrap(),
            () = server => unreachable!("the probe is over first"),
        }
    }

    const NO: &str = r#""error":{"code":-32601,"message":"no"}"#;
    const NO_LEGACY: &str =
        r#""error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}"#;
    const VERSIONS: &str = r#""result":{"supportedVersions":["2026-07-28"]}"#;
    const HANDSHAKE: &str = r#""result":{"protocolVersion":"2025-11-25"}"#;

    #[tokio::test(start_paused = true)]
    async fn a_slow_legacy_server_goes_on_with_the_handshake_that_it_was_asked_for() {
        let Probed::Greeted(answer) = slow(NO, HANDSHAKE).await else {
            panic!("it has shaken hands");
        };
        assert!(answer.text().contains("2025-11-25"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_server_of_both_eras_goes_on_with_the_handshake() {
        let probed = slow(VERSIONS, HANDSHAKE).await;
        assert!(
            matches!(probed, Probed::Greeted(_)),
            "it is a legacy one now"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_modern_server_that_refuses_the_handshake_is_as_good_as_new() {
        for refusal in [NO, NO_LEGACY] {
            let probed = slow(VERSIONS, refusal).await;
            assert!(matches!(probed, Probed::Modern(Some(_))));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_handshake_is_made_in_the_name_of_the_client() {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}},"io.modelcontextprotocol/clientInfo":{"name":"me","version":"1"}}}}"#;
        let call = Message::parse(call.into()).unwrap();
        let own = Questions::of(Some(&call), None).initialize;
        assert!(
            own.contains(r#"{"sampling":{}}"#) && own.contains(r#""me""#),
            "{own}"
        );
        let shared = Questions::of(Some(&call), Some(r#"{"roots":{}}"#)).initialize;
        assert!(
            shared.contains(r#""capabilities":{"roots":{}}"#),
            "{shared}"
        );
    }
}
