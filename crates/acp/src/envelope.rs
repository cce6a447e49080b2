//! The envelope for messages between a proxy and its successor, in every dialect.
//!
//! The message inside keeps its spelling; the other members of an envelope (`_meta`) are for one hop only and
//! are dropped.

use linkspan_wire::{Id, Json, JsonKind, Kind, Message, Object, RpcError, quote};

use crate::dialect::Dialect;
use crate::names;

/// The dialect whose envelope has this method.
pub(crate) fn dialect_of(method: &str) -> Option<Dialect> {
    match method {
        names::SUCCESSOR => Some(Dialect::Current),
        names::OLD_SUCCESSOR => Some(Dialect::Underscore),
        names::SYMPOSIUM_REQUEST | names::SYMPOSIUM_NOTIFICATION => Some(Dialect::Symposium),
        names::DRAFT_SEND_REQUEST
        | names::DRAFT_SEND_NOTIFICATION
        | names::DRAFT_RECEIVE_REQUEST
        | names::DRAFT_RECEIVE_NOTIFICATION => Some(Dialect::Draft),
        _ => None,
    }
}

/// The contents of an envelope.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The message for its receiver, with the envelope's id.
    pub(crate) msg: Message,
    /// The id of the message inside: the draft has one there too and expects it in the answer.
    pub(crate) inner: Option<Id>,
}

/// Takes the message out of an envelope.
pub(crate) fn open(msg: &Message, dialect: Dialect) -> Result<Opened, RpcError> {
    let params = msg.params();
    let within = match dialect {
        Dialect::Draft => params.and_then(|params| params.get("message")),
        _ => params,
    };
    let method = within.and_then(|within| within.get("method"));
    let Some(method) = method.filter(|method| method.kind() == JsonKind::String) else {
        return Err(no_method(params));
    };
    let inside = within.and_then(|within| within.get("params"));
    let inside = inside.filter(|params| params.kind() != JsonKind::Null);
    let spelled = Message::spelled(msg.id().as_ref(), method, inside);
    let Some(inner_msg) = spelled else {
        return Err(RpcError::new(-32602, "Invalid params")
            .with_data(quote("`params` must be an object or an array")));
    };
    let inner = match dialect {
        Dialect::Draft => within
            .and_then(|within| within.get("id"))
            .and_then(Id::parse),
        _ => None,
    };
    Ok(Opened {
        msg: inner_msg,
        inner,
    })
}

/// The official conductor's error for an envelope without a method.
fn no_method(params: Option<Json<'_>>) -> RpcError {
    let params = params.map_or("null", Json::text);
    RpcError::new(-32602, "Invalid params").with_data(format!(
        r#"{{"error":"missing field `method`","json":{params},"phase":"deserialization"}}"#
    ))
}

/// The direction of an envelope; only the draft spells the two differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Towards {
    /// From a conductor to a proxy: a message of the proxy's successor.
    Proxy,
    /// From a proxy to a conductor: a message for the proxy's successor.
    Conductor,
}

