//! What the reader server's tools do, once it is settled which files they may touch.

use std::fs::File;
use std::io::Write;

use linkspan_bcp::manifest::ManifestOptions;
use linkspan_bcp::render::{Mode, Renderer};
use linkspan_bcp::{Document, Failed, Limits, Show, Verbosity, WriteOptions};
use linkspan_tokens::Vocabulary;

use crate::bcp::counting::Counter;
use crate::bcp::encode::{self, How};
use crate::bcp::files::Output;
use crate::bcp::inspect::{self, Which};
use crate::bcp::said::{hint, others};
use crate::bcp::stats::Stats;
use crate::exit::Failure;

/// Reads a file that a manifest names, up to so many bytes, or says why not.
pub(crate) type ReadFn<'a> = &'a dyn Fn(&str, u64) -> Result<Vec<u8>, String>;

/// `true` when nobody waits for the result any more.
pub(crate) type StopFn<'a> = &'a dyn Fn() -> bool;

/// What a tool has to say.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) text: String,
    /// What has to be known about the text, and is no part of it.
    pub(crate) note: Option<String>,
}

impl From<String> for Said {
    fn from(text: String) -> Self {
        Self { text, note: None }
    }
}

/// The work itself. Errors are for a model to read: what is wrong, and what to do next.
pub(crate) trait Engine: Send + Sync + 'static {
    /// Renders a file.
    fn read(
        &self,
        file: File,
        name: &str,
        mode: Mode,
        budget: Option<u64>,
        stop: StopFn<'_>,
    ) -> Result<Said, String>;

    /// Says what a file consists of.
    fn inspect(&self, file: File, name: &str, stop: StopFn<'_>) -> Result<String, String>;

    /// Makes a file from a manifest, or leaves nothing behind. Gives its size.
    fn encode(
        &self,
        manifest: File,
        read: ReadFn<'_>,
        output: Output,
        compress: bool,
        stop: StopFn<'_>,
    ) -> Result<u64, String>;

    /// Says how large a file is, by type and in tokens.
    fn stats(&self, file: File, name: &str, stop: StopFn<'_>) -> Result<String, String>;
}

/// The codec of `linkspan-bcp`.
pub(crate) struct Codec;

/// A text that is longer than this no model reads, and it has to fit into a message; nothing more is
/// made of it.
pub(crate) const MOST_TEXT: usize = 64 << 20;

const STOPPED: &str = "stopped";

impl Engine for Codec {
    fn read(
        &self,
        file: File,
        name: &str,
        mode: Mode,
        budget: Option<u64>,
        stop: StopFn<'_>,
    ) -> Result<Said, String> {
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
                // What is rendered is text, so that nothing is ever replaced.
                let text = String::from_utf8(text.0)
                    .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
                report.map(|report| (text, report))
            }
        };
        let (text, report) = shown.map_err(|failed| because(name, &failed))?;
        if let (0, Some(first)) = (report.full + report.summaries, report.unreadable.first()) {
            return Err(because(name, &Failed::File(first.clone())));
        }
        if text.is_empty() {
            return Err(format!(
                "{name}: not one of its {} blocks fits into the budget: ask for more tokens, or \
                 leave `budget` out",
                report.left_out
            ));
        }
        let note = match (budget, report.tokens) {
            (Some(budget), Some(tokens)) if report.over_budget => Some(format!(
                "This text has {tokens} tokens, which is more than the budget of {budget}: the \
                 critical blocks alone need that, and those are always shown in full{}.",
                others(&report)
            )),
            (Some(budget), _) if report.left_out > 0 && !report.noted => Some(format!(
                "{} of its blocks are left out: the budget of {budget} tokens has no room even for a \
                 line that says so.",
                report.left_out
            )),
            _ => None,
        };
        Ok(Said { text, note })
    }

    fn inspect(&self, file: File, name: &str, stop: StopFn<'_>) -> Result<String, String> {
        let document = Document::new(file, Limits::default());
        let mut out = Stoppable {
            out: Bounded(Vec::new()),
            stop,
        };
        inspect::write(&document, Which::default(), &mut out)
            .map_err(|e| because(name, &Failed::File(e)))?;
        let text = String::from_utf8_lossy(&out.out.0);
        let plain = anstream::adapter::strip_str(&text).to_string();
        Ok(plain.trim_end().to_owned())
    }

    fn encode(
        &self,
        manifest: File,
        read: ReadFn<'_>,
        mut output: Output,
        compress: bool,
        stop: StopFn<'_>,
    ) -> Result<u64, String> {
        let said = |failure: Failure| failure.in_words();
        let options = ManifestOptions {
            compat: false,
            files: Box::new(read),
        };
        let how = How {
            write: WriteOptions {
                compress_blocks: compress,
                dedup: false,
            },
            compress_payload: false,
            store: None,
        };
        let made = encode::write(&mut output, &how, |sink| {
            encode::from_manifest(manifest, "the manifest", options, sink, &mut |_| !stop())
        })
        .map_err(said)?;
        if stop() {
            return Err(STOPPED.to_owned());
        }
        output.commit().map_err(said)?;
        Ok(made.bytes)
    }

    fn stats(&self, file: File, name: &str, stop: StopFn<'_>) -> Result<String, String> {
        let document = Document::new(file, Limits::default());
        let stats = Stats::of(&document, name, Some(Vocabulary::O200k), &|| !stop())
            .map_err(|e| because(name, &Failed::File(e)))?;
        if stop() {
            return Err(STOPPED.to_owned());
        }
        let table = anstream::adapter::strip_str(&stats.table()).to_string();
        Ok(table.trim_end().to_owned())
    }
}

fn because(name: &str, failed: &Failed) -> String {
    match failed {
        Failed::File(error) => format!("{name}: {error}; {}", hint(&error.reason)),
        Failed::Stopped => STOPPED.to_owned(),
        failed => format!("{name}: {failed}"),
    }
}

/// A text that does not grow for ever.
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

/// A place for text that somebody may not want any more.
struct Stoppable<'s, W> {
    out: W,
    stop: StopFn<'s>,
}

impl<W: Write> Write for Stoppable<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if (self.stop)() {
            return Err(std::io::Error::other(STOPPED));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
