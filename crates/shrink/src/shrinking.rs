//! The gate: a text is replaced only by one that is smaller and can be taken back.

use crate::context::Context;
use crate::detect::detect;
use crate::kind::Kind;
use crate::pack::{Replaced, is_faithful, pack, region};
use crate::rendering::{Rendered, Rendering};

/// When a replacement is worth it.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// How sure a kind must be, from 0 to 1.
    pub threshold: f32,
    /// Texts with fewer tokens are left alone.
    pub short: u64,
    /// Tokens that must be saved.
    pub least: u64,
    /// Tokens of a hundred that must be saved.
    pub percent: u64,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            threshold: 0.7,
            short: 200,
            least: 30,
            percent: 10,
        }
    }
}

impl Gate {
    /// Whether so many tokens less are worth it.
    pub(crate) fn accepts(&self, before: u64, after: u64) -> bool {
        let least = self.least.max((before * self.percent).div_ceil(100));
        before >= self.short && before.saturating_sub(after) >= least
    }
}

/// A text in fewer tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Shrunk {
    /// The new text.
    pub text: String,
    /// What was found in the old one and is now shorter, in order of appearance, each once.
    pub kinds: Vec<Kind>,
    /// Tokens of the old text.
    pub before: u64,
    /// Tokens of the new one.
    pub after: u64,
}

/// Why a text stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It is short already.
    Short,
    /// Nothing in it is of a kind that we have another form for.
    Unknown,
    /// It would not get small enough.
    NotWorthIt,
    /// What was made of it does not come back as it was: a fault of ours, and it did no harm.
    Unfaithful,
    /// There was no time.
    Stopped,
}

/// The same text in fewer tokens, if that can be had.
pub fn shrink(text: &str, gate: &Gate, context: &Context) -> Result<Shrunk, Kept> {
    // No text has more tokens than bytes.
    if (text.len() as u64) < gate.short {
        return Err(Kept::Short);
    }
    let mut replaced = Vec::new();
    // Counting is most of the work; a text that is one region is not counted twice.
    let mut whole = None;
    for found in detect(text, gate.threshold) {
        let original = &text[found.range.clone()];
        let Some((by, before)) = best(original, found.kind, context) else {
            continue;
        };
        whole = (found.range.len() == text.len()).then_some(before);
        replaced.push(Replaced {
            range: found.range,
            kind: found.kind,
            by,
        });
    }
    if context.stop.is_set() {
        return Err(Kept::Stopped);
    }
    if replaced.is_empty() {
        return Err(Kept::Unknown);
    }
    let before = whole.unwrap_or_else(|| context.tokens(text));
    if before < gate.short {
        return Err(Kept::Short);
    }
    let packed = pack(text, &replaced);
    let after = context.tokens(&packed);
    if !gate.accepts(before, after) {
        return Err(Kept::NotWorthIt);
    }
    if !is_faithful(text, &replaced, &packed) {
        return Err(Kept::Unfaithful);
    }
    let mut kinds: Vec<Kind> = Vec::new();
    for one in &replaced {
        if !kinds.contains(&one.kind) {
            kinds.push(one.kind);
        }
    }
    Ok(Shrunk {
        text: packed,
        kinds,
        before,
        after,
    })
}

/// Makes every candidate that there is for `text` as a region of this kind, and takes it back. How many
/// there are, or what was lost. For tests: a rendering that loses anything is wrong even if the gate
/// would notice.
pub fn check(text: &str, kind: Kind, context: &Context) -> Result<usize, String> {
    let (_, inner) = region(text);
    let candidates = Rendering::for_kind(kind).flat_map(|one| (one.encode)(&inner, kind, context));
    let mut count = 0;
    for by in candidates {
        let replaced = [Replaced {
            range: 0..text.len(),
            kind,
            by,
        }];
        let packed = pack(text, &replaced);
        if !is_faithful(text, &replaced, &packed) {
            return Err(format!("{text:?}\nbecame\n{packed}"));
        }
        count += 1;
    }
    Ok(count)
}

/// The smallest candidate, if it is smaller than the region, and the tokens of the region.
fn best(original: &str, kind: Kind, context: &Context) -> Option<(Rendered, u64)> {
    let mut renderings = Rendering::for_kind(kind).peekable();
    renderings.peek()?;
    let (_, text) = region(original);
    let candidates = renderings.flat_map(|rendering| (rendering.encode)(&text, kind, context));
    // The line that begins it, and perhaps one that ends it.
    let around = 3;
    let counted = candidates.map(|one| {
        let tokens = context.tokens(&one.head) + context.tokens(&one.body) + around;
        (tokens, one)
    });
    let (tokens, best) = counted.min_by_key(|(tokens, _)| *tokens)?;
    let before = context.tokens(original);
    (tokens < before).then_some((best, before))
}
