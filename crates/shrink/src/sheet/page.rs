//! The output of drawing a table: drawn lines and copied lines.

use crate::context::Stop;
use crate::rendering::Malformed;

/// Lines that are copied, with their line numbers in the text from 0, in order.
pub(super) type Literal<'a> = (usize, &'a str);

/// A drawing in progress.
pub(super) struct Page<'a> {
    out: String,
    lines: usize,
    limit: usize,
    literal: &'a [Literal<'a>],
    stop: Option<&'a Stop>,
}

impl<'a> Page<'a> {
    /// An empty page. Its size is limited by the size of the body.
    pub(super) fn new(literal: &'a [Literal<'a>], body: usize) -> Self {
        Self {
            out: String::with_capacity(body * 2),
            lines: 0,
            limit: limit(body),
            literal,
            stop: None,
        }
    }

    /// Cancels drawing when `stop` is set.
    pub(super) const fn until(mut self, stop: &'a Stop) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Draws a line, or several if a cell has line ends.
    pub(super) fn line(&mut self, draw: impl FnOnce(&mut String)) -> Result<(), Malformed> {
        self.literal();
        self.start();
        let start = self.out.len();
        draw(&mut self.out);
        self.lines += 1;
        // Line numbers matter only while copied lines remain.
        if !self.literal.is_empty() {
            self.lines += memchr::memchr_iter(b'\n', &self.out.as_bytes()[start..]).count();
        }
        if self.out.len() > self.limit {
            return Err(Malformed::new(
                0,
                "the decoded text would exceed the size limit",
            ));
        }
        match self.stop {
            Some(stop) if self.lines.is_multiple_of(1024) && stop.is_set() => {
                Err(Malformed::new(0, "the time limit was reached"))
            }
            _ => Ok(()),
        }
    }

    /// The text; fails if copied lines remain.
    pub(super) fn finish(mut self) -> Result<String, Malformed> {
        self.literal();
        match self.literal {
            [] => Ok(self.out),
            [(at, _), ..] => Err(Malformed::new(0, format!("unknown line {}", at + 1))),
        }
    }

    /// Writes the copied lines that come next.
    fn literal(&mut self) {
        while let [(at, line), rest @ ..] = self.literal {
            if *at != self.lines {
                break;
            }
            self.start();
            self.out.push_str(line);
            self.lines += 1;
            self.literal = rest;
        }
    }

    fn start(&mut self) {
        if self.lines > 0 {
            self.out.push('\n');
        }
    }
}

/// The longest text that a body of this size may draw. Padding and shared values can expand a small body, and an
/// untrusted body must not exhaust the memory.
pub(super) const fn limit(body: usize) -> usize {
    body.saturating_mul(200).saturating_add(1 << 16)
}

/// Appends spaces, or another character.
pub(super) fn fill(out: &mut String, with: char, count: usize) {
    const SPACES: &str = "                                                                ";
    let mut count = count;
    if with == ' ' {
        while count > 0 {
            let now = count.min(SPACES.len());
            out.push_str(&SPACES[..now]);
            count -= now;
        }
        return;
    }
    out.extend(std::iter::repeat_n(with, count));
}
