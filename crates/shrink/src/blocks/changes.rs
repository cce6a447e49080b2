//! Converts a diff to hunks per file and back.

use linkspan_bcp::Hunks;

/// The changes of one file; its block and `form` suffice to rewrite them.
pub(super) struct Changes<'a> {
    pub(super) path: &'a str,
    pub(super) hunks: Hunks<'static>,
    /// The text above the hunks.
    pub(super) above: &'a str,
    /// The `@@` line of each hunk.
    heads: Vec<&'a str>,
}

impl Changes<'_> {
    /// The part of the diff that the block does not hold: the length of `above`, `above` itself, and the `@@` lines.
    pub(super) fn form(&self) -> String {
        format!(
            "{}\n{}{}",
            self.above.len(),
            self.above,
            self.heads.concat()
        )
    }
}

/// Reads a diff; every line must belong to a file.
pub(super) fn read(text: &str) -> Option<Vec<Changes<'_>>> {
    let mut files: Vec<Changes<'_>> = Vec::new();
    let mut at = 0;
    // Where the text above the current file's hunks begins.
    let mut above = 0;
    while at < text.len() {
        let line = line(text, at);
        let Some(head) = Head::read(line) else {
            at += line.len();
            continue;
        };
        if above < at || files.is_empty() {
            let above = &text[above..at];
            files.push(Changes {
                path: path(above),
                hunks: Hunks::default(),
                above,
                heads: Vec::new(),
            });
        }
        let start = at + line.len();
        at = head.end(text, start);
        let file = files.last_mut()?;
        file.hunks.add(
            u32::try_from(head.old).ok()?,
            u32::try_from(head.new).ok()?,
            &text.as_bytes()[start..at],
        );
        file.heads.push(line);
        above = at;
    }
    // Text after the last hunk: a renamed or binary file.
    if above < text.len() {
        let rest = &text[above..];
        files.push(Changes {
            path: path(rest),
            hunks: Hunks::default(),
            above: rest,
            heads: Vec::new(),
        });
    }
    let mut again = String::with_capacity(text.len());
    for file in &files {
        again.push_str(&write(&file.hunks, &file.form(), text.len())?);
    }
    (again == text).then_some(files)
}

/// Rewrites the diff, if that takes at most `most` bytes.
pub(super) fn write(hunks: &Hunks<'_>, form: &str, most: usize) -> Option<String> {
    let (length, rest) = form.split_once('\n')?;
    let length: usize = length.parse().ok()?;
    let (above, heads) = (rest.get(..length)?, rest.get(length..)?);
    let mut heads = heads.split_inclusive('\n');
    let mut out = above.to_owned();
    for hunk in hunks.iter() {
        out.push_str(heads.next()?);
        out.push_str(std::str::from_utf8(hunk.lines).ok()?);
        if out.len() > most {
            return None;
        }
    }
    (heads.next().is_none() && out.len() <= most).then_some(out)
}

/// The path of the file: the new one unless the file was deleted.
fn path(above: &str) -> &str {
    let after = |word: &str| {
        let line = above
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix(word))?;
        // A timestamp may follow.
        let path = line.split('\t').next().unwrap_or(line);
        let path = path
            .strip_prefix("a/")
            .or_else(|| path.strip_prefix("b/"))
            .unwrap_or(path);
        (path != "/dev/null").then_some(path)
    };
    let git = || {
        Some(
            above
                .lines()
                .rev()
                .find_map(|line| line.strip_prefix("diff --git "))?
                .rsplit_once(" b/")?
                .1,
        )
    };
    after("+++ ")
        .or_else(|| after("--- "))
        .or_else(|| after("rename to "))
        .or_else(|| after("Index: "))
        .or_else(git)
        .unwrap_or("")
}

/// The numbers of an `@@` line.
struct Head {
    old: u64,
    old_count: u64,
    new: u64,
    new_count: u64,
}

impl Head {
    fn read(line: &str) -> Option<Self> {
        let (spans, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
        let (old, new) = spans.split_once(" +")?;
        let span = |text: &str| -> Option<(u64, u64)> {
            match text.split_once(',') {
                Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
                None => Some((text.parse().ok()?, 1)),
            }
        };
        let ((old, old_count), (new, new_count)) = (span(old)?, span(new)?);
        Some(Self {
            old,
            old_count,
            new,
            new_count,
        })
    }

    /// Where the hunk ends whose lines begin at `at`.
    fn end(&self, text: &str, mut at: usize) -> usize {
        let (mut old, mut new) = (self.old_count, self.new_count);
        while at < text.len() {
            let line = line(text, at);
            match line.as_bytes().first() {
                Some(b'\\') => {}
                Some(b'-') if old > 0 => old -= 1,
                Some(b'+') if new > 0 => new -= 1,
                Some(b' ' | b'\n' | b'\r') if old > 0 && new > 0 => {
                    old -= 1;
                    new -= 1;
                }
                _ => break,
            }
            at += line.len();
        }
        at
    }
}

/// The line at an offset, with its line end.
fn line(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let end = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
    &rest[..end]
}
