//! Tables as text: comma-separated, Markdown, drawn with characters, aligned with spaces.
//!
//! ```text
//! text ─► read: how it is drawn + rows of cells ─► body: columns once, a line for each row
//! ```
//!
//! The head describes how the table was drawn, so that the same bytes can be drawn again without storing padding and
//! rules. Lines that the drawing does not explain are copied to the end of the body, and the head has their positions.
//! A table that does not decode to the same bytes is not offered.

mod align;
mod body;
mod csv;
mod grid;
mod head;
mod listing;
mod markdown;
mod measure;
mod page;
mod rows;
mod style;

use memchr::memrchr_iter;

use self::head::{parse_runs, runs};
use self::page::{Literal, Page, limit};
use self::rows::Rows;
use self::style::Style;
use crate::context::{Context, Stop};
use crate::kind::Kind;
use crate::rendering::{Malformed, Rendered, Rendering};

pub(crate) const RENDERING: Rendering = Rendering {
    word: "table",
    kinds: &[Kind::Csv, Kind::Markdown, Kind::Drawn],
    encode,
    decode,
};

/// How many rows are examined first.
const LOOK: usize = 64;

/// The most times that decoding counts a byte of a table against the limit.
const SEVERAL: usize = 16;

/// In a head: the numbers of the lines that are copied below the table.
const LINES: &str = " lines=";
/// In a head: the numbers of the empty lines.
const BLANK: &str = " blank=";

/// A parsed table.
struct Found<'a> {
    style: Style,
    rows: Rows<'a>,
    /// Lines that are copied.
    literal: Vec<Literal<'a>>,
}

fn encode(text: &str, kind: Kind, context: &Context) -> Vec<Rendered> {
    // Nearly always the first rows show how all rows are drawn; otherwise every row is examined.
    for look in [LOOK, usize::MAX] {
        let Some(found) = read(text, kind, look, &context.stop) else {
            break;
        };
        if let Some(rendered) = render(text, &found, context) {
            return vec![rendered];
        }
        if kind == Kind::Csv || context.stop.is_set() {
            break;
        }
    }
    Vec::new()
}

/// Parses a text as a table. The style is checked against the first `look` rows.
fn read<'a>(text: &'a str, kind: Kind, look: usize, stop: &Stop) -> Option<Found<'a>> {
    if kind == Kind::Csv {
        return csv::read(text, stop);
    }
    let lines: Vec<&str> = text.split('\n').collect();
    match kind {
        Kind::Markdown => markdown::read(&lines, look, stop),
        _ => grid::read(&lines, look, stop).or_else(|| listing::read(&lines, look, stop)),
    }
}

/// The short form of a table, if it decodes to the same text.
fn render(text: &str, found: &Found<'_>, context: &Context) -> Option<Rendered> {
    let least = if found.rows.names.is_some() { 1 } else { 2 };
    if context.stop.is_set() || found.rows.width == 0 || found.rows.len() < least {
        return None;
    }
    let mut page = Page::new(&found.literal, text.len()).until(&context.stop);
    found.style.draw(&found.rows, &mut page).ok()?;
    if page.finish().ok()? != text {
        return None;
    }
    let written = body::write(&found.rows, context)?;
    // A small body for a large table might exceed the limits of decoding, which counts every byte that it produces,
    // some of them several times. So it is decoded as a test.
    let much = text.len().saturating_mul(SEVERAL) > limit(written.lines.len());
    if much && body::read(&written.lines).is_err() {
        return None;
    }
    let mut head = found.style.head();
    if found.rows.names.is_none() {
        head.push_str(" unnamed");
    }
    let mut body = written.lines;
    let written_len = body.len();
    for (word, is_blank) in [(BLANK, true), (LINES, false)] {
        let some = found
            .literal
            .iter()
            .filter(|(_, line)| line.is_empty() == is_blank);
        let numbers = runs(some.clone().map(|(at, _)| *at));
        if numbers.is_empty() {
            continue;
        }
        if is_blank && some.clone().count() > most_lines(written_len) {
            return None;
        }
        head.push_str(word);
        head.push_str(&numbers);
        for (_, line) in some.filter(|_| !is_blank) {
            body.push('\n');
            body.push_str(line);
        }
    }
    let most = limit(body.len());
    if text.len() > most || found.style.given(found.rows.width) > most {
        return None;
    }
    if !written.legend.is_empty() {
        head.push_str("; ");
        head.push_str(&written.legend);
    }
    Some(Rendered {
        word: RENDERING.word,
        head,
        body,
    })
}

/// The most line numbers that a head may list. Bounds the memory for the blank lines of a hostile head.
const fn most_lines(body: usize) -> usize {
    body.saturating_add(4096)
}

fn decode(head: &str, body: &str) -> Result<String, Malformed> {
    let wrong = |why| Malformed::new(0, why);
    let head = head.split_once(';').map_or(head, |(head, _)| head);
    let numbers = |list: &str| match list {
        "" => Ok(Vec::new()),
        list => {
            parse_runs(list, most_lines(body.len())).ok_or_else(|| wrong("invalid line numbers"))
        }
    };
    let (head, lines) = head.rsplit_once(LINES).unwrap_or((head, ""));
    let (head, blank) = head.rsplit_once(BLANK).unwrap_or((head, ""));
    let (head, is_unnamed) = match head.strip_suffix(" unnamed") {
        Some(head) => (head, true),
        None => (head, false),
    };
    let too_few = || wrong("fewer lines than the header lists");
    let (table, mut literal) = split(body, &numbers(lines)?).ok_or_else(too_few)?;
    literal.extend(numbers(blank)?.into_iter().map(|at| (at, "")));
    literal.sort_unstable();
    let mut rows = body::read(table)?;
    if is_unnamed {
        rows.names = None;
    }
    let style = Style::parse(head.split_ascii_whitespace(), rows.width)
        .ok_or_else(|| wrong("an unknown style"))?;
    if style.given(rows.width) > limit(body.len()) {
        return Err(wrong("the decoded text would exceed the size limit"));
    }
    let mut page = Page::new(&literal, body.len());
    style.draw(&rows, &mut page)?;
    page.finish()
}

/// Splits a body into the table and the copied lines below it.
fn split<'a>(body: &'a str, numbers: &[usize]) -> Option<(&'a str, Vec<Literal<'a>>)> {
    let Some(last) = numbers.len().checked_sub(1) else {
        return Some((body, Vec::new()));
    };
    let end = memrchr_iter(b'\n', body.as_bytes()).nth(last)?;
    let (table, literal) = body.split_at(end);
    let lines = literal.get(1..)?.split('\n');
    Some((table, numbers.iter().copied().zip(lines).collect()))
}

#[cfg(test)]
mod tests;
