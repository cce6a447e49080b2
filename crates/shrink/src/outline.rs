//! The outline that a model gets in place of a text over its budget: the structure, some of the content, and how to get
//! the rest.
//!
//! Every line of content is copied from the text; cuts and omissions are marked. The head and the marks begin with
//! `[linkspan:`, so imitations of marks must be escaped before ([`crate::marks`]).

mod landmarks;
mod pages;
mod shape;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use crate::context::Context;
use crate::detect::{Region, line_numbers};
use crate::kind::Kind;

/// Tokens of up to this many bytes are counted; the tokens of the rest are estimated from them.
const COUNTED: usize = 1 << 18;

/// How many regions are listed one by one.
const NAMED: usize = 40;

/// An outline of a text with escaped marks, in at most `budget` tokens, unless the line that says how to get the rest
/// alone needs more.
pub fn outline(
    text: &str,
    regions: &[Region],
    context: &Context,
    budget: u64,
    handle: &str,
) -> String {
    let lines = text.lines().count();
    let about = About::new(text, lines, budget, context);
    let first = first_line(&about, regions, handle);
    if context.tokens(&first) > budget {
        return format!("[linkspan: too long; get it with bcp_fetch {{\"id\":\"{handle}\"}}]");
    }
    let left = |out: &str| budget.saturating_sub(context.tokens(out));
    let mut out = first.clone();
    for lines in [list(text, regions, &about), landmarks::of(text, regions)] {
        let room = left(&out) * 2 / 5;
        add_within(&mut out, &lines, room, context);
    }
    // Tokens are counted again, because joined texts may have more tokens than their parts.
    let mut room = left(&out);
    while room > 0 {
        let whole = format!("{out}{}", pages::of(text, lines, room, context));
        let tokens = context.tokens(&whole);
        if tokens <= budget {
            return whole;
        }
        room = room.saturating_sub((tokens - budget).max(4));
    }
    if context.tokens(&out) <= budget {
        out
    } else {
        first
    }
}

/// The size of a text.
struct About {
    lines: usize,
    bytes: usize,
    tokens: u64,
    /// Whether the number of tokens is exact.
    exact: bool,
    budget: u64,
}

impl About {
    fn new(text: &str, lines: usize, budget: u64, context: &Context) -> Self {
        let sample = &text[..text.floor_char_boundary(COUNTED)];
        let exact = sample.len() == text.len();
        let counted = context.tokens(sample);
        let tokens = if exact {
            counted
        } else {
            (counted as f64 * (text.len() as f64 / sample.len() as f64)) as u64
        };
        Self {
            lines,
            bytes: text.len(),
            tokens,
            exact,
            budget,
        }
    }

    /// `about ` if the number of tokens is an estimate.
    fn about(&self) -> &'static str {
        if self.exact { "" } else { "about " }
    }

    /// The tokens of a part, estimated by its share of the bytes.
    fn share(&self, bytes: usize) -> u64 {
        (self.tokens as f64 * bytes as f64 / self.bytes.max(1) as f64).round() as u64
    }
}

fn first_line(about: &About, regions: &[Region], handle: &str) -> String {
    let mut out = format!(
        "[linkspan: {} lines, {}{} tokens: over the budget of {}. This is an outline; … marks a cut. \
         Get the rest with bcp_fetch {{\"id\":\"{handle}\",\"range\":\"1-{}\"}} or {{\"id\":\"{handle}\",\"grep\":\"…\"}}",
        about.lines,
        about.about(),
        about.tokens,
        about.budget,
        about.lines.clamp(1, 200),
    );
    if regions
        .iter()
        .any(|region| matches!(region.kind, Kind::Json | Kind::Ndjson))
    {
        let _ = write!(out, " or {{\"id\":\"{handle}\",\"jq\":\"…\"}}");
    }
    out.push_str("]\n");
    out
}

/// A line per region: its lines, kind, tokens and content.
fn list(text: &str, regions: &[Region], about: &About) -> Vec<String> {
    let numbers = line_numbers(text, regions);
    let mut list = Vec::new();
    for (region, (first, last)) in regions.iter().zip(numbers).take(NAMED) {
        let part = text.get(region.range.clone()).unwrap_or("");
        if region.kind == Kind::Plain && part.trim().is_empty() {
            continue;
        }
        let kind = match region.kind {
            Kind::Plain => "text",
            kind => kind.name(),
        };
        let mut line = format!(
            "lines {first}-{last}: {kind}, about {} tokens",
            about.share(part.len())
        );
        for name in [&region.lang, &region.path].into_iter().flatten() {
            let _ = write!(line, ", {}", pages::cut(name, 200));
        }
        if region.kind == Kind::Json
            && let Some(shape) = shape::of(part)
        {
            let _ = write!(line, ": {shape}");
        }
        list.push(line);
    }
    if regions.len() > NAMED {
        list.push(format!("… and {} more parts", regions.len() - NAMED));
    }
    list
}

/// Appends lines while there is room, and a note about the omitted ones.
fn add_within(out: &mut String, lines: &[String], room: u64, context: &Context) {
    let mut used = 0;
    for (index, line) in lines.iter().enumerate() {
        // Plus the line end and the note.
        let tokens = context.tokens(line) + 1;
        if used + tokens + 8 > room {
            let left = lines.len() - index;
            if used + 8 <= room {
                let _ = writeln!(out, "… and {left} more");
            }
            return;
        }
        used += tokens;
        out.push_str(line);
        out.push('\n');
    }
}
