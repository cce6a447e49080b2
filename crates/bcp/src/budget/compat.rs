//! The budget of the reference implementation: a token is a quarter of a content's bytes, or a third for text
//! that looks like code; wrappers cost nothing; and blocks of low priority are never shown in full.

use std::collections::HashMap;

use crate::block::{Block, Content};
use crate::names::Priority;
use crate::render::{Form, compat_text};
use crate::show::{Failed, Report, Show, Watch};
use crate::source::Document;

pub(super) fn show_within(
    document: &Document,
    show: &Show,
    budget: u64,
    watch: &mut Watch<'_>,
) -> Result<(String, Report), Failed> {
    let forms = decide(document, show, budget, watch)?;
    let mut out = Vec::new();
    let mut form = |index| forms.get(&index).copied().flatten();
    let report = document.show_as(show, &mut out, watch, &mut form)?;
    if out.is_empty() {
        return Err(Failed::Nothing);
    }
    let text = String::from_utf8(out).map_err(|_| Failed::Nothing)?;
    Ok((text, report))
}

struct Cost {
    index: u64,
    full: u64,
    summary: Option<u64>,
}

type Forms = HashMap<u64, Option<Form>>;

fn decide(
    document: &Document,
    show: &Show,
    budget: u64,
    watch: &mut Watch<'_>,
) -> Result<Forms, Failed> {
    let mut costs = Vec::new();
    let mut priorities = HashMap::new();
    let mut reader = document.reader()?;
    let mut index = 0;
    while let Some(frame) = reader.next()? {
        let block = frame.block()?;
        priorities.extend(block.content.priority());
        if show.wants(index, frame.head.kind) {
            costs.push(cost(index, &block));
        }
        index += 1;
        if !watch(frame.offset) {
            return Err(Failed::Stopped);
        }
    }
    let priority = |cost: &Cost| {
        let priority = priorities.get(&cost.index);
        priority.copied().unwrap_or(Priority::Normal)
    };
    costs.sort_by_key(priority);
    let mut room = budget;
    let mut forms = HashMap::new();
    for cost in &costs {
        let (form, spent) = form(priority(cost), cost, room);
        room = room.saturating_sub(spent);
        forms.insert(cost.index, form);
    }
    Ok(forms)
}

/// The form of a block, and its cost.
fn form(priority: Priority, cost: &Cost, room: u64) -> (Option<Form>, u64) {
    let full = (cost.full <= room).then_some((Some(Form::Full), cost.full));
    let summary = cost.summary.filter(|summary| *summary <= room);
    let summary = summary.map(|summary| (Some(Form::Summary), summary));
    let placeholder = Some(Form::Placeholder { tokens: cost.full });
    match priority {
        Priority::Critical => (Some(Form::Full), cost.full),
        Priority::High => full.or(summary).unwrap_or((Some(Form::Full), u64::MAX)),
        Priority::Normal => full.or(summary).unwrap_or((placeholder, 0)),
        Priority::Low => summary.unwrap_or((placeholder, 0)),
        Priority::Background if room >= 10 => (placeholder, 10),
        Priority::Background => (None, 0),
    }
}

fn cost(index: u64, block: &Block<'_>) -> Cost {
    Cost {
        index,
        full: content_tokens(&block.content),
        summary: block.summary.as_deref().map(tokens),
    }
}

fn content_tokens(content: &Content<'_>) -> u64 {
    match compat_text(content) {
        Ok(text) => tokens(&text),
        // As one word of that many letters.
        Err(0) => 0,
        Err(bytes) => (bytes as u64 / 4).max(1),
    }
}

fn tokens(text: &str) -> u64 {
    if text.is_empty() {
        return 0;
    }
    let (mut lines, mut indented) = (0u64, 0u64);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        lines += 1;
        indented += u64::from(line.starts_with([' ', '\t']));
    }
    let like_code = lines > 0 && indented * 100 / lines > 30;
    let bytes = text.len() as u64;
    (bytes / if like_code { 3 } else { 4 }).max(1)
}
