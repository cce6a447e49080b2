//! Questions through the layer and the page, with a browser of the test's own.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Instant;

use linkspan_mcp::names;
use linkspan_session::{Envelope, Layer, Verdict, Way};
use linkspan_wire::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use crate::Asker;
use crate::asker::Questions;
use crate::layer::ElicitLayer;

const FORM: &str = r#"{"message":"Where <b>to</b>?","requestedSchema":{"type":"object","properties":{"city":{"type":"string","minLength":3}},"required":["city"]}}"#;
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}"#;

struct Bench {
    layer: ElicitLayer,
    pages: mpsc::Receiver<String>,
}

fn message(text: &str) -> Message {
    Message::parse(text.to_owned().into()).unwrap()
}

impl Bench {
    fn new() -> Self {
        let (shown, pages) = mpsc::channel(8);
        let show = move |url: &str| shown.try_send(url.to_owned()).is_ok();
        let questions = Questions::new(Asker::Page(Arc::new(show)));
        Self {
            layer: ElicitLayer::new(Arc::new(questions)),
            pages,
        }
    }

    fn on(&mut self, way: Way, text: &str) -> Verdict {
        let envelope = Envelope::new(message(text));
        self.layer.on(way, envelope, Instant::now())
    }

    fn passes(&mut self, way: Way, text: &str) -> String {
        match self.on(way, text) {
            Verdict::Pass(envelope) => envelope.msg.text(),
            _ => panic!("it does not pass: {text}"),
        }
    }

    /// A handshake of a client with these capabilities.
    fn shake(&mut self, capabilities: &str) {
        self.passes(Way::ToBack, &format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{capabilities}}}}}"#
        ));
        self.passes(
            Way::ToFront,
            r#"{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"the <server>"}}}"#,
        );
    }

    /// The answer to a question of a legacy server, while the user does something on its page.
    async fn ask<F: Future<Output = ()>>(
        &mut self,
        params: &str,
        user: impl FnOnce(Page) -> F,
    ) -> String {
        let question = format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{params}}}"#
        );
        let Verdict::BackLater(later) = self.on(Way::ToFront, &question) else {
            panic!("the user is not asked");
        };
        let pages = &mut self.pages;
        let user = async {
            let url = pages.recv().await.unwrap();
            user(Page::of(&url)).await;
        };
        let (answer, ()) = tokio::join!(later, user);
        answer.msg.text()
    }
}

/// The page of a question, as a browser sees it.
struct Page {
    port: u16,
    path: String,
}

impl Page {
    fn of(url: &str) -> Self {
        let rest = url.strip_prefix("http://127.0.0.1:").unwrap();
        let (port, path) = rest.split_once('/').unwrap();
        Self {
            port: port.parse().unwrap(),
            path: format!("/{path}"),
        }
    }

    async fn send(&self, head: &str, body: &str) -> String {
        let address = (Ipv4Addr::LOCALHOST, self.port);
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!(
            "{head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    async fn get(&self) -> String {
        let Self { port, path } = self;
        let head = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}");
        self.send(&head, "").await
    }

    async fn post(&self, body: &str) -> String {
        let Self { port, path } = self;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}"
        );
        self.send(&head, body).await
    }
}

#[tokio::test]
async fn a_legacy_server_gets_what_the_user_has_filled_in() {
    let mut bench = Bench::new();
    bench.shake("{}");
    let answer = bench.ask(FORM, async |page| {
        let shown = page.get().await;
        assert!(shown.contains("the &lt;server&gt; asks"), "{shown}");
        assert!(shown.contains("Where &lt;b&gt;to&lt;/b&gt;?"), "{shown}");
        for header in ["no-store", "form-action 'self'", "frame-ancestors 'none'"] {
            assert!(shown.contains(header), "{shown}");
        }
        let wrong = page.post("action=accept&field-0=ab").await;
        assert!(wrong.starts_with("HTTP/1.1 422"), "{wrong}");
        assert!(wrong.contains("value=\"ab\""), "{wrong}");
        let right = page.post("action=accept&field-0=Bern").await;
        assert!(right.starts_with("HTTP/1.1 200"), "{right}");
    });
    assert_eq!(
        answer.await,
        r#"{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{"city":"Bern"}}}"#
    );
}

