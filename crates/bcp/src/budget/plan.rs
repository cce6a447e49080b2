//! The form of each block in a rendering with a budget.

use crate::block::Block;
use crate::error::Error;
use crate::names::Priority;
use crate::render::{Form, Mode};
use crate::show::{Failed, Go, Report, Show, Watch};
use crate::source::Document;

use super::{Shown, Tokenizer};

/// A block to show, and its form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) index: u64,
    pub(super) priority: Priority,
    pub(super) form: Option<Form>,
    /// The estimated tokens of the full form.
    pub(super) tokens: u64,
}

impl Item {
    /// A block of that many bytes.
    pub(super) fn new(index: u64, bytes: u64) -> Self {
        Self {
            index,
            priority: Priority::Normal,
            form: None,
            tokens: estimate(bytes),
        }
    }

    fn is_critical(&self) -> bool {
        self.priority == Priority::Critical
    }
}

/// Estimates the tokens of a text of that many bytes.
fn estimate(bytes: u64) -> u64 {
    (bytes / 4).max(1)
}

/// The minimum tokens of a block: a separator, and at least a bracket and a word.
pub(super) const SMALLEST: u64 = 3;

/// No token has more bytes, so a text with more than this times the budget need not be counted.
const LONGEST: u64 = 256;

/// Contents are placed before placeholders of the same priority: placeholders of all the blocks that do not
/// fit could use up the room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Content,
    Mention,
}

impl Phase {
    /// The forms of a block in this phase, the preferred one first.
    fn forms(self, item: &Item, read: Result<&Block<'_>, &Error>) -> Vec<Form> {
        let critical = item.is_critical();
        match (self, read) {
            (Self::Content, Ok(block)) if block.summary.is_some() && !critical => {
                vec![Form::Full, Form::Summary]
            }
            (Self::Content, _) => vec![Form::Full],
            (Self::Mention, _) => vec![Form::Placeholder {
                tokens: item.tokens,
            }],
        }
    }
}

pub(super) struct Plan<'d> {
    document: &'d Document,
    show: &'d Show,
    tokenizer: &'d dyn Tokenizer,
    pub(super) items: Vec<Item>,
    /// Whether a line states how many blocks are left out.
    pub(super) note: bool,
}

impl<'d> Plan<'d> {
    pub(super) fn new(
        document: &'d Document,
        show: &'d Show,
        tokenizer: &'d dyn Tokenizer,
        items: Vec<Item>,
    ) -> Self {
        Self {
            document,
            show,
            tokenizer,
            items,
            note: false,
        }
    }

