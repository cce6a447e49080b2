//! Encodes the lines of a hunk.
//!
//! ```text
//!  text           on both sides; the space is omitted before a tab
//!                 an empty line on both sides
//! +text -text     on one side
//! !te[-x-]{+s+}t  an old and a new line merged; all old lines of a change precede all new ones
//! {+              added lines down to +}
//! [-              removed lines down to -], or down to -]{+ if added lines follow
//! \ text          a note about the line above
//! ~               an empty line on both sides without its space
//! ```

use super::words;
use crate::context::{Context, Level};

/// The least number of lines of one sign that become a block.
const BLOCK: usize = 5;

pub(super) const ADDED: &str = "{+";
pub(super) const ADDED_END: &str = "+}";
pub(super) const REMOVED: &str = "[-";
pub(super) const REMOVED_END: &str = "-]";
pub(super) const TURN: &str = "-]{+";
pub(super) const LOST: &str = "~";
const CHANGED: char = '!';

/// Whether a line would be read as a line of a hunk.
pub(super) fn is_inside(line: &str) -> bool {
    line.is_empty()
        || line.starts_with([' ', '\t', '+', '-', '\\', CHANGED])
        || [ADDED, REMOVED, LOST].contains(&line)
}

/// The number of lines of a hunk with these counts; `None` if the lines contradict them.
pub(super) fn count(lines: &[&str], mut olds: u64, mut news: u64) -> Option<usize> {
    let mut used = 0;
    while olds > 0 || news > 0 {
        match lines.get(used)?.bytes().next() {
            Some(b' ') | None => {
                olds = olds.checked_sub(1)?;
                news = news.checked_sub(1)?;
            }
            Some(b'-') => olds = olds.checked_sub(1)?,
            Some(b'+') => news = news.checked_sub(1)?,
            Some(b'\\') => {}
            Some(_) => return None,
        }
        used += 1;
    }
    let about_the_last = lines.get(used).is_some_and(|line| line.starts_with('\\'));
    Some(used + usize::from(about_the_last))
}

/// Writes the lines of a hunk, each after a line feed.
pub(super) fn write(lines: &[&str], context: &Context, out: &mut String) {
    let level = context.level;
    let mut rest = lines;
    let mut after_change = false;
    while let Some((first, below)) = rest.split_first() {
        let is = |line: &&str, sign: char| line.starts_with(sign);
        let olds = rest.iter().take_while(|line| is(line, '-')).count();
        let (olds, more) = rest.split_at(olds);
        let news = more.iter().take_while(|line| is(line, '+')).count();
        let (news, more) = more.split_at(news);
        if !olds.is_empty() || !news.is_empty() {
            rest = more;
            // Old lines after new ones are not merged, because their order must be preserved.
            let goes_on = more.first().is_some_and(|line| is(line, '-'));
            change(olds, news, context, !goes_on && !after_change, out);
            after_change = true;
            continue;
        }
        rest = below;
        after_change = false;
        out.push('\n');
        match (*first, level > Level::Safe) {
            ("", _) => out.push_str(LOST),
            (" ", true) => {}
            (line, true) if line.starts_with(" \t") => out.push_str(&line[1..]),
            (line, _) => out.push_str(line),
        }
    }
}

/// Writes old lines and the new ones that follow them. `alone`: no other lines belong to the same change.
fn change(olds: &[&str], news: &[&str], context: &Context, alone: bool, out: &mut String) {
    let level = context.level;
    let mut old = 0;
    let mut new = 0;
    if level == Level::Max && alone {
        for (at_old, at_new, merged) in words::pairs(olds, news, &context.stop) {
            block(&olds[old..at_old], &news[new..at_new], level, out);
            (old, new) = (at_old + 1, at_new + 1);
            out.push('\n');
            out.push(CHANGED);
            out.push_str(&merged);
        }
    }
    block(&olds[old..], &news[new..], level, out);
}

fn block(olds: &[&str], news: &[&str], level: Level, out: &mut String) {
    let pays = |lines: &[&str], ends: &[&str]| {
        let ended = |line: &&str| ends.contains(&&line[1..]);
        level > Level::Safe && lines.len() >= BLOCK && !lines.iter().any(ended)
    };
    let removed = pays(olds, &[REMOVED_END, TURN]);
    let added = pays(news, &[ADDED_END]);
    let from = usize::from(removed);
    if removed {
        put(REMOVED, out);
    }
    olds.iter().for_each(|line| put(&line[from..], out));
    match (removed, added) {
        (true, true) => put(TURN, out),
        (true, false) => put(REMOVED_END, out),
        (false, true) => put(ADDED, out),
        (false, false) => {}
    }
    let from = usize::from(added);
    news.iter().for_each(|line| put(&line[from..], out));
    if added {
        put(ADDED_END, out);
    }
}

fn put(line: &str, out: &mut String) {
    out.push('\n');
    out.push_str(line);
}
