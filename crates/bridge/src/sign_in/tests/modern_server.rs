//! A modern client of a modern server, for which a sign-in becomes necessary in mid-session.

use linkspan_mcp::era::PARK;

use super::*;

const SECOND: Duration = Duration::from_secs(1);
const STATE: &str = r#""requestState":"linkspan-sign-in-1","#;

type Modern = World<ModernSignInLayer<Account>>;

fn world() -> Modern {
    let account = Account::default();
    World {
        layer: ModernSignInLayer::new(account.clone()),
        account,
        now: Instant::now(),
    }
}

fn asks(id: u64, method: &str, params: &str, capabilities: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}"name":"t","_meta":{{"progressToken":{id},"io.modelcontextprotocol/clientCapabilities":{capabilities}}}}}}}"#
    )
}

/// A call of a client that shows pages.
fn page_call(id: u64, params: &str) -> String {
    asks(id, "tools/call", params, r#"{"elicitation":{"url":{}}}"#)
}

fn reply(id: u64, action: &str) -> String {
    let responses =
        format!(r#"{STATE}"inputResponses":{{"linkspan-sign-in-1":{{"action":"{action}"}}}},"#);
    page_call(id, &responses)
}

fn answer(id: u64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","content":[]}}}}"#)
}

fn not_signed_in(id: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32000,"message":"h","data":{{"kind":"not_signed_in"}}}}}}"#
    )
}

