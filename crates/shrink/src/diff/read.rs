//! Decodes a body.

use super::file::{File, ZEROS};
use super::head::Form;
use super::hunk::{HunkContext, Short};
use super::run::{ADDED, ADDED_END, LOST, REMOVED, REMOVED_END, TURN};
use super::{FILE, HUNK, LITERAL, words};
use crate::rendering::Malformed;

/// Decodes a body to the original text.
pub(super) fn read(body: &str, form: &Form, limit: usize) -> Result<String, Malformed> {
    let mut reader = Reader {
        form,
        out: String::with_capacity(body.len() + body.len() / 4),
        place: HunkContext::default(),
        hunk: None,
    };
    let mut lines = body.split('\n').enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let wrong = |why: &str| Malformed::new(index + 1, why);
        if !reader.inside(line).map_err(wrong)? {
            reader.close().map_err(wrong)?;
            let below = lines.peek().map_or("", |(_, line)| *line);
            reader.outside(line, below).map_err(wrong)?;
        }
        let inside = reader.hunk.as_ref().map_or(0, |hunk| hunk.lines.len());
        if reader.out.len() + inside > limit {
            return Err(wrong("the decoded text would exceed the size limit"));
        }
    }
    reader
        .close()
        .map_err(|why| Malformed::new(body.split('\n').count(), why))?;
    reader.out.pop();
    Ok(reader.out)
}

struct Reader<'a> {
    form: &'a Form,
    /// The decoded lines, each with its line end.
    out: String,
    place: HunkContext,
    hunk: Option<Open>,
}

/// A hunk that is still being read.
struct Open {
    short: Short,
    olds: u64,
    news: u64,
    lines: String,
    block: Option<char>,
    change: Change,
}

/// One-sided lines in the order of the body.
#[derive(Default)]
struct Change {
    lines: String,
    /// Whether the change has a merged line (`!`); then all old lines are written before all new ones, regardless of
    /// their order in the body.
    merged: bool,
}

impl Reader<'_> {
    /// Reads a line of the open hunk; false if it is not in the hunk.
    fn inside(&mut self, line: &str) -> Result<bool, &'static str> {
        let Some(hunk) = &mut self.hunk else {
            return Ok(false);
        };
        if let Some(sign) = hunk.block {
            hunk.block = match (sign, line) {
                ('-', TURN) => Some('+'),
                ('-', REMOVED_END) | ('+', ADDED_END) => None,
                (sign, line) => {
                    hunk.one_sided(sign, line);
                    Some(sign)
                }
            };
            return Ok(true);
        }
        match line {
            ADDED => hunk.block = Some('+'),
            REMOVED => hunk.block = Some('-'),
            LOST => hunk.both_sides("", ""),
            "" => hunk.both_sides(" ", ""),
            _ => match line.split_at_checked(1) {
                Some((" ", _)) => hunk.both_sides("", line),
                Some(("\t", _)) => hunk.both_sides(" ", line),
                Some(("+", text)) => hunk.one_sided('+', text),
                Some(("-", text)) => hunk.one_sided('-', text),
                Some(("\\", _)) => {
                    hunk.settle();
                    hunk.lines.push_str(line);
                    hunk.lines.push('\n');
                }
                Some(("!", text)) => {
                    let (old, new) = words::split(text).ok_or("not a changed line")?;
                    hunk.change.merged = true;
                    hunk.one_sided('-', &old);
                    hunk.one_sided('+', &new);
                }
                _ => return Ok(false),
            },
        }
        Ok(true)
    }

    /// Ends the open hunk.
    fn close(&mut self) -> Result<(), &'static str> {
        let Some(mut hunk) = self.hunk.take() else {
            return Ok(());
        };
        if hunk.block.is_some() {
            return Err("an unterminated block");
        }
        hunk.settle();
        let ones = self.form.ones;
        self.place
            .finish(&hunk.short, hunk.olds, hunk.news, ones, &mut self.out)
            .ok_or("invalid line numbers of a hunk")?;
        self.out.push('\n');
        self.out.push_str(&hunk.lines);
        Ok(())
    }

    fn outside(&mut self, line: &str, below: &str) -> Result<(), &'static str> {
        if let Some(short) = line.strip_prefix(FILE) {
            self.place = HunkContext::default();
            let file = File::parse(short, ZEROS).ok_or("not a file")?;
            let below = below.strip_prefix(LITERAL).unwrap_or(below);
            file.long(self.form, below.starts_with(HUNK), &mut self.out);
            return Ok(());
        }
        if line.starts_with(HUNK) {
            self.hunk = Some(Open {
                short: self.place.read(line).ok_or("not a hunk")?,
                olds: 0,
                news: 0,
                lines: String::new(),
                block: None,
                change: Change::default(),
            });
            return Ok(());
        }
        self.place = HunkContext::default();
        self.out
            .push_str(line.strip_prefix(LITERAL).unwrap_or(line));
        self.out.push('\n');
        Ok(())
    }
}

impl Open {
    fn both_sides(&mut self, space: &str, line: &str) {
        self.settle();
        self.olds += 1;
        self.news += 1;
        self.lines.push_str(space);
        self.lines.push_str(line);
        self.lines.push('\n');
    }

    fn one_sided(&mut self, sign: char, text: &str) {
        *(match sign {
            '-' => &mut self.olds,
            _ => &mut self.news,
        }) += 1;
        self.change.lines.push(sign);
        self.change.lines.push_str(text);
        self.change.lines.push('\n');
    }

    /// Writes the pending change, if there is one.
    fn settle(&mut self) {
        let Change { lines, merged } = &mut self.change;
        if *merged {
            for sign in ['-', '+'] {
                let side = lines.split_inclusive('\n');
                side.filter(|line| line.starts_with(sign))
                    .for_each(|line| self.lines.push_str(line));
            }
        } else {
            self.lines.push_str(lines);
        }
        *merged = false;
        lines.clear();
    }
}
