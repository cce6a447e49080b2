use super::*;
use crate::factory::Shared;
use crate::level::tests::schemas;
use crate::options::ToolListOptions;
use proptest::prelude::*;

const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string","description":"Where"}},"required":["path"]}"#;

fn tools() -> String {
    format!(
        r#"{{"name":"read","description":"Reads a file. At once.","inputSchema":{SCHEMA},"annotations":{{"a": 1.0}}}},{{"name":"ping","inputSchema":{{"type":"object"}}}}"#
    )
}

fn layer(choice: Choice) -> ToolListLayer {
    let options = ToolListOptions {
        choice,
        ..ToolListOptions::default()
    };
    ToolListLayer::new(Arc::new(Shared::new(options)))
}

fn message(text: &str) -> Message {
    Message::parse(text.to_owned().into()).unwrap()
}

fn request(id: u32, method: &str, params: &str) -> Message {
    message(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
    ))
}

fn call(id: u32, name: &str, arguments: &str) -> Message {
    request(
        id,
        "tools/call",
        &format!(r#"{{"name":"{name}","arguments":{arguments}}}"#),
    )
}

fn answer_to(id: u32, result: &str) -> Message {
    message(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
    ))
}

/// What a message becomes, and whether it goes on in its direction.
async fn sent(layer: &mut ToolListLayer, way: Way, msg: Message) -> (String, bool) {
    match layer.on(way, Envelope::new(msg), Instant::now()) {
        Verdict::Pass(envelope) => (envelope.msg.text(), true),
        Verdict::Back(envelope) => (envelope.msg.text(), false),
        Verdict::Detour(later) => (later.await.msg.text(), true),
        Verdict::BackLater(later) => (later.await.msg.text(), false),
        Verdict::Many(_) | Verdict::Drop => panic!("one message"),
    }
}