/// A client whose call with the id 1 was answered with the question.
fn asked() -> Modern {
    let mut world = world();
    let call = page_call(1, "");
    assert_eq!(world.client(&call), [format!(">{call}")]);
    world.account.asks(false);
    let question = world.after(SECOND);
    assert_eq!(question.len(), 1, "{question:?}");
    assert!(
        question[0]
            .starts_with(r#"<{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required""#)
    );
    assert!(
        question[0].contains(r#""method":"elicitation/create""#),
        "{question:?}"
    );
    assert!(
        question[0].contains(r#""url":"https://as/page""#),
        "{question:?}"
    );
    assert!(
        question[0].contains(r#""requestState":"linkspan-sign-in-1""#),
        "{question:?}"
    );
    world
}

#[test]
fn the_call_goes_on_once_and_is_answered_once() {
    let mut world = asked();
    assert!(
        world.client(&reply(2, "accept")).is_empty(),
        "it runs already"
    );
    assert_eq!(world.account.patience(), None);
    world.account.is_signed_in();
    assert!(world.after(SECOND).is_empty());
    assert_eq!(world.server(&answer(1)), [format!("<{}", answer(2))]);
    assert_eq!(world.account.patience(), Some(PATIENCE));
    assert!(world.after(SECOND).is_empty());
    assert_eq!(world.layer.next_wake(), None);
}

#[test]
fn an_answer_that_comes_before_the_client_waits_for_it() {
    let mut world = asked();
    world.account.is_signed_in();
    assert!(world.server(&answer(1)).is_empty());
    assert_eq!(
        world.client(&reply(2, "accept")),
        [format!("<{}", answer(2))]
    );
    // And only once.
    let again = world.client(&reply(3, "accept"));
    assert!(
        again[0].contains("requestState is not known here"),
        "{again:?}"
    );
}

#[test]
fn a_call_that_has_not_run_is_sent_when_its_client_comes_back() {
    let mut world = asked();
    assert!(world.server(&not_signed_in(1)).is_empty());
    let sent = world.client(&reply(2, "accept"));
    let first = page_call(1, "").replace(r#""id":1,"#, r#""id":2,"#);
    assert_eq!(
        sent,
        [format!(">{first}")],
        "without the answer to our question"
    );
    assert_eq!(world.server(&answer(2)), [format!("<{}", answer(2))]);
}

#[test]
fn a_client_that_declines_after_the_end_hears_how_it_ended() {
    let mut world = asked();
    world.server(&not_signed_in(1));
    let fault = world.client(&reply(2, "decline"));
    assert_eq!(fault, [format!("<{}", not_signed_in(2))]);
}

#[test]
fn a_client_that_declines_is_not_asked_again() {
    let mut world = asked();
    assert!(world.client(&reply(2, "decline")).is_empty());
    assert_eq!(world.account.patience(), Some(PATIENCE));
    assert!(world.after(SECOND * 60).is_empty());
    let fault = world.server(&not_signed_in(1));
    assert!(
        fault[0].starts_with(r#"<{"jsonrpc":"2.0","id":2,"error""#),
        "{fault:?}"
    );
    // The next call meets the same prompt.
    world.client(&page_call(3, ""));
    assert!(world.after(SECOND * 60).is_empty());
}

#[test]
fn a_new_prompt_is_a_new_question() {
    let mut world = asked();
    world.client(&reply(2, "accept"));
    world.account.asks_for("https://as/other", false);
    let again = world.after(SECOND);
    assert!(
        again[0].starts_with(r#"<{"jsonrpc":"2.0","id":2,"result""#),
        "{again:?}"
    );
    assert!(again[0].contains("linkspan-sign-in-2"), "{again:?}");
    let back = reply(3, "accept").replace("sign-in-1", "sign-in-2");
    assert!(world.client(&back).is_empty());
    assert_eq!(world.server(&answer(1)), [format!("<{}", answer(3))]);
}

#[test]
fn another_request_does_not_get_the_answer_of_a_parked_one() {
    let mut world = asked();
    let other = reply(2, "accept").replace(r#""name":"t""#, r#""name":"u""#);
    assert!(world.client(&other)[0].contains("belongs to another request"));
    // What the server gave as its state is not ours.
    let theirs = page_call(3, r#""requestState":"linkspan-sign-in-7","#);
    assert_eq!(world.client(&theirs), [format!(">{theirs}")]);
}

#[test]
fn what_cannot_be_asked_is_not_asked() {
    for request in [
        asks(1, "tools/list", "", r#"{"elicitation":{"url":{}}}"#),
        asks(1, "tools/call", "", r#"{"elicitation":{}}"#),
        page_call(1, r#""requestState":"theirs","#),
        page_call(1, r#""inputResponses":{},"#),
    ] {
        let mut world = world();
        assert_eq!(world.client(&request), [format!(">{request}")]);
        assert_eq!(world.account.client_shows_pages(), Some(false), "{request}");
        world.account.asks(false);
        assert!(world.after(SECOND * 60).is_empty(), "{request}");
        assert_eq!(world.account.patience(), Some(PATIENCE));
    }
}

#[test]
fn the_account_is_told_whether_the_client_can_be_asked() {
    let mut world = asked();
    let account = world.account.clone();
    assert_eq!(account.client_shows_pages(), Some(false), "it is elsewhere");
    world.client(&reply(2, "accept"));
    assert_eq!(account.client_shows_pages(), Some(true));
    world.server(&answer(1));
    assert_eq!(account.client_shows_pages(), Some(false));
    world.client(&page_call(3, ""));
    drop(world);
    assert_eq!(account.client_shows_pages(), Some(false));
    assert_eq!(account.patience(), None);
}

#[test]
fn a_client_that_does_not_come_back_or_cancels_ends_the_call() {
    let mut world = asked();
    let cancelled = world.after(PARK + SECOND);
    assert_eq!(cancelled.len(), 1, "{cancelled:?}");
    assert!(cancelled[0].starts_with('>') && cancelled[0].contains(r#""requestId":1"#));
    let mut world = asked();
    world.client(&reply(2, "accept"));
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    let cancelled = world.client(cancel);
    assert!(cancelled[0].starts_with('>') && cancelled[0].contains(r#""requestId":1"#));
    assert_eq!(world.client(cancel), [format!(">{cancel}")]);
}

#[test]
fn progress_goes_to_the_request_that_waits_now() {
    let progress = |token: u64| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":1}}}}"#
        )
    };
    let mut world = asked();
    assert!(world.server(&progress(1)).is_empty());
    world.client(&reply(2, "accept"));
    assert_eq!(world.server(&progress(1)), [format!("<{}", progress(2))]);
    assert_eq!(world.server(&progress(9)), [format!("<{}", progress(9))]);
}
