//! One text of a result, and all that is done with it.

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
    /// The most tokens that it may have.
    pub(crate) budget: Option<u64>,
}

/// What was done with a text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Worked {
    /// The new text; `None` if it stays.
    pub text: Option<String>,
    /// What has got shorter in it.
    pub kinds: Vec<Kind>,
    /// Its tokens before.
    pub before: u64,
    /// And after.
    pub after: u64,
    /// Whether the new text alone can be taken back to the old one.
    pub lossless: bool,
    /// Under which id the old one can be had.
    pub id: Option<String>,
    /// Why it stays.
    pub kept: Option<Kept>,
}

impl Worked {
    /// Nothing was done.
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

/// Says a text shorter: as a repetition, by what the user allows to be lost, by its kind; and if it is
/// still over its budget, as an outline.
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
    // Without a way to the original an outline would be a loss.
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
    // Before our own marks come into it.
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

/// Another text in its place that cannot be taken back, if that saves enough.
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

/// A part of a text as [`try_text`] shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What it is.
    pub kind: Kind,
    /// How sure that is.
    pub confidence: f32,
    /// Its first line, from 1.
    pub first_line: usize,
    /// Its last line.
    pub last_line: usize,
}

/// What would become of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// What was found in it.
    pub regions: Vec<Found>,
    /// What was done with it.
    pub worked: Worked,
}

/// Tries a text that no tool has given.
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
