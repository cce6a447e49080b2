//! Renders as many blocks as fit into a number of tokens.
//!
//! Blocks are selected by priority and, within a priority, in their order: in full if there is room,
//! otherwise by their summary. Then placeholders mention the blocks that did not fit, as far as there is
//! room; the others are left out, and a line states their number. Tokens are counted in the rendered text,
//! wrappers included. Since the tokens of two joined texts are not the sum of their tokens, the result is
//! counted once more as a whole. If it exceeds the budget or leaves room, the plan is made again with a
//! smaller or larger budget.

mod compat;
mod plan;

use std::collections::HashMap;

use crate::names::Kind;
use crate::show::{Failed, Report, Show, Watch};
use crate::source::Document;

use plan::{Item, Plan, SMALLEST};

/// Counts the tokens of a text.
pub trait Tokenizer {
    /// The number of tokens.
    fn count(&self, text: &str) -> u64;

    /// The number of tokens, unless it exceeds `limit`. May be much cheaper than [`count`](Self::count).
    fn count_to(&self, text: &str, limit: u64) -> Option<u64> {
        Some(self.count(text)).filter(|count| *count <= limit)
    }
}

/// The number of attempts to make a plan that fits and leaves no room.
const TRIES: u64 = 8;

impl Document {
    /// Renders the blocks that fit into a budget.
    pub fn show_within(
        &self,
        show: &Show,
        budget: u64,
        tokenizer: &dyn Tokenizer,
        watch: &mut Watch<'_>,
    ) -> Result<(String, Report), Failed> {
        if show.renderer.compat {
            return compat::show_within(self, show, budget, watch);
        }
        let items = self.items(show, watch)?;
        if items.is_empty() {
            return Err(Failed::Nothing);
        }
        let mut plan = Plan::new(self, show, tokenizer, items);
        let found = match plan.whole(budget, watch)? {
            Some(whole) => whole,
            None => search(&mut plan, budget, watch)?,
        };
        let Shown {
            text,
            mut report,
            tokens,
        } = found;
        report.tokens = Some(tokens);
        report.over_budget = tokens > budget;
        Ok((text, report))
    }

    /// The blocks to show, with their priorities.
    fn items(&self, show: &Show, watch: &mut Watch<'_>) -> Result<Vec<Item>, Failed> {
        let mut items = Vec::new();
        let mut priorities = HashMap::new();
        let mut reader = self.reader()?;
        let mut index = 0;
        while let Some(head) = reader.next_head()? {
            if !watch(reader.offset()) {
                return Err(Failed::Stopped);
            }
            if show.wants(index, head.kind) {
                items.push(Item::new(index, head.stored));
            } else if head.known() == Some(Kind::Annotation) {
                match reader.open().and_then(|frame| frame.block()) {
                    // The last annotation of a block counts.
                    Ok(block) => priorities.extend(block.content.priority()),
                    // A note replaces a damaged annotation.
                    Err(e) if e.local && show.minds(index, head.kind) => {
                        items.push(Item::new(index, head.stored));
                    }
                    Err(e) if e.local => {}
                    Err(e) => return Err(e.into()),
                }
            }
            index += 1;
        }
        for item in &mut items {
            if let Some(priority) = priorities.get(&item.index) {
                item.priority = *priority;
            }
        }
        Ok(items)
    }
}

/// A rendered plan.
#[derive(Default)]
struct Shown {
    text: String,
    report: Report,
    tokens: u64,
}

/// The best plan that fits; if none does, the blocks that must be shown. If blocks are left out, a line says
/// so, and other blocks make room for it.
fn search(plan: &mut Plan<'_>, budget: u64, watch: &mut Watch<'_>) -> Result<Shown, Failed> {
    let silent = best(plan, budget, watch)?;
    if let Some(shown) = &silent
        && shown.report.left_out == 0
    {
        return Ok(silent.unwrap_or_default());
    }
    plan.note = true;
    if let Some(shown) = best(plan, budget, watch)? {
        return Ok(shown);
    }
    plan.make(0, watch)?;
    let least = plan.show(watch)?;
    if least.tokens <= budget {
        return Ok(least);
    }
    plan.note = false;
    match silent {
        Some(shown) => Ok(shown),
        None => plan.show(watch),
    }
}

/// The best plan that fits, if there is one.
fn best(plan: &mut Plan<'_>, budget: u64, watch: &mut Watch<'_>) -> Result<Option<Shown>, Failed> {
    let mut best: Option<Shown> = None;
    let mut room = budget.saturating_sub(plan.note_tokens());
    for attempt in 1..=TRIES {
        plan.make(room, watch)?;
        let shown = plan.show(watch)?;
        if shown.tokens > budget {
            if !plan.shows_others() || best.is_some() {
                break;
            }
            // Reduces the room by the excess of this plan.
            room = room.saturating_sub((shown.tokens - budget) * attempt);
            continue;
        }
        let spare = budget - shown.tokens;
        let gained = best
            .as_ref()
            .is_none_or(|before| shown.tokens > before.tokens);
        if gained {
            best = Some(shown);
        }
        if !gained || spare < SMALLEST || !plan.wants_more() {
            break;
        }
        room += spare;
    }
    Ok(best)
}
