//! Renders the selected blocks of a file, one after the other.

use std::io::{self, Write};
use std::ops::ControlFlow;

use crate::apart::APART;
use crate::block::Block;
use crate::error::Error;
use crate::names::Kind;
use crate::reader::Reader;
use crate::render::{Form, Mode, Renderer};
use crate::source::{Document, Input};

/// How much of each block is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verbosity {
    /// The whole content.
    Full,
    /// The summary of blocks that have one.
    Summary,
    /// As much as the budget allows.
    #[default]
    Adaptive,
}

impl Verbosity {
    /// The verbosity with this name, in any case.
    pub fn parse(word: &str) -> Option<Self> {
        [
            ("full", Self::Full),
            ("summary", Self::Summary),
            ("adaptive", Self::Adaptive),
        ]
        .into_iter()
        .find_map(|(name, value)| name.eq_ignore_ascii_case(word).then_some(value))
    }
}

/// The blocks to show, and their rendering.
#[derive(Debug, Clone)]
pub struct Show {
    /// The format.
    pub renderer: Renderer,
    /// How much of each block is shown.
    pub verbosity: Verbosity,
    /// Only blocks of these types.
    pub include: Option<Vec<Kind>>,
    /// Only blocks with these indexes.
    pub blocks: Option<Vec<u64>>,
    /// Whether a text within a budget ends with a line end, which counts.
    pub line_end: bool,
}

impl Show {
    /// All blocks in full.
    pub fn all(renderer: Renderer) -> Self {
        Self {
            renderer,
            verbosity: Verbosity::Full,
            include: None,
            blocks: None,
            line_end: false,
        }
    }

    /// Whether a block is shown. Annotations never are.
    pub(crate) fn wants(&self, index: u64, kind: u8) -> bool {
        Kind::from_byte(kind) != Some(Kind::Annotation) && self.picks(index, kind)
    }

    /// Whether a block is read only to report damage: an annotation affects other blocks.
    pub(crate) fn minds(&self, index: u64, kind: u8) -> bool {
        Kind::from_byte(kind) == Some(Kind::Annotation) && self.picks(index, kind)
    }

    fn picks(&self, index: u64, kind: u8) -> bool {
        let kind = Kind::from_byte(kind);
        self.blocks
            .as_ref()
            .is_none_or(|blocks| blocks.contains(&index))
            && match (&self.include, kind) {
                (None, _) => true,
                (Some(kinds), Some(kind)) => kinds.contains(&kind),
                (Some(_), None) => false,
            }
    }
}

/// The result of a rendering.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The number of blocks in full.
    pub full: u64,
    /// The number of blocks by their summary.
    pub summaries: u64,
    /// The number of blocks as a placeholder.
    pub placeholders: u64,
    /// The number of blocks left out for lack of room.
    pub left_out: u64,
    /// Whether a line of the text states that number.
    pub noted: bool,
    /// The errors of unreadable blocks, at most a hundred.
    pub unreadable: Vec<Error>,
    /// The tokens of the whole text, if counted.
    pub tokens: Option<u64>,
    /// Whether the critical blocks alone exceed the budget.
    pub over_budget: bool,
}

impl Report {
    /// Stores an error, up to a hundred.
    pub(crate) fn unreadable(&mut self, why: Error) {
        if self.unreadable.len() < 100 {
            self.unreadable.push(why);
        }
    }

    pub(crate) fn count(&mut self, form: Form, block: &Block<'_>) {
        match form {
            Form::Summary if block.summary.is_some() => self.summaries += 1,
            Form::Full | Form::Summary => self.full += 1,
            Form::Placeholder { .. } => self.placeholders += 1,
        }
    }
}

/// Why nothing, or not everything, was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failed {
    /// The file is damaged.
    File(Error),
    /// Compat mode: a content is not text. The number is its index among the shown blocks.
    NotText(u64),
    /// There are no blocks to show.
    Nothing,
    /// The caller stopped the rendering.
    Stopped,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::File(error)
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::File(error.into())
    }
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::NotText(index) => {
                write!(f, "invalid UTF-8 in block content at index {index}")
            }
            Self::Nothing => write!(f, "there are no blocks to render"),
            Self::Stopped => write!(f, "stopped"),
        }
    }
}

impl std::error::Error for Failed {}

/// Called with the reading position, in bytes of the file with its payload inflated; returns whether to
/// continue.
pub type Watch<'w> = dyn FnMut(u64) -> bool + 'w;