#[tokio::test]
async fn declining_and_cancelling_are_told_apart() {
    for (action, pressed) in [("decline", "decline"), ("cancel", "cancel")] {
        let mut bench = Bench::new();
        bench.shake("{}");
        let body = format!("action={pressed}&field-0=Bern");
        let answer = bench.ask(FORM, async |page| drop(page.post(&body).await));
        let result = format!(r#""result":{{"action":"{action}"}}"#);
        assert!(answer.await.contains(&result));
    }
}

#[tokio::test]
async fn another_page_cannot_answer() {
    let mut bench = Bench::new();
    bench.shake("{}");
    let answer = bench.ask(FORM, async |page| {
        let (port, path) = (page.port, &page.path);
        let body = "action=accept&field-0=Bern";
        for (head, status) in [
            (format!("POST {path} HTTP/1.1\r\nHost: evil.example"), 404),
            (format!("POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}"), 404),
            (
                format!(
                    "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: https://evil.example"
                ),
                403,
            ),
            (
                format!("POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: null"),
                403,
            ),
            (
                format!("PUT {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}"),
                405,
            ),
        ] {
            let refused = page.send(&head, body).await;
            assert!(
                refused.starts_with(&format!("HTTP/1.1 {status}")),
                "{refused}"
            );
        }
        page.post("action=decline").await;
    });
    assert!(answer.await.contains("decline"));
}

#[tokio::test]
async fn an_address_is_opened_only_if_the_user_accepts() {
    let mut bench = Bench::new();
    bench.shake(r#"{"elicitation":{}}"#);
    let params = r#"{"mode":"url","message":"Pay","url":"https://pay.example/x?a=1&b=2","elicitationId":"e"}"#;
    let answer = bench.ask(params, async |page| {
        let shown = page.get().await;
        assert!(shown.contains("pay.example") && !shown.contains("http-equiv"));
        let leads = page.post("action=accept").await;
        assert!(
            leads.contains("url=https://pay.example/x?a=1&amp;b=2"),
            "{leads}"
        );
    });
    assert!(answer.await.ends_with(r#""result":{"action":"accept"}}"#));
}

#[tokio::test]
async fn an_address_that_is_not_safe_is_declined_without_a_page() {
    let mut bench = Bench::new();
    bench.shake("{}");
    let question = r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"mode":"url","message":"m","url":"javascript:alert(1)"}}"#;
    let Verdict::BackLater(later) = bench.on(Way::ToFront, question) else {
        panic!("it is answered here");
    };
    assert!(later.await.msg.text().contains("decline"));
}

#[tokio::test]
async fn a_client_that_can_ask_is_asked() {
    let mut bench = Bench::new();
    bench.shake(r#"{"elicitation":{}}"#);
    let question =
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{FORM}}}"#);
    assert_eq!(bench.passes(Way::ToFront, &question), question);
    let sampling = r#"{"jsonrpc":"2.0","id":8,"method":"sampling/createMessage","params":{}}"#;
    assert_eq!(bench.passes(Way::ToFront, sampling), sampling);
}

#[tokio::test]
async fn a_question_that_the_server_cancels_has_no_page_any_more() {
    let mut bench = Bench::new();
    bench.shake("{}");
    let question =
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{FORM}}}"#);
    let Verdict::BackLater(later) = bench.on(Way::ToFront, &question) else {
        panic!("the user is not asked");
    };
    let asked = tokio::spawn(later);
    let page = Page::of(&bench.pages.recv().await.unwrap());
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    assert!(matches!(bench.on(Way::ToFront, cancel), Verdict::Drop));
    assert!(asked.await.unwrap().msg.text().contains(r#""cancel""#));
    let address = (Ipv4Addr::LOCALHOST, page.port);
    // The listener has ended or is about to.
    if let Ok(mut stream) = TcpStream::connect(address).await {
        let read = stream.read(&mut [0; 64]).await;
        assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
    }
}

/// A call of a modern client.
fn call() -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"t","arguments":{{}},{META}}}}}"#
    )
}

fn input_required(requests: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":3,"result":{{"resultType":"input_required","inputRequests":{requests},"requestState":"s"}}}}"#
    )
}

#[tokio::test]
async fn a_modern_request_is_repeated_with_the_answers() {
    let mut bench = Bench::new();
    let seen = bench.passes(Way::ToBack, &call());
    assert!(
        seen.contains(r#"{"elicitation":{"form":{},"url":{}}}"#),
        "{seen}"
    );
    let asks = input_required(&format!(
        r#"{{"where":{{"method":"elicitation/create","params":{FORM}}}}}"#
    ));
    for _ in 0..2 {
        let Verdict::BackLater(later) = bench.on(Way::ToFront, &asks) else {
            panic!("the user is not asked");
        };
        let pages = &mut bench.pages;
        let user = async {
            let page = Page::of(&pages.recv().await.unwrap());
            page.post("action=accept&field-0=Bern").await;
        };
        let (again, ()) = tokio::join!(later, user);
        let again = again.msg;
        assert_eq!(again.method(), names::TOOLS_CALL);
        let params = again.params().unwrap();
        let answer = params.path(&["inputResponses", "where", "content", "city"]);
        assert_eq!(answer.unwrap().text(), r#""Bern""#);
        assert_eq!(params.get("requestState").unwrap().text(), r#""s""#);
        assert_eq!(again.id().unwrap().text(), "3");
    }
    let done = r#"{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete"}}"#;
    assert_eq!(bench.passes(Way::ToFront, done), done);
}

#[tokio::test]
async fn a_modern_request_that_is_cancelled_is_not_repeated() {
    let mut bench = Bench::new();
    bench.passes(Way::ToBack, &call());
    let asks = input_required(&format!(
        r#"{{"where":{{"method":"elicitation/create","params":{FORM}}}}}"#
    ));
    let Verdict::BackLater(later) = bench.on(Way::ToFront, &asks) else {
        panic!("the user is not asked");
    };
    let asked = tokio::spawn(later);
    bench.pages.recv().await.unwrap();
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#;
    bench.passes(Way::ToBack, cancel);
    assert_eq!(asked.await.unwrap().msg.method(), names::CANCELLED);
}

#[tokio::test]
async fn questions_of_other_kinds_are_refused_or_left_to_the_client() {
    let mut bench = Bench::new();
    bench.passes(Way::ToBack, &call());
    let sampling = r#"{"a":{"method":"sampling/createMessage","params":{}}}"#;
    let only = input_required(sampling);
    assert_eq!(bench.passes(Way::ToFront, &only), only);
    bench.passes(Way::ToBack, &call());
    let mixed = format!(
        r#"{{"a":{{"method":"sampling/createMessage","params":{{}}}},"b":{{"method":"elicitation/create","params":{FORM}}}}}"#
    );
    let refused = bench.passes(Way::ToFront, &input_required(&mixed));
    assert!(refused.contains("other input at once"), "{refused}");
}
