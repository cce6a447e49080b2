//! Processes one text of a result.

use std::borrow::Cow;

use crate::blocks::render;
use crate::context::{Context, Stop};
use crate::detect::detect;
use crate::kind::Kind;
use crate::lossy::apply;
use crate::marks;
use crate::outline::outline;
use crate::policy::{Keep, Policy};
use crate::shrinking::{Kept, Thresholds, shrink_escaped};

/// A text of a result.
pub(crate) struct Text<'a> {
    pub(crate) text: &'a str,
    pub(crate) tool: &'a str,
    /// The token budget.
    pub(crate) budget: Option<u64>,
}

/// The outcome for one text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Worked {
    /// The new text; `None` if it is not changed.
    pub text: Option<String>,
    /// The kinds of its shortened regions.
    pub kinds: Vec<Kind>,
    /// Tokens before.
    pub before: u64,
    /// Tokens after.
    pub after: u64,
    /// Whether the original can be decoded from the new text alone.
    pub lossless: bool,
    /// The id with which the original can be fetched.
    pub id: Option<String>,
    /// Why the text is not changed.
    pub kept: Option<Kept>,
}

impl Worked {
    /// The outcome for an unchanged text.
    fn nothing(before: u64, kept: Kept) -> Self {
        Self {
            before,
            after: before,
            lossless: true,
            kept: Some(kept),
            ..Self::default()
        }
    }
}

/// Shortens a text: to a reference to an earlier equal text, by the allowed lossy reductions, by its kind; and if it is
/// still over budget, to an outline.
pub(crate) fn work(text: &Text<'_>, policy: &Policy, keep: &dyn Keep, stop: &Stop) -> Worked {
    let context = Context {
        level: policy.level,
        vocabulary: policy.vocabulary,
        stop: stop.clone(),
    };
    let mut worked = by_kind(text, policy, keep, &context);
    let over = text.budget.is_some_and(|budget| worked.after > budget);
    if worked.text.is_some() && worked.id.is_none() {
        worked.id = keep.keep(text.tool, text.text);
    }
    if !over {
        return worked;
    }
    // An outline is allowed only if the original can be fetched.
    let (Some(budget), Some(id)) = (text.budget, keep.keep(text.tool, text.text)) else {
        return worked;
    };
    let escaped = marks::escape(text.text);
    let regions = detect(&escaped, policy.thresholds.confidence);
    let outlined = outline(&escaped, &regions, &context, budget, &id);
    let after = context.tokens(&outlined);
    if after >= worked.after {
        return worked;
    }
    Worked {
        text: Some(outlined),
        after,
        lossless: false,
        id: Some(id),
        kept: None,
        ..worked
    }
}

fn by_kind(text: &Text<'_>, policy: &Policy, keep: &dyn Keep, context: &Context) -> Worked {
    let thresholds = &policy.thresholds;
    if (text.text.len() as u64) < thresholds.short {
        return Worked::nothing(context.tokens(text.text), Kept::Short);
    }
    if let Some(reference) = keep.earlier(text.tool, text.text)
        && let Some(worked) = if_smaller(text, reference, thresholds, context)
    {
        return worked;
    }
    // Imitated marks are escaped before our own marks are added.
    let escaped = marks::escape(text.text);
    let (source, lossless) = match apply(&escaped, &policy.lossy) {
        Some(less) => (Cow::from(less), false),
        None => (escaped, true),
    };
    let shorter = match policy.render {
        Some(mode) => {
            let regions = detect(&source, thresholds.confidence);
            let rendered = render(
                &source,
                &regions,
                text.tool,
                mode,
                text.budget,
                context.vocabulary,
            );
            if_smaller(text, rendered, thresholds, context).ok_or(Kept::NotWorthIt)
        }
        None => shrink_escaped(&source, thresholds, context).map(|shrunk| Worked {
            text: Some(shrunk.text),
            kinds: shrunk.kinds,
            before: shrunk.before,
            after: shrunk.after,
            lossless,
            ..Worked::default()
        }),
    };
    match shorter {
        Ok(worked) if lossless => worked,
        Ok(worked) => Worked {
            before: context.tokens(text.text),
            ..worked
        },
        Err(_) if !lossless && !context.stop.is_set() => {
            let left = if_smaller(text, source.into_owned(), thresholds, context);
            left.unwrap_or_else(|| Worked::nothing(context.tokens(text.text), Kept::NotWorthIt))
        }
        Err(Kept::Stopped) => Worked::nothing(0, Kept::Stopped),
        Err(kept) => Worked::nothing(context.tokens(text.text), kept),
    }
}

/// Replaces the text by one that cannot be decoded to it, if that saves enough.
fn if_smaller(
    text: &Text<'_>,
    new: String,
    thresholds: &Thresholds,
    context: &Context,
) -> Option<Worked> {
    let (before, after) = (context.tokens(text.text), context.tokens(&new));
    let regions = detect(text.text, thresholds.confidence);
    let mut kinds: Vec<Kind> = Vec::new();
    for region in regions {
        if region.kind != Kind::Plain && !kinds.contains(&region.kind) {
            kinds.push(region.kind);
        }
    }
    thresholds.accepts(before, after).then_some(Worked {
        text: Some(new),
        kinds,
        before,
        after,
        ..Worked::default()
    })
}

/// A region of a text as [`try_text`] reports it.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The kind of text.
    pub kind: Kind,
    /// The confidence in the kind.
    pub confidence: f32,
    /// The number of its first line, from 1.
    pub first_line: usize,
    /// The number of its last line.
    pub last_line: usize,
}

/// What would be done with a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// The regions of the text.
    pub regions: Vec<Found>,
    /// The outcome.
    pub worked: Worked,
}

/// Processes a text that is not the result of a tool.
pub fn try_text(text: &str, policy: &Policy, stop: &Stop) -> Tried {
    let mut line = 1;
    let mut regions = Vec::new();
    for region in detect(text, policy.thresholds.confidence) {
        let lines = text[region.range].lines().count();
        regions.push(Found {
            kind: region.kind,
            confidence: region.confidence,
            first_line: line,
            last_line: line + lines.saturating_sub(1),
        });
        line += lines;
    }
    let one = Text {
        text,
        tool: "try",
        budget: None,
    };
    let worked = work(&one, policy, &(), stop);
    Tried { regions, worked }
}
