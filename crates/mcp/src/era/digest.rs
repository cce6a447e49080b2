//! Detects whether a retried request is the one that asked for input.

use std::hash::{DefaultHasher, Hash, Hasher};

use linkspan_wire::{Json, JsonKind, Message};

/// Members of `params` that differ between the rounds of one call.
const PER_ROUND: [&str; 3] = ["_meta", "inputResponses", "requestState"];

/// A digest of a request's content. The order of members and white space do not matter.
pub fn digest(request: &Message) -> u64 {
    let mut hasher = DefaultHasher::new();
    request.method().hash(&mut hasher);
    if let Some(params) = request.params() {
        object(params, &PER_ROUND, &mut hasher);
    }
    hasher.finish()
}

fn value(json: Json<'_>, hasher: &mut DefaultHasher) {
    match json.kind() {
        JsonKind::Object => object(json, &[], hasher),
        JsonKind::Array => {
            for element in json.elements() {
                value(element, hasher);
            }
            0xA5u8.hash(hasher);
        }
        JsonKind::String => json.as_str().hash(hasher),
        _ => json.text().hash(hasher),
    }
}

fn object(json: Json<'_>, except: &[&str], hasher: &mut DefaultHasher) {
    let mut members: Vec<_> = json
        .members()
        .filter(|(key, _)| !except.contains(&&**key))
        .collect();
    members.sort_by(|a, b| a.0.cmp(&b.0));
    for (key, member) in members {
        key.hash(hasher);
        value(member, hasher);
    }
    0x5Au8.hash(hasher);
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Id;

    fn of(params: &str) -> u64 {
        digest(&Message::request(
            &Id::number(1),
            "tools/call",
            Some(params),
        ))
    }

    #[test]
    fn a_retry_is_recognised_whatever_its_order() {
        let first = of(r#"{"name":"t","arguments":{"a":1,"b":"x"},"_meta":{"n":1}}"#);
        let again = of(
            r#"{"requestState":"s","arguments":{"b":"\u0078","a": 1},"name":"t","inputResponses":{"k":{}}}"#,
        );
        assert_eq!(first, again);
    }

    #[test]
    fn other_arguments_are_another_request() {
        assert_ne!(
            of(r#"{"name":"t","arguments":{"a":1}}"#),
            of(r#"{"name":"t","arguments":{"a":2}}"#)
        );
        assert_ne!(of(r#"{"a":["x"],"b":[]}"#), of(r#"{"a":[],"b":["x"]}"#));
    }
}
