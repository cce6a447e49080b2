//! YAML 1.2 with its core schema. Aliases are expanded within limits; tags other than `!!str` are ignored.

use std::collections::HashMap;

use serde_json::Number;
use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use super::{Census, Data, Member, Node, SyntaxError};

pub(super) fn parse(text: &str) -> Result<Node, SyntaxError> {
    let mut reader = Reader {
        events: Parser::new_from_str(text),
        anchors: HashMap::new(),
        census: Census::default(),
    };
    let mut found = None;
    loop {
        match reader.next()? {
            None | Some((Event::StreamEnd, _)) => break,
            Some((Event::DocumentStart(..), _)) if found.is_none() => {
                let (event, span) = reader.need()?;
                found = Some(reader.node(event, span, 0)?);
            }
            Some((Event::DocumentStart(..), span)) => {
                let text = "a second document begins here; only one is read".to_owned();
                let line = span.start.line();
                return Err(SyntaxError { line, text });
            }
            Some(_) => {}
        }
    }
    let node = found.unwrap_or_else(|| Node::new(1, Data::Map(Vec::new())));
    match node.data {
        // Only comments.
        Data::Null => Ok(Node::new(node.line, Data::Map(Vec::new()))),
        _ => Ok(node),
    }
}

struct Reader<'a> {
    events: Parser<'a, StrInput<'a>>,
    anchors: HashMap<usize, Node>,
    census: Census,
}

impl<'a> Reader<'a> {
    /// The next event of a value or document.
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, SyntaxError> {
        loop {
            match self.events.next_event() {
                None => return Ok(None),
                // Comments and similar events, which another crate's features may enable.
                Some(Ok((event, _))) if !is_value(&event) => {}
                Some(Ok(event)) => return Ok(Some(event)),
                Some(Err(error)) => {
                    let line = error.marker().line();
                    let text = match error.info() {
                        tab if tab.contains("tabs disallowed") => {
                            "a tab where spaces must stand: YAML is indented with spaces".to_owned()
                        }
                        other => other,
                    };
                    return Err(SyntaxError { line, text });
                }
            }
        }
    }

    fn need(&mut self) -> Result<(Event<'a>, Span), SyntaxError> {
        self.next()?.ok_or_else(|| SyntaxError {
            line: 1,
            text: "ends too early".to_owned(),
        })
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, SyntaxError> {
        let line = span.start.line();
        self.census.node(line, depth)?;
        let (anchor, data) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let text_tag = tag.is_some_and(|tag| tag.core_suffix() == Some("str"));
                let data = if style == ScalarStyle::Plain && !text_tag {
                    plain(&text)
                } else {
                    Data::Text(text.into_owned())
                };
                (anchor, data)
            }
            Event::SequenceStart(_, anchor, _) => {
                let mut items = Vec::new();
                loop {
                    match self.need()? {
                        (Event::SequenceEnd, _) => break,
                        (event, span) => items.push(self.node(event, span, depth + 1)?),
                    }
                }
                (anchor, Data::List(items))
            }
            Event::MappingStart(_, anchor, _) => (anchor, self.map(depth)?),
            Event::Alias(anchor) => {
                let Some(node) = self.anchors.get(&anchor).cloned() else {
                    let text = "this alias would contain itself".to_owned();
                    return Err(SyntaxError { line, text });
                };
                self.count(&node, depth)?;
                return Ok(node);
            }
            other => {
                let text = format!("a value was expected, not {other:?}");
                return Err(SyntaxError { line, text });
            }
        };
        let node = Node::new(line, data);
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn map(&mut self, depth: usize) -> Result<Data, SyntaxError> {
        let mut members: Vec<Member> = Vec::new();
        loop {
            let (event, span) = self.need()?;
            if event == Event::MappingEnd {
                return Ok(Data::Map(members));
            }
            let key = self.node(event, span, depth + 1)?;
            let line = key.line;
            let name = match key.data {
                Data::Null => "null".to_owned(),
                _ => key.scalar().map(str::to_owned).unwrap_or_default(),
            };
            if name.is_empty() && key.text().is_none() {
                let text = format!("a name was expected, not {}", key.kind());
                return Err(SyntaxError { line, text });
            }
            Census::unique(&members, &name, line)?;
            let (event, span) = self.need()?;
            let value = self.node(event, span, depth + 1)?;
            members.push(Member { name, line, value });
        }
    }

    /// Counts the values that an alias repeats as if they were written out: nine lines of nested aliases make a
    /// billion values.
    fn count(&mut self, node: &Node, depth: usize) -> Result<(), SyntaxError> {
        self.census.node(node.line, depth)?;
        match &node.data {
            Data::List(items) => items
                .iter()
                .try_for_each(|item| self.count(item, depth + 1)),
            Data::Map(members) => members
                .iter()
                .try_for_each(|member| self.count(&member.value, depth + 1)),
            _ => Ok(()),
        }
    }
}

/// Whether an event is part of a value, or begins or ends a document.
fn is_value(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(..)
            | Event::DocumentEnd
            | Event::Alias(_)
            | Event::Scalar(..)
            | Event::SequenceStart(..)
            | Event::SequenceEnd
            | Event::MappingStart(..)
            | Event::MappingEnd
    )
}

/// An unquoted scalar, by the core schema.
fn plain(text: &str) -> Data {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Data::Null,
        "true" | "True" | "TRUE" => return Data::Bool(true),
        "false" | "False" | "FALSE" => return Data::Bool(false),
        _ => {}
    }
    match number(text) {
        Some(number) => Data::Number(number, text.to_owned()),
        None => Data::Text(text.to_owned()),
    }
}

fn number(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x") {
        return Some(u64::from_str_radix(digits, 16).ok()?.into());
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return Some(u64::from_str_radix(digits, 8).ok()?.into());
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let unsigned = text.strip_prefix('+').unwrap_or(text);
        if let Ok(number) = unsigned.parse::<i64>() {
            return Some(number.into());
        }
        if let Ok(number) = unsigned.parse::<u64>() {
            return Some(number.into());
        }
    }
    // Rust would also accept words such as `inf`.
    let known = |byte: u8| byte.is_ascii_digit() || b".eE+-".contains(&byte);
    if !digits.bytes().all(known) {
        return None;
    }
    Number::from_f64(text.parse().ok()?)
}
