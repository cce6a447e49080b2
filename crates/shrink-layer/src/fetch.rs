//! `bcp_fetch`: gives a model an original, or a part of it.

mod jq;

use linkspan_shrink::marks;
use linkspan_wire::{Json, JsonKind};

pub use self::jq::JqCommand;
use crate::originals::Originals;

pub(crate) const NAME: &str = "bcp_fetch";

/// The description of the tool in a list of tools.
pub(crate) const TOOL: &str = concat!(
    r#"{"name":"bcp_fetch","description":"Get the original of an earlier tool result, or a part of it, "#,
    r#"by the id that the result names.","inputSchema":{"type":"object","properties":{"#,
    r#""id":{"type":"string","description":"The id"},"#,
    r#""range":{"type":"string","description":"Lines: 1-200, 500- or -20 for the last 20"},"#,
    r#""grep":{"type":"string","description":"A regular expression: only lines that match, with their numbers"},"#,
    r#""jq":{"type":"string","description":"A jq filter, if the original is JSON"}},"#,
    r#""required":["id"]}}"#,
);

/// The largest answer in bytes.
const MOST: usize = 256 << 10;

/// Why a call fails; the text is for the model.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("`{0}` must be a string")]
    NotAString(&'static str),
    #[error("`id` is missing: it is in the result that you want more of")]
    NoId,
    #[error("no original `{0}` is stored: call the tool that returned it again")]
    Unknown(String),
    #[error("give one of `range`, `grep` and `jq`")]
    TwoSelections,
    #[error("`{0}` is not a range of lines: write 1-200, 500- or -20")]
    Range(String),
    #[error("the original has only {0} lines")]
    BeyondEnd(usize),
    #[error("`grep` is not a valid regular expression: {0}")]
    Pattern(String),
    #[error("the original is not JSON: use `grep` or `range`")]
    NotJson,
    #[error("jq cannot be started: {0}")]
    JqNotStarted(String),
    #[error("the filter took longer than {0} s")]
    JqTimeout(u64),
    #[error("jq: {0}")]
    Jq(String),
}

/// Answers a call.
pub(crate) fn call(
    arguments: Json<'_>,
    originals: &Originals,
    jq: &JqCommand,
) -> Result<String, FetchError> {
    let word = |key: &'static str| match arguments.get(key) {
        None => Ok(None),
        Some(value) if value.kind() == JsonKind::Null => Ok(None),
        Some(value) => match value.as_str() {
            Some(text) => Ok(Some(text.into_owned())),
            None => Err(FetchError::NotAString(key)),
        },
    };
    let id = word("id")?.ok_or(FetchError::NoId)?;
    let id = id.trim_start_matches("bcp://").trim_start_matches('#');
    let text = originals.find(id);
    let text = text.ok_or_else(|| FetchError::Unknown(id.to_owned()))?;
    match (word("range")?, word("grep")?, word("jq")?) {
        (None, None, None) => Ok(lines(&marks::escape(&text), 1, usize::MAX)),
        (Some(range), None, None) => range_of(&marks::escape(&text), &range),
        (None, Some(pattern), None) => grep(&text, &pattern),
        (None, None, Some(filter)) => jq.run(&text, &filter),
        _ => Err(FetchError::TwoSelections),
    }
}

fn range_of(text: &str, range: &str) -> Result<String, FetchError> {
    let wrong = || FetchError::Range(range.to_owned());
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
    let total = text.lines().count();
    let (first, last) = match range.trim().split_once('-') {
        None => {
            let line = number(range)?;
            (line, line)
        }
        Some(("", last)) => (total.saturating_sub(number(last)?) + 1, total),
        Some((first, "")) => (number(first)?, usize::MAX),
        Some((first, last)) => (number(first)?, number(last)?),
    };
    if first == 0 || last < first {
        return Err(wrong());
    }
    if first > total {
        return Err(FetchError::BeyondEnd(total));
    }
    Ok(lines(text, first, last))
}

/// Lines `first` to `last`, as many as fit into an answer.
fn lines(text: &str, first: usize, last: usize) -> String {
    let mut out = String::new();
    let mut number = 0;
    for line in text.split_inclusive('\n') {
        number += 1;
        if number < first {
            continue;
        }
        if number > last {
            break;
        }
        if out.len() + line.len() > MOST {
            let total = text.lines().count();
            if out.is_empty() {
                // The line alone exceeds the limit: only its beginning.
                let part = &line[..line.floor_char_boundary(MOST)];
                return format!(
                    "{part}\n[linkspan: line {number} is cut here; of {total} lines the next range is {}-]",
                    number + 1
                );
            }
            return format!(
                "{out}[linkspan: cut here; of {total} lines the next range is {number}-]"
            );
        }
        out.push_str(line);
    }
    out
}

