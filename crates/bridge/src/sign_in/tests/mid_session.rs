//! A sign-in that becomes necessary after the handshake, for a legacy client or behind the translation.

use super::*;

const ACCEPT: &str = r#"{"jsonrpc":"2.0","id":"linkspan-sign-in-1","result":{"action":"accept"}}"#;
const DECLINE: &str =
    r#"{"jsonrpc":"2.0","id":"linkspan-sign-in-1","result":{"action":"decline"}}"#;
const CANNOT: &str =
    r#"{"jsonrpc":"2.0","id":"linkspan-sign-in-1","error":{"code":-32601,"message":"no"}}"#;
const SECOND: Duration = Duration::from_secs(1);

/// A session whose handshake needed no sign-in.
fn through(open: &str) -> World {
    let mut world = World::new();
    world.client(open);
    world.server(OPENED);
    world.client(READY);
    world
}

/// A client that has been asked in the course of its request with the id 2.
fn asked() -> World {
    let mut world = through(OPEN_PAGES);
    world.client(&request(2, "tools/list"));
    world.account.asks(false);
    assert_eq!(world.after(SECOND).len(), 1);
    world
}

fn result(id: u64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
}

fn not_signed_in(id: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32000,"message":"h wants a sign-in","data":{{"kind":"not_signed_in","hint":"x"}}}}}}"#
    )
}

