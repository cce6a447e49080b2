//! The implementation of the server's tools, on files that may be used.

use std::fs::File;
use std::io::Write;

use linkspan_bcp::manifest::ManifestOptions;
use linkspan_bcp::render::{Mode, Renderer};
use linkspan_bcp::{Document, Failed, Limits, Show, Verbosity, WriteOptions};
use linkspan_tokens::Vocabulary;

use crate::counting::Counter;
use crate::decode::others;
use crate::encode::{EncodeOptions, encode_manifest};
use crate::error::{BcpError, Result};
use crate::files::Output;
use crate::inspect::{self, InspectOptions};
use crate::listing::Styles;
use crate::stats::Stats;

/// Reads a file that a manifest names, up to a number of bytes.
pub type ReadFn<'a> = &'a dyn Fn(&str, u64) -> Result<Vec<u8>>;

/// Returns `true` once the result is not needed any more.
pub type StopFn<'a> = &'a dyn Fn() -> bool;

/// The result of a tool.
#[derive(Debug, Default)]
pub struct ToolOutput {
    /// The text.
    pub text: String,
    /// A note about the text.
    pub(crate) note: Option<String>,
}

impl From<String> for ToolOutput {
    fn from(text: String) -> Self {
        Self { text, note: None }
    }
}

/// The implementation of the tools.
pub trait Engine: Send + Sync + 'static {
    /// Renders a file.
    fn read(
        &self,
        file: File,
        name: &str,
        mode: Mode,
        budget: Option<u64>,
        stop: StopFn<'_>,
    ) -> Result<ToolOutput>;

    /// Lists the blocks of a file.
    fn inspect(&self, file: File, name: &str, stop: StopFn<'_>) -> Result<String>;

    /// Writes a file from a manifest, or no file at all. Returns its size.
    fn encode(
        &self,
        manifest: File,
        read: ReadFn<'_>,
        output: Output,
        compress: bool,
        stop: StopFn<'_>,
    ) -> Result<u64>;

    /// The size of a file, by type and in tokens.
    fn stats(&self, file: File, name: &str, stop: StopFn<'_>) -> Result<String>;
}

/// The codec of `linkspan-bcp`.
#[derive(Debug)]
pub struct Codec;

/// The maximum text of a tool in bytes, as it has to fit into a message.
pub(crate) const MOST_TEXT: usize = 64 << 20;

impl Engine for Codec {
    fn read(
        &self,
        file: File,
        name: &str,
        mode: Mode,
        budget: Option<u64>,
        stop: StopFn<'_>,
    ) -> Result<ToolOutput> {
        let document = Document::new(file, Limits::default());
        let show = Show {
            verbosity: Verbosity::Adaptive,
            ..Show::all(Renderer {
                mode,
                compat: false,
            })
        };
        let mut watch = |_| !stop();
        let shown = match budget {
            Some(budget) => {
                let counter = Counter(Vocabulary::O200k);
                document.show_within(&show, budget, &counter, &mut watch)
            }
            None => {
                let mut text = Bounded(Vec::new());
                let report = document.show(&show, &mut text, &mut watch);
                // Rendered text is valid UTF-8, so no bytes are replaced.
                let text = String::from_utf8(text.0)
                    .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
                report.map(|report| (text, report))
            }
        };
        let (text, report) = shown.map_err(|failed| because(name, failed))?;
        if let (0, Some(first)) = (report.full + report.summaries, report.unreadable.first()) {
            return Err(BcpError::file(name, first.clone()));
        }
        if text.is_empty() {
            return Err(BcpError::Budget {
                name: name.to_owned(),
                left_out: report.left_out,
            });
        }
        let note = match (budget, report.tokens) {
            (Some(budget), Some(tokens)) if report.over_budget => Some(format!(
                "This text has {tokens} tokens, which is more than the budget of {budget}: the \
                 critical blocks alone need that, and those are always shown in full{}.",
                others(&report)
            )),
            (Some(budget), _) if report.left_out > 0 && !report.noted => Some(format!(
                "{} of its blocks are left out: the budget of {budget} tokens leaves no room even for a \
                 line about that.",
                report.left_out
            )),
            _ => None,
        };
        Ok(ToolOutput { text, note })
    }

    fn inspect(&self, file: File, name: &str, stop: StopFn<'_>) -> Result<String> {
        let document = Document::new(file, Limits::default());
        let mut out = Stoppable {
            out: Bounded(Vec::new()),
            stop,
        };
        inspect::write(&document, InspectOptions::default(), &mut out)
            .map_err(|e| BcpError::file(name, e))?;
        let text = String::from_utf8_lossy(&out.out.0);
        Ok(text.trim_end().to_owned())
    }

    fn encode(
        &self,
        manifest: File,
        read: ReadFn<'_>,
        mut output: Output,
        compress: bool,
        stop: StopFn<'_>,
    ) -> Result<u64> {
        let files = ManifestOptions {
            compat: false,
            files: Box::new(|name, limit| Ok(read(name, limit)?)),
        };
        let options = EncodeOptions {
            write: WriteOptions {
                compress_blocks: compress,
                dedup: false,
            },
            ..EncodeOptions::default()
        };
        let name = "the manifest";
        let watch = &mut |_| !stop();
        let encoded = encode_manifest(manifest, name, files, &options, &mut output, watch)?;
        if stop() {
            return Err(BcpError::Stopped);
        }
        output.commit()?;
        Ok(encoded.bytes)
    }

    fn stats(&self, file: File, name: &str, stop: StopFn<'_>) -> Result<String> {
        let document = Document::new(file, Limits::default());
        let stats = Stats::of(&document, name, Some(Vocabulary::O200k), &|| !stop(), &())
            .map_err(|e| BcpError::file(name, e))?;
        if stop() {
            return Err(BcpError::Stopped);
        }
        Ok(stats.table(Styles::default()).trim_end().to_owned())
    }
}

fn because(name: &str, failed: Failed) -> BcpError {
    match failed {
        Failed::File(error) => BcpError::file(name, error),
        Failed::Stopped => BcpError::Stopped,
        failed => BcpError::NothingRead {
            name: name.to_owned(),
            failed: Box::new(failed),
        },
    }
}

/// A text of at most [`MOST_TEXT`] bytes.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_TEXT {
            return Err(std::io::Error::other(format!(
                "the text has more than {MOST_TEXT} bytes: set `budget` to get a part of it"
            )));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A writer that fails once the result is not needed any more.
struct Stoppable<'s, W> {
    out: W,
    stop: StopFn<'s>,
}

impl<W: Write> Write for Stoppable<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if (self.stop)() {
            return Err(std::io::Error::other("stopped"));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
