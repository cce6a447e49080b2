//! Legacy clients over WebSocket (RFC 6455): a connection is a session, and a text message is a JSON-RPC message.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use http::header::{
    CONNECTION, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use linkspan_session::{Credit, Envelope, Inbound, Outbound, Port, PortEnd};
use linkspan_wire::{Frame, Limits};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use super::admission::Admission;
use super::body::{Response, empty};
use super::connections::Serving;
use super::metered::{Meter, Metered};
use super::phase::Phase;
use super::refusal::Refusal;
use super::router::{Router, charge};
use super::service::FrontService;
use crate::QUEUE;

/// The only version there is.
const VERSION: &str = "13";
/// The longest message, whatever the limits of other transports are: the reader reserves the announced length.
const LARGEST: usize = 100 * 1024 * 1024;
/// A client that is sending a message has to send at least this many bytes between two pings.
const STRIDE: usize = 64 * 1024;
/// The bytes of a client's frame besides its content, if that is short.
const CONTROL_HEADER: usize = 6;

impl<H: FrontService> Router<H> {
    /// GET with an upgrade: opens a session that ends with the connection.
    pub(super) async fn websocket(
        self: &Arc<Self>,
        head: &Parts,
        admission: &Admission,
        serving: &Serving,
    ) -> Result<Response, Refusal> {
        let key = handshake(head)?;
        let upgrade = head.extensions.get::<OnUpgrade>().cloned();
        let upgrade = upgrade.ok_or_else(no_upgrade)?;
        let room = self.room().await?;
        let allowance = self.allowances.one();
        charge(serving, &allowance)?;
        let (port, end) = Port::pair("the client", QUEUE);
        self.service.admit(port, &admission.principal);
        let socket = Socket {
            limits: self.options.limits,
            keep_alive: self.options.keep_alive,
            write_timeout: self.options.write_timeout,
            meter: Meter::new(allowance.budget.clone(), self.options.room_timeout),
        };
        let mut phase = self.phase.subscribe();
        tokio::spawn(async move {
            let stop = async move {
                let _ = phase.wait_for(|phase| !matches!(phase, Phase::Open)).await;
            };
            match upgrade.await {
                Ok(upgraded) => {
                    socket.serve(TokioIo::new(upgraded), end, stop).await;
                }
                Err(e) => tracing::debug!("a connection was not upgraded: {e}"),
            }
            drop((room, allowance));
        });
        let mut response = empty(StatusCode::SWITCHING_PROTOCOLS);
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        if let Ok(accept) = HeaderValue::try_from(derive_accept_key(key.as_bytes())) {
            headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
        }
        if names(&head.headers, &SEC_WEBSOCKET_PROTOCOL, "mcp") {
            headers.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static("mcp"));
        }
        Ok(response)
    }
}

/// The key of a request that asks for a WebSocket.
fn handshake(head: &Parts) -> Result<HeaderValue, Refusal> {
    if head.method != Method::GET {
        return Err(Refusal::method("GET", "this path serves a WebSocket"));
    }
    let headers = &head.headers;
    let asks = names(headers, &UPGRADE, "websocket") && names(headers, &CONNECTION, "upgrade");
    let version = headers.get(SEC_WEBSOCKET_VERSION);
    let key = headers.get(SEC_WEBSOCKET_KEY).filter(|key| key.len() == 24);
    match key {
        Some(key) if asks && version.is_some_and(|version| version == VERSION) => Ok(key.clone()),
        _ => Err(no_upgrade()),
    }
}

fn no_upgrade() -> Refusal {
    let why = "this path serves a WebSocket".to_owned();
    let hint = "connect to it with a ws:// URL, in version 13 of the protocol";
    Refusal::new(StatusCode::UPGRADE_REQUIRED, "websocket", why, hint)
}

/// Whether a header with a list of words has this one.
fn names(headers: &HeaderMap, name: &HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).iter();
    let mut words = values.filter_map(|value| value.to_str().ok());
    words.any(|value| {
        value
            .split(',')
            .any(|one| one.trim().eq_ignore_ascii_case(word))
    })
}

/// How a socket is served.
struct Socket {
    limits: Limits,
    keep_alive: Duration,
    write_timeout: Duration,
    meter: Meter,
}