    /// All blocks in full, if that fits.
    pub(super) fn whole(
        &mut self,
        budget: u64,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Shown>, Failed> {
        for item in &mut self.items {
            item.form = Some(Form::Full);
        }
        let Some((text, report)) = self.text(budget.saturating_mul(LONGEST), watch)? else {
            return Ok(None);
        };
        let tokens = self.tokenizer.count_to(&text, budget);
        Ok(tokens.map(|tokens| Shown {
            text,
            report,
            tokens,
        }))
    }

    /// Whether any block is shown that is not critical.
    pub(super) fn shows_others(&self) -> bool {
        let others = |item: &Item| !item.is_critical() && item.form.is_some();
        self.items.iter().any(others)
    }

    /// Whether any block is not shown in full.
    pub(super) fn wants_more(&self) -> bool {
        self.items.iter().any(|item| item.form != Some(Form::Full))
    }

    /// The maximum tokens of the line about left-out blocks, or zero if there is none.
    pub(super) fn note_tokens(&self) -> u64 {
        if !self.note {
            return 0;
        }
        let mut note = Mode::SEPARATOR.to_owned();
        let all = self.items.iter().map(|item| item.tokens).sum();
        let count = self.items.len() as u64;
        self.show.renderer.left_out(count, all, &mut note);
        self.tokenizer.count(&note)
    }

    /// Chooses a form for every block within `room`.
    pub(super) fn make(&mut self, room: u64, watch: &mut Watch<'_>) -> Result<(), Failed> {
        let mode = self.show.renderer.mode;
        let around = [mode.opening(), mode.closing()].concat();
        let mut room = room.saturating_sub(self.tokenizer.count(&around));
        for item in &mut self.items {
            item.form = item.is_critical().then_some(Form::Full);
        }
        for priority in Priority::ALL {
            self.decide(*priority, Phase::Content, &mut room, watch)?;
            self.decide(*priority, Phase::Mention, &mut room, watch)?;
        }
        Ok(())
    }

    /// Chooses the forms of the blocks of one priority.
    fn decide(
        &mut self,
        priority: Priority,
        phase: Phase,
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
        let open = |item: &&mut Item| {
            item.priority == priority && (phase == Phase::Content || item.form.is_none())
        };
        let mut open: Vec<&mut Item> = items.iter_mut().filter(open).collect();
        if open.is_empty() || *room < SMALLEST {
            return Ok(());
        }
        let numbers: Vec<u64> = open.iter().map(|item| item.index).collect();
        let pick = |index| numbers.binary_search(&index).is_ok();
        let mut next = open.iter_mut();
        let mut piece = String::new();
        let mut reader = document.reader()?;
        document.each(show, &mut reader, &pick, watch, &mut |_, read| {
            if *room < SMALLEST {
                return Ok(Go::Break(()));
            }
            let Some(item) = next.next() else {
                return Ok(Go::Break(()));
            };
            for form in phase.forms(item, read) {
                piece.clear();
                piece.push_str(Mode::SEPARATOR);
                put(show, read, form, &mut piece);
                if form == Form::Full {
                    item.tokens = estimate(piece.len() as u64);
                }
                if let Some(tokens) = tokenizer.count_to(&piece, *room) {
                    *room -= tokens;
                    item.form = Some(form);
                    return Ok(Go::Continue(()));
                }
            }
            if item.is_critical() {
                // The block is shown nevertheless, and no other one.
                *room = 0;
            }
            Ok(Go::Continue(()))
        })
    }

    /// Renders the plan.
    pub(super) fn show(&self, watch: &mut Watch<'_>) -> Result<Shown, Failed> {
        let (text, report) = self.text(u64::MAX, watch)?.unwrap_or_default();
        let tokens = self.tokenizer.count(&text);
        Ok(Shown {
            text,
            report,
            tokens,
        })
    }

    /// The text of the plan; `None` if it has more than `most` bytes.
    fn text(&self, most: u64, watch: &mut Watch<'_>) -> Result<Option<(String, Report)>, Failed> {
        let mut report = Report::default();
        let mut out = String::new();
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
        let pick = |index| numbers.binary_search(&index).is_ok();
        let mut too_long = false;
        if !numbers.is_empty() {
            let mut reader = self.document.reader()?;
            let show = self.show;
            self.document
                .each(show, &mut reader, &pick, watch, &mut |_, read| {
                    let Some(form) = shown.next().and_then(|item| item.form) else {
                        return Ok(Go::Break(()));
                    };
                    begin(&mut out);
                    put(show, read, form, &mut out);
                    match read {
                        Ok(block) => report.count(form, block),
                        Err(why) => report.unreadable(why.clone()),
                    }
                    too_long = out.len() as u64 > most;
                    Ok(if too_long {
                        Go::Break(())
                    } else {
                        Go::Continue(())
                    })
                })?;
        }
        if too_long {
            return Ok(None);
        }
        let left_out = self.items.iter().filter(|item| item.form.is_none());
        let tokens = left_out.clone().map(|item| item.tokens).sum();
        report.left_out = left_out.count() as u64;
        if self.note && report.left_out > 0 {
            begin(&mut out);
            self.show
                .renderer
                .left_out(report.left_out, tokens, &mut out);
        }
        if !out.is_empty() {
            out.push_str(mode.closing());
        }
        report.noted = self.note && report.left_out > 0;
        if self.show.line_end && !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        Ok(Some((out, report)))
    }
}

fn put(show: &Show, read: Result<&Block<'_>, &Error>, form: Form, out: &mut String) {
    match read {
        // Only compat mode fails on content that is not text.
        Ok(block) => drop(show.renderer.render(block, form, out)),
        Err(why) => show.renderer.unreadable(why, out),
    }
}
