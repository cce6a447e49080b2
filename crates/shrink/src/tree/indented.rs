//! Trees drawn with white space, and plain lists of names.

use super::decoration::{Decoration, FullPath};
use super::entry::{self, Entry, MOST_ENTRIES};
use super::style::{Parsed, Picture, Style, cut_tail};

/// A tree drawn with white space.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Indented {
    /// Spaces per level; 0 stands for a tab.
    spaces: usize,
    decoration: Decoration,
}

/// The most spaces per level.
const MOST_SPACES: usize = 8;

/// A list without indentation whose files and folders are marked.
pub(super) fn parse_marked(text: &str) -> Option<Parsed<'_>> {
    if !text.starts_with(['[', 'D', 'F', '📁', '📄', '📂', '🗀', '🗎']) {
        return None;
    }
    let parsed = parse(text)?;
    match &parsed.style {
        Style::Indented(indented) if indented.decoration.marks.is_some() => Some(parsed),
        _ => None,
    }
}

pub(super) fn parse(text: &str) -> Option<Parsed<'_>> {
    let (lines, tail) = cut_tail(text);
    let spaces = step(lines)?;
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let mut tops = 0;
    for line in lines.split('\n') {
        let name = match spaces {
            0 => line.trim_start_matches('\t'),
            _ => line.trim_start_matches(' '),
        };
        let indent = line.len() - name.len();
        let depth = indent / spaces.max(1);
        if name.is_empty() || (spaces > 0 && indent % spaces != 0) {
            return None;
        }
        tops += usize::from(depth == 0);
        entries.push(Entry::new(depth, false, name));
        if entries.len() > MOST_ENTRIES {
            return None;
        }
    }
    if !entry::is_whole(&entries) {
        return None;
    }
    let mut root = None;
    if tops == 1 && entries.len() > 1 {
        root = lines.split('\n').next();
        entries.remove(0);
        for entry in &mut entries {
            entry.depth -= 1;
        }
    }
    entry::mark_parents(&mut entries);
    let decoration = Decoration::strip(&mut entries, root);
    let parsed = Parsed {
        style: Style::Indented(Indented { spaces, decoration }),
        root: root.map(Into::into),
        tail,
        entries,
    };
    let picture = Picture {
        root,
        entries: &parsed.entries,
        limit: text.len(),
    };
    (parsed.style.draw(&picture, tail)? == text).then_some(parsed)
}

/// The number of spaces per level: the smallest indentation.
fn step(lines: &str) -> Option<usize> {
    let indents = lines.split('\n').map(|line| match line.as_bytes().first() {
        Some(b'\t') => Some(0),
        Some(b' ') => Some(line.bytes().take_while(|byte| *byte == b' ').count()),
        _ => None,
    });
    let least = indents.flatten().min().unwrap_or(2);
    (least <= MOST_SPACES).then_some(least)
}

impl Indented {
    pub(super) fn write(&self, out: &mut String) {
        out.push_str("indent ");
        match self.spaces {
            0 => out.push_str("tab"),
            spaces => out.push_str(&spaces.to_string()),
        }
        self.decoration.write(out);
    }

    pub(super) fn read(options: &str) -> Option<Self> {
        let (spaces, options) = options.split_once(' ').unwrap_or((options, ""));
        let spaces = match spaces {
            "tab" => 0,
            number => number
                .parse()
                .ok()
                .filter(|n| (1..=MOST_SPACES).contains(n))?,
        };
        let decoration = Decoration::read(options)?;
        Some(Self { spaces, decoration })
    }

    pub(super) fn draw(&self, picture: &Picture<'_, '_>) -> Option<String> {
        let mut out = String::new();
        let mut path = FullPath::new(picture.root.unwrap_or_default());
        let below = usize::from(picture.root.is_some());
        out.push_str(picture.root.unwrap_or_default());
        for (at, entry) in picture.entries.iter().enumerate() {
            if at + below > 0 {
                out.push('\n');
            }
            let depth = entry.depth() + below;
            let indent = match self.spaces {
                0 => depth,
                spaces => depth.checked_mul(spaces)?,
            };
            if indent > picture.limit {
                return None;
            }
            let space = if self.spaces == 0 { '\t' } else { ' ' };
            out.extend(std::iter::repeat_n(space, indent));
            self.decoration.push_along(&mut path, entry, &mut out);
            if out.len() > picture.limit {
                return None;
            }
        }
        Some(out)
    }
}
