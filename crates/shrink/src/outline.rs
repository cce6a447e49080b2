//! What a model gets in place of a text that is over its budget: what there is, some of it, and how to get
//! the rest.
//!
//! Every line of content is the text's own; what is cut or left out is marked. The head and the marks begin
//! with `[linkspan:` as all of ours do, so the text must come with its imitations escaped ([`crate::marks`]).

mod landmarks;
mod pages;
mod shape;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use crate::context::Context;
use crate::detect::{Region, line_numbers};
use crate::kind::Kind;

/// Tokens are counted of so much, and the rest is judged by that.
const COUNTED: usize = 1 << 18;

/// Regions that are named one by one.
const NAMED: usize = 40;

/// An outline of a text, of which the marks are escaped, in no more than `budget` tokens, unless there is not even room
/// for the line that says how to get the rest.
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
    // The tokens of two texts together may be more than the sum of theirs: so it is counted again.
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

/// How large a text is.
struct About {
    lines: usize,
    bytes: usize,
    tokens: u64,
    /// Whether that many were counted, or it is a guess.
    exact: bool,
    budget: u64,
}

impl About {
    fn new(text: &str, lines: usize, budget: u64, context: &Context) -> Self {
        let sample = &text[..text.floor_char_boundary(COUNTED)];
        let exact = sample.len() == text.len();
        let counted = context.tokens(sample);
        let tokens = match exact {
            true => counted,
            false => (counted as f64 * (text.len() as f64 / sample.len() as f64)) as u64,
        };
        Self {
            lines,
            bytes: text.len(),
            tokens,
            exact,
            budget,
        }
    }

    /// `about ` if it is a guess.
    fn about(&self) -> &'static str {
        if self.exact { "" } else { "about " }
    }

    /// The tokens of a part, by its share of the bytes.
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

/// A line for each region: which lines, what they are, how many tokens, and what it is made of.
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

/// Adds lines as long as there is room, and says how many there was none for.
fn add_within(out: &mut String, lines: &[String], room: u64, context: &Context) {
    let mut used = 0;
    for (index, line) in lines.iter().enumerate() {
        // The line end, and a word about what is left out.
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
