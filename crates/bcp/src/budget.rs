//! As much as fits into a number of tokens.
//!
//! Blocks are taken by their priority and, within one, in their order: in full if there is room,
//! else by their summary, else only mentioned, else left out and counted. Tokens are counted of the
//! very text that is shown, wrappers included; and since the tokens of two texts together are not
//! the sum of theirs, the result is counted once more as a whole. If that is too much after all,
//! the plan is made again with less room.

mod compat;

use std::collections::HashMap;

use crate::block::Block;
use crate::error::Error;
use crate::names::{Kind, Priority};
use crate::render::{Form, Mode};
use crate::show::{Failed, Report, Show, Watch};
use crate::source::Document;

/// Counts the tokens of a text.
pub trait Tokenizer {
    /// How many there are.
    fn count(&self, text: &str) -> u64;

    /// How many there are, if not more than `limit`. May be much cheaper than counting all.
    fn count_to(&self, text: &str, limit: u64) -> Option<u64> {
        Some(self.count(text)).filter(|count| *count <= limit)
    }
}

/// A block that is to be shown, and what is to become of it.
#[derive(Debug, Clone, Copy)]
struct Item {
    index: u64,
    priority: Priority,
    form: Option<Form>,
    /// About how many tokens it has in full.
    tokens: u64,
}

/// After so many tries there is only room for what must be shown.
const TRIES: u32 = 8;

impl Document {
    /// The blocks as far as they fit into a budget.
    pub fn show_within(
        &self,
        show: &Show,
        budget: u64,
        tokenizer: &dyn Tokenizer,
        watch: &mut Watch<'_>,
    ) -> Result<(String, Report), Failed> {
        self.check_frames()?;
        if show.renderer.compat {
            return compat::show_within(self, show, budget, watch);
        }
        let items = self.items(show, watch)?;
        if items.is_empty() {
            return Err(Failed::Nothing);
        }
        let mut plan = Plan {
            document: self,
            show,
            tokenizer,
            items,
            room: budget,
            note: None,
        };
        let mut tries = 0;
        loop {
            plan.make(watch)?;
            let (text, mut report) = plan.text(watch)?;
            let tokens = tokenizer.count(&text);
            if tokens > budget && plan.shows_others() {
                tries += 1;
                // The next plan has to be smaller by what this one was too large.
                let excess = (tokens - budget) * u64::from(tries);
                plan.room = match tries {
                    ..TRIES => plan.room.saturating_sub(excess),
                    _ => 0,
                };
            } else if report.left_out > 0 && plan.note.is_none() && tokens < budget {
                // Not everything fits: somebody should say so.
                plan.note = Some(plan.items.len() as u64);
            } else {
                report.tokens = Some(tokens);
                report.over_budget = tokens > budget;
                return Ok((text, report));
            }
        }
    }

