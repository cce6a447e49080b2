//! Edits YAML: a server is a member of a mapping, or an item of a sequence.

mod tree;
mod write;

use serde_json::Value;

use self::tree::{Kind, Node};
pub(crate) use self::write::write;
use self::write::{item, member};
use crate::edit::EditError;
use crate::format::{SyntaxError, line_break};
use crate::slot::Slot;

/// The value of a text.
pub(crate) fn read(text: &str) -> Result<Value, SyntaxError> {
    let tree = tree::read(text)?;
    if matches!(tree.kind, Kind::Empty) {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    serde_saphyr::from_str(text).map_err(|error| {
        let place = error.location();
        SyntaxError {
            line: place.map_or(1, |place| place.line() as usize),
            column: place.map_or(1, |place| place.column() as usize),
            text: message(&error.without_snippet().to_string()),
        }
    })
}

/// The message of a parser without its place.
fn message(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    line.split(" at line ").next().unwrap_or(line).to_owned()
}

/// The text with a value in the place.
pub(crate) fn put(text: &str, slot: Slot<'_>, value: &Value) -> Result<String, EditError> {
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    let (mark, text) = text.split_at(mark);
    let edited = Edit::new(text, slot)?.put(value)?;
    Ok(format!("{mark}{edited}"))
}

/// The text without a value in the place.
pub(crate) fn remove(text: &str, slot: Slot<'_>) -> Result<String, EditError> {
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    let (mark, text) = text.split_at(mark);
    let edited = Edit::new(text, slot)?.remove()?;
    Ok(format!("{mark}{edited}"))
}

/// A text and the part of its tree that is edited.
struct Edit<'a> {
    text: &'a str,
    slot: Slot<'a>,
    /// The key and the value of the servers.
    servers: Option<(Node, Node)>,
}

impl<'a> Edit<'a> {
    fn new(text: &'a str, slot: Slot<'a>) -> Result<Self, EditError> {
        let root = tree::read(text)?;
        let servers = match root.kind {
            Kind::Map(members) if !root.is_flow => {
                let mut found = members.into_iter().filter(|(key, _)| key.is(slot.key));
                let first = found.next();
                if found.next().is_some() {
                    return Err(EditError::Duplicate(slot.key.to_owned()));
                }
                first
            }
            Kind::Empty => None,
            _ => return Err(EditError::Unsafe),
        };
        Ok(Self {
            text,
            slot,
            servers,
        })
    }

    fn put(&self, value: &Value) -> Result<String, EditError> {
        let end = line_break(self.text);
        let Some((key, servers)) = &self.servers else {
            let body = self.text.trim_end();
            let tail = &self.text[body.len()..];
            let tail = if tail.is_empty() { end } else { tail };
            let lines = write(&self.slot.alone(value)).join(end);
            return Ok(format!("{body}{end}{lines}{tail}"));
        };
        let children = self.children(servers)?;
        if let Some(n) = self.position(servers) {
            let (start, stop) = children[n];
            let indent = self.column(start);
            let new = if servers.is_flow {
                return Err(EditError::Unsafe);
            } else {
                self.lines(value, &" ".repeat(indent)).join(end)
            };
            let new = new.trim_start();
            return Ok(format!(
                "{}{new}{}",
                &self.text[..start],
                &self.text[stop..]
            ));
        }
        match children.last() {
            None => {
                // No servers: nothing, `null`, `{}` or `[]` after the key.
                let colon = self.colon(key)?;
                let stop = servers.end.max(colon);
                let line = self.line_end(stop);
                let note = self.text[stop..line].trim_end();
                let lines = self.lines(value, "  ").join(end);
                let (head, tail) = (&self.text[..colon], &self.text[line..]);
                Ok(format!("{head}{note}{end}{lines}{tail}"))
            }
            Some((_, last)) if servers.is_flow => {
                let new = match self.slot.named_by {
                    None => format!("{}: {value}", Value::from(self.slot.name)),
                    Some(_) => value.to_string(),
                };
                let (head, tail) = self.text.split_at(*last);
                Ok(format!("{head}, {new}{tail}"))
            }
            Some((_, last)) => {
                let indent = self.column(children[0].0);
                let lines = self.lines(value, &" ".repeat(indent)).join(end);
                let (head, tail) = self.text.split_at(self.line_end(*last));
                Ok(format!("{head}{end}{lines}{tail}"))
            }
        }
    }