#[test]
fn a_client_that_shows_pages_is_asked_while_a_request_waits() {
    let mut world = through(OPEN_PAGES);
    let list = request(2, "tools/list");
    assert_eq!(world.client(&list), [format!(">{list}")]);
    assert!(world.after(SECOND).is_empty());
    world.account.asks(false);
    let question = world.after(SECOND);
    assert_eq!(question.len(), 1, "{question:?}");
    assert!(question[0].contains(r#""mode":"url""#), "{question:?}");
    assert!(question[0].contains("https://as/page"), "{question:?}");
    assert!(question[0].contains(r#""elicitationId":"linkspan-sign-in-1""#));
}

#[test]
fn it_is_asked_once_for_each_prompt() {
    let mut world = asked();
    world.client(ACCEPT);
    assert!(world.after(SECOND * 60).is_empty());
    // It disappears for a moment, as that of another process may.
    world.account.is_done();
    world.after(SECOND);
    world.account.asks(false);
    assert!(world.after(SECOND).is_empty());
    world.account.asks_for("https://as/other", false);
    let again = world.after(SECOND);
    assert!(again[0].contains("https://as/other"), "{again:?}");
    assert!(again[0].contains("linkspan-sign-in-2"), "{again:?}");
}

#[test]
fn no_answer_to_a_question_of_ours_reaches_the_server() {
    for answer in [ACCEPT, DECLINE, CANNOT] {
        let mut world = asked();
        assert!(world.client(answer).is_empty(), "{answer}");
        // Nor one that comes twice, or after the end.
        world.account.is_signed_in();
        world.after(SECOND);
        assert!(world.client(answer).is_empty(), "{answer}");
    }
}

#[test]
fn answers_to_questions_of_the_server_pass() {
    let mut world = asked();
    for id in ["7", r#""linkspan-sign-in-9""#] {
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        assert_eq!(world.client(&answer), [format!(">{answer}")]);
    }
}

#[test]
fn a_client_whose_requests_do_not_wait_is_not_asked() {
    let mut world = through(OPEN_PAGES);
    world.account.asks(false);
    assert!(world.after(SECOND).is_empty());
    world.client(&request(2, "tools/list"));
    world.server(&result(2));
    assert!(world.after(SECOND).is_empty());
    world.client(&request(3, "tools/list"));
    world
        .client(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#);
    assert!(world.after(SECOND).is_empty());
}

#[test]
fn a_client_is_not_asked_about_a_page_that_a_browser_shows_or_that_it_cannot_show() {
    for (open, opened) in [(OPEN_PAGES, true), (OPEN, false)] {
        let mut world = through(open);
        world.client(&request(2, "tools/list"));
        world.account.asks(opened);
        assert!(world.after(SECOND * 60).is_empty(), "{open}");
        assert_eq!(world.account.patience(), Some(PATIENCE));
    }
}

#[test]
fn requests_wait_as_long_as_there_is_hope() {
    let mut world = World::new();
    world.client(OPEN_PAGES);
    // The client is answered in the server's place instead.
    assert_eq!(world.account.patience(), None);
    world.server(OPENED);
    assert_eq!(world.account.patience(), Some(PATIENCE));
    for (answer, patience) in [
        (None, Some(CALL)),
        (Some(ACCEPT), None),
        (Some(DECLINE), Some(PATIENCE)),
        (Some(CANNOT), Some(PATIENCE)),
    ] {
        let mut world = asked();
        answer.map(|answer| world.client(answer));
        assert_eq!(world.account.patience(), patience, "{answer:?}");
        world.account.is_signed_in();
        world.after(SECOND);
        assert_eq!(world.account.patience(), Some(PATIENCE), "{answer:?}");
    }
}

#[test]
fn the_client_hears_of_the_end_of_its_question() {
    let complete = r#"<{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"linkspan-sign-in-1"}}"#;
    let mut world = asked();
    world.client(ACCEPT);
    world.account.is_signed_in();
    assert_eq!(world.after(SECOND), [complete]);
    // The person went another way: the question is taken back.
    let mut world = asked();
    world.account.is_signed_in();
    let end = world.after(SECOND);
    assert_eq!(end[0], complete);
    assert!(
        end[1].contains(r#""requestId":"linkspan-sign-in-1""#),
        "{end:?}"
    );
    // Neither of them, if it was declined or has failed.
    let mut world = asked();
    world.client(DECLINE);
    world.account.is_signed_in();
    assert!(world.after(SECOND).is_empty());
    let mut world = asked();
    world.client(ACCEPT);
    world.account.is_done();
    assert!(world.after(SECOND).is_empty());
}

#[test]
fn there_are_codes_for_another_device_where_the_client_cannot_be_asked() {
    let mut world = World::new();
    world.client(OPEN_PAGES);
    let account = world.account.clone();
    assert_eq!(account.client_shows_pages(), Some(true));
    world.server(OPENED);
    assert_eq!(account.client_shows_pages(), Some(false));
    world.client(&request(2, "tools/list"));
    assert_eq!(account.client_shows_pages(), Some(true));
    world.server(&result(2));
    assert_eq!(account.client_shows_pages(), Some(false));
    world.client(&request(3, "tools/list"));
    drop(world);
    assert_eq!(account.client_shows_pages(), Some(false));
    assert_eq!(account.patience(), None);
}

#[test]
fn a_client_whose_request_failed_hears_of_the_sign_in_once() {
    let mut world = through(OPEN);
    world.client(&request(2, "tools/list"));
    world.account.asks(false);
    let fault = not_signed_in(2);
    assert_eq!(world.server(&fault), [format!("<{fault}")]);
    assert!(world.after(SECOND * 60).is_empty());
    world.account.is_signed_in();
    let news = world.after(SECOND);
    assert_eq!(news.len(), 3, "{news:?}");
    assert!(
        news[0].contains("notifications/tools/list_changed"),
        "{news:?}"
    );
    assert!(world.after(SECOND * 60).is_empty());
    assert_eq!(world.layer.next_wake(), None);
    // Not of one that failed: the lists would begin the next one.
    world.account.asks(false);
    world.server(&not_signed_in(3));
    world.account.is_done();
    assert!(world.after(SECOND * 60).is_empty());
    assert_eq!(world.layer.next_wake(), None);
}

#[test]
fn behind_the_translation_a_client_is_asked_in_the_course_of_a_call() {
    let account = Account::default();
    let mut world = World {
        layer: SignInLayer::translated(account.clone()),
        account,
        now: Instant::now(),
    };
    world.client(OPEN_PAGES);
    assert_eq!(world.account.client_shows_pages(), Some(false));
    world.server(OPENED);
    world.client(READY);
    world.client(&request(2, "tools/list"));
    world.account.asks(false);
    assert!(world.after(SECOND).is_empty());
    assert_eq!(world.account.client_shows_pages(), Some(false));
    world.client(&call(3));
    assert_eq!(world.account.client_shows_pages(), Some(true));
    world.now += SECOND;
    let asked = world.layer.on_time(world.now);
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].1.about, Some(Id::number(3)));
    // Its client is not kept waiting.
    assert_eq!(world.account.patience(), None);
    // No message of its era tells a modern client about the end of a question that it has answered.
    world.client(ACCEPT);
    world.account.is_signed_in();
    assert!(world.after(SECOND).is_empty());
}

#[test]
fn behind_the_translation_a_client_is_asked_when_it_calls_the_tool_instead_of_the_server() {
    let account = Account::default();
    let mut world = World {
        layer: SignInLayer::answering_at_once(account.clone()),
        account,
        now: Instant::now(),
    };
    world.client(OPEN_PAGES);
    world.account.asks(false);
    assert_eq!(world.after(SECOND).len(), 1);
    world.client(READY);
    assert!(world.after(SECOND).is_empty());
    assert_eq!(world.account.client_shows_pages(), Some(false));
    world.client(&call(2));
    assert_eq!(world.account.client_shows_pages(), Some(true));
    world.now += SECOND;
    let asked = world.layer.on_time(world.now);
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].1.about, Some(Id::number(2)));
    assert!(world.client(ACCEPT).is_empty());
}
