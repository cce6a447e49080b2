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
//! `Style` knows what a text looks like and makes entries of it, and the other way round. `Form` is how
//! entries are said shorter. Neither knows of the other.

mod drawn;
mod dress;
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
    let Some(parsed) = Style::parse(text, kind) else {
        return Vec::new();
    };
    let mut short = match context.level {
        Level::Safe => vec![(Form::Lines, lines::write(&parsed.entries))],
        level => folders(&parsed.entries, level, context),
    };
    short.retain(|(form, body)| read(*form, body).is_ok_and(|read| read == parsed.entries));
    let Parsed {
        style, root, tail, ..
    } = parsed;
    let tail = tail.map(Into::into);
    let mut head = Head {
        form: Form::Lines,
        style,
        root,
        tail,
    };
    let short = short.into_iter().filter_map(|(form, body)| {
        head.form = form;
        let head = head.write();
        let allowed = text.len() <= limit(&head, &body);
        allowed.then_some(Rendered {
            word: RENDERING.word,
            head,
            body,
        })
    });
    match context.stop.is_set() {
        true => Vec::new(),
        false => short.collect(),
    }
}

fn decode(head: &str, body: &str) -> Result<String, Malformed> {
    let limit = limit(head, body);
    let head =
        Head::read(head).ok_or_else(|| Malformed::new(0, "is not what a tree begins with"))?;
    let entries = read(head.form, body)?;
    let picture = Picture {
        root: head.root.as_deref(),
        entries: &entries,
        limit,
    };
    let drawn = head.style.draw(&picture, head.tail.as_deref());
    drawn.ok_or_else(|| Malformed::new(0, "cannot be drawn"))
}

/// A tree of so many bytes is drawn, not more: deep folders take a lot of white space.
fn limit(head: &str, body: &str) -> usize {
    (head.len() + body.len()).saturating_mul(128)
}

fn read<'a>(form: Form<'_>, body: &'a str) -> Result<Vec<Entry<'a>>, Malformed> {
    match form {
        Form::Lines => lines::read(body),
        Form::Folders {
            spelling, order, ..
        } => read::read(body, spelling, order),
    }
}

/// One line per folder, in the ways that may be the shortest.
fn folders<'e>(
    entries: &'e [Entry<'_>],
    level: Level,
    context: &Context,
) -> Vec<(Form<'e>, String)> {
    let order = Order::of(entries);
    let mut ways = vec![Spelling::of(entries)];
    if level == Level::Max
        && let Some(ending) = factor::usual_ending(entries)
    {
        let spelling = Spelling {
            ending: Some(ending),
            ..ways[0]
        };
        ways.push(spelling);
    }
    let write = |spelling: Spelling<'e>| {
        let mut factor = Factor::new(context, spelling.ending);
        let factor = (level == Level::Max).then_some(&mut factor);
        let folders = Folders::new(entries, spelling, order);
        let (body, patterns) = folders.write(factor, &context.stop)?;
        let form = Form::Folders {
            spelling,
            order,
            patterns,
        };
        Some((form, body))
    };
    ways.into_iter().filter_map(write).collect()
}
