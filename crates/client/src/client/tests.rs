//! The client against a server in memory.

use std::sync::Mutex;

use linkspan_wire::RpcError;

use super::*;
use crate::list::List;

/// A server that answers every request depending on its method and parameters.
fn server(answer: impl Fn(&Message) -> Result<String, RpcError> + Send + 'static) -> Port {
    let (port, mut end) = Port::pair("server", 8);
    tokio::spawn(async move {
        while let Some(Outbound::One(envelope)) = end.rx.recv().await {
            let Some(id) = envelope.msg.id() else {
                continue;
            };
            let msg = match answer(&envelope.msg) {
                Ok(result) => Message::result(&id, &result),
                Err(error) => error.answer(&id),
            };
            let _ = end.tx.send(Inbound::Message(Envelope::new(msg))).await;
        }
    });
    port
}

fn refused(msg: &Message) -> Result<String, RpcError> {
    Err(RpcError::method_not_found(&msg.method()))
}

/// A call may take an hour; the first answer has a shorter timeout.
#[tokio::test(start_paused = true)]
async fn the_first_answer_has_a_limit_of_its_own() {
    let hour = Duration::from_secs(3600);
    let (port, _end) = Port::pair("silent", 8);
    let mut client = Client::new(port, Some(hour));
    let begun = tokio::time::Instant::now();
    let error = client.open().await.unwrap_err();
    assert_eq!(error.to_string(), "`silent` did not answer within 30 s");
    assert!(matches!(error, ClientError::NoFirstAnswer { .. }));
    assert!(begun.elapsed() < FIRST_ANSWER * 2);
}

#[tokio::test(start_paused = true)]
async fn the_user_sets_the_timeout_of_the_first_answer() {
    let (port, _end) = Port::pair("silent", 8);
    let wanted = Duration::from_secs(120);
    let mut client = Client::new(port, Some(wanted)).patient(Some(wanted));
    let error = client.open().await.unwrap_err();
    assert_eq!(error.to_string(), "`silent` did not answer within 120 s");
}

#[tokio::test]
async fn a_refused_handshake_is_followed_by_discover() {
    let port = server(|msg| match &*msg.method() {
        names::DISCOVER => Ok("{}".to_owned()),
        _ => refused(msg),
    });
    let mut client = Client::new(port, None);
    client.open().await.unwrap();
    assert!(client.is_modern());
}

#[tokio::test]
async fn a_server_of_neither_era_gives_the_refusal_of_the_handshake() {
    let mut client = Client::new(server(refused), None);
    let error = client.open().await.unwrap_err();
    let ClientError::Refused { method, code, .. } = error else {
        panic!("{error}");
    };
    assert_eq!((&*method, &*code), (names::INITIALIZE, "-32601"));
}

#[tokio::test]
async fn a_command_that_repeats_its_input_is_no_server() {
    let (port, mut end) = Port::pair("cat", 8);
    tokio::spawn(async move {
        while let Some(Outbound::One(envelope)) = end.rx.recv().await {
            let _ = end.tx.send(Inbound::Message(envelope)).await;
        }
    });
    let error = Client::new(port, None).open().await.unwrap_err();
    assert!(matches!(error, ClientError::Echo(name) if name == "cat"));
}

/// Records the warnings.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl Observer for Warnings {
    fn shows_progress(&self) -> bool {
        false
    }

    fn begin(&mut self, _: String) {}

    fn progress(&mut self, _: &str) {}

    fn tick(&mut self) {}

    fn clear(&mut self) {}

    fn warn(&mut self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

#[tokio::test]
async fn a_list_ends_with_a_warning_at_a_repeated_cursor() {
    let port = server(|_| Ok(r#"{"tools":[{"name":"a"}],"nextCursor":"x"}"#.to_owned()));
    let warnings = Warnings::default();
    let mut client = Client::new(port, None).observed(warnings.clone());
    let list = List::fetch(&mut client, names::TOOLS_LIST, "tools").await;
    assert_eq!(list.unwrap().items().count(), 1, "the page came twice");
    let warnings = warnings.0.lock().unwrap();
    assert_eq!(
        *warnings,
        [
            "the server answers `tools/list` with the `nextCursor` \"x\" again; the list may not be complete"
        ]
    );
}

/// Presses Enter.
struct Accepting;

impl Person for Accepting {
    fn say(&self, _: &str) {}

    fn read_line(&self) -> Option<String> {
        Some(String::new())
    }
}

/// Requests input for every result until it gets the answer `{"k":{"action":"accept",…}}`.
fn asking() -> Port {
    server(|msg| {
        let params = msg.params();
        let action = params.and_then(|p| p.path(&["inputResponses", "k", "action"])?.as_str());
        Ok(match action.as_deref() {
            Some("accept") => r#"{"resultType":"complete"}"#,
            _ => r#"{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"?"}}}}"#,
        }
        .to_owned())
    })
}

#[tokio::test]
async fn the_user_answers_the_input_request_of_a_modern_result() {
    let mut client = Client::new(asking(), None).asking(Some(Arc::new(Accepting)));
    let answer = client.ask_through(names::TOOLS_CALL, "{}").await.unwrap();
    assert!(answer.text().contains("complete"), "{}", answer.text());
}

#[tokio::test]
async fn an_input_request_without_a_user_is_an_error() {
    let mut client = Client::new(asking(), None);
    let error = client.ask_through(names::TOOLS_CALL, "{}").await;
    assert!(matches!(
        error,
        Err(ClientError::CannotAnswer(method)) if method == "elicitation/create"
    ));
}

#[tokio::test(start_paused = true)]
async fn progress_restarts_the_timeout_of_a_call() {
    let (port, mut end) = Port::pair("slow", 8);
    let limit = Duration::from_millis(500);
    tokio::spawn(async move {
        while let Some(Outbound::One(asked)) = end.rx.recv().await {
            let Some(id) = asked.msg.id() else {
                continue;
            };
            let progress = r#"{"progressToken":1,"progress":1}"#;
            for _ in 0..8 {
                tokio::time::sleep(limit / 2).await;
                let note = Message::notification(names::PROGRESS, Some(progress));
                let _ = end.tx.send(Inbound::Message(Envelope::new(note))).await;
            }
            if asked.msg.text().contains("silent") {
                continue;
            }
            let answer = Message::result(&id, r#"{"at":"last"}"#);
            let _ = end.tx.send(Inbound::Message(Envelope::new(answer))).await;
        }
    });
    let mut client = Client::new(port, Some(limit));
    let call = client.ask(names::TOOLS_CALL, Some(r#"{"name":"slow"}"#));
    assert!(call.await.unwrap().text().contains("last"));
    let begun = tokio::time::Instant::now();
    let call = client.ask(names::TOOLS_CALL, Some(r#"{"name":"silent"}"#));
    let error = call.await.unwrap_err();
    assert!(matches!(
        error,
        ClientError::Fault(Fault::Timeout { after }) if after == limit
    ));
    assert_eq!(
        begun.elapsed(),
        limit * 5,
        "the last progress and the limit"
    );
}
