//! A unified diff, split by changed file.
//!
//! A DIFF block has a path, and hunks with the numbers of their first lines. A diff is therefore only split
//! if it contains nothing else: no commit message, no rename, no modes, no text after `@@`, no dates. Then it
//! can be restored, except for the names of blobs (`index …`) and the repeated names in `diff --git`. Any
//! other diff stays a text.

use linkspan_bcp::Hunks;

/// The changes of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) path: String,
    pub(crate) hunks: Hunks<'static>,
    /// An upper bound of its size in a block.
    pub(crate) size: u64,
}

/// An upper bound of the size of a hunk besides its lines.
const AROUND_HUNK: u64 = 48;

/// The changed files in their order, or `None` if information would be lost.
pub(crate) fn take_apart(text: &str) -> Option<Vec<Change>> {
    let mut lines = Lines { rest: text };
    let mut changes = Vec::new();
    while !lines.rest.is_empty() {
        changes.push(change(&mut lines)?);
    }
    (!changes.is_empty()).then_some(changes)
}

/// Lines with their line ends.
struct Lines<'a> {
    rest: &'a str,
}

impl<'a> Lines<'a> {
    fn next_if(&mut self, fits: impl Fn(&str) -> bool) -> Option<&'a str> {
        let end = self.rest.find('\n').map_or(self.rest.len(), |at| at + 1);
        let line = &self.rest[..end];
        if line.is_empty() || !fits(line) {
            return None;
        }
        self.rest = &self.rest[end..];
        Some(line)
    }

    /// The rest of the next line, if it starts with this word.
    fn after(&mut self, word: &str) -> Option<&'a str> {
        let line = self.next_if(|line| line.starts_with(word))?;
        line.strip_prefix(word)?.strip_suffix('\n')
    }
}

fn change(lines: &mut Lines<'_>) -> Option<Change> {
    let git = lines.after("diff --git ");
    if git.is_some() {
        lines.next_if(is_index);
    }
    let old = lines.after("--- ")?;
    let new = lines.after("+++ ")?;
    // These characters indicate quoted names, and dates after names.
    if [old, new]
        .iter()
        .any(|name| name.contains(['"', '\t', '\r']))
    {
        return None;
    }
    let path = match (old.strip_prefix("a/"), new.strip_prefix("b/")) {
        (Some(a), Some(b)) if a == b => a,
        _ if old == new => old,
        _ => return None,
    };
    if git.is_some_and(|names| names != format!("{old} {new}")) {
        return None;
    }
    let mut hunks = Hunks::default();
    let mut size = path.len() as u64;
    while let Some((old_start, new_start, body)) = hunk(lines)? {
        hunks.add(old_start, new_start, body.as_bytes());
        size += body.len() as u64 + AROUND_HUNK;
    }
    (hunks.bytes() > 0).then(|| Change {
        path: path.to_owned(),
        hunks,
        size,
    })
}

/// `index 83db48f..bf269f4 100644`
fn is_index(line: &str) -> bool {
    line.strip_prefix("index ").is_some_and(|rest| {
        let blobs = rest.split_whitespace().next().unwrap_or_default();
        blobs.contains("..") && blobs.bytes().all(|b| b.is_ascii_hexdigit() || b == b'.')
    })
}

/// The next hunk; `Some(None)` at the end, `None` if it is malformed.
#[expect(
    clippy::option_option,
    reason = "a missing hunk and a malformed hunk differ"
)]
fn hunk<'a>(lines: &mut Lines<'a>) -> Option<Option<(u32, u32, &'a str)>> {
    let Some(head) = lines.next_if(|line| line.starts_with("@@")) else {
        return Some(None);
    };
    let head = head.strip_prefix("@@ -")?.strip_suffix(" @@\n")?;
    let (old, new) = head.split_once(" +")?;
    let ((old_start, mut old_left), (new_start, mut new_left)) = (span(old)?, span(new)?);
    let start = lines.rest;
    while old_left > 0 || new_left > 0 {
        let line = lines.next_if(|_| true)?;
        match line.as_bytes()[0] {
            b' ' => {
                old_left = old_left.checked_sub(1)?;
                new_left = new_left.checked_sub(1)?;
            }
            b'-' => old_left = old_left.checked_sub(1)?,
            b'+' => new_left = new_left.checked_sub(1)?,
            b'\\' => {}
            _ => return None,
        }
    }
    // `\ No newline at end of file` belongs to the previous line.
    lines.next_if(|line| line.starts_with('\\'));
    let body = &start[..start.len() - lines.rest.len()];
    Some(Some((old_start, new_start, body)))
}

