//! The nodes of a YAML document, with their positions.

use serde_saphyr::granit_parser::{Event, Parser, Span, StrInput, StructureStyle};

use crate::format::SyntaxError;

/// Nesting above this is refused.
const DEEPEST: usize = 64;

/// A node of a document.
pub(super) struct Node {
    /// Where it begins, in bytes.
    pub(super) start: usize,
    /// The end of its last character that is not white space.
    pub(super) end: usize,
    /// Whether it is in brackets.
    pub(super) is_flow: bool,
    pub(super) kind: Kind,
}

/// What a node is.
pub(super) enum Kind {
    /// No node, or a collection without items.
    Empty,
    Text(String),
    Map(Vec<(Node, Node)>),
    List(Vec<Node>),
    /// A reference to another node.
    Alias,
}

impl Node {
    /// Whether it is this text.
    pub(super) fn is(&self, wanted: &str) -> bool {
        matches!(&self.kind, Kind::Text(text) if text == wanted)
    }
}

/// The tree of the first document.
pub(super) fn read(text: &str) -> Result<Node, SyntaxError> {
    let mut reader = Reader {
        text,
        events: Parser::new_from_str(text),
    };
    let mut root = None;
    loop {
        let (event, span) = reader.next()?;
        match event {
            Event::StreamEnd => break,
            Event::DocumentStart(..) if root.is_none() => {
                let (event, span) = reader.next()?;
                root = Some(reader.node(event, span, 0)?);
            }
            Event::DocumentStart(..) => {
                return Err(problem(span, "a second document begins here"));
            }
            _ => {}
        }
    }
    let mut root = root.unwrap_or(Node {
        start: 0,
        end: 0,
        is_flow: false,
        kind: Kind::Empty,
    });
    if root.is("") {
        root.kind = Kind::Empty;
    }
    Ok(root)
}

struct Reader<'a> {
    text: &'a str,
    events: Parser<'a, StrInput<'a>>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), SyntaxError> {
        match self.events.next_event() {
            None => Ok((Event::StreamEnd, Span::default())),
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(SyntaxError {
                line: error.marker().line(),
                column: error.marker().col() + 1,
                text: error.info(),
            }),
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, SyntaxError> {
        if depth > DEEPEST {
            return Err(problem(span, "it is nested too deeply"));
        }
        let mut start = span.start.byte_offset().unwrap_or_default();
        let mut end = span.end.byte_offset().unwrap_or_default();
        let mut is_flow = false;
        let kind = match event {
            Event::Scalar(text, ..) => Kind::Text(text.into_owned()),
            Event::Alias(_) => Kind::Alias,
            Event::SequenceStart(style, ..) => {
                is_flow = style == StructureStyle::Flow;
                let mut items = Vec::new();
                loop {
                    let (event, span) = self.next()?;
                    if event == Event::SequenceEnd {
                        end = span.end.byte_offset().unwrap_or_default();
                        break;
                    }
                    items.push(self.node(event, span, depth + 1)?);
                }
                if let (false, Some(last)) = (is_flow, items.last()) {
                    end = last.end;
                }
                if items.is_empty() {
                    Kind::Empty
                } else {
                    Kind::List(items)
                }
            }
            Event::MappingStart(style, ..) => {
                is_flow = style == StructureStyle::Flow;
                let mut members: Vec<(Node, Node)> = Vec::new();
                loop {
                    let (event, span) = self.next()?;
                    if event == Event::MappingEnd {
                        end = span.end.byte_offset().unwrap_or_default();
                        break;
                    }
                    let key = self.node(event, span, depth + 1)?;
                    let (event, span) = self.next()?;
                    let value = self.node(event, span, depth + 1)?;
                    members.push((key, value));
                }
                if let (false, Some((key, value))) = (is_flow, members.last()) {
                    end = value.end.max(key.end);
                    start = members[0].0.start;
                }
                if members.is_empty() {
                    Kind::Empty
                } else {
                    Kind::Map(members)
                }
            }
            other => {
                return Err(problem(
                    span,
                    &format!("a value was expected, not {other:?}"),
                ));
            }
        };
        let end = self.text[..end.min(self.text.len())].trim_end().len();
        Ok(Node {
            start,
            end,
            is_flow,
            kind,
        })
    }
}

fn problem(span: Span, text: &str) -> SyntaxError {
    SyntaxError {
        line: span.start.line(),
        column: span.start.col() + 1,
        text: text.to_owned(),
    }
}
