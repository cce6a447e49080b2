//! Trees drawn with branches.

use super::decoration::{Decoration, FullPath};
use super::entry::{self, Entry, MOST_ENTRIES};
use super::style::{Parsed, Picture, Style, cut_tail};

/// The characters of branches.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Branches {
    word: &'static str,
    /// Before an entry with a later sibling, and before the last one.
    tee: &'static str,
    elbow: &'static str,
    /// The same before an entry with children.
    tee_above: &'static str,
    elbow_above: &'static str,
    /// Before children of an entry with a later sibling, and of the last one.
    pipe: &'static str,
    blank: &'static str,
}

const fn branches(word: &'static str, [tee, elbow, pipe, blank]: [&'static str; 4]) -> Branches {
    Branches {
        word,
        tee,
        elbow,
        tee_above: tee,
        elbow_above: elbow,
        pipe,
        blank,
    }
}

/// Known styles of branches, the most common first.
static KNOWN: [Branches; 15] = [
    branches("tree", ["├── ", "└── ", "│\u{a0}\u{a0} ", "    "]),
    branches("box", ["├── ", "└── ", "│   ", "    "]),
    branches("eza", ["├── ", "└── ", "│  ", "   "]),
    branches("ascii", ["|-- ", "`-- ", "|   ", "    "]),
    Branches {
        tee_above: "├─┬ ",
        elbow_above: "└─┬ ",
        ..branches("npm", ["├── ", "└── ", "│ ", "  "])
    },
    branches("short", ["├─ ", "└─ ", "│  ", "   "]),
    branches("round", ["├── ", "╰── ", "│   ", "    "]),
    branches("short-round", ["├─ ", "╰─ ", "│  ", "   "]),
    branches("heavy", ["┣━━ ", "┗━━ ", "┃   ", "    "]),
    branches("tight", ["├──", "└──", "│  ", "   "]),
    branches("windows", ["├───", "└───", "│   ", "    "]),
    branches("plus", ["+-- ", "\\-- ", "|   ", "    "]),
    branches("short-plus", ["+- ", "\\- ", "|  ", "   "]),
    branches("long-plus", ["+--- ", "\\--- ", "|    ", "     "]),
    branches("npm-ascii", ["+-- ", "`-- ", "| ", "  "]),
];

/// A drawn tree.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawn {
    branches: &'static Branches,
    /// The first branches have no line above.
    rootless: bool,
    /// The depths, in order, at which the last entry is drawn with a tee: the tree was truncated.
    cut: Vec<usize>,
    decoration: Decoration,
}

pub(super) fn parse(text: &str) -> Option<Parsed<'_>> {
    let (lines, tail) = cut_tail(text);
    let mut first = lines.split('\n').take(2);
    let is_branch = |line: &str, one: &Branches| {
        let starts = [one.tee, one.elbow, one.tee_above, one.elbow_above];
        starts.iter().any(|start| line.starts_with(start))
    };
    let (above, below) = (first.next()?, first.next().unwrap_or_default());
    let looks = |one: &&Branches| is_branch(above, one) || is_branch(below, one);
    KNOWN.iter().filter(looks).find_map(|branches| {
        let mut parsed = parse_with(branches, lines)?;
        parsed.tail = tail;
        let picture = Picture {
            root: parsed.root.as_deref(),
            entries: &parsed.entries,
            limit: text.len(),
        };
        let drawn = parsed.style.draw(&picture, tail)?;
        (drawn == text).then_some(parsed)
    })
}

fn parse_with<'a>(branches: &'static Branches, text: &'a str) -> Option<Parsed<'a>> {
    let mut entries: Vec<Entry<'a>> = Vec::new();
    let mut looks_last = Vec::new();
    let mut tops = 0;
    for line in text.split('\n') {
        let (depth, last, name) = branches.strip(line)?;
        tops += usize::from(depth == 0);
        entries.push(Entry::new(depth, false, name));
        looks_last.push(last);
        if entries.len() > MOST_ENTRIES {
            return None;
        }
    }
    let rootless = tops == 0;
    let mut root = None;
    if tops == 1 && entries.first()?.depth == 0 {
        root = text.split('\n').next();
        entries.remove(0);
        looks_last.remove(0);
    }
    let below = u32::from(tops < 2);
    for entry in &mut entries {
        entry.depth = entry.depth.checked_sub(below)?;
    }
    if !entry::is_whole(&entries) {
        return None;
    }
    entry::mark_parents(&mut entries);
    let on_edge = edge(&entries).filter(|at| !looks_last[*at]);
    let mut cut: Vec<usize> = on_edge.map(|at| entries[at].depth()).collect();
    cut.reverse();
    let decoration = Decoration::strip(&mut entries, root);
    Some(Parsed {
        style: Style::Drawn(Drawn {
            branches,
            rootless,
            cut,
            decoration,
        }),
        root: root.map(Into::into),
        tail: None,
        entries,
    })
}

