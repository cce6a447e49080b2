//! Front matter: YAML between two lines `---` at the beginning of a text.

use super::node::{Format, Node, SyntaxError};

/// Splits a text into front matter and body. Lines are counted from the beginning of the text.
pub(super) fn split(text: &str) -> (Option<Result<Node, SyntaxError>>, &str) {
    let mut lines = text.split_inclusive('\n');
    let is_mark = |line: &str| line.trim_end() == "---";
    let Some(first) = lines.next().filter(|line| is_mark(line)) else {
        return (None, text);
    };
    let start = first.len();
    let mut end = start;
    for line in lines {
        if is_mark(line) {
            let parsed = Format::Yaml.parse(&text[start..end]);
            let body = &text[end + line.len()..];
            return (Some(placed(parsed)), body);
        }
        end += line.len();
    }
    let error = SyntaxError {
        line: 1,
        text: "the front matter has no end: a line `---` is missing".to_owned(),
    };
    (Some(Err(error)), "")
}

/// Adds the line of the opening mark.
fn placed(parsed: Result<Node, SyntaxError>) -> Result<Node, SyntaxError> {
    match parsed {
        Ok(node) if node.map().is_none() => Err(SyntaxError {
            line: node.line + 1,
            text: format!("a map of fields was expected, not {}", node.kind()),
        }),
        Ok(mut node) => {
            node.shift(1);
            Ok(node)
        }
        Err(error) => Err(SyntaxError {
            line: error.line + 1,
            ..error
        }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn front_matter_is_split_off() {
        for text in [
            "---\ntitle: T\n---\nHello\n",
            "---\r\ntitle: T\r\n--- \r\nHello\n",
        ] {
            let (front, body) = split(text);
            let node = front.unwrap().unwrap();
            assert_eq!(node.to_value(), json!({"title": "T"}));
            assert_eq!(node.map().unwrap()[0].line, 2);
            assert_eq!(body, "Hello\n");
        }
    }

    #[test]
    fn a_text_without_front_matter_is_unchanged() {
        for text in ["", "Hello", "--- user ---\nHello", "----\n"] {
            assert_eq!(split(text), (None, text));
        }
    }

    #[test]
    fn errors_have_the_line_of_the_file() {
        for (text, line) in [
            ("---\ntitle: T\n", 1),
            ("---\na: 1\nb: [\n---\n", 3),
            ("---\n- a\n---\n", 2),
        ] {
            let (front, _) = split(text);
            assert_eq!(front.unwrap().unwrap_err().line, line, "{text:?}");
        }
    }

    #[test]
    fn empty_front_matter_says_nothing() {
        let (front, body) = split("---\n---\nHello");
        assert_eq!(front.unwrap().unwrap().to_value(), json!({}));
        assert_eq!(body, "Hello");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(---|\\n|\\r|a: |\\PC|[-a-z:{} ]){0,40}") {
            split(&text);
            split(&format!("---\n{text}\n---\n{text}"));
        }
    }
}
