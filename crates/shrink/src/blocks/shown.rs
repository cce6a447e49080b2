//! The regions of a text as the blocks that show them.

use std::borrow::Cow;

use linkspan_bcp::{Block, Content, DataFormat, DocFormat, Status};

use super::{LARGE, branches, changes, folders, language, summary};
use crate::detect::Region;
use crate::kind::Kind;

/// The largest block that a reader accepts.
const PIECE: usize = 8 << 20;

pub(super) fn blocks<'a>(text: &'a str, regions: &[Region], tool: &'a str) -> Vec<Block<'a>> {
    let mut out = Out {
        blocks: Vec::new(),
        tool,
    };
    for (index, region) in regions.iter().enumerate() {
        let Some(part) = text.get(region.range.clone()) else {
            continue;
        };
        let follows_special = index > 0 && regions[index - 1].kind != Kind::Plain;
        let next = regions
            .get(index + 1)
            .filter(|next| next.kind != Kind::Plain);
        match region.kind {
            Kind::Plain => out.plain(without_marks(part, follows_special, next)),
            _ => out.special(part, region),
        }
    }
    if out.blocks.is_empty() {
        out.result(text, Kind::Plain);
    }
    out.blocks
}

struct Out<'a> {
    blocks: Vec<Block<'a>>,
    tool: &'a str,
}

impl<'a> Out<'a> {
    fn add(&mut self, part: &'a str, kind: Kind, content: impl Fn(Cow<'a, [u8]>) -> Content<'a>) {
        let mut rest = part;
        while !rest.is_empty() {
            let (piece, more) = rest.split_at(rest.floor_char_boundary(PIECE));
            self.blocks.push(Block {
                summary: summary::of(piece, kind).map(Cow::Owned),
                content: content(Cow::Borrowed(piece.as_bytes())),
            });
            rest = more;
        }
    }

    fn result(&mut self, part: &'a str, kind: Kind) {
        let name = self.tool;
        self.add(part, kind, |content| Content::ToolResult {
            name: Cow::Borrowed(name),
            status: Status::Ok,
            content,
            schema_hint: None,
        });
    }

    fn document(&mut self, part: &'a str, kind: Kind, format: DocFormat) {
        let title = title(part).unwrap_or(self.tool);
        self.add(part, kind, |content| Content::Document {
            title: Cow::Borrowed(title),
            content,
            format,
        });
    }

    fn plain(&mut self, part: &'a str) {
        let part = part.trim_matches(['\n', '\r']);
        match (part.trim().is_empty(), is_markdown(part)) {
            (true, _) => {}
            (_, true) => self.document(part, Kind::Plain, DocFormat::Markdown),
            (_, false) => self.result(part, Kind::Plain),
        }
    }

    fn special(&mut self, part: &'a str, region: &Region) {
        let part = part.trim_end_matches(['\n', '\r']);
        let small = part.len() <= LARGE;
        let mut data = |format| {
            self.add(part, region.kind, |content| Content::StructuredData {
                format,
                schema: None,
                content,
            });
        };
        match region.kind {
            Kind::Json | Kind::Ndjson => data(DataFormat::Json),
            Kind::Yaml => data(DataFormat::Yaml),
            Kind::Toml => data(DataFormat::Toml),
            Kind::Csv => data(DataFormat::Csv),
            Kind::Code => {
                let path = region.path.clone().unwrap_or_default();
                let lang = language::of(region.lang.as_deref(), region.path.as_deref());
                self.add(part, region.kind, |content| Content::Code {
                    lang,
                    path: Cow::Owned(path.clone()),
                    content,
                    lines: None,
                });
            }
            Kind::Html => self.document(part, region.kind, DocFormat::Html),
            Kind::Tree if small && self.tree(part) => {}
            Kind::Paths if small && self.paths(part) => {}
            Kind::Diff if small && self.diff(part) => {}
            kind => self.result(part, kind),
        }
    }

    fn tree(&mut self, part: &'a str) -> bool {
        let Some(tree) = branches::read(part) else {
            return false;
        };
        self.blocks.push(Block {
            summary: summary::of(part, Kind::Tree).map(Cow::Owned),
            content: Content::FileTree {
                root: Cow::Borrowed(tree.root),
                entries: tree.entries,
            },
        });
        true
    }

    fn paths(&mut self, part: &'a str) -> bool {
        let Some(list) = folders::read(part) else {
            return false;
        };
        self.blocks.push(Block {
            summary: summary::of(part, Kind::Paths).map(Cow::Owned),
            content: Content::FileTree {
                root: Cow::Borrowed(list.root),
                entries: list.entries,
            },
        });
        true
    }

    /// A block per file. Facts without a block field (a commit, a new name, another mode) become a result before it.
    fn diff(&mut self, part: &'a str) -> bool {
        let Some(files) = changes::read(part) else {
            return false;
        };
        for file in files {
            let redundant = file.above.lines().all(is_redundant);
            if !redundant || file.hunks.bytes() == 0 {
                self.result(file.above.trim_matches('\n'), Kind::Plain);
            }
            if file.hunks.bytes() > 0 {
                self.blocks.push(Block {
                    summary: None,
                    content: Content::Diff {
                        path: Cow::Borrowed(file.path),
                        hunks: file.hunks,
                    },
                });
            }
        }
        true
    }
}

