//! Encodes JSON.

use super::bare::Below;
use super::build::{Builder, Notes};
use super::parse::{Document, Id, ValueKind};
use crate::context::Context;
use crate::kind::Kind;
use crate::rendering::Rendered;
use crate::table::Place;

/// Up to this length, the legend of a table may cost more than the table saves.
const SHORT: usize = 8000;

/// The candidate short forms of a text.
pub(crate) fn encode(text: &str, kind: Kind, context: &Context) -> Vec<Rendered> {
    let mut forms = Vec::new();
    forms.extend(match kind {
        Kind::Ndjson => lines(text, context),
        _ => one(text, context),
    });
    if text.len() <= SHORT && kind == Kind::Json && forms.iter().any(|form| !form.head.is_empty()) {
        forms.extend(without_tables(text, context));
    }
    forms.retain(|form| text.len() <= super::most(form.body.len()) && !context.stop.is_set());
    forms
}

fn without_tables(text: &str, context: &Context) -> Option<Rendered> {
    let document = Document::parse(text)?;
    let builder = Builder::new(&document, context).without_tables();
    let mut body = String::with_capacity(text.len() / 2);
    builder.write(0, &mut body, None);
    Some(finish(String::new(), body, &builder.notes))
}

fn one(text: &str, context: &Context) -> Option<Rendered> {
    let document = Document::parse(text)?;
    let builder = Builder::new(&document, context);
    let root = document.value(0);
    if root.kind == ValueKind::Array && root.count > 1 {
        let rows: Vec<Id> = document.inside(0).collect();
        if let Some(page) = builder.page(&rows, None, Place::Line, 0) {
            let head = format!("{} rows", rows.len());
            return Some(finish(head, page.into_lines(), &builder.notes));
        }
    }
    let mut body = String::with_capacity(text.len() / 2);
    let mut below = Below::new();
    builder.write(0, &mut body, Some(&mut below));
    for (at, ([open, close], page)) in below.into_iter().enumerate() {
        body.push_str(&format!("\n@{}{open}{}{close} ", at + 1, page.len()));
        body.push_str(&page.into_lines());
    }
    Some(finish(String::new(), body, &builder.notes))
}

fn lines(text: &str, context: &Context) -> Option<Rendered> {
    let (document, lines) = Document::parse_lines(text)?;
    let builder = Builder::new(&document, context);
    if let Some(page) = builder.lines(&lines) {
        let head = format!("{} lines", lines.len());
        return Some(finish(head, page.into_lines(), &builder.notes));
    }
    let mut body = String::with_capacity(text.len());
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            body.push('\n');
        }
        if let Some(id) = line {
            builder.write(*id, &mut body, None);
        }
    }
    Some(finish("lines".to_owned(), body, &builder.notes))
}

fn finish(head: String, body: String, notes: &Notes) -> Rendered {
    let mut words = Vec::new();
    if !head.is_empty() {
        words.push(head);
    }
    if notes.in_place.get() {
        words.push("[|a;1;2] is a table".to_owned());
    }
    if notes.members.get() {
        words.push("{rows} by key".to_owned());
    }
    let legend = notes.marks.get().legend();
    if !legend.is_empty() {
        words.push(legend);
    }
    Rendered {
        word: "json",
        head: words.join("; "),
        body,
    }
}
