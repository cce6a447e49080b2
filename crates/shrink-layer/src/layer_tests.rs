//! Tests the layer with in-memory messages.

use super::*;
use crate::fetch::JqCommand;
use crate::options::Options;
use linkspan_shrink::{Policy, decode};
use linkspan_wire::quote;

fn rows() -> String {
    let rows: Vec<String> = (0..60)
        .map(|i| format!(r#"{{"id":{i},"name":"item number {i}","ready":true}}"#))
        .collect();
    format!("[{}]", rows.join(","))
}

fn options() -> Options {
    Options {
        time_box: Duration::from_secs(3600),
        fetch: Some(JqCommand {
            program: "/nonexistent/jq".into(),
            args: Vec::new(),
            env: Vec::new(),
        }),
        ..Options::new(Policy::default())
    }
}

struct Session(ShrinkLayer);

impl Session {
    fn new(shared: &Arc<Shared>, name: &str) -> Self {
        let principal = Principal::of_credentials(name.as_bytes());
        Self(ShrinkLayer::new(shared.clone(), true, &principal))
    }

    fn on(&mut self, way: Way, text: String) -> Verdict {
        let message = Message::parse(text.into()).unwrap();
        self.0.on(way, Envelope::new(message), Instant::now())
    }

    /// The result that the client gets if the server answers with `result`.
    async fn answered(&mut self, method: &str, params: &str, result: &str) -> String {
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let message = match self.on(Way::ToBack, request) {
            Verdict::Pass(_) => {
                let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
                match self.on(Way::ToFront, answer) {
                    Verdict::Pass(envelope) => envelope.msg,
                    Verdict::Detour(later) => later.await.msg,
                    _ => panic!("the answer did not pass"),
                }
            }
            Verdict::BackLater(later) => later.await.msg,
            _ => panic!("the request did not pass"),
        };
        message.body().unwrap().text().to_owned()
    }

    /// The text that the client gets if a tool's text is `text`.
    async fn called(&mut self, text: &str) -> String {
        let result = format!(
            r#"{{"content":[{{"type":"text","text":{}}}]}}"#,
            quote(text)
        );
        let call = r#"{"name":"list","arguments":{}}"#;
        text_of(&self.answered("tools/call", call, &result).await)
    }
}

fn text_of(result: &str) -> String {
    let content = Json::parse(result).unwrap().get("content").unwrap();
    let first = content.elements().next().unwrap();
    first.get("text").unwrap().as_str().unwrap().into_owned()
}

#[tokio::test]
async fn a_result_is_shortened_and_decodes_to_its_original() {
    let shared = Shared::new(options()).unwrap();
    let text = Session::new(&shared, "a").called(&rows()).await;
    assert!(text.len() < rows().len() / 2, "{text}");
    assert_eq!(decode(&text).unwrap(), rows());
}

#[tokio::test]
async fn in_shadow_mode_a_result_passes_unchanged_and_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stats");
    let shared = Shared::new(Options {
        shadow: true,
        stats: Some(file.clone()),
        ..options()
    });
    let shared = shared.unwrap();
    assert_eq!(Session::new(&shared, "a").called(&rows()).await, rows());
    shared.finish();
    let stats = crate::stats::read(&file).unwrap();
    let (key, row) = stats.iter().next().unwrap();
    assert!(
        key.shadow && row.before > row.after && row.changed == 1,
        "{row:?}"
    );
}

#[tokio::test]
async fn a_tool_of_the_server_keeps_its_name_and_the_local_tool_is_renamed() {
    let shared = Shared::new(options()).unwrap();
    let mut session = Session::new(&shared, "a");
    let list = r#"{"tools":[{"name":"bcp_fetch","inputSchema":{"type":"object"}}]}"#;
    let list = session.answered("tools/list", "{}", list).await;
    let tools = Json::parse(&list).unwrap().get("tools").unwrap();
    let names: Vec<String> = tools
        .elements()
        .map(|tool| tool.get("name").unwrap().as_str().unwrap().into_owned())
        .collect();
    assert_eq!(names.len(), 2, "{list}");
    assert_eq!(names.iter().filter(|name| *name == "bcp_fetch").count(), 1);
}

#[tokio::test]
async fn an_original_is_fetched_by_its_principal_only() {
    let shared = Shared::new(Options {
        dedup: true,
        ..options()
    });
    let shared = shared.unwrap();
    let mut session = Session::new(&shared, "a");
    session.called(&rows()).await;
    let again = session.called(&rows()).await;
    let id = again.split("\"id\":\"").nth(1).unwrap();
    let id = id.split('"').next().unwrap();
    let call = format!(r#"{{"name":"bcp_fetch","arguments":{{"id":"{id}"}}}}"#);
    let own = session.answered("tools/call", &call, "{}").await;
    assert_eq!(text_of(&own), rows());
    let other = Session::new(&shared, "b")
        .answered("tools/call", &call, "{}")
        .await;
    assert!(text_of(&other).contains("no original"), "{other}");
}
