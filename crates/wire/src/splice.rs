//! Edits the text of an object: members are removed, added and changed, and all others keep their bytes.

use crate::escape::quote;
use crate::json::{Json, JsonKind};

/// An object taken apart into members, each as its sender spelled it.
pub struct Object<'a> {
    members: Vec<Member<'a>>,
}

struct Member<'a> {
    key: std::borrow::Cow<'a, str>,
    /// `"key": value`
    text: std::borrow::Cow<'a, str>,
    /// The received value; `None` for a value of ours.
    value: Option<Json<'a>>,
}

impl<'a> Object<'a> {
    /// The members of an object; other values count as an empty one.
    pub fn of(json: Option<Json<'a>>) -> Self {
        let mut members = Vec::new();
        if let Some(json) = json.filter(|json| json.kind() == JsonKind::Object) {
            let whole = json.text();
            let mut from = 1;
            for (key, value) in json.members() {
                // The value is a part of `whole`, so this is in range.
                let end =
                    value.text().as_ptr() as usize - whole.as_ptr() as usize + value.text().len();
                let text = whole[from..end].trim_start_matches([',', ' ', '\t', '\r', '\n']);
                members.push(Member {
                    key,
                    text: text.into(),
                    value: Some(value),
                });
                from = end;
            }
        }
        Self { members }
    }

    /// Without members.
    pub fn empty() -> Self {
        Self::of(None)
    }

    /// The received value of a key; the last one if there are several.
    pub fn get(&self, key: &str) -> Option<Json<'a>> {
        let found = self.members.iter().rev().find(|member| member.key == key);
        found.and_then(|member| member.value)
    }

    /// Takes members away.
    pub fn without(mut self, keys: &[&str]) -> Self {
        self.members.retain(|member| !keys.contains(&&*member.key));
        self
    }

    /// Sets a member to JSON text, at the position of the old one if there was one.
    pub fn with(mut self, key: &str, json: &str) -> Self {
        let text = format!("{}:{json}", quote(key));
        let mut found = false;
        self.members.retain_mut(|member| {
            if member.key != key {
                return true;
            }
            member.text = text.clone().into();
            !std::mem::replace(&mut found, true)
        });
        if !found {
            self.members.push(Member {
                key: key.to_owned().into(),
                text: text.into(),
                value: None,
            });
        }
        self
    }

    /// Adds a member whose key is known to be new.
    pub fn push(&mut self, key: &str, json: &str) {
        self.members.push(Member {
            key: key.to_owned().into(),
            text: format!("{}:{json}", quote(key)).into(),
            value: None,
        });
    }

    /// The same, if there is a value.
    pub fn with_some(self, key: &str, json: Option<&str>) -> Self {
        match json {
            Some(json) => self.with(key, json),
            None => self,
        }
    }

    /// Whether it has no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// As JSON.
    pub fn text(&self) -> String {
        let length: usize = self.members.iter().map(|m| m.text.len() + 1).sum();
        let mut out = String::with_capacity(length + 2);
        out.push('{');
        for (i, member) in self.members.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            out.push_str(&member.text);
        }
        out.push('}');
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object<'_> {
        Object::of(Json::parse(text).ok())
    }

    #[test]
    fn untouched_members_keep_their_spelling() {
        let text = r#"{ "a" : 1.50 , "\u0062":[1, 2],"c":{"d" : 0.10} }"#;
        let edited = object(text).without(&["a"]).with("e", "7").text();
        assert_eq!(edited, r#"{"\u0062":[1, 2],"c":{"d" : 0.10},"e":7}"#);
    }

    #[test]
    fn a_member_is_found_by_its_decoded_key() {
        assert_eq!(object(r#"{"\u0061":1}"#).without(&["a"]).text(), "{}");
    }

    #[test]
    fn setting_replaces_in_place_and_once() {
        let edited = object(r#"{"a":1,"b":2,"a":3}"#).with("a", "9");
        assert_eq!(edited.text(), r#"{"a":9,"b":2}"#);
    }

    #[test]
    fn a_value_that_is_not_an_object_counts_as_an_empty_one() {
        assert!(object("[1]").is_empty());
        assert_eq!(Object::empty().with("x", "1").text(), r#"{"x":1}"#);
    }
}