/// Whether a line above the hunks repeats only facts that the block has: the path, or git's blob ids.
fn is_redundant(line: &str) -> bool {
    const REDUNDANT: [&str; 6] = ["diff ", "index ", "--- ", "+++ ", "Index: ", "====="];
    line.is_empty() || REDUNDANT.iter().any(|word| line.starts_with(word))
}

/// Plain text without the fence or the path line that the adjacent block already shows.
fn without_marks<'a>(part: &'a str, follows_special: bool, next: Option<&Region>) -> &'a str {
    let is_fence =
        |line: &str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    let mut part = part;
    if follows_special {
        let (first, rest) = part.split_once('\n').unwrap_or((part, ""));
        let closes = is_fence(first) && first.trim().trim_matches(['`', '~']).is_empty();
        part = if closes { rest } else { part };
    }
    let Some(next) = next else {
        return part;
    };
    if let (above, true) = last_line(part, is_fence) {
        part = above;
    }
    let path = next.path.as_deref().filter(|_| next.kind == Kind::Code);
    if let Some(path) = path {
        part = last_line(part, |line| line.contains(path)).0;
    }
    part
}

/// The text above the last non-blank line, if `is` accepts that line; otherwise the whole text.
fn last_line(part: &str, is: impl Fn(&str) -> bool) -> (&str, bool) {
    let trimmed = part.trim_end();
    let start = trimmed.rfind('\n').map_or(0, |end| end + 1);
    if is(&trimmed[start..]) {
        (&part[..start], true)
    } else {
        (part, false)
    }
}

/// The first heading.
fn title(part: &str) -> Option<&str> {
    let heading = part.lines().take(200).find(|line| is_heading(line))?;
    let title = heading.trim_matches(['#', ' ', '\t']);
    (!title.is_empty() && title.len() <= 200).then_some(title)
}

fn is_heading(line: &str) -> bool {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&level) && line.as_bytes().get(level) == Some(&b' ')
}

/// Whether prose is Markdown: it has a heading, or several other marks.
fn is_markdown(part: &str) -> bool {
    let mut marks = 0;
    for line in part.lines().take(400) {
        if is_heading(line) {
            return true;
        }
        let item = line.trim_start();
        marks += usize::from(item.starts_with("- ") || item.starts_with("* "));
        marks += usize::from(item.contains("](") || item.contains("**"));
        if marks >= 3 {
            return true;
        }
    }
    false
}
