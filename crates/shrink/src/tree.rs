//! Trees, path lists and listings: one line per folder instead of one per entry.
//!
//! ```text
//! .                               %tree one line per folder; tree sorted bytes; in .
//! ├── Cargo.toml                  Cargo.toml
//! └── src               ─►        src/ lib.rs main.rs
//!     ├── lib.rs
//!     └── main.rs
//! ```
//!
//! `Style` is the notation of a text: it is parsed to entries, and entries are drawn in it. `Form` is the short
//! notation of entries. Neither depends on the other.

mod common;
mod decoration;
mod drawn;
mod entry;
mod factor;
mod folders;
mod head;
mod indented;
mod json;
mod lines;
mod listing;
mod order;
mod paths;
mod pattern;
#[cfg(test)]
mod properties;
mod read;
mod scan;
mod spelling;
mod style;
mod template;
#[cfg(test)]
mod tests;

use crate::context::{Context, Level};
use crate::kind::Kind;
use crate::rendering::{Malformed, Rendered, Rendering};

use entry::Entry;
use factor::Factor;
use folders::Folders;
use head::{Form, Head};
use order::Order;
use spelling::Spelling;
use style::{Parsed, Picture, Style};

pub(crate) const RENDERING: Rendering = Rendering {
    word: "tree",
    kinds: &[Kind::Tree, Kind::Paths, Kind::Json],
    encode,
    decode,
};

fn encode(text: &str, kind: Kind, context: &Context) -> Vec<Rendered> {
    let parsed = Style::parse(text, kind);
    let is_tree = |parsed: &Parsed<'_>| !parsed.entries.is_empty() && !context.stop.is_set();
    let Some(Parsed {
        style,
        root,
        tail,
        entries,
    }) = parsed.filter(is_tree)
    else {
        return Vec::new();
    };
    let tail = tail.map(Into::into);
    let head = Head {
        form: Form::Lines,
        style,
        root,
        tail,
    };
    let render = |(form, body): (Form<'_>, String)| {
        let head = Head {
            form,
            ..head.clone()
        };
        let line = head.write();
        let done = !context.stop.is_set() && is_decodable(text, &head, &line, &entries, &body);
        done.then_some(Rendered {
            word: RENDERING.word,
            head: line,
            body,
        })
    };
    let mut short: Vec<Rendered> = match context.level {
        Level::Safe => render((Form::Lines, lines::write(&entries)))
            .into_iter()
            .collect(),
        level => {
            let all = folders(&entries, level, true, context).into_iter();
            all.filter_map(render).collect()
        }
    };
    // A body may expand only to a limited number of entries; without patterns that expand, it may still pass.
    if short.is_empty() && context.level == Level::Max {
        let all = folders(&entries, Level::Max, false, context).into_iter();
        short = all.filter_map(render).collect();
    }
    short
}

/// Whether the form decodes to the text it was made from: its expansion is within the limits, and it parses to the same
/// entries. Parsing takes as long as encoding, and `shrink` decodes the chosen candidate anyway, so the body is parsed
/// here only if names contain characters with a meaning in the notation.
fn is_decodable(
    text: &str,
    head: &Head<'_>,
    line: &str,
    entries: &[Entry<'_>],
    body: &str,
) -> bool {
    let expanded = match head.form {
        Form::Lines => true,
        Form::Folders { .. } => entries.len() <= read::most(body),
    };
    let is_restored = || {
        entries.iter().all(|entry| is_usual(&entry.name))
            || read(head.form, body).is_ok_and(|read| read == entries)
    };
    expanded
        && text.len() <= head.limit(body)
        && Head::read(line).as_ref() == Some(head)
        && is_restored()
}

/// Whether a name has no character with a meaning in the notation.
fn is_usual(name: &str) -> bool {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !name.is_empty() && name.bytes().all(is_usual)
}

fn decode(head: &str, body: &str) -> Result<String, Malformed> {
    let head = Head::read(head).ok_or_else(|| Malformed::new(0, "is not a tree header"))?;
    let entries = read(head.form, body)?;
    let picture = Picture {
        root: head.root.as_deref(),
        entries: &entries,
        limit: head.limit(body),
    };
    let drawn = head.style.draw(&picture, head.tail.as_deref());
    drawn.ok_or_else(|| Malformed::new(0, "cannot be drawn"))
}

fn read<'a>(form: Form<'_>, body: &'a str) -> Result<Vec<Entry<'a>>, Malformed> {
    match form {
        Form::Lines => lines::read(body),
        Form::Folders {
            spelling, order, ..
        } => read::read(body, spelling, order),
    }
}

/// The forms with one line per folder that may be the shortest.
fn folders<'e>(
    entries: &'e [Entry<'_>],
    level: Level,
    expands: bool,
    context: &Context,
) -> Vec<(Form<'e>, String)> {
    let order = Order::of(entries);
    let plain = Spelling::of(entries);
    let write = |spelling: Spelling<'e>, entries: &'e [Entry<'_>]| {
        let ending = spelling.ending;
        let factor = (level == Level::Max).then_some(Factor { ending, expands });
        let folders = Folders::new(entries, spelling, order);
        let (body, patterns) = folders.write(factor, &context.stop)?;
        let form = Form::Folders {
            spelling,
            order,
            patterns,
        };
        Some((form, body))
    };
    let mut ways = vec![plain];
    let ending = factor::usual_ending(entries).filter(|_| level == Level::Max);
    if ending.is_some() {
        ways.push(Spelling { ending, ..plain });
    }
    // For a large tree, the better spelling is chosen by a part of it.
    if ways.len() > 1 && entries.len() > 2 * ENOUGH {
        ways.sort_by_cached_key(|way| {
            let part = write(*way, &entries[..ENOUGH]);
            part.map(|(_, body)| context.tokens(&body))
        });
        ways.truncate(1);
    }
    let short = ways.into_iter().filter_map(|way| write(way, entries));
    short.collect()
}

/// The number of entries that are representative of a tree.
const ENOUGH: usize = 2_000;