/// `12,3`, or `12` for one line, in the canonical spelling.
fn span(text: &str) -> Option<(u32, u32)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    let number = |text: &str| {
        let value: u32 = text.parse().ok()?;
        (value.to_string() == text).then_some(value)
    };
    Some((number(start)?, number(count)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIT: &str = "\
diff --git a/src/a.rs b/src/a.rs
index 83db48f..bf269f4 100644
--- a/src/a.rs
+++ b/src/a.rs
@@ -1,2 +1,3 @@
 one
-two
+2
+3
@@ -40 +41 @@
--- a comment
+++ another
diff --git a/b b/b
index 83db48f..bf269f4 100644
--- a/b
+++ b/b
@@ -1 +1 @@
-x
\\ No newline at end of file
+y
\\ No newline at end of file
";

    fn plain(head: &str) -> String {
        format!("{head}@@ -1 +1 @@\n-x\n+y\n")
    }

    #[test]
    fn each_file_has_its_hunks_with_line_numbers() {
        let changes = take_apart(GIT).unwrap();
        assert_eq!(changes.len(), 2);
        assert_eq!(changes[0].path, "src/a.rs");
        let hunks: Vec<_> = changes[0].hunks.iter().collect();
        assert_eq!((hunks[0].old_start, hunks[0].new_start), (1, 1));
        assert_eq!(hunks[0].lines, b" one\n-two\n+2\n+3\n");
        assert_eq!((hunks[1].old_start, hunks[1].new_start), (40, 41));
        assert_eq!(hunks[1].lines, b"--- a comment\n+++ another\n");
        let last = changes[1].hunks.iter().next().unwrap();
        assert!(last.lines.ends_with(b"+y\n\\ No newline at end of file\n"));
    }

    #[test]
    fn only_headings_are_lost() {
        let mut again = String::new();
        for change in take_apart(GIT).unwrap() {
            for hunk in change.hunks.iter() {
                again.push_str(std::str::from_utf8(hunk.lines).unwrap());
            }
        }
        let heads = ["diff ", "index ", "--- a/", "+++ b/", "@@ "];
        let is_head = |line: &&str| heads.iter().any(|head| line.starts_with(head));
        let body: String = GIT
            .split_inclusive('\n')
            .filter(|line| !is_head(line))
            .collect();
        assert_eq!(again, body);
    }

    #[test]
    fn a_diff_without_git_headers_is_split_too() {
        for head in ["--- a/x\n+++ b/x\n", "--- x\n+++ x\n"] {
            assert_eq!(take_apart(&plain(head)).unwrap()[0].path, "x", "{head}");
        }
    }

    #[test]
    fn a_diff_with_further_information_stays_a_text() {
        for head in [
            "From 1234 Mon Sep 17\nSubject: why\n\n--- a/x\n+++ b/x\n",
            "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n",
            "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n",
            "--- /dev/null\n+++ b/x\n",
            "--- a/x\t2026-01-01\n+++ b/x\t2026-01-02\n",
            "--- \"a/\\303\\251\"\n+++ \"a/\\303\\251\"\n",
            "Only in x: y\n--- a/x\n+++ b/x\n",
        ] {
            assert_eq!(take_apart(&plain(head)), None, "{head}");
        }
        let heading = "--- a/x\n+++ b/x\n@@ -1 +1 @@ fn main() {\n-x\n+y\n";
        assert_eq!(take_apart(heading), None);
        let trailer = plain("--- a/x\n+++ b/x\n") + "-- \n2.40.0\n";
        assert_eq!(take_apart(&trailer), None);
    }

    #[test]
    fn an_invalid_diff_stays_a_text() {
        for hunk in [
            "",
            "@@ -1 +1 @@\n-x\n",
            "@@ -1 +1 @@\n-x\n-x\n+y\n",
            "@@ -1,2 +1,2 @@\n\n-x\n+y\n",
            "@@ -01 +1 @@\n-x\n+y\n",
            "@@ -1 +99999999999999999999 @@\n-x\n+y\n",
            "@@ -1 +1 @@\r\n-x\n+y\n",
        ] {
            let text = format!("--- a/x\n+++ b/x\n{hunk}");
            assert_eq!(take_apart(&text), None, "{hunk}");
        }
        assert_eq!(take_apart(""), None);
    }
}