/// The result that the client gets for a list of these tools.
async fn listed(layer: &mut ToolListLayer, tools: &str) -> String {
    let ask = request(1, "tools/list", "{}");
    let (passed, onwards) = sent(layer, Way::ToBack, ask.clone()).await;
    assert!(onwards && passed == ask.text());
    let answer = answer_to(1, &format!(r#"{{"tools":[{tools}],"x":1.50}}"#));
    let (shown, onwards) = sent(layer, Way::ToFront, answer).await;
    assert!(onwards);
    message(&shown).body().unwrap().text().to_owned()
}

fn text_of(answer: &str) -> String {
    let answer = message(answer);
    let content = answer.body().unwrap().get("content").unwrap();
    let first = content.elements().next().unwrap();
    first.get("text").unwrap().as_str().unwrap().into_owned()
}

#[tokio::test]
async fn a_list_gets_shorter_and_the_rest_of_it_stays() {
    let mut layer = layer(Choice::Thin);
    let shown = listed(&mut layer, &tools()).await;
    assert!(
        shown.starts_with(r#"{"tools":[{"name":"read","description":"Reads a file.","inputSchema":{"type":"object"},"annotations":{"a": 1.0}},{"name":"ping","inputSchema":{"type":"object"}},{"name":"tool_details","#),
        "{shown}"
    );
    assert!(shown.ends_with(r#"],"x":1.50}"#), "{shown}");
}

#[tokio::test]
async fn the_same_list_has_the_same_bytes_in_every_session() {
    let shared = Arc::new(Shared::new(ToolListOptions {
        choice: Choice::Auto,
        budget: 60,
        ..ToolListOptions::default()
    }));
    let mut first = None;
    for _ in 0..3 {
        let mut layer = ToolListLayer::new(shared.clone());
        let shown = listed(&mut layer, &tools()).await;
        assert_eq!(first.get_or_insert(shown.clone()), &shown);
    }
}

#[tokio::test]
async fn arguments_that_fit_reach_the_server_byte_for_byte() {
    let mut layer = layer(Choice::Thin);
    listed(&mut layer, &tools()).await;
    for (name, arguments) in [
        (
            "read",
            r#"{ "path" : "\u0041", "n":18446744073709551616, "path":"x"}"#,
        ),
        ("ping", r#"{"any": [ ]}"#),
        ("other", "7"),
    ] {
        let call = call(2, name, arguments);
        let passed = sent(&mut layer, Way::ToBack, call.clone()).await;
        assert_eq!(passed, (call.text(), true));
    }
}

proptest! {
    #[test]
    fn whatever_fits_the_server_s_schema_reaches_it_byte_for_byte(schema in schemas(), value in schemas()) {
        let schema = serde_json::json!({"properties": {"a": schema}, "description": "long and long and long"});
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let tool = format!(r#"{{"name":"t","inputSchema":{schema}}}"#);
        let call = call(2, "t", &format!(r#"{{ "a":{value} }}"#));
        let passed = runtime.block_on(async {
            let mut layer = layer(Choice::Thin);
            listed(&mut layer, &tool).await;
            sent(&mut layer, Way::ToBack, call.clone()).await
        });
        let fits = linkspan_schema::Schema::new(&schema)
            .is_ok_and(|real| real.check(&serde_json::json!({"a": value})).is_empty());
        if fits {
            prop_assert_eq!(passed, (call.text(), true));
        }
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_answered_with_the_signature() {
    let mut layer = layer(Choice::Thin);
    listed(&mut layer, &tools()).await;
    let (answer, onwards) = sent(&mut layer, Way::ToBack, call(2, "read", "{}")).await;
    assert!(!onwards);
    let text = text_of(&answer);
    assert!(
        text.contains("read was not called") && text.contains("- path* string: Where"),
        "{text}"
    );
    assert!(
        answer.contains(r#""isError":true"#) && !answer.contains("resultType"),
        "{answer}"
    );
    let task = request(
        3,
        "tools/call",
        r#"{"name":"read","arguments":{},"task":{}}"#,
    );
    assert_eq!(
        sent(&mut layer, Way::ToBack, task.clone()).await,
        (task.text(), true)
    );
}

#[tokio::test]
async fn known_damage_is_repaired_and_nothing_else_changes() {
    let mut layer = layer(Choice::Brief);
    listed(&mut layer, &tools()).await;
    for damaged in [r#""{\"path\" : 1.0}""#, r#"{"args":{"path" : 1.0}}"#] {
        let damaged = damaged.replace(
            "1.0",
            if damaged.starts_with('"') {
                r#"\"x\""#
            } else {
                r#""x""#
            },
        );
        let call = request(
            2,
            "tools/call",
            &format!(r#"{{"_meta":{{"n": 1.0}},"name":"read","arguments":{damaged} }}"#),
        );
        let meant = call.text().replace(&damaged, r#"{"path" : "x"}"#);
        assert_eq!(sent(&mut layer, Way::ToBack, call).await, (meant, true));
    }
}

#[tokio::test]
async fn details_are_answered_without_the_server() {
    let mut layer = layer(Choice::Thin);
    listed(&mut layer, &tools()).await;
    let ask = call(2, "tool_details", r#"{"names":["read"]}"#);
    let (answer, onwards) = sent(&mut layer, Way::ToBack, ask).await;
    assert!(
        !onwards && text_of(&answer).starts_with("read\nReads a file. At once.\n"),
        "{answer}"
    );
}

#[tokio::test]
async fn details_in_a_new_session_fetch_the_list_first() {
    let mut layer = layer(Choice::Thin);
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
    let ask = request(
        5,
        "tools/call",
        &format!(r#"{{"name":"tool_details","arguments":{{"names":["read"]}},"_meta":{meta}}}"#),
    );
    let (fetch, onwards) = sent(&mut layer, Way::ToBack, ask).await;
    assert!(onwards);
    assert_eq!(
        fetch,
        format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{{"_meta":{meta}}}}}"#)
    );
    let list = answer_to(5, &format!(r#"{{"tools":[{}]}}"#, tools()));
    let (answer, onwards) = sent(&mut layer, Way::ToFront, list).await;
    assert!(
        onwards && text_of(&answer).starts_with("read\n"),
        "{answer}"
    );
    assert!(answer.contains(r#""resultType":"complete""#));
    let (_, onwards) = sent(&mut layer, Way::ToBack, call(6, "read", "{}")).await;
    assert!(!onwards, "the list is known now");
}

#[tokio::test]
async fn a_tool_of_the_server_with_the_name_of_ours_is_called() {
    let mut layer = layer(Choice::Thin);
    let ask = call(5, "tool_details", r#"{ "x":1}"#);
    sent(&mut layer, Way::ToBack, ask.clone()).await;
    let list = answer_to(
        5,
        &format!(r#"{{"tools":[{},{{"name":"tool_details"}}]}}"#, tools()),
    );
    assert_eq!(
        sent(&mut layer, Way::ToFront, list).await,
        (ask.text(), false)
    );
    assert_eq!(
        sent(&mut layer, Way::ToBack, ask.clone()).await,
        (ask.text(), true)
    );
    let ours = call(6, "linkspan_tool_details", r#"{"names":"read"}"#);
    assert!(!sent(&mut layer, Way::ToBack, ours).await.1);
}

#[tokio::test]
async fn calls_of_a_list_that_has_changed_pass_unchecked() {
    let mut layer = layer(Choice::Thin);
    listed(&mut layer, &tools()).await;
    let changed = message(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    assert!(sent(&mut layer, Way::ToFront, changed).await.1);
    assert!(sent(&mut layer, Way::ToBack, call(2, "read", "{}")).await.1);
}

#[tokio::test]
async fn a_list_that_changes_while_it_is_read_is_not_kept() {
    let mut layer = layer(Choice::Thin);
    sent(&mut layer, Way::ToBack, request(1, "tools/list", "{}")).await;
    layer.changed();
    let answer = answer_to(1, &format!(r#"{{"tools":[{}]}}"#, tools()));
    sent(&mut layer, Way::ToFront, answer).await;
    assert!(sent(&mut layer, Way::ToBack, call(2, "read", "{}")).await.1);
}

#[tokio::test]
async fn pages_become_one() {
    let mut layer = layer(Choice::Thin);
    sent(
        &mut layer,
        Way::ToBack,
        request(1, "tools/list", r#"{"_meta":{"p":1}}"#),
    )
    .await;
    let first =
        r#"{"tools":[{"name":"a"}],"nextCursor":"c\u0031","ttlMs":9,"cacheScope":"public"}"#;
    let (next, onwards) = sent(&mut layer, Way::ToFront, answer_to(1, first)).await;
    assert!(!onwards);
    assert_eq!(
        next,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"p":1},"cursor":"c\u0031"}}"#
    );
    let last = format!(
        r#"{{"tools":[{}],"ttlMs":5,"cacheScope":"private"}}"#,
        tools()
    );
    let (shown, onwards) = sent(&mut layer, Way::ToFront, answer_to(1, &last)).await;
    assert!(
        onwards && shown.contains(r#"{"tools":[{"name":"a"},{"name":"read""#),
        "{shown}"
    );
    assert!(
        shown.ends_with(r#""ttlMs":5,"cacheScope":"private"}}"#),
        "{shown}"
    );
}

#[tokio::test]
async fn a_page_that_the_client_asks_for_is_shortened_by_itself() {
    let mut layer = layer(Choice::Auto);
    sent(
        &mut layer,
        Way::ToBack,
        request(1, "tools/list", r#"{"cursor":"c"}"#),
    )
    .await;
    let page = answer_to(1, &format!(r#"{{"tools":[{}],"nextCursor":"d"}}"#, tools()));
    let (shown, onwards) = sent(&mut layer, Way::ToFront, page).await;
    assert!(
        onwards && shown.contains(r#""Reads a file.""#) && shown.ends_with(r#""nextCursor":"d"}}"#)
    );
    assert!(!shown.contains("tool_details"));
}

#[tokio::test]
async fn a_server_that_ignores_cursors_is_not_asked_for_ever() {
    let mut layer = layer(Choice::Thin);
    sent(&mut layer, Way::ToBack, request(1, "tools/list", "{}")).await;
    let page = answer_to(1, r#"{"tools":[{"name":"a"}],"nextCursor":"c"}"#);
    assert!(!sent(&mut layer, Way::ToFront, page.clone()).await.1);
    let (shown, onwards) = sent(&mut layer, Way::ToFront, page).await;
    assert!(
        onwards && shown.contains(r#"{"tools":[{"name":"a"}]}"#),
        "{shown}"
    );
}

#[tokio::test]
async fn a_list_that_is_too_long_is_passed_on_page_by_page() {
    let mut layer = layer(Choice::Thin);
    let ask = request(1, "tools/list", "{}");
    sent(&mut layer, Way::ToBack, ask.clone()).await;
    let many: Vec<String> = (0..20_001)
        .map(|at| format!(r#"{{"name":"t{at}"}}"#))
        .collect();
    let page = answer_to(1, &format!(r#"{{"tools":[{}]}}"#, many.join(",")));
    assert_eq!(
        sent(&mut layer, Way::ToFront, page.clone()).await,
        (ask.text(), false)
    );
    assert_eq!(
        sent(&mut layer, Way::ToFront, page.clone()).await,
        (page.text(), true)
    );
}

#[tokio::test]
async fn a_client_that_defers_definitions_is_left_alone() {
    let mut layer = layer(Choice::Auto);
    let hello = request(
        0,
        "initialize",
        r#"{"clientInfo":{"name":"claude-code","version":"3"}}"#,
    );
    sent(&mut layer, Way::ToBack, hello).await;
    let shown = listed(&mut layer, &tools()).await;
    assert_eq!(shown, format!(r#"{{"tools":[{}],"x":1.50}}"#, tools()));
    assert!(sent(&mut layer, Way::ToBack, call(2, "read", "{}")).await.1);
}

#[tokio::test]
async fn a_hidden_tool_is_called_through_ours_and_by_its_name() {
    let mut layer = layer(Choice::Search);
    listed(&mut layer, &tools()).await;
    let ask = request(
        2,
        "tools/call",
        r#"{"name":"call_tool","arguments":{"name":"read","arguments":{ "path":"x" }},"_meta":{"progressToken":1.0}}"#,
    );
    let onward = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","_meta":{"progressToken":1.0},"arguments":{ "path":"x" }}}"#;
    assert_eq!(
        sent(&mut layer, Way::ToBack, ask.clone()).await,
        (onward.to_owned(), true)
    );
    let direct = call(3, "read", r#"{"path":"x"}"#);
    assert_eq!(
        sent(&mut layer, Way::ToBack, direct.clone()).await,
        (direct.text(), true)
    );
    for (inner, part) in [
        (r#"{"name":"read","arguments":{}}"#, "read was not called"),
        (
            r#"{"name":"reed","arguments":{}}"#,
            "the nearest name is read",
        ),
        ("{}", "no tool"),
    ] {
        let (answer, onwards) = sent(&mut layer, Way::ToBack, call(4, "call_tool", inner)).await;
        assert!(!onwards && text_of(&answer).contains(part), "{answer}");
    }
    // In a new session the list is fetched first.
    let mut new = super::tests::layer(Choice::Search);
    sent(&mut new, Way::ToBack, ask).await;
    let list = answer_to(2, &format!(r#"{{"tools":[{}]}}"#, tools()));
    assert_eq!(
        sent(&mut new, Way::ToFront, list).await,
        (onward.to_owned(), false)
    );
}

#[tokio::test]
async fn a_cancelled_list_is_forgotten() {
    let mut layer = layer(Choice::Thin);
    sent(&mut layer, Way::ToBack, request(1, "tools/list", "{}")).await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    sent(&mut layer, Way::ToBack, message(cancel)).await;
    assert!(layer.open.is_empty());
}

#[tokio::test]
async fn an_error_passes() {
    let mut layer = layer(Choice::Thin);
    sent(&mut layer, Way::ToBack, request(1, "tools/list", "{}")).await;
    let error = message(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#);
    assert_eq!(
        sent(&mut layer, Way::ToFront, error.clone()).await,
        (error.text(), true)
    );
    assert!(layer.open.is_empty());
}
