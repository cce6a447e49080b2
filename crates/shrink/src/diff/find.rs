//! Finds the lines above the hunks of a file.

use super::file::{File, Ids, NOWHERE, RULE, Side};
use super::head::{Above, Form};

/// The file that `lines` begin with in this form, and its number of lines. The caller must check that the file is
/// written as these lines.
pub(super) fn find<'a>(lines: &[&'a str], form: &Form) -> Option<(File<'a>, usize)> {
    let first = lines.first()?;
    match &form.above {
        Above::Git => git(first.strip_prefix("diff --git ")?, lines, form),
        Above::Both(words) => {
            first.strip_prefix(words.as_str())?.strip_prefix(' ')?;
            pair(lines, 1, form)
        }
        Above::One(words) => {
            first.strip_prefix(words.as_str())?.strip_prefix(' ')?;
            pair(lines, 1, form)
        }
        Above::Svn => {
            first.strip_prefix("Index: ")?;
            (*lines.get(1)? == RULE).then_some(())?;
            pair(lines, 2, form)
        }
        Above::Nothing => {
            first.strip_prefix("--- ")?;
            pair(lines, 0, form)
        }
    }
}

fn git<'a>(both: &'a str, lines: &[&'a str], form: &Form) -> Option<(File<'a>, usize)> {
    let mut file = File::at("");
    let mut used = 1;
    while let Some(line) = lines.get(used) {
        if let Some(old) = line.strip_prefix("old mode ") {
            used += 1;
            file.modes = Some((old, lines.get(used)?.strip_prefix("new mode ")?));
        } else if let Some(percent) = line.strip_prefix("similarity index ") {
            let (from, to) = (lines.get(used + 1)?, lines.get(used + 2)?);
            used += 2;
            let (copy, from) = match from.strip_prefix("rename from ") {
                Some(from) => (false, from),
                None => (true, from.strip_prefix("copy from ")?),
            };
            let to = to.strip_prefix(if copy { "copy to " } else { "rename to " })?;
            file.moved = Some((copy, percent));
            (file.from, file.path) = (from, to);
        } else if let Some(mode) = line.strip_prefix("new file mode ") {
            (file.side, file.mode) = (Side::New, mode);
        } else if let Some(mode) = line.strip_prefix("deleted file mode ") {
            (file.side, file.mode) = (Side::Deleted, mode);
        } else if let Some(ids) = line.strip_prefix("index ") {
            let (ids, mode) = ids.split_once(' ').unwrap_or((ids, ""));
            let (old, new) = ids.split_once("..")?;
            file.ids = Some(Ids { old, new, mode });
        } else {
            break;
        }
        used += 1;
    }
    match lines.get(used) {
        Some(line) if line.starts_with("Binary files ") => {
            file.binary = true;
            used += 1;
        }
        Some(line) if line.starts_with("--- ") => used += 2,
        _ => {}
    }
    if file.moved.is_none() {
        (file.path, file.quoted) = half(both, &form.old, &form.new)?;
        file.from = file.path;
    }
    Some((file, used))
}

/// The path in `a/path b/path`, and whether it is quoted.
fn half<'a>(both: &'a str, old: &str, new: &str) -> Option<(&'a str, bool)> {
    let quoted = both.starts_with('"');
    let marks = usize::from(quoted);
    let around = old.len() + new.len() + 1 + 2 * marks;
    let length = both.len().checked_sub(around)? / 2;
    let from = marks + old.len();
    Some((both.get(from..from + length)?, quoted))
}

/// Reads the `---` and `+++` lines below `above` other lines.
fn pair<'a>(lines: &[&'a str], above: usize, form: &Form) -> Option<(File<'a>, usize)> {
    let (old, new) = names(lines, above)?;
    let (old, old_stamp) = stamp(old);
    let (new, new_stamp) = stamp(new);
    let (name, before, side) = match (old, new) {
        (NOWHERE, new) => (new, &form.new, Side::New),
        (old, NOWHERE) => (old, &form.old, Side::Deleted),
        (_, new) => (new, &form.new, Side::Both),
    };
    let inner = name.strip_prefix('"');
    let path = inner.unwrap_or(name).strip_prefix(before.as_str())?;
    let mut file = File::at(path);
    file.quoted = inner.is_some();
    file.side = side;
    file.stamps = old_stamp.zip(new_stamp);
    Some((file, above + 2))
}

/// The names in the `---` and `+++` lines at `at`, if a hunk follows.
pub(super) fn names<'a>(lines: &[&'a str], at: usize) -> Option<(&'a str, &'a str)> {
    let old = lines.get(at)?.strip_prefix("--- ")?;
    let new = lines.get(at + 1)?.strip_prefix("+++ ")?;
    lines.get(at + 2)?.strip_prefix("@@ -")?;
    Some((old, new))
}

/// A name, and the timestamp after its tab.
pub(super) fn stamp(name: &str) -> (&str, Option<&str>) {
    match name.split_once('\t') {
        Some((name, stamp)) => (name, Some(stamp)),
        None => (name, None),
    }
}