    fn remove(&self) -> Result<String, EditError> {
        let (key, servers) = self.servers.as_ref().ok_or(EditError::Unsafe)?;
        let n = self.position(servers).ok_or(EditError::Unsafe)?;
        let children = self.children(servers)?;
        if servers.is_flow {
            return Err(EditError::Unsafe);
        }
        let (start, stop) = children[n];
        let stop = self.line_end(stop);
        let line = self.text[..start].trim_end_matches(' ');
        let line = line.strip_suffix('\n').ok_or(EditError::Unsafe)?;
        let line = line.strip_suffix('\r').unwrap_or(line).len();
        let (head, tail) = (&self.text[..line], &self.text[stop..]);
        if children.len() > 1 {
            return Ok(format!("{head}{tail}"));
        }
        let empty = if self.slot.named_by.is_some() {
            " []"
        } else {
            " {}"
        };
        let colon = self.colon(key)?;
        let (head, note) = head.split_at(colon);
        Ok(format!("{head}{empty}{note}{tail}"))
    }

    /// The lines of the server.
    fn lines(&self, value: &Value, indent: &str) -> Vec<String> {
        match self.slot.named_by {
            None => member(self.slot.name, value, indent),
            Some(_) => item(value, indent),
        }
    }

    /// The index of the server.
    fn position(&self, servers: &Node) -> Option<usize> {
        match (&servers.kind, self.slot.named_by) {
            (Kind::Map(members), None) => {
                members.iter().position(|(key, _)| key.is(self.slot.name))
            }
            (Kind::List(items), Some(by)) => items.iter().position(|item| {
                let Kind::Map(members) = &item.kind else {
                    return false;
                };
                let mut members = members.iter();
                members.any(|(key, value)| key.is(by) && value.is(self.slot.name))
            }),
            _ => None,
        }
    }

    /// The beginnings and ends of the servers.
    fn children(&self, servers: &Node) -> Result<Vec<(usize, usize)>, EditError> {
        match &servers.kind {
            Kind::Empty => Ok(Vec::new()),
            Kind::Map(members) => Ok(members
                .iter()
                .map(|(key, value)| (key.start, value.end.max(key.end)))
                .collect()),
            Kind::List(items) if servers.is_flow => {
                Ok(items.iter().map(|item| (item.start, item.end)).collect())
            }
            Kind::List(items) => items
                .iter()
                .map(|item| {
                    let before = self.text[..item.start].trim_end_matches(' ');
                    let dash = before.strip_suffix('-').ok_or(EditError::Unsafe)?;
                    Ok((dash.len(), item.end))
                })
                .collect(),
            Kind::Text(text) if text.is_empty() || text == "null" || text == "~" => Ok(Vec::new()),
            Kind::Text(_) | Kind::Alias => Err(EditError::Unsafe),
        }
    }

    /// The position behind the colon of a key.
    fn colon(&self, key: &Node) -> Result<usize, EditError> {
        let rest = &self.text[key.end..];
        let colon = rest.find(|c: char| c != ' ').unwrap_or(0);
        let is_colon = rest[colon..].starts_with(':');
        is_colon
            .then_some(key.end + colon + 1)
            .ok_or(EditError::Unsafe)
    }

    /// The number of characters before a position on its line.
    fn column(&self, at: usize) -> usize {
        let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        at - line
    }

    /// The end of the line of a position, without its line break.
    fn line_end(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let line = rest.split('\n').next().unwrap_or_default();
        at + line.strip_suffix('\r').unwrap_or(line).len()
    }
}

#[cfg(test)]
mod tests;
