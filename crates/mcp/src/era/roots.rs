//! The roots of a client, for a legacy server that asks for them outside a call.
//!
//! The server asks after it was initialized, and remembers the answer. A modern client can be asked only during a call.
//! So the first round of its call asks for the roots, and in the second round the call goes to a server that got
//! exactly these. No state is kept in between: the client's answer is complete.

use linkspan_wire::{Id, Json, JsonKind, Message, Object, RpcError, quote};

use super::{caps, results};
use crate::method::names;

/// The key of the question, and the `requestState` of its round.
const KEY: &str = "linkspan/roots";

/// Roots are kept, and compared, for every warm server.
const MAX_ROOTS: usize = 64 * 1024;

/// The roots in a request, in a canonical form.
pub fn given_roots(request: &Message) -> Result<Option<String>, RpcError> {
    let responses = request.params().and_then(|p| p.get("inputResponses"));
    let Some(answer) = responses.and_then(|responses| responses.get(KEY)) else {
        return Ok(None);
    };
    let invalid = |why: &str| {
        Err(RpcError::invalid_params(format!(
            "the input response {} {why}",
            quote(KEY)
        )))
    };
    match answer.get("roots") {
        Some(roots) if roots.kind() != JsonKind::Array => invalid("has no array `roots`"),
        Some(roots) if roots.text().len() > MAX_ROOTS => invalid("is too large"),
        Some(roots) => Ok(Some(caps::key(roots))),
        None => invalid("has no `roots`"),
    }
}

/// Whether a request may be the first round of a call, or follows the round that asked for roots.
pub(super) fn is_first_round(request: &Message) -> bool {
    let state = request.params().and_then(|p| p.get("requestState"));
    state.is_none_or(is_ours)
}

/// The request without the members of the round that asked for roots.
pub(super) fn without_roots(request: &Message) -> Message {
    let Some(params) = request.params() else {
        return request.clone();
    };
    let responses = params.get("inputResponses");
    let has_roots = responses.is_some_and(|responses| responses.get(KEY).is_some());
    let has_state = params.get("requestState").is_some_and(is_ours);
    if !has_roots && !has_state {
        return request.clone();
    }
    let mut rest = Object::of(Some(params));
    if has_state {
        rest = rest.without(&["requestState"]);
    }
    if has_roots {
        let others = Object::of(responses).without(&[KEY]);
        rest = if others.is_empty() {
            rest.without(&["inputResponses"])
        } else {
            rest.with("inputResponses", &others.text())
        };
    }
    request.with_value(params, &rest.text())
}

/// The result that asks for the roots.
pub(super) fn ask_for_roots(id: &Id, info: Option<&str>) -> Message {
    let question = format!(r#"{{"method":{}}}"#, quote(names::ROOTS_LIST));
    let result = Object::empty()
        .with("resultType", r#""input_required""#)
        .with(
            "inputRequests",
            &Object::empty().with(KEY, &question).text(),
        )
        .with("requestState", &quote(KEY))
        .with_some("_meta", results::meta(info).as_deref());
    Message::result(id, &result.text())
}

/// The answer to `roots/list`.
pub(super) fn answer(id: &Id, roots: &str) -> Message {
    Message::result(id, &format!(r#"{{"roots":{roots}}}"#))
}

fn is_ours(state: Json<'_>) -> bool {
    state.as_str().as_deref() == Some(KEY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(params: &str) -> Message {
        Message::request(&Id::number(1), "tools/call", Some(params))
    }

    #[test]
    fn roots_are_removed_from_a_request() {
        let request = call(
            r#"{"name":"t","inputResponses":{"linkspan/roots":{"roots":[{"uri":"file:///a", "name":"a"}]}},"requestState":"linkspan/roots"}"#,
        );
        assert_eq!(
            given_roots(&request).unwrap().as_deref(),
            Some(r#"[{"name":"a","uri":"file:///a"}]"#)
        );
        let rest = without_roots(&request);
        assert_eq!(rest.params().unwrap().text(), r#"{"name":"t"}"#);
    }

    #[test]
    fn other_answers_and_states_stay() {
        let text = r#"{"name":"t","inputResponses":{"k":{}},"requestState":"home.secret"}"#;
        let request = call(text);
        assert_eq!(given_roots(&request), Ok(None));
        assert!(!is_first_round(&request));
        assert_eq!(without_roots(&request).params().unwrap().text(), text);
    }

    #[test]
    fn an_answer_that_is_none_is_refused() {
        for answer in [r#"{}"#, r#"{"roots":{}}"#, r#"{"roots":null}"#] {
            let request = call(&format!(
                r#"{{"inputResponses":{{"linkspan/roots":{answer}}}}}"#
            ));
            assert_eq!(given_roots(&request).unwrap_err().code(), -32602);
        }
    }
}
