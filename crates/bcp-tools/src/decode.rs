//! Renders a file as text for a model.

use std::io::Write;

use linkspan_bcp::{Document, Failed, Kind, Report, Show, Verbosity};
use linkspan_tokens::Vocabulary;

use crate::counting::Counter;
use crate::error::{BcpError, Result};
use crate::files::Output;
use crate::held::Held;
use crate::progress::Progress;
use crate::to_json;

/// The blocks to render, and their form.
#[derive(Debug)]
pub struct DecodeOptions {
    /// The blocks and their form.
    pub show: Show,
    /// The maximum number of tokens of the text.
    pub budget: Option<u64>,
    /// The tokenizer that counts them.
    pub vocabulary: Vocabulary,
    /// Whether the blocks are written as a manifest instead.
    pub json: bool,
    /// Whether the output is a terminal, so that control characters are replaced.
    pub terminal: bool,
}

/// A type of blocks to render; `None` is the empty word behind the last comma of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WantedKind(pub Option<Kind>);

impl WantedKind {
    /// The names of all types.
    pub fn names() -> Vec<&'static str> {
        Kind::ALL.iter().map(|kind| kind.name()).collect()
    }

    /// Reads a word of a list.
    pub fn parse(word: &str) -> std::result::Result<Self, String> {
        match (word.trim(), Kind::parse(word.trim())) {
            ("", _) => Ok(Self(None)),
            (_, None) => Err(format!("it is one of {}", Self::names().join(", "))),
            (_, kind) => Ok(Self(kind)),
        }
    }
}

/// Renders a file into an output, without committing it.
pub fn decode(
    document: &Document,
    name: &str,
    options: &DecodeOptions,
    output: &mut Output,
    progress: &dyn Progress,
) -> Result<Report> {
    progress.begin("decoding", document.source().length().unwrap_or_default());
    let mut watch = |at| {
        progress.at(at);
        true
    };
    let output_is_atomic = output.is_atomic();
    let mut out = Held::new(output, document, options.terminal);
    // A stream must not get a part of a text. An incomplete file does not appear.
    let complete = if output_is_atomic {
        Ok(())
    } else {
        document.check_frames()
    };
    let shown = if let Err(e) = complete {
        Err(e.into())
    } else if options.json {
        to_json::write(document, &options.show, &mut out, &mut watch)
    } else {
        render(document, options, &mut out, &mut watch)
    };
    progress.end();
    if let Some(failed) = out.failed() {
        return Err(failed);
    }
    let report = shown.map_err(|failed| match failed {
        Failed::File(e) => BcpError::file(name, e),
        failed => BcpError::NothingDecoded {
            name: name.to_owned(),
            blocks: options.show.blocks.clone(),
            failed: Box::new(failed),
        },
    })?;
    out.finish()?;
    Ok(report)
}

fn render(
    document: &Document,
    options: &DecodeOptions,
    out: &mut Held<'_>,
    watch: &mut dyn FnMut(u64) -> bool,
) -> Result<Report, Failed> {
    let show = &options.show;
    let report = match options.budget {
        Some(budget) if show.verbosity == Verbosity::Adaptive => {
            let counter = Counter(options.vocabulary);
            let (text, report) = document.show_within(show, budget, &counter, watch)?;
            out.write_all(text.as_bytes())?;
            report
        }
        _ => document.show(show, out, watch)?,
    };
    // A file gets exactly the rendered text; a stream gets complete lines.
    if out.wants_line_end() {
        out.write_all(b"\n")?;
    }
    Ok(report)
}

impl DecodeOptions {
    /// Warnings about the text, besides the first unreadable block.
    pub fn warnings(&self, report: &Report) -> Vec<String> {
        let unreadable = report.unreadable.iter().skip(1);
        let mut warnings: Vec<String> = unreadable.map(ToString::to_string).collect();
        let Some(budget) = self.budget else {
            return warnings;
        };
        if self.show.verbosity != Verbosity::Adaptive {
            warnings.push("--budget has no effect with this --verbosity".to_owned());
        }
        // With --compat, tokens are not counted.
        let Some(tokens) = report.tokens else {
            return warnings;
        };
        let left_out = report.left_out;
        if report.over_budget {
            warnings.push(format!(
                "the critical blocks alone have {tokens} tokens; the budget is {budget}{}",
                others(report)
            ));
        } else if tokens == 0 && left_out > 0 {
            warnings.push(format!("no block fits into {budget} tokens"));
        } else if left_out > 0 && !report.noted {
            let noun = if left_out == 1 {
                "block is"
            } else {
                "blocks are"
            };
            warnings.push(format!(
                "{left_out} {noun} left out, and {budget} tokens leave no room for a line about that"
            ));
        }
        warnings
    }
}

/// The number of left-out blocks, as the end of a sentence; empty if the text has a line about them.
pub(crate) fn others(report: &Report) -> String {
    match report.left_out {
        0 => String::new(),
        _ if report.noted => String::new(),
        1 => "; 1 other block is left out".to_owned(),
        count => format!("; {count} other blocks are left out"),
    }
}
