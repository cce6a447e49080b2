//! Members of a JSON object that another server sent. A member of another type, or one that is there twice, counts as
//! absent and harms no other: many servers have a member that is wrong and that nothing depends on.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// The members by name; `None` for one that is there twice, which two readers would read differently.
#[derive(Debug, Default)]
pub(crate) struct Members(HashMap<String, Option<Value>>);

impl Members {
    /// The members of a body; `None` if it is not a JSON object.
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok()
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)?.as_ref()
    }

    /// Whether a member is there, readable or not. `null` says nothing.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|it| *it != Some(Value::Null))
    }

    /// A text that is not empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let text = self.value(name)?.as_str()?;
        (!text.is_empty()).then_some(text)
    }

    /// The same, owned.
    pub(crate) fn owned(&self, name: &str) -> Option<String> {
        self.text(name).map(str::to_owned)
    }

    /// A text, or a number in its place.
    pub(crate) fn text_or_number(&self, name: &str) -> Option<String> {
        match self.value(name)? {
            Value::Number(number) => Some(number.to_string()),
            _ => self.owned(name),
        }
    }

    /// The texts of a list.
    pub(crate) fn texts(&self, name: &str) -> Option<Vec<String>> {
        let all = self.value(name)?.as_array()?.iter();
        Some(all.filter_map(Value::as_str).map(str::to_owned).collect())
    }

    /// Whether a member is a list without elements.
    pub(crate) fn is_empty_list(&self, name: &str) -> bool {
        let list = self.value(name).and_then(Value::as_array);
        list.is_some_and(Vec::is_empty)
    }

    /// Words that are separated by spaces, or a list of them in their place.
    pub(crate) fn words(&self, name: &str) -> Option<String> {
        let words = match self.value(name)? {
            Value::String(words) => words.clone(),
            _ => self.texts(name)?.join(" "),
        };
        (!words.trim().is_empty()).then_some(words)
    }

    /// A boolean, or its text in its place.
    pub(crate) fn flag(&self, name: &str) -> bool {
        let value = self.value(name);
        value.is_some_and(|it| *it == Value::Bool(true) || it.as_str() == Some("true"))
    }

    /// A number, or its text in its place, rounded into the range of whole numbers from zero.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        let number = match self.value(name)? {
            Value::Number(number) => number.as_f64()?,
            Value::String(text) => text.trim().parse().ok()?,
            _ => return None,
        };
        Some(number.max(0.0) as u64)
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = HashMap::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    let value = (!members.contains_key(&name)).then_some(value);
                    members.insert(name, value);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Members {
        Members::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_member_of_another_type_counts_as_absent() {
        let members = read(r#"{"a": 1, "b": "x", "c": ["x", 2], "d": null, "e": "", "f": true}"#);
        assert_eq!((members.text("a"), members.text("b")), (None, Some("x")));
        assert_eq!(members.texts("c"), Some(vec!["x".to_owned()]));
        assert_eq!((members.texts("b"), members.texts("g")), (None, None));
        assert_eq!((members.text("e"), members.number("b")), (None, None));
        assert!(members.has("a") && members.has("e") && !members.has("d") && !members.has("g"));
        assert!(members.flag("f") && !members.flag("a") && !members.flag("g"));
    }

    #[test]
    fn a_member_that_is_there_twice_has_no_value() {
        let members = read(r#"{"a": "x", "a": "x", "\u0061": "y", "b": "x"}"#);
        assert!(members.has("a"));
        assert_eq!((members.text("a"), members.text("b")), (None, Some("x")));
    }

    #[test]
    fn other_documents_have_no_members() {
        for text in ["[]", "1", "\"x\"", "", "{", "null", "<html>", "{} {}"] {
            assert!(Members::read(text.as_bytes()).is_none(), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(Members::read(format!("{{\"a\":{deep}").as_bytes()).is_none());
    }

    #[test]
    fn numbers_and_words_are_read_as_servers_write_them() {
        let members = read(r#"{"a": "60.5", "b": -3, "c": 1e300, "d": "NaN", "e": ["x", "y z"]}"#);
        let number = |name| members.number(name);
        assert_eq!((number("a"), number("b")), (Some(60), Some(0)));
        assert_eq!((number("c"), number("d")), (Some(u64::MAX), Some(0)));
        assert_eq!(members.words("e").as_deref(), Some("x y z"));
        assert_eq!(members.text_or_number("b").as_deref(), Some("-3"));
    }

    proptest! {
        #[test]
        fn any_object_is_read(name in "[a-c]", text in r#"\{("[a-c]":("x"|1|null|\[("y",?)?\]|true|\{\}),?){0,4}\}"#) {
            if let Some(members) = Members::read(text.as_bytes()) {
                let seen = [
                    members.text(&name).is_some(),
                    members.texts(&name).is_some(),
                    members.words(&name).is_some(),
                    members.number(&name).is_some(),
                    members.flag(&name),
                ];
                prop_assert!(members.has(&name) || seen == [false; 5]);
            }
        }
    }
}
