//! The first and last lines of a text.

use std::fmt::Write as _;

use crate::context::Context;

/// The most characters shown of a line.
const WIDE: usize = 400;

/// As many of the first and last lines as fit into `room` tokens, two thirds of them from the first.
pub(super) fn of(text: &str, lines: usize, room: u64, context: &Context) -> String {
    // Reserved for the marks above and between the lines.
    let room = room.saturating_sub(32);
    let (head, used) = take(text.lines(), room * 2 / 3, lines, context);
    let rest = lines - head.len();
    let (mut tail, _) = take(text.lines().rev(), room - used, rest, context);
    tail.reverse();
    let left = rest - tail.len();
    let mut out = String::new();
    if head.is_empty() {
        return out;
    }
    let _ = writeln!(out, "[linkspan: lines 1-{}]", head.len());
    for line in &head {
        out.push_str(line);
        out.push('\n');
    }
    if left > 0 {
        let _ = writeln!(
            out,
            "[linkspan: lines {}-{} left out]",
            head.len() + 1,
            head.len() + left
        );
    }
    for line in &tail {
        out.push_str(line);
        out.push('\n');
    }
    out.pop();
    out
}

/// The lines that fit into `room`, and their tokens.
fn take<'a>(
    lines: impl Iterator<Item = &'a str>,
    room: u64,
    most: usize,
    context: &Context,
) -> (Vec<String>, u64) {
    let (mut taken, mut used) = (Vec::new(), 0);
    for line in lines.take(most) {
        let line = cut(line, WIDE);
        let tokens = context.tokens(&line) + 1;
        if used + tokens > room {
            break;
        }
        used += tokens;
        taken.push(line);
    }
    (taken, used)
}

/// A line, cut to `most` characters.
pub(super) fn cut(line: &str, most: usize) -> String {
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
