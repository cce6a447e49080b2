//! Converts a drawn tree to entries and back.

use linkspan_bcp::{Entries, EntryKind, Step, TreeBuilder};

/// Drawing styles: a branch, the last branch, the indent below a branch and below the last branch.
const STYLES: [[&str; 4]; 5] = [
    ["├── ", "└── ", "│   ", "    "],
    ["├── ", "└── ", "│\u{a0}\u{a0} ", "    "],
    ["|-- ", "`-- ", "|   ", "    "],
    ["+-- ", "\\-- ", "|   ", "    "],
    ["├───", "└───", "│   ", "    "],
];

/// A tree that can be redrawn from its block and `form` alone.
pub(super) struct Branches<'a> {
    pub(super) root: &'a str,
    pub(super) entries: Entries<'static>,
    /// The index of the style, `r` if the root has a line, `/` if folders end with a slash; then a line feed and the
    /// text below the last branch.
    pub(super) form: String,
}

/// Reads a tree that is drawn entirely in one of `STYLES`.
pub(super) fn read(text: &str) -> Option<Branches<'_>> {
    (0..STYLES.len()).find_map(|style| read_in(text, style))
}

fn read_in(text: &str, style: usize) -> Option<Branches<'_>> {
    let mut lines = text.split_inclusive('\n').peekable();
    let first = lines.peek()?.trim_end_matches('\n');
    let root = branch(first, style).is_none().then_some(first);
    if root.is_some() {
        lines.next();
    }
    let mut found: Vec<(usize, &str)> = Vec::new();
    let mut at = root.map_or(0, |root| root.len() + 1);
    for line in lines {
        let Some((depth, name)) = branch(line.trim_end_matches('\n'), style) else {
            break;
        };
        found.push((depth, name));
        at += line.len();
    }
    let slash = found.iter().any(|(_, name)| name.ends_with('/'));
    let mut form = style.to_string();
    form.push_str(if root.is_some() { "r" } else { "" });
    form.push_str(if slash { "/" } else { "" });
    form.push('\n');
    // The last branch may lack a line end.
    let at = if text.ends_with('\n') || at < text.len() {
        at - 1
    } else {
        at
    };
    let below = text.get(at..)?;
    // Only the summary line may be absent from the shown block.
    let counts = below.trim_start_matches('\n').trim_end();
    let is_summary = counts.contains(" director") && !counts.contains('\n');
    if !counts.is_empty() && !is_summary {
        return None;
    }
    form.push_str(below);
    let tree = Branches {
        root: root.unwrap_or(""),
        entries: build(&found)?,
        form,
    };
    let again = write(tree.root, &tree.entries, &tree.form, text.len());
    (again.as_deref() == Some(text)).then_some(tree)
}

/// The depth and name of a branch.
fn branch(line: &str, style: usize) -> Option<(usize, &str)> {
    let [branch, last, trunk, blank] = STYLES[style];
    let (mut rest, mut depth) = (line, 0);
    loop {
        if let Some(name) = rest
            .strip_prefix(branch)
            .or_else(|| rest.strip_prefix(last))
        {
            return Some((depth, name));
        }
        rest = rest
            .strip_prefix(trunk)
            .or_else(|| rest.strip_prefix(blank))?;
        depth += 1;
    }
}

fn build(found: &[(usize, &str)]) -> Option<Entries<'static>> {
    let mut tree = TreeBuilder::default();
    let mut open = 0;
    for (index, (depth, name)) in found.iter().enumerate() {
        if *depth > open {
            return None;
        }
        while open > *depth {
            tree.close();
            open -= 1;
        }
        let has_children = found.get(index + 1).is_some_and(|(next, _)| next > depth);
        let folder = has_children || name.ends_with('/');
        let kind = if folder {
            EntryKind::Directory
        } else {
            EntryKind::File
        };
        tree.open(name.strip_suffix('/').unwrap_or(name), kind, 0)
            .ok()?;
        open += 1;
    }
    (!found.is_empty()).then(|| tree.finish())
}

/// Redraws a tree, if that takes at most `most` bytes.
pub(super) fn write(root: &str, entries: &Entries<'_>, form: &str, most: usize) -> Option<String> {
    let (flags, below) = form.split_once('\n')?;
    let style = STYLES.get(flags.get(..1)?.parse::<usize>().ok()?)?;
    let mut out = String::new();
    if flags.contains('r') {
        out.push_str(root);
        out.push('\n');
    }
    let slash = flags.contains('/');
    let found = flatten(entries);
    let is_last = last_ones(&found);
    // Whether each ancestor is the last entry of its folder.
    let mut above: Vec<bool> = Vec::new();
    for (index, (depth, name, folder)) in found.iter().enumerate() {
        above.truncate(*depth);
        for last in &above {
            out.push_str(style[2 + usize::from(*last)]);
        }
        out.push_str(style[usize::from(is_last[index])]);
        out.push_str(name);
        out.push_str(if slash && *folder { "/" } else { "" });
        out.push_str(if index + 1 < found.len() { "\n" } else { "" });
        above.push(is_last[index]);
        if out.len() > most {
            return None;
        }
    }
    out.push_str(below);
    Some(out).filter(|out| out.len() <= most)
}

/// Depth, name, and whether the entry is a folder.
pub(super) fn flatten(entries: &Entries<'_>) -> Vec<(usize, String, bool)> {
    let (mut found, mut depth) = (Vec::new(), 0);
    for step in entries.walk() {
        match step {
            Step::Open(entry) => {
                let folder = entry.kind == EntryKind::Directory;
                found.push((depth, entry.name.into_owned(), folder));
                depth += 1;
            }
            Step::Close => depth -= 1,
        }
    }
    found
}

/// Whether each entry is the last of its folder.
fn last_ones(found: &[(usize, String, bool)]) -> Vec<bool> {
    let mut is_last = vec![false; found.len()];
    // Scanning from the end: whether an entry was seen at each depth.
    let mut below: Vec<bool> = Vec::new();
    for (index, (depth, _, _)) in found.iter().enumerate().rev() {
        below.truncate(depth + 1);
        below.resize(depth + 1, false);
        is_last[index] = !std::mem::replace(&mut below[*depth], true);
    }
    is_last
}
