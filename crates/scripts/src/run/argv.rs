//! Builds command lines: replaces `{{name}}` by arguments. Never uses a shell.

use std::ffi::OsString;

use linkspan_wire::{Json, JsonKind};

use super::on_one_line;
use crate::folder::Program;

/// Arguments that cannot be part of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgvError {
    #[error("an argument contains a NUL")]
    Nul,
}

/// The command line of a program for these arguments.
pub(crate) fn words(program: &Program, arguments: Json<'_>) -> Result<Vec<OsString>, ArgvError> {
    let words: Vec<OsString> = match program {
        Program::Argv(words) => words.clone(),
        Program::Template(templates) => {
            let mut words = Vec::new();
            for template in templates {
                fill(template, arguments, &mut words);
            }
            words
        }
    };
    if words.iter().any(has_nul) {
        return Err(ArgvError::Nul);
    }
    Ok(words)
}

fn has_nul(word: &OsString) -> bool {
    word.as_encoded_bytes().contains(&0)
}

/// Expands one template word to one word. A word that is only a placeholder expands to all elements of a list,
/// and to no word if the argument is missing.
fn fill(template: &str, arguments: Json<'_>, words: &mut Vec<OsString>) {
    if let Some(name) = only_name(template) {
        match arguments.get(name).map(|value| (value.kind(), value)) {
            None | Some((JsonKind::Null, _)) => {}
            Some((JsonKind::Array, values)) => {
                words.extend(values.elements().map(|value| spelled(value).into()));
            }
            Some((_, value)) => words.push(spelled(value).into()),
        }
        return;
    }
    let mut word = String::new();
    let mut rest = template;
    while let Some((before, name, after)) = next_name(rest) {
        word.push_str(before);
        let value = arguments.get(name).filter(|v| v.kind() != JsonKind::Null);
        match value {
            // `--depth={{depth}}` without a depth is omitted.
            None => return,
            Some(value) => word.push_str(&spelled(value)),
        }
        rest = after;
    }
    word.push_str(rest);
    words.push(word.into());
}

fn only_name(template: &str) -> Option<&str> {
    match next_name(template)? {
        ("", name, "") => Some(name),
        _ => None,
    }
}

/// The text before the next `{{name}}`, the name, and the text after it.
pub(crate) fn next_name(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let open = from + text[from..].find("{{")?;
        let inside = &text[open + 2..];
        let close = inside.find("}}")?;
        let name = inside[..close].trim();
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
        if is_name {
            return Some((&text[..open], name, &inside[close + 2..]));
        }
        from = open + 2;
    }
}

/// A value as a word: a string unquoted, any other value in the client's spelling.
pub(crate) fn spelled(value: Json<'_>) -> String {
    match value.kind() {
        JsonKind::Null => String::new(),
        JsonKind::String => value.as_str().unwrap_or_default().into_owned(),
        _ => on_one_line(value.text()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn filled(templates: &[&str], arguments: serde_json::Value) -> Vec<String> {
        let program = Program::Template(templates.iter().map(|t| (*t).to_owned()).collect());
        let arguments = arguments.to_string();
        let words = words(&program, Json::parse(&arguments).unwrap()).unwrap();
        words
            .into_iter()
            .map(|w| w.into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_template_word_expands_to_one_word() {
        let hostile = "a; rm -rf / $(x) `y` \"z\" {{other}}\n";
        assert_eq!(
            filled(
                &["du", "--", "{{dir}}"],
                json!({"dir": hostile, "other": "no"})
            ),
            ["du", "--", hostile]
        );
        assert_eq!(
            filled(&["--name={{dir}}!"], json!({"dir": hostile, "other": "no"})),
            [format!("--name={hostile}!")]
        );
    }

    #[test]
    fn missing_arguments_are_omitted() {
        assert_eq!(
            filled(&["du", "{{x}}", "--depth={{n}}", "{{y}}"], json!({"y": 0})),
            ["du", "0"]
        );
    }

    #[test]
    fn numbers_keep_their_spelling() {
        let program = Program::Template(vec!["{{n}}".to_owned(), "--m={{m}}".to_owned()]);
        let given = r#"{"n":123456789012345678901,"m":1.50}"#;
        let words = words(&program, Json::parse(given).unwrap()).unwrap();
        assert_eq!(words, ["123456789012345678901", "--m=1.50"]);
    }

    #[test]
    fn a_list_expands_to_several_words() {
        let given = json!({"files": ["a b", 1, true]});
        assert_eq!(
            filled(&["cat", "{{files}}"], given),
            ["cat", "a b", "1", "true"]
        );
    }

    #[test]
    fn braces_that_name_nothing_stay() {
        assert_eq!(
            filled(&["{{", "{{}}", "{{ a b }}", "{a}"], json!({"a": 1})),
            ["{{", "{{}}", "{{ a b }}", "{a}"]
        );
    }

    #[test]
    fn a_nul_is_refused() {
        let program = Program::Template(vec!["{{x}}".to_owned()]);
        assert!(words(&program, Json::parse(r#"{"x":"a\u0000b"}"#).unwrap()).is_err());
    }
}
