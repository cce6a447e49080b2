//! A modern client behind the translation, at servers of both eras that wait for a sign-in.

use linkspan_mcp::era::{ModernToLegacy, ModernToLegacyOptions};
use linkspan_ports::Principal;
use linkspan_session::{Config, EraLayer, Inbound, Outbound, Port, PortEnd, Session};

use super::*;
use crate::layers::sign_in_layers;
use crate::secret::secret;
use crate::server::Server;
use crate::testing::{Client, at, backend, message, modern_call, modern_request};
use linkspan_mcp::Era;

/// A server that reads nothing until `signed_in` resolves.
async fn serve(era: Era, mut end: PortEnd, signed_in: tokio::sync::oneshot::Receiver<()>) {
    signed_in.await.unwrap();
    while let Some(Outbound::One(envelope)) = end.rx.recv().await {
        let Some(id) = envelope.msg.id() else {
            continue;
        };
        let body = match (&*envelope.msg.method(), era) {
            ("initialize", Era::Modern) => {
                r#""error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}"#
            }
            ("initialize", Era::Legacy) => {
                r#""result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#
            }
            ("server/discover", Era::Modern) => {
                r#""result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}"#
            }
            ("tools/list", Era::Modern) => {
                r#""result":{"resultType":"complete","tools":[{"name":"real","inputSchema":{}}],"ttlMs":0,"cacheScope":"private"}"#
            }
            ("tools/list", Era::Legacy) => {
                r#""result":{"tools":[{"name":"real","inputSchema":{}}]}"#
            }
            ("ping", Era::Legacy) => r#""result":{}"#,
            _ => r#""error":{"code":-32601,"message":"no such method"}"#,
        };
        let answer = message(&format!(r#"{{"jsonrpc":"2.0","id":{id},{body}}}"#));
        let _ = end.tx.send(Inbound::Message(Envelope::new(answer))).await;
    }
}

fn request(id: u64, method: &str, params: &str) -> Message {
    message(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    ))
}

#[tokio::test(start_paused = true)]
async fn a_modern_client_gets_the_tool_and_later_those_of_the_server() {
    for era in [Era::Legacy, Era::Modern] {
        let account = Account::default();
        account.asks(true);
        let (mut client, front) = Client::new();
        let (back, end) = Port::pair("the server", 8);
        // The layers ask it only what is known of the era, which is nothing.
        let server = Arc::new(Server::new(backend(era).0));
        let options = ModernToLegacyOptions::new("test".to_owned(), secret);
        let layers = sign_in_layers(&server, account.clone(), options, &Principal::anonymous());
        let session = Session::new(Config::default(), front, back, layers);
        let (signed_in, waits) = tokio::sync::oneshot::channel();
        let client = async {
            let list = client.ask(request(1, "tools/list", "")).await;
            assert!(
                at(&list, &["tools"]).contains(r#""name":"sign_in""#),
                "{list:?}"
            );
            assert_eq!(at(&list, &["resultType"]), r#""complete""#);
            assert_eq!(at(&list, &["ttlMs"]), "0", "it is out of date soon");
            let news = r#""notifications":{"toolsListChanged":true},"#;
            client.send(request(2, "subscriptions/listen", news)).await;
            client
                .hear("notifications/subscriptions/acknowledged")
                .await;
            client
                .send(request(3, "tools/call", r#""name":"sign_in","#))
                .await;
            // The session reads of its two ports in any order.
            tokio::time::sleep(LOOK).await;
            account.is_done();
            signed_in.send(()).unwrap();
            let called = client.answer(3).await;
            assert!(called.text().contains("Signed in."), "{called:?}");
            client.hear("notifications/tools/list_changed").await;
            let list = client.ask(request(4, "tools/list", "")).await;
            assert!(
                at(&list, &["tools"]).contains(r#""name":"real""#),
                "{list:?}"
            );
        };
        tokio::select! {
            () = client => {}
            () = async { tokio::join!(serve(era, end, waits), session.run(std::future::pending())); } => {
                panic!("the session has ended")
            }
        }
    }
}

/// A legacy server whose only call waits until `signed_in` resolves.
async fn serve_call(mut end: PortEnd, signed_in: tokio::sync::oneshot::Receiver<()>) {
    let mut signed_in = Some(signed_in);
    while let Some(Outbound::One(envelope)) = end.rx.recv().await {
        let Some(id) = envelope.msg.id() else {
            continue;
        };
        let body = match &*envelope.msg.method() {
            "initialize" => {
                r#""result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#
            }
            "tools/call" => {
                signed_in.take().expect("it is called once").await.unwrap();
                r#""result":{"content":[{"type":"text","text":"done"}]}"#
            }
            _ => r#""result":{}"#,
        };
        let answer = message(&format!(r#"{{"jsonrpc":"2.0","id":{id},{body}}}"#));
        let _ = end.tx.send(Inbound::Message(Envelope::new(answer))).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_client_is_asked_in_mid_session_and_comes_back_to_its_call() {
    let account = Account::default();
    let (mut client, front) = Client::new();
    let (back, end) = Port::pair("the server", 8);
    let options = ModernToLegacyOptions::new("test".to_owned(), secret);
    let layers: Vec<Box<dyn Layer>> = vec![
        Box::new(EraLayer::new(ModernToLegacy::new(options))),
        Box::new(SignInLayer::translated(account.clone())),
    ];
    let session = Session::new(Config::default(), front, back, layers);
    let (signed_in, waits) = tokio::sync::oneshot::channel();
    let pages = r#"{"elicitation":{"url":{}}}"#;
    let client = async {
        // What the first request says of the client holds for the server.
        let list = request(7, "tools/list", "").text();
        let list = list.replace(
            r#"clientCapabilities":{}"#,
            &format!(r#"clientCapabilities":{pages}"#),
        );
        let list = client.ask(message(&list)).await;
        assert!(list.text().contains("result"), "{list:?}");
        client.send(modern_call("t", pages)).await;
        account.asks(false);
        let question = client.answer(1).await;
        assert_eq!(at(&question, &["resultType"]), r#""input_required""#);
        let key = &["inputRequests", "linkspan-sign-in-1", "params", "url"];
        assert_eq!(at(&question, key), r#""https://as/page""#, "{question:?}");
        let state = at(&question, &["requestState"]);
        let back = format!(
            r#""name":"t","arguments":{{}},"requestState":{state},"inputResponses":{{"linkspan-sign-in-1":{{"action":"accept"}}}}"#
        );
        client
            .send(modern_request(&back, pages).with_id(Id::number(2)))
            .await;
        account.is_signed_in();
        signed_in.send(()).unwrap();
        let called = client.answer(2).await;
        assert!(called.text().contains("done"), "{called:?}");
        assert!(client.unread().is_empty(), "{:?}", client.unread());
    };
    tokio::select! {
        () = client => {}
        () = async { tokio::join!(serve_call(end, waits), session.run(std::future::pending())); } => {
            panic!("the session has ended")
        }
    }
}
