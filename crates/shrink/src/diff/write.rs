//! Encodes a diff.

use super::file::{File, ZEROS};
use super::find::find;
use super::head::Form;
use super::hunk::{Hunk, HunkContext};
use super::run;
use super::{FILE, HUNK, LITERAL};
use crate::context::{Context, Level};

/// The body, if the lines contain at least one hunk.
pub(super) fn write(lines: &[&str], form: &Form, context: &Context) -> Option<String> {
    let mut writer = Writer {
        form,
        context,
        out: String::new(),
        begun: false,
        in_hunk: false,
        place: HunkContext::default(),
        scratch: String::new(),
    };
    let mut at = 0;
    let mut hunks = 0_usize;
    while let Some(rest) = lines.get(at..).filter(|rest| !rest.is_empty()) {
        if context.stop.is_set() {
            return None;
        }
        let (used, is_hunk) = writer.take(rest);
        hunks += usize::from(is_hunk);
        at += used;
    }
    // An empty last line could be mistaken for the line end above it.
    if writer.out.ends_with('\n') {
        writer.out.push(if writer.in_hunk { ' ' } else { LITERAL });
    }
    (hunks > 0).then_some(writer.out)
}

struct Writer<'a> {
    form: &'a Form,
    context: &'a Context,
    out: String,
    begun: bool,
    in_hunk: bool,
    place: HunkContext,
    scratch: String,
}

impl Writer<'_> {
    /// Encodes what the lines begin with; returns the number of lines used, and whether they were a hunk.
    fn take(&mut self, lines: &[&str]) -> (usize, bool) {
        if let Some(used) = self.file(lines) {
            return (used, false);
        }
        if let Some(used) = self.hunk(lines) {
            return (used, true);
        }
        self.literal(lines.first().copied().unwrap_or_default());
        (1, false)
    }

    fn file(&mut self, lines: &[&str]) -> Option<usize> {
        let (file, used) = find(lines, self.form)?;
        let above = lines.get(..used)?;
        let below = lines.get(used).copied().unwrap_or_default();
        self.scratch.clear();
        file.long(self.form, below.starts_with(HUNK), &mut self.scratch);
        let made = self.scratch.strip_suffix('\n')?;
        if !made.split('\n').eq(above.iter().copied()) {
            return None;
        }
        self.scratch.clear();
        file.short(&mut self.scratch);
        if File::parse(&self.scratch, ZEROS).as_ref() != Some(&file) {
            return None;
        }
        self.next_line();
        self.out.push_str(FILE);
        self.out.push_str(&self.scratch);
        self.in_hunk = false;
        self.place = HunkContext::default();
        Some(used)
    }

    fn hunk(&mut self, lines: &[&str]) -> Option<usize> {
        let (first, below) = lines.split_first()?;
        let hunk = Hunk::parse(first)?;
        let used = run::count(below, hunk.olds, hunk.news)?;
        self.scratch.clear();
        hunk.long(self.form.ones, &mut self.scratch);
        if self.scratch != *first {
            return None;
        }
        self.scratch.clear();
        let derive = self.context.level == Level::Max;
        if !self.place.write(&hunk, derive, &mut self.scratch) {
            return None;
        }
        self.next_line();
        self.out.push_str(&self.scratch);
        self.in_hunk = true;
        run::write(below.get(..used)?, self.context, &mut self.out);
        Some(used + 1)
    }

    fn literal(&mut self, line: &str) {
        self.next_line();
        let misread = line.starts_with(LITERAL)
            || line.starts_with(FILE)
            || line.starts_with(HUNK)
            || (self.in_hunk && run::is_inside(line));
        if misread {
            self.out.push(LITERAL);
        }
        self.out.push_str(line);
        self.in_hunk = false;
        self.place = HunkContext::default();
    }

    fn next_line(&mut self) {
        if self.begun {
            self.out.push('\n');
        }
        self.begun = true;
    }
}
