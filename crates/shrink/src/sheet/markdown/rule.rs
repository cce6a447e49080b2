//! The delimiter row of a Markdown table.

use super::Mark;

/// The delimiter row.
pub(super) struct Rule {
    pub(super) indent: usize,
    pub(super) edges: (bool, bool),
    pub(super) marks: Vec<Mark>,
    /// The number of dashes and colons of each column.
    pub(super) dashes: Vec<usize>,
    pub(super) apart: bool,
}

impl Rule {
    pub(super) fn of(line: &str) -> Option<Self> {
        let inner = line.trim_start_matches(' ');
        let indent = line.len() - inner.len();
        if !inner.starts_with(['|', '-', ':']) || !inner.contains('-') {
            return None;
        }
        let (inner, left) = strip(inner, inner.strip_prefix('|'));
        let (inner, right) = strip(inner, inner.strip_suffix('|'));
        let mut rule = Self {
            indent,
            edges: (left, right),
            marks: Vec::new(),
            dashes: Vec::new(),
            apart: inner.contains(' '),
        };
        for field in inner.split('|') {
            let text = field.trim_matches(' ');
            let (dashes, first) = strip(text, text.strip_prefix(':'));
            let (dashes, last) = strip(dashes, dashes.strip_suffix(':'));
            if dashes.is_empty() || dashes.bytes().any(|byte| byte != b'-') {
                return None;
            }
            rule.marks.push(match (first, last) {
                (false, false) => Mark::None,
                (true, false) => Mark::Left,
                (false, true) => Mark::Right,
                (true, true) => Mark::Center,
            });
            rule.dashes.push(text.len());
        }
        (rule.marks.len() > 1 || left).then_some(rule)
    }

    /// Appends the fields of a line, if there is one for each column.
    pub(super) fn cut<'a>(&self, line: &'a str, fields: &mut Vec<&'a str>) -> bool {
        let start = fields.len();
        let fits = self.inner(line).is_some_and(|inner| {
            pipes(inner, false, fields);
            if fields.len() - start != self.marks.len() {
                // Contrary to the specification, some authors do not escape bars in code spans.
                fields.truncate(start);
                pipes(inner, true, fields);
            }
            fields.len() - start == self.marks.len()
        });
        if !fits {
            fields.truncate(start);
        }
        fits
    }

    fn inner<'a>(&self, line: &'a str) -> Option<&'a str> {
        let (indent, inner) = line.split_at_checked(self.indent)?;
        if indent.bytes().any(|byte| byte != b' ') {
            return None;
        }
        let inner = if self.edges.0 {
            inner.strip_prefix('|')?
        } else {
            inner
        };
        if self.edges.1 {
            inner.strip_suffix('|')
        } else {
            Some(inner)
        }
    }
}

fn strip<'a>(text: &'a str, stripped: Option<&'a str>) -> (&'a str, bool) {
    (stripped.unwrap_or(text), stripped.is_some())
}

/// Cuts a line at its bars, except escaped ones and, with `spans`, those in code spans.
fn pipes<'a>(line: &'a str, spans: bool, fields: &mut Vec<&'a str>) {
    let bytes = line.as_bytes();
    let mut start = 0;
    let mut in_span = false;
    let mut escaped = false;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'`' if spans => in_span = !in_span,
            b'|' if !in_span => {
                fields.push(line.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    fields.push(line.get(start..).unwrap_or_default());
}
