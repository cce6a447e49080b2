//! One spelling of equal JSON values, for digests: the order of RFC 8785, without white space.
//!
//! Two things differ from RFC 8785. Numbers keep the spelling of their sender, so `1` and `1.0` are different texts: a
//! reader of 64-bit floats would confuse 18446744073709551615 and 18446744073709551616. And all values of a repeated
//! member are kept, because readers do not agree which one counts.

use std::borrow::Cow;

use linkspan_wire::{Json, JsonKind, quote};

/// Values below this depth keep the spelling of their sender. Looking into a value scans it once for each level, so
/// that a deep value would take a multiple of the time of a flat one.
pub(crate) const DEEPEST: usize = 32;

/// The canonical text of a value.
pub(crate) fn canonical(json: Json<'_>) -> String {
    let mut out = String::with_capacity(json.text().len());
    write(json, 0, &mut out);
    out
}

/// The canonical text of an object with these members only.
pub(crate) fn canonical_members(object: Json<'_>, kept: &[&str]) -> String {
    let members = object.members().filter(|(key, _)| kept.contains(&&**key));
    let mut out = String::with_capacity(object.text().len());
    write_members(members, 1, &mut out);
    out
}

fn write(json: Json<'_>, depth: usize, out: &mut String) {
    match json.kind() {
        _ if depth > DEEPEST => out.push_str(json.text()),
        JsonKind::Object => write_members(json.members(), depth + 1, out),
        JsonKind::Array => {
            out.push('[');
            for (index, element) in json.elements().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(element, depth + 1, out);
            }
            out.push(']');
        }
        JsonKind::String => out.push_str(&quote(&json.as_str().unwrap_or_default())),
        JsonKind::Number | JsonKind::Bool | JsonKind::Null => out.push_str(json.text()),
    }
}

fn write_members<'a>(
    members: impl Iterator<Item = (Cow<'a, str>, Json<'a>)>,
    depth: usize,
    out: &mut String,
) {
    let mut members: Vec<_> = members.collect();
    members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    out.push('{');
    for (index, (key, value)) in members.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&quote(&key));
        out.push(':');
        write(value, depth, out);
    }
    out.push('}');
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> String {
        canonical(Json::parse(text).unwrap())
    }

    #[test]
    fn members_are_sorted_and_strings_are_spelled_once() {
        let text = r#" { "b" : [ 1 , {"\u0064":"\u00e9\/", "c": null} ], "a\n" : true } "#;
        assert_eq!(of(text), r#"{"a\n":true,"b":[1,{"c":null,"d":"é/"}]}"#);
    }

    #[test]
    fn keys_are_in_the_order_of_their_utf_16_units() {
        assert_eq!(
            of("{\"\u{fb33}\":1,\"😀\":2,\"a\":3}"),
            "{\"a\":3,\"😀\":2,\"\u{fb33}\":1}"
        );
    }

    #[test]
    fn numbers_keep_their_spelling() {
        for number in ["1", "1.0", "18446744073709551615", "18446744073709551616"] {
            assert_eq!(of(number), number);
        }
    }

    #[test]
    fn no_value_of_a_repeated_member_is_lost() {
        assert_eq!(of(r#"{"b":1,"a":2,"a":1}"#), r#"{"a":2,"a":1,"b":1}"#);
    }

    #[test]
    fn members_that_are_not_wanted_are_left_out() {
        let object = Json::parse(r#"{"b":{"y":1,"x":2},"a":1,"c":0}"#).unwrap();
        assert_eq!(
            canonical_members(object, &["c", "b"]),
            r#"{"b":{"x":2,"y":1},"c":0}"#
        );
    }

    #[test]
    fn values_below_the_limit_keep_their_spelling() {
        let nested = |depth: usize, inner: &str| {
            format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth))
        };
        assert_eq!(of(&nested(32, "[ 1 ]")), nested(32, "[1]"));
        assert_eq!(of(&nested(33, "[ 1 ]")), nested(33, "[ 1 ]"));
    }

    /// A value, whose members have different names.
    #[derive(Debug, Clone)]
    pub(crate) enum Value {
        Plain(&'static str),
        Text(String),
        Array(Vec<Value>),
        Object(std::collections::BTreeMap<String, Value>),
    }

    pub(crate) fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            prop::sample::select(vec!["null", "true", "0", "-1.50", "1e9"]).prop_map(Value::Plain),
            ".{0,8}".prop_map(Value::Text),
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
                prop::collection::btree_map(".{0,4}", inner, 0..5).prop_map(Value::Object),
            ]
        })
    }

    impl Value {
        /// Its text with this white space, and with the members of objects from last to first if asked for.
        pub(crate) fn spelled(&self, space: &str, backwards: bool) -> String {
            let list = |mut parts: Vec<String>, open: char, close: char| {
                if backwards && open == '{' {
                    parts.reverse();
                }
                format!(
                    "{open}{space}{}{space}{close}",
                    parts.join(&format!("{space},{space}"))
                )
            };
            match self {
                Self::Plain(text) => (*text).to_owned(),
                Self::Text(text) if backwards => {
                    text.encode_utf16()
                        .fold("\"".to_owned(), |text, unit| format!("{text}\\u{unit:04X}"))
                        + "\""
                }
                Self::Text(text) => quote(text),
                Self::Array(items) => {
                    let items = items.iter().map(|item| item.spelled(space, backwards));
                    list(items.collect(), '[', ']')
                }
                Self::Object(members) => {
                    let members = members.iter().map(|(key, value)| {
                        format!(
                            "{}{space}:{space}{}",
                            quote(key),
                            value.spelled(space, backwards)
                        )
                    });
                    list(members.collect(), '{', '}')
                }
            }
        }
    }

    proptest! {
        #[test]
        fn equal_values_have_one_text_whatever_their_spelling(value in values()) {
            let plain = of(&value.spelled("", false));
            prop_assert_eq!(&of(&value.spelled(" \n\t", true)), &plain);
            prop_assert_eq!(&of(&plain), &plain);
        }

        #[test]
        fn different_values_have_different_texts(one in values(), other in values()) {
            let is_equal = one.spelled("", false) == other.spelled("", false);
            let texts = [one, other].map(|value| of(&value.spelled(" ", true)));
            prop_assert_eq!(texts[0] == texts[1], is_equal);
        }
    }
}