impl Socket {
    /// Passes messages until a side closes. At `stop` nothing more is read; open requests are still answered.
    async fn serve(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin,
        end: PortEnd,
        stop: impl Future<Output = ()>,
    ) {
        let PortEnd {
            tx,
            rx,
            last_word,
            done,
        } = end;
        let largest = Some(self.limits.max_bytes().min(LARGEST));
        let config = WebSocketConfig::default()
            .max_message_size(largest)
            .max_frame_size(largest);
        let meter = self.meter.clone();
        let stream = Metered { stream, meter };
        let stream = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
        let (sink, messages) = stream.split();
        let reading = async {
            self.read(messages, &tx, stop).await;
            drop((tx, last_word));
        };
        let writing = self.write(sink, rx);
        tokio::pin!(writing);
        tokio::select! {
            // The session ends when its input has ended, after its last answers.
            () = reading => writing.await,
            () = &mut writing => {}
        }
        drop(done);
    }

    async fn read(
        &self,
        mut messages: impl Stream<Item = Result<Message, Error>> + Unpin,
        tx: &mpsc::Sender<Inbound>,
        stop: impl Future<Output = ()>,
    ) {
        tokio::pin!(stop);
        let mut beat = self.beat();
        let (mut silent, mut before) = (false, 0);
        loop {
            let message = tokio::select! {
                biased;
                () = &mut stop => return,
                message = messages.next() => message,
                // The other half sends a ping at the same interval.
                _ = beat.tick() => {
                    // A client that sends a large message cannot answer pings meanwhile.
                    let bytes = self.meter.bytes();
                    let sends = bytes >= before + STRIDE;
                    before = bytes;
                    if std::mem::replace(&mut silent, !sends) && !sends {
                        tracing::debug!("a WebSocket client is silent, or too slow");
                        return;
                    }
                    continue;
                }
            };
            let text: Bytes = match message {
                Some(Ok(Message::Text(text))) => text.into(),
                Some(Ok(Message::Binary(bytes))) => bytes,
                Some(Ok(Message::Ping(bytes) | Message::Pong(bytes))) => {
                    self.meter.discount(bytes.len() + CONTROL_HEADER);
                    // Not in place of the rest of a message.
                    silent &= self.meter.bytes() > 0;
                    continue;
                }
                Some(Ok(Message::Frame(_))) => continue,
                Some(Ok(Message::Close(_))) | None => return,
                Some(Err(e)) => {
                    tracing::debug!("a WebSocket broke: {e}");
                    return;
                }
            };
            (silent, before) = (false, 0);
            let Some(credit) = self.meter.settle(text.len()).await else {
                tracing::debug!("no room for a message from a WebSocket");
                return;
            };
            if tx.send(inbound(text, credit, &self.limits)).await.is_err() {
                return;
            }
        }
    }

    async fn write(
        &self,
        mut sink: impl Sink<Message, Error = Error> + Unpin,
        mut rx: mpsc::Receiver<Outbound>,
    ) {
        let mut beat = self.beat();
        loop {
            let message = tokio::select! {
                item = rx.recv() => match item {
                    Some(item) => text_of(&item),
                    None => break,
                },
                _ = beat.tick() => Message::Ping(Bytes::new()),
            };
            match timeout(self.write_timeout, sink.send(message)).await {
                Ok(Ok(())) => {}
                _ => return,
            }
        }
        let _ = timeout(self.write_timeout, sink.close()).await;
    }

    fn beat(&self) -> Interval {
        let mut beat = interval_at(Instant::now() + self.keep_alive, self.keep_alive);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        beat
    }
}

fn inbound(text: Bytes, credit: Credit, limits: &Limits) -> Inbound {
    match Frame::parse(text, limits) {
        Frame::One(msg) => Inbound::Message(Envelope {
            credit,
            ..Envelope::new(msg)
        }),
        Frame::Batch(entries) => Inbound::Batch(entries),
        Frame::Other { why, .. } => Inbound::Bad(why),
        Frame::Blank => Inbound::Bad(linkspan_wire::Syntax::Torn.into()),
    }
}

/// A message as text. JSON of ours is always UTF-8.
fn text_of(item: &Outbound) -> Message {
    let bytes = item.on_one_line().concat();
    match Utf8Bytes::try_from(Bytes::from(bytes)) {
        Ok(text) => Message::Text(text),
        Err(_) => Message::Ping(Bytes::new()),
    }
}