impl Branches {
    /// The depth of a line, whether it is drawn as the last one in its folder, and the text behind its branches.
    fn strip<'a>(&self, line: &'a str) -> Option<(usize, bool, &'a str)> {
        let mut rest = line;
        for depth in 0.. {
            let deeper = rest
                .strip_prefix(self.pipe)
                .or_else(|| rest.strip_prefix(self.blank));
            let Some(deeper) = deeper else {
                let starts = [
                    (self.tee, false),
                    (self.elbow, true),
                    (self.tee_above, false),
                    (self.elbow_above, true),
                ];
                let mut starts = starts.into_iter();
                let name = starts.find_map(|(start, last)| Some((rest.strip_prefix(start)?, last)));
                return match name {
                    Some((name, last)) => Some((depth + 1, last, name)),
                    None if depth == 0 && is_top(rest) => Some((0, true, rest)),
                    None => None,
                };
            };
            rest = deeper;
        }
        None
    }
}

/// Whether a line may be above branches: it does not begin like a branch.
fn is_top(line: &str) -> bool {
    let first = line.chars().next();
    first.is_some_and(|first| !" \u{a0}│├└╰┃┣┗|`+\\".contains(first))
}

impl Drawn {
    pub(super) fn write(&self, out: &mut String) {
        out.push_str(self.branches.word);
        out.push_str(if self.rootless { " rootless" } else { "" });
        if !self.cut.is_empty() {
            let depths: Vec<_> = self.cut.iter().map(usize::to_string).collect();
            out.push_str(" cut:");
            out.push_str(&depths.join(","));
        }
        self.decoration.write(out);
    }

    pub(super) fn read(word: &str, options: &str) -> Option<Self> {
        let branches = KNOWN.iter().find(|one| one.word == word)?;
        let (rootless, options) = match options.strip_prefix("rootless") {
            Some(options) => (true, options.trim_start()),
            None => (false, options),
        };
        let (cut, options) = match options.strip_prefix("cut:") {
            Some(options) => options.split_once(' ').unwrap_or((options, "")),
            None => ("", options),
        };
        let depths = cut.split(',').filter(|depth| !depth.is_empty());
        Some(Self {
            branches,
            rootless,
            cut: depths
                .map(|depth| depth.parse().ok())
                .collect::<Option<_>>()?,
            decoration: Decoration::read(options)?,
        })
    }

    pub(super) fn draw(&self, picture: &Picture<'_, '_>) -> Option<String> {
        let entries = picture.entries;
        let mut last = last_ones(entries);
        let is_cut = |at: &usize| self.cut.binary_search(&entries[*at].depth()).is_ok();
        let on_edge = edge(entries).filter(is_cut);
        on_edge.for_each(|at| last[at] = false);
        let mut out = String::new();
        let mut path = FullPath::new(picture.root.unwrap_or_default());
        if let Some(root) = picture.root {
            out.push_str(root);
        }
        let below = usize::from(picture.root.is_some() || self.rootless);
        let mut before = String::new();
        // For each depth, where the branches before its entries end.
        let mut starts = vec![0];
        for (at, entry) in entries.iter().enumerate() {
            if at > 0 || picture.root.is_some() {
                out.push('\n');
            }
            let depth = entry.depth() + below;
            starts.truncate(depth.max(1));
            if depth > 0 {
                before.truncate(*starts.last()?);
                out.push_str(&before);
                let above = entries
                    .get(at + 1)
                    .is_some_and(|next| next.depth > entry.depth);
                out.push_str(self.branches.start(last[at], above));
                before.push_str(self.branches.beside(last[at]));
                starts.push(before.len());
            }
            self.decoration.push_along(&mut path, entry, &mut out);
            if out.len() > picture.limit {
                return None;
            }
        }
        Some(out)
    }
}

impl Branches {
    fn start(&self, last: bool, above: bool) -> &'static str {
        match (last, above) {
            (false, false) => self.tee,
            (false, true) => self.tee_above,
            (true, false) => self.elbow,
            (true, true) => self.elbow_above,
        }
    }

    fn beside(&self, last: bool) -> &'static str {
        if last { self.blank } else { self.pipe }
    }
}

/// For each entry, whether it is the last one in its folder.
fn last_ones(entries: &[Entry<'_>]) -> Vec<bool> {
    let mut last = vec![false; entries.len()];
    // The depths at which a sibling follows.
    let mut follows: Vec<bool> = Vec::new();
    for (at, entry) in entries.iter().enumerate().rev() {
        follows.resize(entry.depth() + 1, false);
        last[at] = !std::mem::replace(&mut follows[entry.depth()], true);
    }
    last
}

/// The last entry and its ancestors, innermost first.
fn edge<'e>(entries: &'e [Entry<'_>]) -> impl Iterator<Item = usize> + 'e {
    let mut around = u32::MAX;
    let all = entries.iter().enumerate().rev();
    let on_edge = all.filter(move |(_, entry)| {
        let is_around = entry.depth < around;
        around = around.min(entry.depth);
        is_around
    });
    on_edge.map(|(at, _)| at)
}
