//! Unified diffs, and the output of `git show` and `git log -p`.

use super::found::{Detection, Found};
use super::line::{Line, digits};
use crate::kind::Kind;

/// The confidence in a diff with file names.
const SURE: f32 = 0.95;
const BARE: f32 = 0.8;

/// How lines above the hunks of a file begin.
const ABOVE: [&str; 21] = [
    "diff ",
    "index ",
    "--- ",
    "+++ ",
    "new file mode ",
    "deleted file mode ",
    "old mode ",
    "new mode ",
    "similarity index ",
    "dissimilarity index ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "Binary files ",
    "GIT binary patch",
    "literal ",
    "delta ",
    "Only in ",
    "Property changes on: ",
    "=======",
];

/// How lines above the message of a commit begin.
const COMMIT: [&str; 12] = [
    "commit ",
    "From: ",
    "Subject: ",
    "---",
    "Author: ",
    "AuthorDate: ",
    "Commit: ",
    "CommitDate: ",
    "Date: ",
    "Merge: ",
    "tree ",
    "parent ",
];

pub(super) fn find(text: &str, first: Line<'_>) -> Detection {
    if !may_begin(text, first) {
        return Detection::No;
    }
    let mut reading = Reading::default();
    let mut end = first.start;
    let mut after_blank = false;
    for line in first.and_below(text) {
        match reading.take(line) {
            Part::Of => {
                end = line.next;
                after_blank = false;
            }
            // Blank lines count only if the diff goes on; one blank line separates a commit from the next.
            Part::Blank if !after_blank || reading.in_commit => after_blank = true,
            _ => break,
        }
    }
    let confidence = match (reading.files, reading.hunks) {
        (1.., 1..) => SURE,
        (0, 1..) => BARE,
        (2.., 0) => BARE,
        _ => return Detection::NotBefore(end),
    };
    Detection::Yes(Found {
        end: reading.cut.unwrap_or(end),
        kind: Kind::Diff,
        confidence,
    })
}

fn may_begin(text: &str, line: Line<'_>) -> bool {
    let below = || Line::at(text, line.next);
    match line.first() {
        Some(b'd') => line.text.starts_with("diff "),
        Some(b'@') => hunk(line).is_some(),
        Some(b'-') => {
            line.text.starts_with("--- ")
                && below().is_some_and(|below| below.text.starts_with("+++ "))
        }
        Some(b'I') => {
            line.text.starts_with("Index: ")
                && below().is_some_and(|below| below.text.starts_with("======"))
        }
        Some(b'c' | b'F') => is_commit(line),
        _ => false,
    }
}

/// `commit 1a2b…`, or `From 1a2b… date` as in a patch.
fn is_commit(line: Line<'_>) -> bool {
    let id = line
        .text
        .strip_prefix("commit ")
        .or_else(|| line.text.strip_prefix("From "));
    id.is_some_and(|id| {
        let id = id.split(' ').next().unwrap_or(id);
        (7..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

enum Part {
    Of,
    Blank,
    Not,
}

#[derive(Default)]
struct Reading {
    files: usize,
    hunks: usize,
    /// Remaining lines of the open hunk, in the old and the new file.
    old: u64,
    new: u64,
    in_hunk: bool,
    in_commit: bool,
    in_binary: bool,
    /// Where the first commit without changes after the last hunk begins.
    cut: Option<usize>,
}

impl Reading {
    fn take(&mut self, line: Line<'_>) -> Part {
        if self.in_hunk {
            match (line.first(), self.old, self.new) {
                (Some(b' '), 1.., 1..) | (None, 1.., 1..) => {
                    self.old -= 1;
                    self.new -= 1;
                    return Part::Of;
                }
                (Some(b'-'), 1.., _) => {
                    self.old -= 1;
                    return Part::Of;
                }
                (Some(b'+'), _, 1..) => {
                    self.new -= 1;
                    return Part::Of;
                }
                (Some(b'\\'), _, _) => return Part::Of,
                _ => {}
            }
            self.in_hunk = self.old > 0 || self.new > 0;
        }
        if let Some((old, new)) = hunk(line) {
            (self.old, self.new) = (old, new);
            self.in_hunk = true;
            self.in_commit = false;
            self.hunks += 1;
            self.cut = None;
            return Part::Of;
        }
        // A base85 blob, which ends at a blank line.
        if self.in_binary {
            self.in_binary = !line.text.is_empty();
            if self.in_binary {
                return Part::Of;
            }
        }
        if is_commit(line) {
            self.in_commit = true;
            self.cut = self.cut.or(Some(line.start));
            return Part::Of;
        }
        if line.is_blank() {
            return Part::Blank;
        }
        if self.in_commit {
            let known = COMMIT.iter().any(|word| line.text.starts_with(word));
            // The commit message or the diffstat.
            if known || line.text.starts_with(' ') {
                return Part::Of;
            }
        }
        if line.text.starts_with("Index: ") || ABOVE.iter().any(|word| line.text.starts_with(word))
        {
            if line.text.starts_with("+++ ") || line.text.starts_with("diff ") {
                self.files += 1;
            }
            self.in_commit = false;
            self.in_binary = line.text.starts_with("literal ") || line.text.starts_with("delta ");
            self.cut = None;
            return Part::Of;
        }
        Part::Not
    }
}

/// The numbers of lines of a hunk in the old and the new file.
fn hunk(line: Line<'_>) -> Option<(u64, u64)> {
    let rest = line.text.strip_prefix("@@ -")?;
    let (old, rest) = span(rest)?;
    let (new, rest) = span(rest.strip_prefix(" +")?)?;
    rest.starts_with(" @@").then_some((old, new))
}

/// The length in `start,length` or `start`, and the rest of the text.
fn span(text: &str) -> Option<(u64, &str)> {
    let (start, rest) = text.split_at(digits(text.as_bytes()));
    if start.is_empty() {
        return None;
    }
    match rest.strip_prefix(',') {
        None => Some((1, rest)),
        Some(rest) => {
            let (length, rest) = rest.split_at(digits(rest.as_bytes()));
            Some((length.parse().ok()?, rest))
        }
    }
}
