//! Results that we write ourselves.

use linkspan_wire::{Json, quote};

use crate::revision::Revision;

/// A tool result with one text.
pub fn tool_text(text: &str, is_error: bool) -> String {
    tool_texts(&[text], is_error)
}

/// A tool result with several texts.
pub fn tool_texts(texts: &[&str], is_error: bool) -> String {
    let mut content = String::from(r#"{"content":["#);
    for (at, text) in texts.iter().enumerate() {
        content.push_str(if at > 0 { "," } else { "" });
        content.push_str(r#"{"type":"text","text":"#);
        content.push_str(&quote(text));
        content.push('}');
    }
    content.push_str(if is_error {
        r#"],"isError":true}"#
    } else {
        r#"],"isError":false}"#
    });
    content
}

/// The result of `initialize` for a server with a fixed list of tools.
pub fn initialize_result(revision: Revision, name: &str, version: &str) -> String {
    format!(
        r#"{{"protocolVersion":"{revision}","capabilities":{{"tools":{{"listChanged":false}}}},"serverInfo":{{"name":{},"version":{}}}}}"#,
        quote(name),
        quote(version)
    )
}

/// The result of `tools/list` for an array of tools.
pub fn tools_list(tools: Json<'_>) -> String {
    format!(r#"{{"tools":{}}}"#, tools.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::{Id, Message};

    fn content(text: &str, is_error: bool) -> (String, bool) {
        let answer = Message::result(&Id::number(1), &tool_text(text, is_error));
        let result = answer.body().unwrap();
        let first = result.get("content").unwrap().elements().next().unwrap();
        (
            first.get("text").unwrap().as_str().unwrap().into_owned(),
            result.get("isError").unwrap().as_bool().unwrap(),
        )
    }

    #[test]
    fn a_successful_tool_has_no_error_flag() {
        assert_eq!(content("fine", false), ("fine".to_owned(), false));
    }

    #[test]
    fn a_failed_tool_has_the_error_flag() {
        assert_eq!(content("broken", true), ("broken".to_owned(), true));
    }

    #[test]
    fn several_texts_stay_apart() {
        assert_eq!(
            tool_texts(&["a", "b"], false),
            r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"isError":false}"#
        );
    }

    #[test]
    fn special_characters_in_a_text_survive() {
        let odd = "\"quotes\", new\nlines, \\ and \u{0}";
        assert_eq!(content(odd, false).0, odd);
    }

    #[test]
    fn initialize_names_the_last_legacy_revision_and_the_server() {
        let text = initialize_result(Revision::LAST_LEGACY, "linkspan", "1.0.0");
        let json = Json::parse(&text).unwrap();
        assert_eq!(
            json.get("protocolVersion").unwrap().text(),
            r#""2025-11-25""#
        );
        assert_eq!(
            json.path(&["serverInfo", "name"]).unwrap().text(),
            r#""linkspan""#
        );
        assert_eq!(
            json.path(&["capabilities", "tools", "listChanged"])
                .unwrap()
                .as_bool(),
            Some(false)
        );
    }

    #[test]
    fn a_list_of_tools_is_wrapped() {
        let tools = Json::parse(r#"[{"name":"a"}]"#).unwrap();
        assert_eq!(tools_list(tools), r#"{"tools":[{"name":"a"}]}"#);
    }
}