/// Puts a message into an envelope, under the message's own id.
pub(crate) fn wrap(msg: &Message, dialect: Dialect, towards: Towards) -> Message {
    let is_request = msg.id().is_some();
    let name = match (dialect, towards, is_request) {
        (Dialect::Current, _, _) => names::SUCCESSOR,
        (Dialect::Underscore, _, _) => names::OLD_SUCCESSOR,
        (Dialect::Symposium, _, true) => names::SYMPOSIUM_REQUEST,
        (Dialect::Symposium, _, false) => names::SYMPOSIUM_NOTIFICATION,
        (Dialect::Draft, Towards::Proxy, true) => names::DRAFT_RECEIVE_REQUEST,
        (Dialect::Draft, Towards::Proxy, false) => names::DRAFT_RECEIVE_NOTIFICATION,
        (Dialect::Draft, Towards::Conductor, true) => names::DRAFT_SEND_REQUEST,
        (Dialect::Draft, Towards::Conductor, false) => names::DRAFT_SEND_NOTIFICATION,
    };
    let inside = match dialect {
        Dialect::Draft => format!(r#"{{"message":{}}}"#, msg.text()),
        _ => {
            let method = msg.method_json().map_or("\"\"", Json::text);
            let params = msg.params().map(Json::text);
            let params = params.map_or_else(String::new, |text| format!(r#","params":{text}"#));
            format!(r#"{{"method":{method}{params}}}"#)
        }
    };
    match msg.id() {
        Some(id) => Message::request(&id, name, Some(&inside)),
        None => Message::notification(name, Some(&inside)),
    }
}

/// An answer in the draft's form: the whole message, with the id that the request had inside.
pub(crate) fn wrap_answer(answer: &Message, inner: &Id) -> Message {
    let id = answer.id().unwrap_or_else(Id::null);
    let whole = answer.clone().with_id(inner.clone()).text();
    Message::result(&id, &format!(r#"{{"message":{whole}}}"#))
}

/// The ordinary form of an answer in the draft's form; other answers stay unchanged.
pub(crate) fn unwrap_answer(answer: Message) -> Message {
    let inside = match answer.kind() {
        Kind::Result => answer.body().and_then(|result| result.get("message")),
        _ => None,
    };
    let Some(inside) = inside.filter(|inside| inside.get("jsonrpc").is_some()) else {
        return answer;
    };
    let id = answer.id().unwrap_or_else(Id::null);
    let taken = ["result", "error"].iter().find_map(|member| {
        let outcome = inside.get(member)?;
        Message::answer_spelled(&id, member, outcome)
    });
    taken.unwrap_or(answer)
}

/// The same message with another method.
pub(crate) fn renamed(msg: &Message, method: &str) -> Message {
    let params = msg.params().map(Json::text);
    match msg.id() {
        Some(id) => Message::request(&id, method, params),
        None => Message::notification(method, params),
    }
}

/// The same message with other parameters, given as JSON text.
pub(crate) fn with_params(msg: &Message, params: &str) -> Message {
    match msg.params() {
        Some(old) => msg.with_value(old, params),
        None => {
            let method = msg.method();
            match msg.id() {
                Some(id) => Message::request(&id, &method, Some(params)),
                None => Message::notification(&method, Some(params)),
            }
        }
    }
}

/// `object` with the value at `way` set to JSON text; missing objects are created.
pub(crate) fn set(object: Option<Json<'_>>, way: &[&str], json: &str) -> String {
    match way {
        [] => json.to_owned(),
        [key, rest @ ..] => {
            let members = Object::of(object);
            let inner = set(members.get(key), rest, json);
            members.with(key, &inner).text()
        }
    }
}

/// `object` without the member at the end of `way`, and without the objects that become empty.
pub(crate) fn unset(object: Json<'_>, way: &[&str]) -> String {
    match way {
        [] => object.text().to_owned(),
        [key] => Object::of(Some(object)).without(&[key]).text(),
        [key, rest @ ..] => {
            let members = Object::of(Some(object));
            match members.get(key) {
                None => object.text().to_owned(),
                Some(inner) => match &*unset(inner, rest) {
                    "{}" => members.without(&[key]).text(),
                    left => members.with(key, left).text(),
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Message {
        Message::parse(text.to_owned().into()).unwrap()
    }

    const INSIDE: &str = r#"{"method":"_x\u002fy","params":{"n":18446744073709551616.10,"n":1}}"#;

    #[test]
    fn the_message_in_an_envelope_keeps_its_spelling() {
        let envelope =
            format!(r#"{{"jsonrpc":"2.0","id":"a","method":"proxy/successor","params":{INSIDE}}}"#);
        let opened = open(&message(&envelope), Dialect::Current).unwrap();
        assert_eq!(
            opened.msg.text(),
            r#"{"jsonrpc":"2.0","id":"a","method":"_x\u002fy","params":{"n":18446744073709551616.10,"n":1}}"#
        );
        let again = wrap(&opened.msg, Dialect::Current, Towards::Proxy);
        assert_eq!(again.text(), envelope);
    }

    #[test]
    fn every_dialect_has_its_own_envelope() {
        let request = message(r#"{"jsonrpc":"2.0","id":4,"method":"m"}"#);
        let notification = message(r#"{"jsonrpc":"2.0","method":"m","params":[1]}"#);
        for dialect in Dialect::ALL {
            for msg in [&request, &notification] {
                let wrapped = wrap(msg, dialect, Towards::Conductor);
                assert_eq!(dialect_of(&wrapped.method()), Some(dialect));
                assert_eq!(open(&wrapped, dialect).unwrap().msg.text(), msg.text());
            }
        }
    }

    #[test]
    fn null_parameters_in_an_envelope_are_none() {
        let envelope = message(
            r#"{"jsonrpc":"2.0","method":"_proxy/successor","params":{"method":"m","params":null,"meta":{}}}"#,
        );
        let opened = open(&envelope, Dialect::Underscore).unwrap();
        assert_eq!(opened.msg.text(), r#"{"jsonrpc":"2.0","method":"m"}"#);
    }

    #[test]
    fn an_envelope_without_a_method_is_refused_with_the_official_text() {
        let envelope = message(
            r#"{"jsonrpc":"2.0","id":1,"method":"proxy/successor","params":{"params":{}}}"#,
        );
        let refused = open(&envelope, Dialect::Current).unwrap_err();
        assert_eq!(
            refused.answer(&Id::number(1)).text(),
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params","data":{"error":"missing field `method`","json":{"params":{}},"phase":"deserialization"}}}"#
        );
    }

    #[test]
    fn parameters_that_are_not_structured_are_refused() {
        for params in ["5", "\"x\"", "true"] {
            let envelope = message(&format!(
                r#"{{"jsonrpc":"2.0","method":"proxy/successor","params":{{"method":"m","params":{params}}}}}"#
            ));
            assert!(open(&envelope, Dialect::Current).is_err(), "{params}");
        }
    }

    #[test]
    fn an_answer_of_the_draft_has_the_inner_id() {
        let asked = message(
            r#"{"jsonrpc":"2.0","id":"T1","method":"_proxy/successor/send/request","params":{"message":{"jsonrpc":"2.0","id":"in","method":"m"}}}"#,
        );
        let opened = open(&asked, Dialect::Draft).unwrap();
        let answer = message(r#"{"jsonrpc":"2.0","id":"T1","error":{"code":1,"message":"no"}}"#);
        let wrapped = wrap_answer(&answer, &opened.inner.unwrap());
        assert_eq!(
            wrapped.text(),
            r#"{"jsonrpc":"2.0","id":"T1","result":{"message":{"jsonrpc":"2.0","id":"in","error":{"code":1,"message":"no"}}}}"#
        );
        assert_eq!(unwrap_answer(wrapped).text(), answer.text());
    }

    #[test]
    fn members_are_set_and_unset_deep_inside() {
        let json = Json::parse(r#"{"a":{"b":1.0},"z":[ 2]}"#).unwrap();
        let more = set(Some(json), &["a", "c", "d"], "true");
        assert_eq!(more, r#"{"a":{"b":1.0,"c":{"d":true}},"z":[ 2]}"#);
        let less = unset(Json::parse(&more).unwrap(), &["a", "c", "d"]);
        assert_eq!(less, r#"{"a":{"b":1.0},"z":[ 2]}"#);
        assert_eq!(set(None, &["a"], "1"), r#"{"a":1}"#);
    }
}
