//! Numbered code: the range of lines in the head, and a number only on every tenth line.
//!
//! ```text
//!      9⇥fn main() {             %lines 9-11 as "%6d\t", every 10th numbered
//!     10⇥    run();          ►   fn main() {
//!     11⇥}                       10⇥    run();
//!                                }
//! ```
//!
//! A line that begins with `~` is not the next line of the code: `~80⇥text` continues at 80, `~|text` is a line without
//! a number, `~~text` has a text that begins with `~`.

mod format;
mod head;
mod learn;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use crate::context::{Context, Level};
use crate::kind::Kind;
use crate::rendering::{Malformed, Rendered, Rendering};
use format::Format;
use head::{Blanks, Head};

pub(crate) const RENDERING: Rendering = Rendering {
    word: WORD,
    kinds: &[Kind::Numbered],
    encode,
    decode,
};

const WORD: &str = "lines";

/// One line in this many has its number in the short form.
const STEP: u64 = 10;

const MARK: char = '~';

fn encode(text: &str, _kind: Kind, context: &Context) -> Vec<Rendered> {
    let Some((format, blanks)) = learn::learn(text, context) else {
        return Vec::new();
    };
    // Without consecutive numbers nothing can be omitted.
    let sparse = context.level > Level::Safe && steady(text, &format, blanks);
    write(text, &format, blanks, sparse, context)
        .into_iter()
        .collect()
}

/// Whether at least two in three numbers follow their predecessor.
fn steady(text: &str, format: &Format, blanks: Blanks) -> bool {
    let mut next = None;
    let (mut follow, mut all) = (0_usize, 0_usize);
    for line in text.split('\n') {
        let Some((number, _)) = numbered(line, format, blanks) else {
            continue;
        };
        all += 1;
        follow += usize::from(next == Some(number));
        next = Some(number + 1);
    }
    follow * 3 >= all * 2
}

fn write(
    text: &str,
    format: &Format,
    blanks: Blanks,
    sparse: bool,
    context: &Context,
) -> Option<Rendered> {
    let mut body = String::with_capacity(text.len());
    let blank = blanks.of(format);
    let mut next = None;
    let mut first = None;
    for (index, line) in text.split('\n').enumerate() {
        if index % 512 == 0 && context.stop.is_set() {
            return None;
        }
        if index > 0 {
            body.push('\n');
        }
        let Some((number, text)) = numbered(line, format, blanks) else {
            if blank.as_deref() != Some(line) {
                body.push(MARK);
                body.push('|');
                body.push_str(line);
            }
            continue;
        };
        let expected = next.is_none() || next == Some(number);
        first.get_or_insert(number);
        next = Some(number + 1);
        if sparse && expected && number % STEP != 0 {
            if text.starts_with(MARK) {
                body.push(MARK);
            }
        } else {
            if sparse && !expected {
                body.push(MARK);
            }
            // Writing to a string cannot fail.
            let _ = write!(body, "{number}\t");
        }
        body.push_str(text);
    }
    // An empty last line could be mistaken for the line end above it.
    if body.ends_with('\n') {
        let (_, last) = text.rsplit_once('\n').unwrap_or(("", text));
        body.push(MARK);
        body.push('|');
        body.push_str(last);
    }
    let head = Head {
        first: first?,
        last: next? - 1,
        format: format.clone(),
        sparse,
        blanks,
    };
    Some(Rendered {
        word: WORD,
        head: head.to_string(),
        body,
    })
}

/// The number and text of a line, if writing them gives the same line.
fn numbered<'a>(line: &'a str, format: &Format, blanks: Blanks) -> Option<(u64, &'a str)> {
    let (number, text) = format.read(line, blanks == Blanks::Trimmed)?;
    // An empty line may have another meaning.
    (blanks.are_counted() || !text.is_empty()).then_some((number, text))
}

fn decode(head: &str, body: &str) -> Result<String, Malformed> {
    let Head {
        first,
        format,
        sparse,
        blanks,
        ..
    } = Head::parse(head)?;
    let blank = blanks.of(&format);
    let mut out = String::with_capacity(body.len() + body.len() / 2);
    let mut next = first;
    for (index, line) in body.split('\n').enumerate() {
        let wrong = |why: &str| Malformed::new(index + 1, why);
        if index > 0 {
            out.push('\n');
        }
        if let (true, Some(blank)) = (line.is_empty(), &blank) {
            out.push_str(blank);
            continue;
        }
        let marked = line.strip_prefix(MARK);
        if let Some(literal) = marked.and_then(|rest| rest.strip_prefix('|')) {
            out.push_str(literal);
            continue;
        }
        let (number, text) = match marked {
            Some(rest) if rest.starts_with(MARK) => (next, rest),
            Some(rest) => number_of(rest).ok_or_else(|| wrong("no number after ~"))?,
            None if !sparse || next.is_multiple_of(STEP) => {
                number_of(line).ok_or_else(|| wrong("a missing line number"))?
            }
            None => (next, line),
        };
        if number != next && sparse && marked.is_none() {
            return Err(wrong("an unexpected line number"));
        }
        format.write(number, text, blanks == Blanks::Trimmed, &mut out);
        next = number
            .checked_add(1)
            .ok_or_else(|| wrong("a line number that is too large"))?;
    }
    Ok(out)
}

fn number_of(line: &str) -> Option<(u64, &str)> {
    let (number, text) = line.split_once('\t')?;
    Some((number.parse().ok()?, text))
}
