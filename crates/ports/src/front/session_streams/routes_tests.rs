//! Tests of `routes.rs`.

use super::*;

fn request(id: &str, token: Option<&str>) -> Message {
    let params = token.map(|token| format!(r#"{{"_meta":{{"progressToken":{token}}}}}"#));
    let id = Id::parse(Json::parse(id).unwrap()).unwrap();
    Message::request(&id, "tools/call", params.as_deref())
}

fn one(msg: Message) -> Outbound {
    Outbound::One(Envelope::new(msg))
}

fn answer(id: u64) -> Outbound {
    one(Message::result(&Id::number(id), "{}"))
}

fn note(method: &str, params: &str) -> Outbound {
    one(Message::notification(method, Some(params)))
}

fn posts(list: &[(u32, &str)]) -> Routes {
    let mut routes = Routes::default();
    for (number, id) in list {
        let request = request(id, Some(&format!("\"of {id}\"")));
        routes.open(*number, &[&request], false, None).unwrap();
    }
    routes
}

#[test]
fn an_answer_goes_to_its_post_and_is_the_last_there() {
    let mut routes = posts(&[(1, "7"), (2, "8")]);
    assert_eq!(routes.route(&answer(8)), Route::Last(2));
    assert_eq!(routes.route(&answer(8)), Route::Nowhere);
    assert_eq!(routes.route(&answer(7)), Route::Last(1));
    assert_eq!(routes.owed(), 0);
}

#[test]
fn an_id_in_flight_is_not_taken_twice() {
    let mut routes = posts(&[(1, "7")]);
    let again = routes.open(2, &[&request("7", None)], false, None);
    assert_eq!(again.unwrap_err().text(), "7");
    assert!(
        routes
            .open(2, &[&request(r#""7""#, None)], false, None)
            .is_ok()
    );
}

#[test]
fn messages_of_a_request_go_to_its_post() {
    let mut routes = posts(&[(1, "7"), (2, "8")]);
    routes.listening = true;
    let about = Outbound::One(Envelope {
        about: Some(Id::number(7)),
        ..Envelope::new(Message::notification("notifications/x", None))
    });
    assert_eq!(routes.route(&about), Route::To(1));
    let progress = note(names::PROGRESS, r#"{"progressToken":"of 8","progress":1}"#);
    assert_eq!(routes.route(&progress), Route::To(2));
    routes.route(&answer(8));
    assert_eq!(routes.route(&progress), Route::To(STANDING));
}

#[test]
fn a_question_goes_to_the_only_call_that_can_have_caused_it() {
    let question = one(Message::request(&Id::number(1), "roots/list", None));
    let changed = note("notifications/tools/list_changed", "{}");
    let logged = note(LOG_MESSAGE, "{}");
    let mut routes = posts(&[(1, "7")]);
    routes.listening = true;
    assert_eq!(routes.route(&question), Route::To(1));
    assert_eq!(routes.route(&logged), Route::To(1));
    assert_eq!(routes.route(&changed), Route::To(STANDING));
    routes.open(2, &[&request("8", None)], false, None).unwrap();
    assert_eq!(routes.route(&question), Route::To(STANDING));
    assert_eq!(routes.route(&logged), Route::To(STANDING));
}

#[test]
fn without_a_standing_stream_the_newest_open_post_is_used() {
    let changed = note("notifications/tools/list_changed", "{}");
    let mut routes = posts(&[(1, "7"), (2, "8"), (3, "9")]);
    assert_eq!(routes.route(&changed), Route::To(3));
    routes.set_live(3, false);
    assert_eq!(routes.route(&changed), Route::To(2));
    routes.set_live(1, false);
    routes.set_live(2, false);
    assert_eq!(routes.route(&changed), Route::To(STANDING));
}

#[test]
fn a_question_goes_to_the_standing_stream_if_its_own_is_broken() {
    let question = one(Message::request(&Id::number(1), "roots/list", None));
    let mut routes = posts(&[(1, "7")]);
    routes.set_live(1, false);
    assert_eq!(routes.route(&question), Route::To(1));
    routes.listening = true;
    assert_eq!(routes.route(&question), Route::To(STANDING));
}

#[test]
fn the_answer_to_a_post_whose_stream_is_lost_is_dropped() {
    let mut routes = posts(&[(1, "7")]);
    routes.lose(1);
    assert_eq!(routes.owed(), 1);
    assert!(routes.open(2, &[&request("7", None)], false, None).is_err());
    assert_eq!(routes.route(&answer(7)), Route::Nowhere);
    assert_eq!(routes.owed(), 0);
}

#[test]
fn a_cancelled_request_is_not_waited_for() {
    let mut routes = posts(&[(1, "7")]);
    assert_eq!(routes.cancel(&Id::number(8)), None);
    assert_eq!(routes.cancel(&Id::number(7)), Some(1));
    assert_eq!(routes.route(&answer(7)), Route::Nowhere);
}

#[test]
fn a_batch_is_answered_by_an_array_or_refused_as_a_whole() {
    let (a, b) = (request("1", None), request("2", None));
    let mut routes = posts(&[(1, "7")]);
    routes.open(2, &[&a, &b], true, None).unwrap();
    let array = Outbound::Array(r#"[{"jsonrpc":"2.0","id":2,"result":{}}]"#.into());
    assert_eq!(routes.route(&array), Route::Last(2));
    assert_eq!(routes.owed(), 1);

    routes.open(3, &[&a, &b], true, None).unwrap();
    let refusal = linkspan_wire::RpcError::invalid_request("no").answer(&Id::null());
    assert_eq!(routes.route(&one(refusal)), Route::Last(3));
    assert_eq!(routes.owed(), 1);

    // The batch has no request, so its errors have no ids.
    routes.open(4, &[], true, None).unwrap();
    let errors = r#"[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}]"#;
    assert_eq!(
        routes.route(&Outbound::Array(errors.into())),
        Route::Last(4)
    );
}