    /// The blocks that are to be shown, with their priorities.
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
                items.push(Item {
                    index,
                    priority: Priority::Normal,
                    form: None,
                    tokens: estimate(head.stored),
                });
            } else if head.known() == Some(Kind::Annotation) {
                match reader.open().and_then(|frame| frame.block()) {
                    // The last one counts.
                    Ok(block) => priorities.extend(block.content.priority()),
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

/// What nobody has counted.
fn estimate(bytes: u64) -> u64 {
    (bytes / 4).max(1)
}

struct Plan<'d> {
    document: &'d Document,
    show: &'d Show,
    tokenizer: &'d dyn Tokenizer,
    items: Vec<Item>,
    /// Tokens that may be used.
    room: u64,
    /// Room is kept for a note about blocks that are left out, at most so many.
    note: Option<u64>,
}

impl Plan<'_> {
    /// Whether anything is shown that need not be.
    fn shows_others(&self) -> bool {
        let others = |item: &Item| item.priority != Priority::Critical && item.form.is_some();
        self.notes() || self.items.iter().any(others)
    }

    /// Whether a note is shown about what is left out. Where there is room for nothing, there is
    /// none for this either.
    fn notes(&self) -> bool {
        self.note.is_some() && self.room > 0 && self.items.iter().any(|item| item.form.is_none())
    }

    /// Decides about every block.
    fn make(&mut self, watch: &mut Watch<'_>) -> Result<(), Failed> {
        let mode = self.show.renderer.mode;
        let around = self
            .tokenizer
            .count(&[mode.opening(), mode.closing()].concat());
        let mut room = self.room.saturating_sub(around);
        if let Some(blocks) = self.note {
            let mut note = Mode::SEPARATOR.to_owned();
            let tokens = self.items.iter().map(|item| item.tokens).sum();
            self.show.renderer.left_out(blocks, tokens, &mut note);
            room = room.saturating_sub(self.tokenizer.count(&note));
        }
        for item in &mut self.items {
            item.form = match item.priority {
                Priority::Critical => Some(Form::Full),
                _ => None,
            };
        }
        for priority in Priority::ALL {
            self.decide(*priority, &mut room, watch)?;
        }
        Ok(())
    }

    /// Decides about the blocks of one priority.
    fn decide(
        &mut self,
        priority: Priority,
        room: &mut u64,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failed> {
        let Self {
            document,
            show,
            tokenizer,
            items,
            ..
        } = self;
        let mut of_this: Vec<_> = items
            .iter_mut()
            .filter(|item| item.priority == priority)
            .collect();
        let numbers: Vec<u64> = of_this.iter().map(|item| item.index).collect();
        if of_this.is_empty() || *room == 0 {
            return Ok(());
        }
        let mut next = of_this.iter_mut();
        let mut piece = String::new();
        let mut reader = document.reader()?;
        let pick = |index| numbers.binary_search(&index).is_ok();
        document.each(show, &mut reader, &pick, watch, &mut |_, read| {
            let Some(item) = next.next().filter(|_| *room > 0) else {
                return Ok(());
            };
            for form in forms(item, read) {
                let form = match form {
                    // By now somebody has measured it.
                    Form::Placeholder { .. } => Form::Placeholder {
                        tokens: item.tokens,
                    },
                    form => form,
                };
                piece.clear();
                piece.push_str(Mode::SEPARATOR);
                put(show, read, form, &mut piece);
                if form == Form::Full {
                    item.tokens = estimate(piece.len() as u64);
                }
                if let Some(tokens) = tokenizer.count_to(&piece, *room) {
                    *room -= tokens;
                    item.form = Some(form);
                    return Ok(());
                }
            }
            if item.priority == Priority::Critical {
                // It is shown all the same; and nothing else.
                *room = 0;
            }
            Ok(())
        })
    }

    /// The text of the plan.
    fn text(&self, watch: &mut Watch<'_>) -> Result<(String, Report), Failed> {
        let mut report = Report::default();
        let mut out = String::new();
        let mut tokens = 0;
        let mode = self.show.renderer.mode;
        let begin = |out: &mut String| {
            out.push_str(if out.is_empty() {
                mode.opening()
            } else {
                Mode::SEPARATOR
            });
        };
        let mut shown = self.items.iter().filter(|item| item.form.is_some());
        let numbers: Vec<u64> = shown.clone().map(|item| item.index).collect();
        for item in self.items.iter().filter(|item| item.form.is_none()) {
            report.left_out += 1;
            tokens += item.tokens;
        }
        if !numbers.is_empty() {
            let mut reader = self.document.reader()?;
            let pick = |index| numbers.binary_search(&index).is_ok();
            self.document
                .each(self.show, &mut reader, &pick, watch, &mut |_, read| {
                    let Some(form) = shown.next().and_then(|item| item.form) else {
                        return Ok(());
                    };
                    begin(&mut out);
                    put(self.show, read, form, &mut out);
                    match read {
                        Ok(block) => report.count(form, block),
                        Err(why) => report.unreadable(why.clone()),
                    }
                    Ok(())
                })?;
        }
        if self.notes() {
            begin(&mut out);
            self.show
                .renderer
                .left_out(report.left_out, tokens, &mut out);
        }
        if !out.is_empty() {
            out.push_str(mode.closing());
        }
        Ok((out, report))
    }
}

/// The forms that a block may have, from the best on.
fn forms(item: &Item, read: Result<&Block<'_>, &Error>) -> Vec<Form> {
    let mut forms = vec![Form::Full];
    if item.priority != Priority::Critical
        && let Ok(block) = read
    {
        if block.summary.is_some() {
            forms.push(Form::Summary);
        }
        forms.push(Form::Placeholder {
            tokens: item.tokens,
        });
    }
    forms
}

fn put(show: &Show, read: Result<&Block<'_>, &Error>, form: Form, out: &mut String) {
    match read {
        // Only the reference minds what is no text.
        Ok(block) => drop(show.renderer.render(block, form, out)),
        Err(why) => show.renderer.unreadable(why, out),
    }
}
