//! A path into the arguments of a call.

use std::borrow::Cow;

use linkspan_wire::{Json, JsonKind};

/// Names of members, with dots between them. Elements of lists are looked at one by one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ArgumentPath(Box<[Box<str>]>);

impl ArgumentPath {
    /// Reads for example `repository.owner`; `None` if a name is empty.
    pub fn new(text: &str) -> Option<Self> {
        let names: Box<[Box<str>]> = text.split('.').map(Box::from).collect();
        names
            .iter()
            .all(|name| !name.is_empty())
            .then_some(Self(names))
    }

    /// All values at the path: those of every element of a list, and of every member with the same name. Texts are
    /// decoded, other values keep their spelling.
    pub fn values<'a>(&self, arguments: Option<Json<'a>>) -> Vec<Cow<'a, str>> {
        let mut values = Vec::new();
        if let Some(arguments) = arguments {
            collect(arguments, &self.0, &mut values);
        }
        values
    }
}

fn collect<'a>(value: Json<'a>, path: &[Box<str>], into: &mut Vec<Cow<'a, str>>) {
    // Values are nested at most as deep as a message may be.
    if value.kind() == JsonKind::Array {
        for element in value.elements() {
            collect(element, path, into);
        }
        return;
    }
    let Some((name, rest)) = path.split_first() else {
        into.push(value.as_str().unwrap_or(Cow::Borrowed(value.text())));
        return;
    };
    for (key, value) in value.members() {
        if *key == **name {
            collect(value, rest, into);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(path: &str, text: &str) -> Vec<String> {
        let path = ArgumentPath::new(path).unwrap();
        let values = path.values(Some(Json::parse(text).unwrap()));
        values.into_iter().map(Cow::into_owned).collect()
    }

    #[test]
    fn every_value_at_a_path_is_found() {
        let text = r#"{"a":{"b":"x\u0041"},"l":[{"b":1.50},{"b":[true,null]},7],"a":{"b":"y"}}"#;
        assert_eq!(values("a.b", text), ["xA", "y"]);
        assert_eq!(values("l.b", text), ["1.50", "true", "null"]);
        assert_eq!(values("l", "{\"l\":[]}"), [] as [&str; 0]);
        assert_eq!(values("a.b.c", text), [] as [&str; 0]);
        assert_eq!(values("a", "{\"a\":{\"b\":1}}"), ["{\"b\":1}"]);
    }

    #[test]
    fn a_path_has_no_empty_names() {
        for text in ["", ".a", "a.", "a..b"] {
            assert_eq!(ArgumentPath::new(text), None);
        }
    }

    proptest! {
        #[test]
        fn a_text_is_found_whatever_is_beside_it(text in ".*", other in ".*") {
            let json = format!(r#"{{"o":{0},"a":[{{"b":{1}}},{0}]}}"#, linkspan_wire::quote(&other), linkspan_wire::quote(&text));
            prop_assert_eq!(values("a.b", &json), [text]);
        }
    }
}
