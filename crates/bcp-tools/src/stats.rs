//! The size of a file, by type and in tokens.

use std::fmt::Write as _;
use std::io;

use linkspan_bcp::render::{Mode, Renderer};
use linkspan_bcp::{Content, Document, Error, Failed, Header, Show};
use linkspan_tokens::Vocabulary;
use linkspan_wire::escape_line;

use crate::counting::count_while;
use crate::listing::{self, Styles};
use crate::progress::Progress;

/// The statistics of a file.
pub struct Stats {
    name: String,
    bytes: u64,
    header: Header,
    blocks: u64,
    /// The number of compressed blocks.
    compressed: u64,
    /// By type, in the order of their first blocks.
    types: Vec<Row>,
    tokens: Vec<(Mode, Option<Tokens>)>,
    vocabulary: Option<Vocabulary>,
}

struct Row {
    name: String,
    count: u64,
    bytes: u64,
}

/// A number of tokens, and whether the whole text was counted.
#[derive(Clone, Copy)]
struct Tokens {
    count: u64,
    exact: bool,
}

/// The counted part of a text; the tokens of the rest are estimated from it. The whole text would have to be
/// in memory, and a small file can have a long text.
const WHOLE: usize = 8 << 20;

impl Stats {
    /// Computes the statistics; without a vocabulary, those of the reference implementation. When `go_on`
    /// returns `false`, the result is incomplete.
    pub fn of(
        document: &Document,
        name: &str,
        vocabulary: Option<Vocabulary>,
        go_on: &dyn Fn() -> bool,
        progress: &dyn Progress,
    ) -> Result<Self, Error> {
        let compat = vocabulary.is_none();
        let mut reader = document.reader()?;
        let mut stats = Self {
            name: name.to_owned(),
            bytes: document.source().length()?,
            header: reader.header(),
            blocks: 0,
            compressed: 0,
            types: Vec::new(),
            tokens: Vec::new(),
            vocabulary,
        };
        while let Some(frame) = reader.next()? {
            let block = frame.block()?;
            if !go_on() {
                return Ok(stats);
            }
            stats.blocks += 1;
            stats.compressed += u64::from(frame.head.is_compressed());
            let name = listing::type_name(frame.head.kind);
            let bytes = bytes(&block.content, compat);
            match stats.types.iter_mut().find(|row| row.name == name) {
                Some(row) => {
                    row.count += 1;
                    row.bytes += bytes;
                }
                None => stats.types.push(Row {
                    name,
                    count: 1,
                    bytes,
                }),
            }
        }
        progress.begin("counting", 3 * stats.bytes);
        for (done, mode) in (0..).zip(Mode::ALL) {
            let mut watch = |at| {
                progress.at(done * stats.bytes + at);
                go_on()
            };
            let tokens = match vocabulary {
                Some(vocabulary) => count(document, mode, vocabulary, &mut watch, go_on),
                None => guess(document, mode),
            };
            stats.tokens.push((mode, tokens));
        }
        progress.end();
        Ok(stats)
    }

    /// The statistics as a table.
    pub fn table(&self, styles: Styles) -> String {
        let bold = styles.name;
        let mut out = String::new();
        let minor = self.header.minor;
        let compressed = if self.header.is_compressed() {
            "payload zstd-compressed".to_owned()
        } else if self.compressed > 0 && self.vocabulary.is_some() {
            format!(
                "{} of {} blocks zstd-compressed",
                self.compressed, self.blocks
            )
        } else {
            // The reference implementation states the same if only blocks are compressed.
            "uncompressed".to_owned()
        };
        let name = escape_line(&self.name);
        let _ = writeln!(out, "File:    {name}  ({} bytes)", self.bytes);
        let flags = self.header.flags;
        let _ = writeln!(
            out,
            "Header:  BCP v1.{minor}, flags=0x{flags:02X} ({compressed})"
        );
        let _ = writeln!(out, "Blocks:  {} total\n", self.blocks);
        let total: u64 = self.types.iter().map(|row| row.bytes).sum();
        let (count, bytes) = self.widths(total);
        let _ = writeln!(
            out,
            "{bold}{:<20}{:>count$}{:>bytes$}{bold:#}",
            "Type", "Count", "Bytes"
        );
        let rule = "─".repeat(22 + count + bytes);
        let _ = writeln!(out, "{rule}");
        for row in &self.types {
            let _ = writeln!(
                out,
                "{:<20}{:>count$}{:>bytes$}",
                row.name, row.count, row.bytes
            );
        }
        let _ = writeln!(out, "{rule}");
        let _ = writeln!(
            out,
            "{:<20}{:>count$}{:>bytes$}\n",
            "Total", self.blocks, total
        );
        match self.vocabulary {
            Some(vocabulary) => _ = writeln!(out, "Tokens ({vocabulary}):"),
            None => _ = writeln!(out, "Tokens (heuristic estimate):"),
        }
        for (mode, tokens) in &self.tokens {
            let label = format!("{} mode", mode.name());
            let _ = match tokens {
                Some(Tokens { count, exact: true }) => {
                    writeln!(out, "  {label:<13} {count} tokens")
                }
                Some(Tokens { count, .. }) => writeln!(out, "  {label:<13} ~{count} tokens"),
                None if self.vocabulary.is_none() => writeln!(out, "  {label:<13} ~0 tokens"),
                None => writeln!(out, "  {label:<13} nothing to show"),
            };
        }
        out
    }