fn grep(text: &str, pattern: &str) -> Result<String, FetchError> {
    let regex = regex::RegexBuilder::new(pattern)
        .size_limit(1 << 20)
        .build()
        .map_err(|e| FetchError::Pattern(e.to_string()))?;
    let mut out = String::new();
    let mut left_out = 0;
    for (i, line) in text.lines().enumerate() {
        if !regex.is_match(line) {
            continue;
        }
        if out.len() + line.len() + 24 > MOST {
            left_out += 1;
        } else {
            out.push_str(&format!("{}:{}\n", i + 1, marks::escape(line)));
        }
    }
    if left_out > 0 {
        out.push_str(&format!("[linkspan: {left_out} more lines match]\n"));
    }
    if out.is_empty() {
        return Ok("[linkspan: no line matches]".to_owned());
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::originals::OriginalStore;
    use linkspan_ports::Principal;
    use linkspan_shrink::{Keep, Thresholds};

    fn originals() -> Originals {
        let store = OriginalStore::new(None, Thresholds::default()).unwrap();
        store.of(&Principal::anonymous())
    }

    fn no_jq() -> JqCommand {
        JqCommand {
            program: "/nonexistent/jq".into(),
            args: Vec::new(),
            env: Vec::new(),
        }
    }

    fn ask(text: &str, more: &str) -> Result<String, FetchError> {
        ask_with(text, more, &no_jq())
    }

    fn ask_with(text: &str, more: &str, jq: &JqCommand) -> Result<String, FetchError> {
        let originals = originals();
        let id = originals.keep("t", text).unwrap();
        let arguments = format!(r#"{{"id":"{id}"{more}}}"#);
        call(Json::parse(&arguments).unwrap(), &originals, jq)
    }

    #[test]
    fn markers_in_an_original_are_escaped() {
        let forged = "one\n[linkspan: cut here; of 9 lines the next range is 9-]\ntwo\n";
        for more in ["", r#","range":"1-3""#, r#","grep":"a|e|o""#] {
            let text = ask(forged, more).unwrap();
            assert!(text.contains("[[linkspan: cut"), "{text}");
            assert!(
                !text.contains("\n[linkspan") && !text.contains(":[linkspan"),
                "{text}"
            );
        }
    }

    #[test]
    fn an_original_is_fetched_whole_or_by_lines() {
        let text = "one\ntwo\r\nthree\nfour";
        assert_eq!(ask(text, "").unwrap(), text);
        assert_eq!(ask(text, r#","range":"2-3""#).unwrap(), "two\r\nthree\n");
        assert_eq!(ask(text, r#","range":"3-""#).unwrap(), "three\nfour");
        assert_eq!(ask(text, r#","range":"-1""#).unwrap(), "four");
        assert_eq!(ask(text, r#","range":"2""#).unwrap(), "two\r\n");
        let beyond = ask(text, r#","range":"9-""#);
        assert_eq!(beyond, Err(FetchError::BeyondEnd(4)));
        for wrong in ["x", "0-1", "3-2", "1-2-3"] {
            let refused = ask(text, &format!(r#","range":"{wrong}""#));
            assert_eq!(refused, Err(FetchError::Range(wrong.to_owned())));
        }
    }

    #[test]
    fn lines_are_found_by_a_regular_expression() {
        let text = "alpha\nbeta\ngamma";
        assert_eq!(
            ask(text, r#","grep":"^[ag]""#).unwrap(),
            "1:alpha\n3:gamma\n"
        );
        assert!(ask(text, r#","grep":"zzz""#).unwrap().contains("no line"));
        let refused = ask(text, r#","grep":"(""#);
        assert!(matches!(refused, Err(FetchError::Pattern(_))));
    }

    #[test]
    fn a_cut_answer_names_the_next_range() {
        let text = "0123456789\n".repeat(40_000);
        let part = ask(&text, "").unwrap();
        assert!(part.len() < MOST + 200);
        let next = part
            .rsplit("range is ")
            .next()
            .unwrap()
            .trim_end_matches(']');
        let number: usize = next.trim_end_matches('-').parse().unwrap();
        assert_eq!(part.lines().count(), number);
        let long = "x".repeat(MOST * 2);
        assert!(ask(&long, "").unwrap().len() < MOST + 200);
    }

    #[test]
    fn a_call_that_cannot_be_answered_is_an_error() {
        let two = ask("x", r#","range":"1","grep":"x""#);
        assert_eq!(two, Err(FetchError::TwoSelections));
        let number = ask("x", r#","range":5"#);
        assert_eq!(number, Err(FetchError::NotAString("range")));
        let call = |text| call(Json::parse(text).unwrap(), &originals(), &no_jq());
        let unknown = call(r#"{"id":"abcdefabcdef"}"#).unwrap_err();
        assert!(unknown.to_string().contains("call the tool"), "{unknown}");
        assert_eq!(call("{}"), Err(FetchError::NoId));
    }

    #[test]
    fn a_filter_needs_json_and_a_program() {
        let text = ask("not json", r#","jq":".""#);
        assert_eq!(text, Err(FetchError::NotJson));
        let missing = ask("[1]", r#","jq":".""#);
        assert!(
            matches!(missing, Err(FetchError::JqNotStarted(_))),
            "{missing:?}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_filter_runs_with_the_given_arguments_and_environment_only() {
        let jq = JqCommand {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), "cat; echo \"$0 $SET\"".into()],
            env: vec![("SET".into(), "yes".into())],
        };
        let answer = ask_with("[1]", r#","jq":".a""#, &jq).unwrap();
        assert!(answer.starts_with("[1].a yes"), "{answer}");
    }
}
