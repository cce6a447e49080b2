//! The lines of `inspect`, and the names of blocks in other lists.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::{self, Write};

use anstyle::{AnsiColor, Color, Style};
use linkspan_bcp::{AnnotationKind, Block, Content, Frame, Kind, Lang, Priority, Step};

use linkspan_wire::escape_line;

/// The colours of a text. The default is none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Styles {
    pub(crate) name: Style,
    pub(crate) dim: Style,
    pub(crate) bad: Style,
    pub(crate) good: Style,
}

impl Styles {
    /// Colours for a terminal.
    pub const TERMINAL: Self = Self {
        name: Style::new().bold(),
        dim: Style::new().dimmed(),
        bad: Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red))),
        good: Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green))),
    };
}

/// The details of each block.
#[derive(Debug, Clone, Copy, Default)]
pub struct Detail {
    /// The first 80 characters of its content.
    pub body: bool,
    /// Its content in hexadecimal.
    pub hex: bool,
    /// As in bcp 0.1.0: with its estimated sizes, and unescaped contents.
    pub compat: bool,
}

/// The type of a block in `inspect`.
pub fn type_name(kind: u8) -> String {
    match Kind::from_byte(kind) {
        Some(kind) => kind.name().to_ascii_uppercase(),
        None => "UNKNOWN".to_owned(),
    }
}

/// Writes the lines of a block.
pub fn write_block(
    frame: &Frame<'_>,
    block: &Block<'_>,
    detail: Detail,
    styles: Styles,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = type_name(frame.head.kind);
    let about = match &block.content {
        // The reference implementation does not escape this name.
        Content::ToolResult { name, status, .. } if detail.compat => {
            format!(" [{name}] status={}", status.name())
        }
        content => about(content),
    };
    let size = size(&block.content, detail.compat);
    let index = frame.index;
    let Styles {
        name: bold, dim, ..
    } = if detail.compat {
        Styles::default()
    } else {
        styles
    };
    writeln!(
        out,
        "Block {index}: {bold}{name}{bold:#}{about} {dim}({size}){dim:#}"
    )?;
    if let Some(summary) = &block.summary {
        writeln!(out, "         Summary: {}", Quoted(summary))?;
    }
    let content = if detail.compat {
        Cow::Borrowed(block.content.bytes())
    } else {
        whole(&block.content)
    };
    if detail.body {
        writeln!(
            out,
            "         Body:    {}",
            beginning(&content, detail.compat)
        )?;
    }
    if detail.hex {
        writeln!(out, "         Hex dump:")?;
        write_hex(&content, out)?;
    }
    Ok(())
}

/// A name in quotes, shortened to [`LONG`].
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = short(self.0);
        write!(f, "{short:?}")?;
        if short.len() < self.0.len() {
            f.write_char('…')?;
        }
        Ok(())
    }
}

/// The shown part of a name.
fn short(name: &str) -> &str {
    let end = name.char_indices().nth(LONG);
    end.map_or(name, |(end, _)| &name[..end])
}

/// The maximum number of shown characters of a name.
const LONG: usize = 4096;

/// The properties that distinguish a block from others of its type.
pub fn about(content: &Content<'_>) -> String {
    match content {
        Content::Code { lang, path, .. } => format!(" [{}] path={}", language(*lang), Quoted(path)),
        Content::Conversation { role, .. } => format!(" [{}]", role.name()),
        Content::FileTree { root, .. } => format!(" root={}", Quoted(root)),
        Content::ToolResult { name, status, .. } => {
            format!(" [{}] status={}", escape_line(short(name)), status.name())
        }
        Content::Document { title, .. } => format!(" title={}", Quoted(title)),
        Content::StructuredData { format, .. } => format!(" format={}", format.name()),
        Content::Diff { path, .. } => format!(" path={}", Quoted(path)),
        Content::Annotation {
            target,
            kind,
            value,
        } => {
            let priority = value.first().copied().and_then(Priority::from_byte);
            let value = match (kind, priority) {
                (AnnotationKind::Priority, Some(priority)) => Cow::Borrowed(priority.name()),
                _ => String::from_utf8_lossy(value),
            };
            format!(
                " target={target} kind={} value={}",
                kind.name(),
                Quoted(&value)
            )
        }
        Content::EmbeddingRef { .. } => " [embedding ref]".to_owned(),
        Content::Image { media, alt, .. } => format!(" [{}] alt={}", media.name(), Quoted(alt)),
        Content::Extension {
            namespace,
            type_name,
            ..
        } => format!(
            " namespace={} type={}",
            Quoted(namespace),
            Quoted(type_name)
        ),
        Content::Unknown { kind, .. } => format!(" [0x{kind:02X}]"),
    }
}

fn language(lang: Lang) -> Cow<'static, str> {
    match lang.name() {
        Some(name) => Cow::Borrowed(name),
        None if lang == Lang::UNKNOWN => Cow::Borrowed("unknown"),
        None => Cow::Owned(format!("other({})", lang.0)),
    }
}

fn size(content: &Content<'_>, compat: bool) -> String {
    match content {
        // The reference implementation does not measure these.
        Content::FileTree { entries, .. } if compat => format!("{} bytes", entries.top_level() * 8),
        Content::EmbeddingRef { .. } if compat => "32 bytes".to_owned(),
        Content::FileTree { entries, .. } => {
            let entries = entries.walk().filter(|step| matches!(step, Step::Open(_)));
            format!("{} entries", entries.count())
        }
        _ => format!("{} bytes", bytes(content)),
    }
}

/// The size of a content in bytes.
pub fn bytes(content: &Content<'_>) -> u64 {
    match content {
        Content::Diff { hunks, .. } => hunks.bytes() as u64,
        Content::FileTree { .. } => whole(content).len() as u64,
        Content::EmbeddingRef { source_hash, .. } => source_hash.len() as u64,
        _ => content.bytes().len() as u64,
    }
}

/// A content as one run of bytes.
fn whole<'a>(content: &'a Content<'_>) -> Cow<'a, [u8]> {
    match content {
        Content::FileTree { entries, .. } => {
            let names = entries.walk().filter_map(|step| match step {
                Step::Open(entry) => Some(format!("{}\n", entry.name)),
                Step::Close => None,
            });
            Cow::Owned(names.collect::<String>().into_bytes())
        }
        Content::Diff { hunks, .. } => {
            let lines = hunks.iter().map(|hunk| hunk.lines);
            Cow::Owned(lines.collect::<Vec<_>>().concat())
        }
        Content::EmbeddingRef { source_hash, .. } => Cow::Borrowed(source_hash),
        _ => Cow::Borrowed(content.bytes()),
    }
}

/// The first 80 characters; on one line, except with `compat`.
fn beginning(content: &[u8], compat: bool) -> String {
    // A character has at most four bytes.
    let text = String::from_utf8_lossy(&content[..content.len().min(4 * 81)]);
    let mut out: String = text.chars().take(80).collect();
    if text.chars().count() > 80 {
        out.push('…');
    }
    if compat {
        out
    } else {
        escape_line(&out).into_owned()
    }
}

fn write_hex(content: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let mut line = String::new();
    for (row, chunk) in content.chunks(16).enumerate() {
        line.clear();
        for byte in chunk {
            let _ = write!(line, "{byte:02x} ");
        }
        let shown: String = chunk
            .iter()
            .map(|byte| {
                if byte.is_ascii_graphic() {
                    char::from(*byte)
                } else {
                    '.'
                }
            })
            .collect();
        writeln!(out, "           {:04x}  {line:<48}  {shown}", row * 16)?;
    }
    Ok(())
}