    /// The widths of the number columns. The reference implementation uses fixed widths, so that wide numbers
    /// run into each other.
    fn widths(&self, total: u64) -> (usize, usize) {
        if self.vocabulary.is_none() {
            return (6, 8);
        }
        let wide = |number: u64| number.to_string().len() + 2;
        (wide(self.blocks).max(6), wide(total).max(8))
    }

    /// The statistics as one JSON object.
    pub fn json(&self) -> String {
        let types: Vec<String> = self
            .types
            .iter()
            .map(|row| {
                let name = row.name.to_ascii_lowercase();
                let (count, bytes) = (row.count, row.bytes);
                format!(r#"{{"type":"{name}","count":{count},"bytes":{bytes}}}"#)
            })
            .collect();
        let tokens: Vec<String> = self
            .tokens
            .iter()
            .map(|(mode, tokens)| {
                let count = tokens.map_or(0, |tokens| tokens.count);
                format!(r#""{}":{count}"#, mode.name())
            })
            .collect();
        let exact = self.tokens.iter().all(|(_, t)| t.is_none_or(|t| t.exact));
        format!(
            r#"{{"bytes":{},"version":"1.{}","flags":{},"blocks":{},"types":[{}],"tokens":{{{}}},"tokenizer":"{}","exact":{exact}}}"#,
            self.bytes,
            self.header.minor,
            self.header.flags,
            self.blocks,
            types.join(","),
            tokens.join(","),
            self.vocabulary.unwrap_or(Vocabulary::Estimate),
        )
    }
}

fn bytes(content: &Content<'_>, compat: bool) -> u64 {
    match content {
        // The reference implementation does not measure these.
        Content::FileTree { entries, .. } if compat => entries.top_level() as u64 * 8,
        Content::EmbeddingRef { .. } if compat => 32,
        _ => listing::bytes(content),
    }
}

/// Counts the whole rendered text, or its start if it is too long.
fn count(
    document: &Document,
    mode: Mode,
    vocabulary: Vocabulary,
    watch: &mut dyn FnMut(u64) -> bool,
    go_on: &dyn Fn() -> bool,
) -> Option<Tokens> {
    let renderer = Renderer {
        mode,
        compat: false,
    };
    let mut whole = Whole {
        text: Vec::new(),
        rest: 0,
    };
    document
        .show(&Show::all(renderer), &mut whole, watch)
        .ok()?;
    whole.tokens(vocabulary, go_on)
}

/// The counted part of a text, and the length of the rest.
struct Whole {
    text: Vec<u8>,
    rest: u64,
}

impl Whole {
    fn tokens(&self, vocabulary: Vocabulary, go_on: &dyn Fn() -> bool) -> Option<Tokens> {
        // The text may be cut inside a character.
        let text = String::from_utf8_lossy(&self.text);
        let counted = count_while(vocabulary, &text, go_on)?;
        let rest = match self.text.len() as u64 {
            0 => self.rest / 4,
            length => (u128::from(counted) * u128::from(self.rest) / u128::from(length)) as u64,
        };
        Some(Tokens {
            count: counted + rest,
            exact: self.rest == 0 && vocabulary != Vocabulary::Estimate,
        })
    }
}

impl io::Write for Whole {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = WHOLE - self.text.len();
        let (counted, rest) = bytes.split_at(bytes.len().min(room));
        self.text.extend_from_slice(counted);
        self.rest += rest.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A quarter of the size of the reference implementation's rendering; `None` if that fails.
fn guess(document: &Document, mode: Mode) -> Option<Tokens> {
    let renderer = Renderer { mode, compat: true };
    let mut length = Length(0);
    let shown: Result<_, Failed> = document.show(&Show::all(renderer), &mut length, &mut |_| true);
    shown.ok()?;
    Some(Tokens {
        count: (length.0 / 4).max(1),
        exact: false,
    })
}

struct Length(u64);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_large_numbers_do_not_touch() {
        let row = |name: &str, count, bytes| Row {
            name: name.to_owned(),
            count,
            bytes,
        };
        let stats = Stats {
            name: "x.bcp".to_owned(),
            bytes: 9_000_000_000,
            header: Header { minor: 0, flags: 0 },
            blocks: 250_000,
            compressed: 0,
            types: vec![
                row("CODE", 249_999, 1_234_567_890),
                row("EMBEDDING_REF", 1, 5),
            ],
            tokens: Vec::new(),
            vocabulary: Some(Vocabulary::O200k),
        };
        let table = stats.table(Styles::default());
        let rows: Vec<Vec<&str>> = table
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert!(
            rows.contains(&vec!["CODE", "249999", "1234567890"]),
            "{table}"
        );
        assert!(
            rows.contains(&vec!["Total", "250000", "1234567895"]),
            "{table}"
        );
    }
}