/// Called with the index of a block, and the block or its error. Returns whether to continue.
pub(crate) type Each<'e> = dyn FnMut(u64, Result<&Block<'_>, &Error>) -> Result<Go, Failed> + 'e;

/// Whether to continue.
pub(crate) type Go = ControlFlow<()>;

impl Document {
    /// Writes the blocks in full, or by their summaries. If the file is damaged near its end, a part of the
    /// text has been written by then: a caller that cannot undo that calls
    /// [`check_frames`](Self::check_frames) first.
    pub fn show(
        &self,
        show: &Show,
        out: &mut dyn Write,
        watch: &mut Watch<'_>,
    ) -> Result<Report, Failed> {
        let form = match show.verbosity {
            Verbosity::Summary => Form::Summary,
            Verbosity::Full | Verbosity::Adaptive => Form::Full,
        };
        self.show_as(show, out, watch, &mut |_| Some(form))
    }

    /// Writes the blocks in the forms that `form` returns for their indexes.
    pub(crate) fn show_as(
        &self,
        show: &Show,
        out: &mut dyn Write,
        watch: &mut Watch<'_>,
        form: &mut dyn FnMut(u64) -> Option<Form>,
    ) -> Result<Report, Failed> {
        let mut report = Report::default();
        let mut pieces = Pieces::new(show.renderer.mode, out);
        let mut reader = self.reader()?;
        let all = |_| true;
        self.each(show, &mut reader, &all, watch, &mut |index, read| {
            let piece = pieces.next();
            match read {
                Ok(block) => {
                    let Some(form) = form(index) else {
                        report.left_out += 1;
                        return Ok(Go::Continue(()));
                    };
                    let place = report.full + report.summaries + report.placeholders;
                    show.renderer
                        .render(block, form, piece)
                        .map_err(|_| Failed::NotText(place))?;
                    report.count(form, block);
                }
                Err(why) if show.renderer.compat => return Err(why.clone().into()),
                Err(why) => {
                    show.renderer.unreadable(why, piece);
                    report.unreadable(why.clone());
                }
            }
            pieces.write()?;
            Ok(Go::Continue(()))
        })?;
        if pieces.finish()? == 0 && report.left_out == 0 {
            return Err(Failed::Nothing);
        }
        Ok(report)
    }

    /// Reads the blocks to show whose indexes `pick` selects.
    pub(crate) fn each(
        &self,
        show: &Show,
        reader: &mut Reader<Input>,
        pick: &dyn Fn(u64) -> bool,
        watch: &mut Watch<'_>,
        with: &mut Each<'_>,
    ) -> Result<(), Failed> {
        let mut index = 0;
        while let Some(head) = reader.next_head()? {
            if !watch(reader.offset()) {
                return Err(Failed::Stopped);
            }
            let wanted = show.wants(index, head.kind) && pick(index);
            let minded = show.minds(index, head.kind) && pick(index);
            // The reference implementation reads all blocks before it shows one.
            if wanted || minded || show.renderer.compat {
                let read = reader.open().and_then(|frame| frame.block());
                let go = match &read {
                    Ok(block) if wanted => with(index, Ok(block))?,
                    Ok(_) => Go::Continue(()),
                    Err(e) if e.local => with(index, Err(e))?,
                    Err(e) => return Err(e.clone().into()),
                };
                if go.is_break() {
                    return Ok(());
                }
            }
            index += 1;
        }
        Ok(())
    }
}

/// Joins rendered blocks.
struct Pieces<'o> {
    mode: Mode,
    out: &'o mut dyn Write,
    piece: String,
    written: u64,
}

impl<'o> Pieces<'o> {
    fn new(mode: Mode, out: &'o mut dyn Write) -> Self {
        Self {
            mode,
            out,
            piece: " ".repeat(APART),
            written: 0,
        }
    }

    /// The buffer for the next piece.
    fn next(&mut self) -> &mut String {
        self.piece.truncate(APART);
        self.piece.push_str(match self.written {
            0 => self.mode.opening(),
            _ => Mode::SEPARATOR,
        });
        &mut self.piece
    }

    fn write(&mut self) -> Result<(), Failed> {
        self.out.write_all(&self.piece.as_bytes()[APART..])?;
        self.written += 1;
        Ok(())
    }

    fn finish(self) -> io::Result<u64> {
        if self.written > 0 {
            self.out.write_all(self.mode.closing().as_bytes())?;
        }
        Ok(self.written)
    }
}
