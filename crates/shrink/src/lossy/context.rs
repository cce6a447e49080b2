//! Diffs with less context. The output is still a diff that `patch` accepts.

use std::fmt::Write;

use super::{mark, plural};

/// The diff with at most `keep` unchanged lines around each change.
pub(super) fn reduce(text: &str, keep: usize) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut out = String::with_capacity(text.len());
    let mut dropped = 0;
    let mut at = 0;
    while at < lines.len() {
        let hunk = Hunk::read(&lines[at..]);
        match hunk {
            Some(hunk) => {
                dropped += hunk.write(keep, &mut out);
                at += 1 + hunk.lines.len();
            }
            // Not a hunk, or a hunk with wrong numbers: copied.
            None => {
                out.push_str(lines[at]);
                at += 1;
            }
        }
    }
    if dropped == 0 {
        return None;
    }
    // Above the first file, where `patch` ignores text.
    let what = plural(dropped, "unchanged line", "unchanged lines");
    Some(format!("{}\n{out}", mark(&what)))
}

struct Hunk<'a> {
    old: u64,
    new: u64,
    /// The text after the second `@@`, with the line end.
    tail: &'a str,
    lines: Vec<&'a str>,
}

impl<'a> Hunk<'a> {
    /// The hunk at the beginning of `lines`, if its numbers match the lines below.
    fn read(lines: &[&'a str]) -> Option<Self> {
        let (head, below) = lines.split_first()?;
        let rest = head.strip_prefix("@@ -")?;
        let (old, rest) = rest.split_once(" +")?;
        let (new, tail) = rest.split_once(" @@")?;
        let (old, mut olds) = range(old)?;
        let (new, mut news) = range(new)?;
        let mut taken = Vec::new();
        for line in below {
            let is_note = line.starts_with('\\');
            if olds == 0 && news == 0 && !is_note {
                break;
            }
            match line.as_bytes().first()? {
                b' ' | b'\n' => {
                    olds = olds.checked_sub(1)?;
                    news = news.checked_sub(1)?;
                }
                b'-' => olds = olds.checked_sub(1)?,
                b'+' => news = news.checked_sub(1)?,
                b'\\' => {}
                _ => return None,
            }
            taken.push(*line);
        }
        (olds == 0 && news == 0).then_some(Self {
            old,
            new,
            tail,
            lines: taken,
        })
    }

    /// Writes the remaining lines as one hunk or several; returns the number of omitted lines.
    fn write(&self, keep: usize, out: &mut String) -> usize {
        let kept = self.kept(keep);
        let (mut old, mut new) = (self.old, self.new);
        let mut at = 0;
        let mut dropped = 0;
        while at < self.lines.len() {
            let end = at
                + kept[at..]
                    .iter()
                    .take_while(|one| **one == kept[at])
                    .count();
            let part = &self.lines[at..end];
            let olds = part.iter().filter(|line| is_old(line)).count() as u64;
            let news = part.iter().filter(|line| is_new(line)).count() as u64;
            if kept[at] {
                let start = |number: u64, count: u64| number - u64::from(count == 0 && number > 0);
                let (from, to) = if at == 0 {
                    // Unchanged; a hunk without old lines counts from the line before.
                    (self.old, self.new)
                } else {
                    (start(old, olds), start(new, news))
                };
                // Writing to a string cannot fail.
                let _ = write!(out, "@@ -{from},{olds} +{to},{news} @@{}", self.tail);
                part.iter().for_each(|line| out.push_str(line));
            } else {
                dropped += part.len()
            }
            old += olds;
            new += news;
            at = end;
        }
        dropped
    }

    /// Whether each line is near enough to a change to stay.
    fn kept(&self, keep: usize) -> Vec<bool> {
        let is_change = |line: &&str| line.starts_with(['-', '+']);
        let mut kept = vec![false; self.lines.len()];
        let mut since = usize::MAX;
        for (i, line) in self.lines.iter().enumerate() {
            since = if is_change(line) {
                0
            } else {
                since.saturating_add(1)
            };
            kept[i] = since <= keep;
        }
        since = usize::MAX;
        for (i, line) in self.lines.iter().enumerate().rev() {
            since = if is_change(line) {
                0
            } else {
                since.saturating_add(1)
            };
            kept[i] |= since <= keep;
        }
        // A note such as "No newline at end of file" belongs to the line above.
        for i in 1..self.lines.len() {
            if self.lines[i].starts_with('\\') {
                kept[i] = kept[i - 1];
            }
        }
        kept
    }
}

fn is_old(line: &str) -> bool {
    !line.starts_with(['+', '\\'])
}

fn is_new(line: &str) -> bool {
    !line.starts_with(['-', '\\'])
}

/// `12,7` or `12`.
fn range(text: &str) -> Option<(u64, u64)> {
    let number = |text: &str| text.parse::<u32>().ok().map(u64::from);
    match text.split_once(',') {
        Some((start, count)) => Some((number(start)?, number(count)?)),
        None => Some((number(text)?, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "\
--- a/x
+++ b/x
@@ -1,9 +1,10 @@ fn main
 one
 two
-three
+drei
 four
 five
 six
 seven
 eight
+new
 nine
";

    #[test]
    fn hunks_are_split_at_omitted_lines_and_keep_their_numbers() {
        let reduced = reduce(DIFF, 1).unwrap();
        assert_eq!(
            reduced,
            "\
[linkspan: 4 unchanged lines left out]
--- a/x
+++ b/x
@@ -2,3 +2,3 @@ fn main
 two
-three
+drei
 four
@@ -8,2 +8,3 @@ fn main
 eight
+new
 nine
"
        );
    }

    #[test]
    fn without_context_an_insertion_names_the_line_above() {
        let reduced = reduce(DIFF, 0).unwrap();
        assert!(
            reduced.contains("@@ -3,1 +3,1 @@ fn main\n-three\n+drei\n"),
            "{reduced}"
        );
        assert!(
            reduced.contains("@@ -8,0 +9,1 @@ fn main\n+new\n"),
            "{reduced}"
        );
    }

    #[test]
    fn a_text_without_a_reducible_hunk_stays() {
        assert_eq!(reduce(DIFF, 9), None);
        assert_eq!(reduce(&DIFF.replace("-1,9", "-1,8"), 0), None);
        assert_eq!(reduce("no diff\n", 0), None);
        assert_eq!(reduce("@@ -1,4294967295 +1 @@\n a\n", 0), None);
    }

    #[test]
    fn the_note_about_a_missing_line_end_stays_with_its_line() {
        let diff = "@@ -1,3 +1,3 @@\n a\n b\n-c\n\\ No newline at end of file\n+d\n\\ No newline at end of file\n";
        let reduced = reduce(diff, 0).unwrap();
        assert!(
            reduced
                .ends_with("-c\n\\ No newline at end of file\n+d\n\\ No newline at end of file\n")
        );
        assert_eq!(reduced.matches("No newline").count(), 2);
    }
}
