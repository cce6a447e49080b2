//! A modern client behind the translation, at servers of both eras that wait for a sign-in.

use linkspan_mcp::era::ModernToLegacyOptions;
use linkspan_ports::Principal;
use linkspan_session::{Config, Inbound, Outbound, Port, PortEnd, Session};

use super::*;
use crate::layers::sign_in_layers;
use crate::secret::secret;
use crate::server::Server;
use crate::testing::{Client, at, backend, message};
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
